import type { TransportSpec } from '../../engine/contract/spec.js';
import { wireOctets } from '../../engine/units/ethernet.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';
import { TRANSPORTS } from '../../mechanisms/registry.js';
import type { Flow } from '../load/flow.js';
import type { Settings } from './settings.js';
import type { Hop } from './flow-paths.js';
import { ackOctets, type Framing, tagOctets, telemetryOctets } from './framing.js';
import { roundTripPs } from './ideal.js';

export interface CarriedConnection {
  readonly spec: TransportSpec;
  readonly windowPackets: number;
}

/** What the transport of a flow plans for its ends; flows that are alike share it. */
export class TransportPlan {
  private readonly known = new Map<string, CarriedConnection>();

  constructor(private readonly settings: readonly Settings[]) {}

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
    };
    const key = `${flow.load} ${Object.values(carried).join(' ')}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const { settings } = transport;
    const slice = TRANSPORTS.find(({ name }) => name === transport.name)!;
    const windowPackets = transport.windowPackets ?? slice.autoWindow(settings, carried);
    const made = { spec: slice.plan(settings, carried, windowPackets), windowPackets };
    this.known.set(key, made);
    return made;
  }
}
