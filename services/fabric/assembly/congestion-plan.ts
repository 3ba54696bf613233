import { CNP_OCTETS } from '../../engine/wire/cnp.js';
import { QCN_POINT_DEFAULTS, QCN_SCALE_BPS } from '../../engine/congestion/qcn/qcn-managed.js';
import type {
  NotifySpec,
  QcnDefence,
  QcnPointSpec,
  QcnPortSpec,
} from '../../engine/contract/spec.js';
import type { RateSpec } from '../../engine/contract/rate-control.js';
import { STATION_OCTETS } from '../../engine/notices/stations.js';
import { readU48 } from '../../engine/wire/big-endian.js';
import { CN_TAG_OCTETS } from '../../engine/wire/cnm.js';
import { TELEMETRY_HOPS } from '../../engine/wire/telemetry.js';
import type { NotificationSettings } from '../../mechanisms/rate-control-slice.js';
import { hasTelemetry } from '../../mechanisms/registry.js';
import { rateControlOf } from '../../plugins/plugins.js';
import type { HostAddress } from '../address.js';
import { switchPortMac } from '../address.js';
import type { Flow } from '../load/flow.js';
import type { QcnSection, Scenario } from '../scenario/scenario.js';
import { matchesGlob } from '../scenario/selector.js';
import type { Fail } from '../topology/cabling.js';
import { selectDevices } from '../topology/select-devices.js';
import type { Topology } from '../topology/topology.js';
import type { Hop } from './flow-paths.js';
import type { LinkEnd } from './link-ends.js';
import { stationsOf } from './stations.js';

/** Ethernet 14, IPv4 20, UDP 8, then the packet, ICRC 4 and FCS 4. */
export const CNP_FRAME_OCTETS = 14 + 20 + 8 + CNP_OCTETS + 4 + 4;

/** A Flow ID has 16 bits, and 0 is for frames of no flow. */
const FLOW_ID_MAX = 0xffff;

/** What the receiver of a load's packets sends about marks; null where it sends nothing. */
export function notificationsOf(
  congestion: string,
  { rateControls, plugins }: Scenario,
): NotificationSettings | null {
  const slice = rateControlOf(congestion, plugins);
  return slice?.notifications?.(rateControls[congestion]) ?? null;
}

/** Who slows down for whom: limits of flows, what their receivers say, points of switches. */
export class CongestionPlan {
  private readonly outside: ReadonlySet<number>;
  /** By device and port: null at hosts. */
  private readonly modes: readonly (readonly QcnDefence[])[];
  private readonly rates = new Map<string, RateSpec>();
  private readonly stations: Uint8Array;

  constructor(
    private readonly scenario: Scenario,
    private readonly topology: Topology,
    private readonly linkEnds: readonly (readonly LinkEnd[])[],
    addresses: readonly HostAddress[],
    private readonly fail: Fail,
  ) {
    const { outside } = scenario.rateControls.qcn;
    const reject = (message: string): Error => fail(['qcn', 'outside'], message);
    this.outside = new Set(
      outside.length === 0 ? [] : selectDevices(topology, outside, 'host', reject),
    );
    this.modes = linkEnds.map((ends) => ends.map((end) => this.modeOf(end)));
    this.stations = stationsOf(addresses);
    this.checkPorts();
  }

  /** What limits the flow at its source. */
  rateOf(flow: Flow, packetOctets: number, hops: readonly Hop[]): RateSpec | null {
    const { congestion, source } = flow;
    const slice = rateControlOf(congestion, this.scenario.plugins);
    if (slice === null || this.isOutside(flow)) return null;
    const switches = hops.length - 1;
    if (slice.feedback === 'telemetry' && switches > TELEMETRY_HOPS) {
      const message = `${flow.name} crosses ${switches} switches, and telemetry has room for `;
      throw this.fail(['load', flow.load], `${message}${TELEMETRY_HOPS}`);
    }
    const { link } = this.linkEnds[source]![0]!;
    const key = `${congestion} ${link.rateBps} ${packetOctets} ${switches}`;
    const known = this.rates.get(key);
    if (known !== undefined) return known;
    const settings = this.scenario.rateControls[congestion];
    const made = slice.plan(settings, { lineBps: link.rateBps, packetOctets, hops: switches });
    this.rates.set(key, made);
    return made;
  }

  /** What the flow's receiver says of marks. */
  notifyOf({ congestion, source, destination }: Flow): NotifySpec | null {
    const notifications = notificationsOf(congestion, this.scenario);
    if (notifications === null) return null;
    return {
      gapPs: notifications.intervalPs,
      priority: notifications.priority,
      own: this.addressOf(destination),
      sender: this.addressOf(source),
    };
  }

  /** Flow ID in the CN-TAG of a flow's frames, by its connection; 0 where they have no tag. */
  flowId(flow: Flow, connection: number): number {
    if (this.cnTagOctets(flow) === 0) return 0;
    if (connection < FLOW_ID_MAX) return connection + 1;
    const { name } = this.topology.devices[flow.source]!;
    const message = `${name} has more flows than Flow IDs of 16 bits can tell apart`;
    throw this.fail(['load', flow.load], message);
  }

  /** Of a CN-TAG, as the frames leave their source. */
  cnTagOctets(flow: Flow): number {
    return flow.congestion === 'qcn' && !this.isOutside(flow) ? CN_TAG_OCTETS : 0;
  }

  /** As they reach their receiver: the tag stays on where the domain is ready for it. */
  arrivingCnTagOctets(flow: Flow, hops: readonly Hop[]): number {
    const ready = hops
      .slice(1)
      .every(({ from }) => this.modes[from.device]![from.port] === 'interior-ready');
    return ready ? this.cnTagOctets(flow) : 0;
  }

  /** Congestion points of a switch; null where nothing is watched. */
  pointsOf(device: number): QcnPointSpec | null {
    const { qcn } = this.scenario.rateControls;
    if (qcn.priorities.length === 0) return null;
    return {
      priorities: qcn.priorities.reduce((mask, priority) => mask | (1 << priority), 0),
      alternatePriority: qcn.alternatePriority,
      messagePriority: qcn.cnmPriority,
      minHeaderOctets: qcn.quote,
      bridge: readU48(switchPortMac(device, 0), 0),
      stations: this.stations,
      ports: this.linkEnds[device]!.map(({ link, port }) => ({
        ...pointSpec(qcn, link.rateBps),
        defence: this.modes[device]![port]!,
      })),
    };
  }

  /** Traffic classes whose packets are given telemetry, one bit each. */
  telemetryClasses(flows: readonly Flow[]): number {
    const { transmit } = this.scenario.classes;
    return flows.reduce(
      (mask, { congestion, priority }) =>
        hasTelemetry(congestion) ? mask | (1 << transmit[priority]!) : mask,
      0,
    );
  }

  private isOutside({ congestion, source }: Flow): boolean {
    return congestion === 'qcn' && this.outside.has(source);
  }

  /** A view: addresses of all stations lie one behind the other. */
  private addressOf(host: number): Uint8Array {
    return this.stations.subarray(host * STATION_OCTETS, (host + 1) * STATION_OCTETS);
  }

  private modeOf({ name, peerDevice }: LinkEnd): QcnDefence {
    const { ports, defence } = this.scenario.rateControls.qcn;
    const own = Object.entries(ports).findLast(([match]) => matchesGlob(match, name));
    if (own !== undefined) return own[1];
    if (defence !== 'auto') return defence;
    return this.outside.has(peerDevice) ? 'edge' : 'interior-ready';
  }

  private checkPorts(): void {
    for (const match of Object.keys(this.scenario.rateControls.qcn.ports)) {
      const found = this.linkEnds.some((ends, device) =>
        ends.some(
          ({ name }) =>
            this.topology.devices[device]!.kind === 'switch' && matchesGlob(match, name),
        ),
      );
      if (!found)
        throw this.fail(['qcn', 'ports', match], `no port of a switch is called ${match}`);
    }
  }
}

function pointSpec(section: QcnSection, rateBps: number): Omit<QcnPortSpec, 'defence'> {
  const scale = rateBps / QCN_SCALE_BPS;
  const orScaled = (value: number | 'auto', standard: number): number =>
    value === 'auto' ? standard * scale : value;
  return {
    setPointOctets: orScaled(section.setPoint, QCN_POINT_DEFAULTS.setPointOctets),
    weight: 2 ** section.weight,
    sampleOctets: orScaled(section.sampleBase, QCN_POINT_DEFAULTS.sampleOctets),
  };
}
