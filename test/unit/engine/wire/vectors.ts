/** Frames known octet by octet, without preamble and FCS. */

export function octetsOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/[0-9a-f]{2}/gi) ?? [], (pair) => parseInt(pair, 16));
}

export function hexOf(octets: Uint8Array): string {
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, '0')).join(' ');
}

/** A MAC control frame of station 02-00-00-00-00-0A: what follows its type, then zeros. */
function macControl(parameters: string): Uint8Array {
  const frame = new Uint8Array(60);
  frame.set(octetsOf(`0180c2000001 02000000000a 8808 ${parameters}`));
  return frame;
}

/** 802.3 Annex 31B: everything stopped for the longest time. */
export const PAUSE_FFFF = macControl('0001 ffff');

/** 802.3 Annex 31B: released. */
export const PAUSE_ZERO = macControl('0001 0000');

/** 802.3 Annex 31D: priority 3 stopped for the longest time. */
export const PFC_P3_FFFF = macControl('0101 0008 0000 0000 0000 ffff');

/** 802.3 Annex 31D: priority 3 stopped for 256 quanta, priority 4 released. */
export const PFC_P3_OFF_P4_ON = macControl('0101 0018 0000 0000 0000 0100 0000');

/** InfiniBand Architecture Annex A17: congestion notification from 10.0.0.2 to 10.0.0.1, QP 17. */
export const CNP_ROCEV2 = octetsOf(`
  02000000000a 02000000000b 0800
  45 c0 003c 0000 4000 40 11 25ef 0a000002 0a000001
  c001 12b7 0028 0000
  81 00 ffff 40 000011 00 000000
  00000000 00000000 00000000 00000000
  93727150`);
