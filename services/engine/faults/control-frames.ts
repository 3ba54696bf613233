import { VLAN_TAG_OCTETS } from '../units/ethernet.js';
import type { ControlMatch } from '../contract/fault.js';
import { ETHERTYPE_CN_TAG } from '../wire/cn-tag.js';
import { ETHERTYPE_CNM } from '../wire/cnm.js';
import { ROCE_CNP, ROCE_UDP_PORT } from '../wire/roce.js';
import { readU16 } from '../wire/big-endian.js';
import { CE_TAG_GRANT, CE_TAG_REQUEST } from '../wire/ce-tag.js';
import { CF_UPDATE } from '../wire/cf-update.js';
import { SUBTYPE_CIM } from '../wire/congestion-message.js';
import {
  ETHERTYPE_C_TAG,
  ETHERTYPE_CONGESTION,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  ETHERTYPE_MAC_CONTROL,
  ETHERTYPE_S_TAG,
  ETHERTYPE_AT,
} from '../wire/ethernet.js';
import { IPV4_HEADER_OCTETS } from '../wire/ipv4.js';
import { IPV6_HEADER_OCTETS } from '../wire/ipv6.js';
import { ETHERTYPE_LLDP } from '../wire/lldp/lldpdu.js';
import { UDP_HEADER_OCTETS } from '../wire/udp.js';
import { LLR_ACK, LLR_INIT, LLR_INIT_ECHO, LLR_NACK } from '../wire/llr.js';
import { MAC_CONTROL_KINDS } from '../wire/mac-control/kinds.js';
import { OPCODE_EXTENSION } from '../wire/mac-control/opcodes.js';
import { ORDERED_SET_OCTETS, ORDERED_SET_TYPE, orderedSetType } from '../wire/ordered-set.js';
import { MAC_CONTROL_OPCODE } from '../wire/mac-control/mac-control-header.js';

/** In a CE-Tag: what follows the flags. */
const TAG_VECTOR_AT = 15;

const ANY = -1;
const NONE = -1;

/** Messages that are frames of the fabric, one bit each. */
const CNP = 1;
const CNM = 2;
const CIM = 4;
const SFCM = 8;

type Kind = Omit<ControlMatch, 'priorities'>;

function ofLink(etherType: number, opcode: number, vectorAt: number): Kind {
  return { etherType, opcode, vectorAt, messages: 0 };
}

/** No frame of a link has this EtherType. */
const NO_TYPE = 0;

function ofFabric(messages: number): Kind {
  return { etherType: NO_TYPE, opcode: ANY, vectorAt: NONE, messages };
}

/** Control frames that a scenario can name. */
export const CONTROL_FRAMES: Readonly<Record<string, Kind>> = {
  any: { ...ofLink(ANY, ANY, NONE), messages: CNP | CNM | CIM | SFCM },
  ...Object.fromEntries(
    MAC_CONTROL_KINDS.map(({ name, opcode, vectorAt }) => [
      name,
      ofLink(ETHERTYPE_MAC_CONTROL, opcode, vectorAt ?? NONE),
    ]),
  ),
  'ce-tag-request': ofLink(CE_TAG_REQUEST, ANY, TAG_VECTOR_AT),
  'ce-tag-grant': ofLink(CE_TAG_GRANT, ANY, TAG_VECTOR_AT),
  'cc-update': ofLink(ETHERTYPE_MAC_CONTROL, OPCODE_EXTENSION, NONE),
  'cf-update': ofLink(ORDERED_SET_TYPE, CF_UPDATE, NONE),
  'llr-ack': ofLink(ORDERED_SET_TYPE, LLR_ACK, NONE),
  'llr-nack': ofLink(ORDERED_SET_TYPE, LLR_NACK, NONE),
  'llr-init': ofLink(ORDERED_SET_TYPE, LLR_INIT, NONE),
  'llr-init-echo': ofLink(ORDERED_SET_TYPE, LLR_INIT_ECHO, NONE),
  lldp: ofLink(ETHERTYPE_LLDP, ANY, NONE),
  cnp: ofFabric(CNP),
  cnm: ofFabric(CNM),
  cim: ofFabric(CIM),
  sfcm: ofFabric(SFCM),
};

/** Whether a frame belongs to the link; others cross the fabric. */
export function isOfLink(octets: Uint8Array): boolean {
  switch (readU16(octets, ETHERTYPE_AT)) {
    case ETHERTYPE_MAC_CONTROL:
    case ETHERTYPE_LLDP:
    case CE_TAG_REQUEST:
    case CE_TAG_GRANT:
      return true;
    default:
      return false;
  }
}

/** Which message the octets of a frame are; 0: none of these. */
export function messageOf(octets: Uint8Array): number {
  let at = ETHERTYPE_AT;
  for (;;) {
    switch (readU16(octets, at)) {
      case ETHERTYPE_S_TAG:
      case ETHERTYPE_C_TAG:
      case ETHERTYPE_CN_TAG:
        at += VLAN_TAG_OCTETS;
        break;
      case ETHERTYPE_CNM:
        return CNM;
      case ETHERTYPE_CONGESTION:
        return ofSubtype(octets[at + 2]);
      case ETHERTYPE_IPV4:
        return inUdp(octets, at + 2 + IPV4_HEADER_OCTETS);
      case ETHERTYPE_IPV6:
        return inUdp(octets, at + 2 + IPV6_HEADER_OCTETS);
      default:
        return 0;
    }
  }
}

function inUdp(octets: Uint8Array, at: number): number {
  const pduAt = at + UDP_HEADER_OCTETS;
  if (octets.length <= pduAt) return 0;
  if (readU16(octets, at + 2) !== ROCE_UDP_PORT) return ofSubtype(octets[pduAt]);
  return octets[pduAt] === ROCE_CNP ? CNP : 0;
}

function ofSubtype(subtype: number): number {
  return subtype === SUBTYPE_CIM ? CIM : SFCM;
}

/** Of an ordered set the opcode is its type; it names channels, and no priorities. */
export function matchesControl(match: ControlMatch, octets: Uint8Array, length: number): boolean {
  const { etherType, opcode, vectorAt, priorities } = match;
  const isSet = length === ORDERED_SET_OCTETS;
  const type = isSet ? ORDERED_SET_TYPE : readU16(octets, ETHERTYPE_AT);
  if (etherType !== ANY && type !== etherType) return false;
  if (opcode !== ANY && opcode !== opcodeOf(octets, isSet)) return false;
  return vectorAt === NONE || (octets[vectorAt] & priorities) !== 0;
}

function opcodeOf(octets: Uint8Array, isSet: boolean): number {
  return isSet ? orderedSetType(octets, ORDERED_SET_OCTETS) : readU16(octets, MAC_CONTROL_OPCODE);
}
