import { CNP_OCTETS } from '../../engine/wire/cnp.js';
import type { NotifySpec } from '../../engine/contract/spec.js';
import type { RateSpec } from '../../engine/contract/rate-control.js';
import { STATION_OCTETS } from '../../engine/notices/stations.js';
import { TELEMETRY_HOPS } from '../../engine/wire/telemetry.js';
import type { FlowTagging } from '../../mechanisms/fabric-context.js';
import type { FabricOfMechanism } from '../../mechanisms/mechanism-slice.js';
import type { NotificationSettings } from '../../mechanisms/rate-control-slice.js';
import { ALL_PRIORITIES } from '../../engine/units/ethernet.js';
import { hasTelemetry } from '../../mechanisms/registry.js';
import { rateControlOf } from '../../plugins/plugins.js';
import type { Flow } from '../load/flow.js';
import type { Scenario } from '../scenario/scenario.js';
import type { ResolvedInput } from './assembly.js';
import type { Hop } from './flow-paths.js';
import { stationsOf } from './stations.js';

/** Ethernet 14, IPv4 20, UDP 8, then the packet, ICRC 4 and FCS 4. */
export const CNP_FRAME_OCTETS = 14 + 20 + 8 + CNP_OCTETS + 4 + 4;

/** A Flow ID has 16 bits, and 0 is for frames of no flow. */
const FLOW_ID_MAX = 0xffff;

/** The notification of a load's receiver about marked packets; null where it sends none. */
export function notificationsOf(
  congestion: string,
  { rateControls, plugins }: Scenario,
): NotificationSettings | null {
  const slice = rateControlOf(congestion, plugins);
  return slice?.notifications?.(rateControls[congestion]) ?? null;
}

/** Rate controls of flows: their limits, their tags, and their notifications. */
export class CongestionPlan {
  /** By rate control: which of its flows have a tag. */
  private readonly taggings: ReadonlyMap<string, FlowTagging>;
  private readonly rates = new Map<string, RateSpec>();
  private readonly stations: Uint8Array;

  constructor(
    private readonly input: ResolvedInput,
    mechanisms: readonly FabricOfMechanism[],
  ) {
    this.taggings = new Map(
      mechanisms.flatMap(({ slice, context }) => {
        const tagging = slice.tagging?.(context);
        return tagging === undefined ? [] : [[slice.name, tagging] as const];
      }),
    );
    this.stations = stationsOf(input.addresses);
  }

  /** The rate control of the flow at its source. */
  rateOf(flow: Flow, packetOctets: number, hops: readonly Hop[]): RateSpec | null {
    const { congestion, source } = flow;
    const slice = rateControlOf(congestion, this.input.scenario.plugins);
    if (slice === null || this.isOutside(flow)) return null;
    const switches = hops.length - 1;
    if (slice.feedback === 'telemetry' && switches > TELEMETRY_HOPS) {
      const message = `${flow.name} crosses ${switches} switches, and telemetry has room for `;
      throw this.input.fail(['load', flow.load], `${message}${TELEMETRY_HOPS}`);
    }
    const { link } = this.input.linkEnds[source]![0]!;
    const key = `${congestion} ${link.rateBps} ${packetOctets} ${switches}`;
    const known = this.rates.get(key);
    if (known !== undefined) return known;
    const settings = this.input.scenario.rateControls[congestion];
    const made = slice.plan(settings, { lineBps: link.rateBps, packetOctets, hops: switches });
    this.rates.set(key, made);
    return made;
  }

  /** Whether acknowledgements of the flow say that packets were marked. */
  echoes({ congestion, transport }: Flow): boolean {
    const slice = rateControlOf(congestion, this.input.scenario.plugins);
    return transport.kind === 'reliable' && slice?.seesAnswers === true;
  }

  /** The flow's notification point. */
  notifyOf({ congestion, source, destination }: Flow): NotifySpec | null {
    const notifications = notificationsOf(congestion, this.input.scenario);
    if (notifications === null) return null;
    return {
      gapPs: notifications.intervalPs,
      priority: notifications.priority,
      own: this.addressOf(destination),
      sender: this.addressOf(source),
    };
  }

  /** Flow ID in the tag of a flow's frames, by its connection; 0 where they have no tag. */
  flowId(flow: Flow, connection: number): number {
    if (this.flowTagOctets(flow) === 0) return 0;
    if (connection < FLOW_ID_MAX) return connection + 1;
    const { name } = this.input.topology.devices[flow.source]!;
    const message = `${name} has more flows than there are 16-bit Flow IDs`;
    throw this.input.fail(['load', flow.load], message);
  }

  /** Of a tag that names the flow, as the frames leave their source. */
  flowTagOctets(flow: Flow): number {
    const slice = rateControlOf(flow.congestion, this.input.scenario.plugins);
    return this.isOutside(flow) ? 0 : (slice?.flowTagOctets ?? 0);
  }

  /** At their receiver: some ports remove the tag. */
  arrivingFlowTagOctets(flow: Flow, hops: readonly Hop[]): number {
    const tagging = this.taggings.get(flow.congestion);
    const isKept = hops
      .slice(1)
      .every(({ from }) => tagging?.keepsTag(from.device, from.port) === true);
    return isKept ? this.flowTagOctets(flow) : 0;
  }

  /** Traffic classes whose packets are given telemetry, one bit each. */
  telemetryClasses(flows: readonly Flow[]): number {
    const { transmit } = this.input.scenario.classes;
    // Ports may have maps of their own, by which a flow may be in any class.
    const hasMaps = this.input.ports.some((own) => own.some(({ maps }) => maps !== null));
    return flows.reduce((mask, { congestion, priority }) => {
      if (!hasTelemetry(congestion)) return mask;
      return hasMaps ? ALL_PRIORITIES : mask | (1 << transmit[priority]!);
    }, 0);
  }

  private isOutside({ congestion, source }: Flow): boolean {
    return this.taggings.get(congestion)?.isMember(source) === false;
  }

  /** A view: addresses of all stations are consecutive. */
  private addressOf(host: number): Uint8Array {
    return this.stations.subarray(host * STATION_OCTETS, (host + 1) * STATION_OCTETS);
  }
}
