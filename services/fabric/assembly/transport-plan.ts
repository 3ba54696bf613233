import type { TransportSpec } from '../../engine/contract/spec.js';
import { wireOctets } from '../../engine/units/ethernet.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';
import { PS_PER_S } from '../../engine/units/time.js';
import { MECHANISMS, TRANSPORTS } from '../../mechanisms/registry.js';
import type { CarriedFlow } from '../../mechanisms/transport-slice.js';
import type { Flow } from '../load/flow.js';
import type { PrioritySection } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import type { Settings } from './settings.js';
import type { Hop } from './flow-paths.js';
import { ackOctets, type Framing, tagOctets, telemetryOctets } from './framing.js';
import { roundTripPs } from './ideal.js';

export interface CarriedConnection {
  readonly spec: TransportSpec;
  readonly windowPackets: number;
  /** Packets that it sends in a round trip of the idle path. */
  readonly roundTripPackets: number;
  /** Packets that may come before one that is missing until that one is taken for lost. */
  readonly acceptedPackets: number;
}

/** What the transport of a flow plans for its ends; flows that are alike share it. */
export class TransportPlan {
  private readonly known = new Map<string, CarriedConnection>();
  /** Of which any switch forwards the headers of packets that it drops. */
  private readonly cutPriorities: ReadonlySet<number>;

  constructor(
    private readonly settings: readonly Settings[],
    private readonly fail: Fail,
  ) {
    const sections = [...new Set(settings)].flatMap(({ priorities }) => priorities);
    const isCut = ({ mechanisms }: PrioritySection): boolean =>
      MECHANISMS.some((own) => own.cuts?.(mechanisms[own.name]) === true);
    this.cutPriorities = new Set(sections.filter(isCut).map(({ priority }) => priority));
  }

  /** A flow control rules its priority at its source. */
  private isLossless({ source, priority }: Flow): boolean {
    const { priorities } = this.settings[source]!;
    return priorities[priority]?.flowControl !== 'none';
  }

  /** Null for raw frames. */
  of(flow: Flow, framing: Framing, hops: readonly Hop[]): CarriedConnection | null {
    const { transport, messages, after, byOperation } = flow;
    if (transport.kind === 'raw') return null;
    const tags = tagOctets(flow.vlan) + telemetryOctets(flow);
    const octets = [framing.fullFrameOctets, ackOctets(flow)] as const;
    const tripPs = roundTripPs(flow, hops, octets, this.settings);
    const carried = {
      packetsPerMessage: framing.packetsPerMessage,
      packetPayload: framing.fullFrameOctets - framing.overheadOctets,
      lastPayload: framing.lastPayloadOctets,
      messages,
      releasesMessages: byOperation || after.length > 0,
      lineBps: hops[0] === undefined ? Infinity : OCTET_BITS_PS / hops[0].from.octetPs,
      packetOctets: wireOctets(framing.fullFrameOctets + tags),
      roundTripPs: tripPs,
      isLossless: this.isLossless(flow),
      isCut: this.cutPriorities.has(flow.priority),
    };
    const key = `${flow.load} ${Object.values(carried).join(' ')}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const { settings } = transport;
    const slice = TRANSPORTS.find(({ name }) => name === transport.name)!;
    const problem = slice.problemOf?.(settings, carried) ?? null;
    if (problem !== null) {
      const path = ['load', flow.load, 'transport', transport.name, ...problem.key];
      throw this.fail(path, problem.message);
    }
    const windowPackets = transport.windowPackets ?? slice.autoWindow(settings, carried);
    const spec = slice.plan(settings, carried, windowPackets);
    const made = {
      ...{ spec, windowPackets },
      roundTripPackets: roundTripPacketsOf(carried, windowPackets),
      acceptedPackets: slice.accepts?.(spec, windowPackets) ?? 0,
    };
    this.known.set(key, made);
    return made;
  }
}

function roundTripPacketsOf(
  { roundTripPs, lineBps, packetOctets, packetsPerMessage, messages }: CarriedFlow,
  windowPackets: number,
): number {
  const others = packetsPerMessage * messages - 1;
  if (roundTripPs === 0) return Math.min(others, windowPackets);
  return Math.floor(Math.min(others, (roundTripPs * lineBps) / (8 * PS_PER_S * packetOctets)));
}
