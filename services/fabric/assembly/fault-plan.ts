import type { FaultEffect, FaultSpec, FaultTimes } from '../../engine/contract/fault.js';
import type { DeviceSpec } from '../../engine/device/engine.js';
import { RandomStream } from '../../engine/kernel/random.js';
import type { HostAddress } from '../address.js';
import type { FaultKind, FaultPort } from '../faults/fault-kind.js';
import { FAULT_KINDS } from '../faults/registry.js';
import type { FaultSection } from '../scenario/fault-section.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import { hostCount, type Topology } from '../topology/topology.js';
import type { LinkEnd } from './link-ends.js';
import { PortSelector } from './select-ports.js';
import { type PlanBuffer, SetBuffers } from './set-buffers.js';
import { Injector } from './spoofed-messages.js';

const PLACES_MAX = 1_000_000;
/** A fault at a port of a device of the fabric. */
export interface PlacedFault {
  readonly device: number;
  readonly port: number;
  readonly spec: FaultSpec;
}

/** The assembled fabric into which faults are placed. */
interface FaultSite {
  readonly scenario: Pick<Scenario, 'seed' | 'durationPs' | 'faults'>;
  readonly topology: Topology;
  /** By host. */
  readonly addresses: readonly HostAddress[];
  readonly linkEnds: readonly (readonly LinkEnd[])[];
  readonly specs: readonly DeviceSpec[];
  readonly planBuffer: PlanBuffer;
}

/** Places faults, of which the first is the scenario's `firstIndex`-th. */
export function placeFaults(
  site: FaultSite,
  faults: readonly FaultSection[],
  firstIndex: number,
  fail: Fail,
): readonly PlacedFault[] {
  const plan = new FaultPlan(site, fail);
  site.scenario.faults.slice(0, firstIndex).forEach((fault, i) => {
    if (FAULT_KINDS.get(fault.kind)!.configures) plan.place(fault, i);
  });
  faults.forEach((fault, i) => {
    plan.place(fault, firstIndex + i);
  });
  return plan.from(firstIndex);
}

/** Devices with these faults, besides those that they have. */
export function withFaults(
  specs: readonly DeviceSpec[],
  placed: readonly PlacedFault[],
): readonly DeviceSpec[] {
  if (placed.length === 0) return specs;
  const added = specs.map(({ ports }) => ports.map((port): FaultSpec[] => [...port.faults]));
  for (const { device, port, spec } of placed) added[device]![port]!.push(spec);
  return specs.map((spec, d): DeviceSpec => {
    const ports = spec.ports.map((port, p) => ({ ...port, faults: added[d]![p]! }));
    return { ...spec, ports };
  });
}

/** Finds the ports of faults, and their effects there. */
class FaultPlan {
  private readonly placed: PlacedFault[] = [];
  private readonly topology: Topology;
  private readonly linkEnds: readonly (readonly LinkEnd[])[];
  private readonly specs: readonly DeviceSpec[];
  private readonly injector: Injector;
  private readonly selector: PortSelector;
  private readonly buffers: SetBuffers;

  constructor(
    private readonly site: FaultSite,
    private readonly fail: Fail,
  ) {
    this.topology = site.topology;
    this.linkEnds = site.linkEnds;
    this.specs = site.specs;
    this.selector = new PortSelector(site.topology, site.linkEnds);
    this.injector = new Injector(site.specs, site.addresses);
    this.buffers = new SetBuffers(site.linkEnds, site.planBuffer, fail);
  }

  /** Faults from a number on, in their order. */
  from(firstIndex: number): readonly PlacedFault[] {
    this.buffers.put(firstIndex, this.putSetting);
    const own = this.placed.filter(({ spec }) => spec.fault >= firstIndex);
    return own.sort((a, b) => a.spec.fault - b.spec.fault);
  }

  place(fault: FaultSection, index: number): void {
    const ends = this.select(fault);
    if (ends.length === 0) {
      throw this.fail(
        ['faults', index, 'where'],
        `no port matches: ${fault.name} hits none; selvage topology lists them`,
      );
    }
    let placed = 0;
    const kind = FAULT_KINDS.get(fault.kind)!;
    const { probability } = fault.where;
    const stream = new RandomStream(this.site.scenario.seed, `fault ${fault.name} is where`);
    const seen = new Set<string>();
    for (const end of ends) {
      const key = keyOf(kind, end);
      if (seen.has(key)) continue;
      seen.add(key);
      if (probability < 1 && stream.uniform() >= probability) placed++;
      else placed += kind.place(this.portOf(fault, index, end), fault.given) ? 1 : 0;
    }
    if (placed > 0) return;
    const message = `none of the ports that ${fault.name} hits has ${kind.needs!}`;
    throw this.fail(['faults', index, 'where'], message);
  }

  private select({ where, kind, given }: FaultSection): LinkEnd[] {
    const all = this.linkEnds.flat();
    const own = FAULT_KINDS.get(kind)!;
    const named = own.portsOf?.(given);
    if (named !== undefined) return all.filter((end) => named.includes(end.name));
    const isSwitch = ({ device }: LinkEnd): boolean =>
      this.topology.devices[device]!.kind === 'switch';
    return all.filter(
      (end) => (own.hits !== 'switch' || isSwitch(end)) && this.selector.matches(where, end),
    );
  }

  /** A port as its kind knows it. */
  private portOf(fault: FaultSection, index: number, end: LinkEnd): FaultPort {
    const device = this.specs[end.device]!;
    const { startPs, forPs, everyPs, times, untilPs, random } = fault;
    const ofDevice = this.topology.devices[end.device]!.name;
    return {
      ...this.endsOf(fault, index, end, linkName(end, this.peerOf(end))),
      ...{ device, number: end.device, port: device.ports[end.port]! },
      peer: this.specs[end.peerDevice]!.ports[end.peerPort]!,
      ports: this.linkEnds[end.device]!.map((own) => this.endsOf(fault, index, own, ofDevice)),
      times: { startPs, forPs, everyPs, times, untilPs, random },
      hasDuration: this.site.scenario.durationPs !== null,
      injector: this.injector,
      portNumber: end.port + 1,
      setLink: (setting) => {
        this.buffers.link(fault, index, end, setting, this.putSetting);
      },
      setBuffer: (edit) => this.buffers.edit(fault, index, end.device, edit),
      host: (key, name) => this.hostAt(index, key, name),
      error: (message, key) => this.fail(['faults', index, ...(key ? [key] : [])], message),
    };
  }

  private peerOf({ peerDevice, peerPort }: LinkEnd): LinkEnd {
    return this.linkEnds[peerDevice]![peerPort]!;
  }

  /** `scope`: what is put at several places of one comes at one time. */
  private endsOf(
    fault: FaultSection,
    index: number,
    end: LinkEnd,
    scope: string,
  ): Pick<FaultPort, 'put' | 'putAtPeer'> {
    return {
      put: (effect) => {
        this.put(fault, index, end, effect, scope);
      },
      putAtPeer: (effect) => {
        this.put(fault, index, this.peerOf(end), effect, scope);
      },
    };
  }

  private hostAt(index: number, key: string, name: string): number {
    const position = this.topology.devices.findIndex((device) => device.name === name);
    if (position >= 0 && position < hostCount(this.topology)) return position;
    throw this.fail(['faults', index, key], `no host is called ${name}`);
  }

  private readonly putSetting = (
    fault: FaultSection,
    index: number,
    end: LinkEnd,
    effect: FaultEffect,
  ): void => {
    this.put(fault, index, end, effect, 'settings');
  };

  private put(
    fault: FaultSection,
    index: number,
    end: LinkEnd,
    effect: FaultEffect,
    scope: string,
  ): void {
    if (this.placed.length >= PLACES_MAX) {
      throw this.fail(['faults', index], `faults at too many ports; at most ${PLACES_MAX} in all`);
    }
    const spec = {
      fault: index,
      seed: this.site.scenario.seed,
      stream: `${fault.name} hits ${end.name}`,
      when: timesOf(fault, scope),
      effect,
    };
    this.placed.push({ device: end.device, port: end.port, spec });
  }
}

function timesOf(fault: FaultSection, scope: string): FaultTimes {
  const { startPs, forPs, everyPs, times, untilPs, random, stream } = fault;
  return { startPs, forPs, everyPs, times, untilPs, random, stream: `${stream} of ${scope}` };
}

/** Key of what a fault affects once, however many of its ports are selected. */
function keyOf({ hits }: FaultKind, end: LinkEnd): string {
  if (hits === 'switch') return String(end.device);
  const [a, b] = [`${end.device}:${end.port}`, `${end.peerDevice}:${end.peerPort}`];
  return hits === 'link' && b < a ? b : a;
}

/** The same from both ends. */
function linkName(a: LinkEnd, b: LinkEnd): string {
  return [a.name, b.name].sort().join(' ');
}
