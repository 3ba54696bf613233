/** Constants of Ethernet: frame overhead on the link (802.3 3.1, 4.4.2), priorities and classes. */

/** Preamble and start frame delimiter. */
export const PREAMBLE_OCTETS = 8;
/** Least gap between two frames: 96 bit times. */
export const GAP_OCTETS = 12;
/** Octets of a frame on the link beside its own: preamble and gap. */
export const WIRE_OVERHEAD_OCTETS = 20;
export const FCS_OCTETS = 4;
/** TPID and TCI of one tag (802.1Q 9.6). */
export const VLAN_TAG_OCTETS = 4;
/** VID within a TCI. */
export const VID_MASK = 0xfff;
/** Of the tags of a frame: its C-TAG; 0: it has none. */
export const C_TAG_MASK = 0xffff;
/** As a C-TAG: one with VID 0, which has a priority and is of no VLAN (802.1Q 6.9.1, 9.6). */
export const PRIORITY_TAGGED = 0x1000;
/** Destination address to FCS; shorter payload is padded. */
export const FRAME_OCTETS_MIN = 64;
/** The shortest frame before its FCS: what is shorter is padded to it. */
export const PADDED_OCTETS = FRAME_OCTETS_MIN - FCS_OCTETS;
/** Longest basic frame, and longest with one tag (802.3 3.2.7). Jumbo frames are longer. */
export const BASIC_FRAME_OCTETS_MAX = 1518;
export const TAGGED_FRAME_OCTETS_MAX = BASIC_FRAME_OCTETS_MAX + VLAN_TAG_OCTETS;

/** 512 bit times, the unit of pause times (802.3 31B.2). */
export const QUANTUM_OCTETS = 64;

/** The longest pause that a frame can state (802.3 31B.2). */
export const PAUSE_OCTETS_MAX = 65_535 * QUANTUM_OCTETS;

/** Values of the PCP (802.1Q 6.9.3). */
export const PRIORITIES = 8;
export const PRIORITY_NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7];
/** One bit each. */
export const ALL_PRIORITIES = 0xff;
/** Most traffic classes of a port (802.1Q 8.6.6). */
export const TRAFFIC_CLASSES = 8;

/** Octet times of the shortest frame. */
export const WIRE_OCTETS_MIN = FRAME_OCTETS_MIN + WIRE_OVERHEAD_OCTETS;

/** Octet times from the start of a frame to the earliest start of the next one. */
export function wireOctets(frameOctets: number): number {
  return PREAMBLE_OCTETS + frameOctets + GAP_OCTETS;
}
