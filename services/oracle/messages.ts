/** What messages of congestion state, by the octets of their figures. */

import { u16 } from './ethernet.js';

/** EtherTypes. */
const [C_TAG, S_TAG, CN_TAG, CNM] = [0x8100, 0x88a8, 0x22e9, 0x22e7];
const [IPV4, IPV6, CONGESTION] = [0x0800, 0x86dd, 0x89a2];
const [ROCE_PORT, CNP_OPCODE] = [4791, 0x81];
const [SFCM_SUBTYPE, SFCM_VERSION, UDP_PORTS] = [1, 1, [49_374, 49_375]];

/** The EtherType behind the tags, and the Flow ID of a CN-TAG among them (802.1Q 33.2). */
function behindTags(octets: Uint8Array): { readonly at: number; readonly flowId: number } {
  let at = 12;
  let flowId = 0;
  while ([C_TAG, S_TAG, CN_TAG].includes(u16(octets, at))) {
    if (u16(octets, at) === CN_TAG) flowId = u16(octets, at + 2);
    at += 4;
  }
  return { at, flowId };
}

export type Cnm = NonNullable<ReturnType<typeof cnmOf>>;
export type Sfcm = NonNullable<ReturnType<typeof sfcmOf>>;

/** A congestion notification message (802.1Q 33.3, 33.4); null: the octets are none. */
export function cnmOf(octets: Uint8Array) {
  const { at, flowId } = behindTags(octets);
  if (u16(octets, at) !== CNM) return null;
  const pdu = at + 2;
  return {
    flowId,
    feedback: octets[pdu + 1]! & 63,
    port: octets[pdu + 8]!,
    offset: signed(u16(octets, pdu + 10)),
    delta: signed(u16(octets, pdu + 12)),
    priority: octets[pdu + 14]! >> 5,
  };
}

/** The queue pair that a congestion notification packet names (Annex A17.9); null: it is none. */
export function queuePairOf(octets: Uint8Array): number | null {
  const { at } = behindTags(octets);
  if (u16(octets, at) !== IPV4) return null;
  const udp = at + 2 + 4 * (octets[at + 2]! & 15);
  const bth = udp + 8;
  if (u16(octets, udp + 2) !== ROCE_PORT || octets[bth] !== CNP_OPCODE) return null;
  return (octets[bth + 5]! << 16) | u16(octets, bth + 6);
}

/** A source flow control message (P802.1Qdw 52.5.3) that states a pause or its end. */
export function sfcmOf(octets: Uint8Array) {
  const pdu = congestionPduOf(octets);
  if (pdu === null || octets[pdu] !== SFCM_SUBTYPE) return null;
  const type = octets[pdu + 1]! & 15;
  if (octets[pdu + 1]! >> 4 !== SFCM_VERSION || (type !== 1 && type !== 2)) return null;
  return {
    isPause: type === 1,
    priority: octets[pdu + 4]! >> 5,
    pauseNs: type === 1 ? u16(octets, pdu + 8) * 0x10000 + u16(octets, pdu + 10) : 0,
    port: octets[pdu + 32]!,
    units: u16(octets, pdu + 34),
    isForSource: [0, 1, 2, 3, 4, 5].every((i) => octets[i] === octets[pdu + 18 + i]),
  };
}

/** Behind EtherType 89-A2, or in a UDP datagram (802.1Qcz 49.4.3). */
export function congestionPduOf(octets: Uint8Array): number | null {
  const { at } = behindTags(octets);
  const type = u16(octets, at);
  if (type === CONGESTION) return at + 2;
  if (type !== IPV4 && type !== IPV6) return null;
  const udp = at + 2 + (type === IPV6 ? 40 : 4 * (octets[at + 2]! & 15));
  return UDP_PORTS.includes(u16(octets, udp + 2)) ? udp + 8 : null;
}

const signed = (word: number): number => (word < 0x8000 ? word : word - 0x10000);
