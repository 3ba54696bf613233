/**
 * Link-state updates of routed switches: which ends of links are down, as their switches detected
 * it. No standard fits (IS-IS and BGP carry more than is modelled), so it has the EtherType that a
 * local OUI and a number extend (802, 9.2.3: 88-B7), as telemetry has with another number. Those
 * for experiments are CE-Tags.
 */

import { readU16, readU32, requireRoom, writeU16, writeU32, writeU48 } from './big-endian.js';
import { ETHERTYPE_AT, EXTENSION_OUI, ETHERTYPE_OUI_EXTENDED } from './ethernet.js';
import { TWO_TO_32 } from '../units/words.js';
import { NEAREST_BRIDGE } from './lldp/lldpdu.js';

/** Number under the OUI: 00-02. */
const EXTENSION_END = 0x02;
const EXTENSION_AT = 14;
const COUNT_AT = 19;
const HEADER_OCTETS = 21;
const ENTRY_OCTETS = 17;

/** So many entries have room in a frame of 1 518 octets. */
export const LINK_STATES_MOST = 87;
export const LINK_STATE_OCTETS_MOST = HEADER_OCTETS + LINK_STATES_MOST * ENTRY_OCTETS;

/** An end of a link, as the switch there advertises it. */
export interface LinkState {
  /** Number of the end in the fabric: see `Adjacency`. */
  readonly slot: number;
  /** Grows with every change. */
  readonly sequence: number;
  readonly down: boolean;
  /** When routes are to be recomputed (ps). */
  readonly applyPs: number;
}

export function isLinkState(octets: Uint8Array): boolean {
  return (
    readU16(octets, ETHERTYPE_AT) === ETHERTYPE_OUI_EXTENDED &&
    readU32(octets, EXTENSION_AT) === EXTENSION_OUI &&
    octets[EXTENSION_AT + 4] === EXTENSION_END
  );
}

/** Returns the length. */
export function encodeLinkStates(
  octets: Uint8Array,
  source: number,
  states: readonly LinkState[],
): number {
  const length = HEADER_OCTETS + states.length * ENTRY_OCTETS;
  requireRoom(octets, 0, length);
  writeU48(octets, 0, NEAREST_BRIDGE);
  writeU48(octets, 6, source);
  writeU16(octets, ETHERTYPE_AT, ETHERTYPE_OUI_EXTENDED);
  writeU32(octets, EXTENSION_AT, EXTENSION_OUI);
  octets[EXTENSION_AT + 4] = EXTENSION_END;
  writeU16(octets, COUNT_AT, states.length);
  states.forEach(({ slot, sequence, down, applyPs }, i) => {
    const at = HEADER_OCTETS + i * ENTRY_OCTETS;
    writeU32(octets, at, slot);
    writeU32(octets, at + 4, sequence);
    octets[at + 8] = down ? 1 : 0;
    writeU32(octets, at + 9, Math.floor(applyPs / TWO_TO_32));
    writeU32(octets, at + 13, applyPs % TWO_TO_32);
  });
  return length;
}

/** Null if they are cut short. */
export function decodeLinkStates(octets: Uint8Array, length: number): LinkState[] | null {
  if (length < HEADER_OCTETS || !isLinkState(octets)) return null;
  const count = readU16(octets, COUNT_AT);
  if (length < HEADER_OCTETS + count * ENTRY_OCTETS) return null;
  return Array.from({ length: count }, (_, i) => {
    const at = HEADER_OCTETS + i * ENTRY_OCTETS;
    return {
      slot: readU32(octets, at),
      sequence: readU32(octets, at + 4),
      down: octets[at + 8] === 1,
      applyPs: readU32(octets, at + 9) * TWO_TO_32 + readU32(octets, at + 13),
    };
  });
}
