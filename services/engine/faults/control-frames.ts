import type { ControlMatch } from '../contract/fault.js';
import { readU16 } from '../wire/big-endian.js';
import { CE_TAG_GRANT, CE_TAG_REQUEST } from '../wire/ce-tag.js';
import { ETHERTYPE_MAC_CONTROL } from '../wire/ethernet.js';
import {
  CBFC_CONSUMED,
  CBFC_FREED,
  CBFC_MESSAGE_AT,
  CBFC_VECTOR_AT,
  isCbfc,
} from '../wire/mac-control/cbfc-frame.js';
import {
  OPCODE_CE_GRANT,
  OPCODE_CE_REQUEST,
  OPCODE_EXTENSION,
  OPCODE_PAUSE,
  OPCODE_PFC,
} from '../wire/mac-control/opcodes.js';

const TYPE_AT = 12;
const OPCODE_AT = 14;
/** Behind the opcode: the low octet of a PFC vector; in CE, what follows the flags. */
const PFC_VECTOR_AT = 17;
const CE_VECTOR_AT = 17;
const TAG_VECTOR_AT = 15;

const ANY = -1;
const NONE = -1;

type Kind = Omit<ControlMatch, 'priorities'>;

/** Control frames that a scenario can name. */
export const CONTROL_FRAMES: Readonly<Record<string, Kind>> = {
  any: { etherType: ANY, opcode: ANY, message: ANY, vectorAt: NONE },
  pause: { etherType: ETHERTYPE_MAC_CONTROL, opcode: OPCODE_PAUSE, message: ANY, vectorAt: NONE },
  pfc: {
    etherType: ETHERTYPE_MAC_CONTROL,
    opcode: OPCODE_PFC,
    message: ANY,
    vectorAt: PFC_VECTOR_AT,
  },
  'ce-request': {
    etherType: ETHERTYPE_MAC_CONTROL,
    opcode: OPCODE_CE_REQUEST,
    message: ANY,
    vectorAt: CE_VECTOR_AT,
  },
  'ce-grant': {
    etherType: ETHERTYPE_MAC_CONTROL,
    opcode: OPCODE_CE_GRANT,
    message: ANY,
    vectorAt: CE_VECTOR_AT,
  },
  'ce-tag-request': {
    etherType: CE_TAG_REQUEST,
    opcode: ANY,
    message: ANY,
    vectorAt: TAG_VECTOR_AT,
  },
  'ce-tag-grant': { etherType: CE_TAG_GRANT, opcode: ANY, message: ANY, vectorAt: TAG_VECTOR_AT },
  'cc-update': {
    etherType: ETHERTYPE_MAC_CONTROL,
    opcode: OPCODE_EXTENSION,
    message: CBFC_CONSUMED,
    vectorAt: CBFC_VECTOR_AT,
  },
  'cf-update': {
    etherType: ETHERTYPE_MAC_CONTROL,
    opcode: OPCODE_EXTENSION,
    message: CBFC_FREED,
    vectorAt: CBFC_VECTOR_AT,
  },
};

export function matchesControl(match: ControlMatch, octets: Uint8Array): boolean {
  const { etherType, opcode, message, vectorAt, priorities } = match;
  if (etherType !== ANY && readU16(octets, TYPE_AT) !== etherType) return false;
  if (opcode !== ANY && readU16(octets, OPCODE_AT) !== opcode) return false;
  if (message !== ANY && !(isCbfc(octets, octets.length) && octets[CBFC_MESSAGE_AT] === message)) {
    return false;
  }
  return vectorAt === NONE || (octets[vectorAt] & priorities) !== 0;
}
