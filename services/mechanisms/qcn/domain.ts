import type { FabricContext, FlowTagging } from '../fabric-context.js';
import type { QcnSettings } from './settings.js';
import type { QcnDefence } from './spec.js';
import type { PortRow } from '../../engine/units/indices.js';

/** The congestion notification domain (802.1Q 30.6): its hosts, and how ports defend it. */
export class QcnDomain implements FlowTagging {
  private readonly outside: ReadonlySet<number>;
  /** By device and port. */
  private readonly modes: readonly (readonly QcnDefence[])[];

  constructor(private readonly context: FabricContext<QcnSettings>) {
    this.outside = new Set(context.hostsNamed(['qcn', 'outside'], context.section.outside));
    this.modes = context.devices.map(({ links }) =>
      links.map(({ name, peerDevice }) => this.modeOf(name, peerDevice)),
    );
    this.checkPorts();
  }

  isMember(host: number): boolean {
    return !this.outside.has(host);
  }

  keepsTag(device: number, port: PortRow): boolean {
    return this.modes[device][port] === 'interior-ready';
  }

  defence(device: number, port: PortRow): QcnDefence {
    return this.modes[device][port];
  }

  private modeOf(name: string, peerDevice: number): QcnDefence {
    const { section, matches } = this.context;
    const { ports, defence } = section;
    const own = Object.entries(ports).findLast(([pattern]) => matches(pattern, name));
    if (own !== undefined) return own[1];
    if (defence !== 'auto') return defence;
    return this.outside.has(peerDevice) ? 'edge' : 'interior-ready';
  }

  private checkPorts(): void {
    const { section, devices, hostCount, matches, fail } = this.context;
    const ports = devices.slice(hostCount).flatMap(({ links }) => links);
    for (const pattern of Object.keys(section.ports)) {
      if (ports.some(({ name }) => matches(pattern, name))) continue;
      throw fail(['qcn', 'ports', pattern], `no port of a switch is called ${pattern}`);
    }
  }
}
