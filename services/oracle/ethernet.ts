/** Constants of the standards that the oracle goes by, declared here once more on purpose. */

/** Preamble and start frame delimiter (802.3 3.1.1). */
export const PREAMBLE = 8;
/** Least interpacket gap (802.3 4.4.2). */
const GAP = 12;
const FCS = 4;
/** The shortest frame, from destination address to FCS (802.3 4.4.2). */
export const SHORTEST = 64;
/** A control ordered set is one 66B block: no preamble, no gap (802.3 49.2.4.4). */
export const ORDERED_SET = 8;

/** 512 bit times: the unit of pause times (802.3 31B.2). */
export const QUANTUM = 64;

/** Rates of Ethernet in bit/s, by the code that telemetry has of them. */
export const LINE_RATES = [1e7, 1e8, 1e9, 1e10, 25e9, 4e10, 5e10, 1e11, 2e11, 4e11, 8e11, 16e11];

export const PRIORITIES = [0, 1, 2, 3, 4, 5, 6, 7];

export const ETHERTYPE = {
  macControl: 0x8808,
  lldp: 0x88cc,
  /** OUI Extended EtherType (802 9.2.4), of the link states of failover. */
  linkState: 0x88b7,
} as const;

export const OPCODE = { pause: 0x0001, pfc: 0x0101 } as const;

/** Octet times that a frame of so many octets takes of the link, preamble and gap included. */
export const lineOctets = (octets: number): number => PREAMBLE + octets + GAP;

export const etherTypeOf = (octets: Uint8Array): number => u16(octets, 12);
export const opcodeOf = (octets: Uint8Array): number => u16(octets, 14);
export const u16 = (octets: Uint8Array, at: number): number =>
  ((octets[at] ?? 0) << 8) | (octets[at + 1] ?? 0);

/** The same of a control frame without FCS, or of an ordered set. */
export const lineOf = (octets: Uint8Array): number =>
  octets.length === ORDERED_SET ? ORDERED_SET : lineOctets(Math.max(SHORTEST, octets.length + FCS));

/** The opcode of a pause frame; null: it is none. */
export function pauseOpcodeOf(octets: Uint8Array): number | null {
  if (octets.length === ORDERED_SET || etherTypeOf(octets) !== ETHERTYPE.macControl) return null;
  const opcode = opcodeOf(octets);
  return opcode === OPCODE.pfc || opcode === OPCODE.pause ? opcode : null;
}

/** Those of some numbers below 8 that are so, one bit each; and back. */
export const maskOf = (numbers: readonly number[], isSo: (n: number) => boolean): number =>
  numbers.reduce((mask, n) => (isSo(n) ? mask | (1 << n) : mask), 0);
export const bitsOf = (mask: number): number[] => PRIORITIES.filter((n) => (mask >> n) % 2 === 1);

export const showPs = (ps: number): string => `${ps / 1000}ns`;
