import { FRAME_OCTETS_MIN, VLAN_TAG_OCTETS } from '../../engine/units/ethernet.js';
import { PS_PER_S } from '../../engine/units/time.js';
import { TELEMETRY_OCTETS } from '../../engine/wire/telemetry.js';
import { hasTelemetry, TRANSPORTS } from '../../mechanisms/registry.js';
import type { Flow, ReliableTransport, VlanTags } from '../load/flow.js';
import { RAW_OVERHEAD_BYTES, RELIABLE_OVERHEAD_BYTES } from '../load/flow.js';

/** An acknowledgement of RoCEv2 without tags: RELIABLE_OVERHEAD_BYTES and the AETH of 4. */
const ROCE_ACK_OCTETS = RELIABLE_OVERHEAD_BYTES + 4;

/** The shortest acknowledgement of a transport, without tags. */
export function ackOctets({ transport }: Pick<Flow, 'transport'>): number {
  const name = transport.kind === 'raw' ? null : transport.name;
  return TRANSPORTS.find((own) => own.name === name)?.ackOctets ?? ROCE_ACK_OCTETS;
}

/** The longest one. */
export function mostAckOctets(transport: ReliableTransport): number {
  const slice = TRANSPORTS.find((own) => own.name === transport.name);
  return ackOctets({ transport }) + (slice?.furtherAckOctets ?? 0);
}

/** How a flow's messages are segmented into frames; lengths are without tags. */
export interface Framing {
  readonly packetsPerMessage: number;
  readonly fullFrameOctets: number;
  /** Of the last packet of a message. */
  readonly lastFrameOctets: number;
  readonly lastPayloadOctets: number;
  /** Octets of a full frame that are not payload. */
  readonly overheadOctets: number;
}

export function framingOf({ transport, messageBytes }: Flow): Framing {
  const reliable = transport.kind === 'reliable';
  const overheadOctets = reliable ? transport.overheadBytes : RAW_OVERHEAD_BYTES;
  const fullFrameOctets = reliable ? transport.mtuBytes + overheadOctets : transport.frameBytes;
  const fullPayloadOctets = fullFrameOctets - overheadOctets;
  const packetsPerMessage = Math.ceil(messageBytes / fullPayloadOctets);
  const lastPayloadOctets =
    packetsPerMessage === Infinity
      ? fullPayloadOctets
      : messageBytes - (packetsPerMessage - 1) * fullPayloadOctets;
  return {
    packetsPerMessage,
    fullFrameOctets: padded(fullFrameOctets),
    lastFrameOctets: padded(lastPayloadOctets + overheadOctets),
    lastPayloadOctets,
    overheadOctets: padded(fullFrameOctets) - fullPayloadOctets,
  };
}

/** Octets added to packets and acknowledgements of a flow: room for telemetry. */
export function telemetryOctets({ congestion }: Flow): number {
  return hasTelemetry(congestion) ? TELEMETRY_OCTETS : 0;
}

export function tagOctets({ inner, outer }: VlanTags): number {
  return [inner, outer].filter((vlan) => vlan !== null).length * VLAN_TAG_OCTETS;
}

/** Least time per octet on the wire at the flow's own rate; 0 where it has none. */
export function pacePsPerOctet({ transport, release }: Flow): number {
  const own = release.kind === 'backlog' ? (release.pacePsPerOctet ?? 0) : 0;
  if (transport.kind === 'raw' || transport.rateBps === Infinity) return own;
  return Math.max(own, (8 * PS_PER_S) / transport.rateBps);
}

/** Before tags, so that a frame is long enough when its tag is removed. */
function padded(octets: number): number {
  return Math.max(FRAME_OCTETS_MIN, octets);
}
