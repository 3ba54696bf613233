import { blankCeTag, encodeLoneCeTag } from '../../services/engine/wire/ce-tag.js';
import { blankCim, decodeCim } from '../../services/engine/wire/cim.js';
import { decodeCnTag } from '../../services/engine/wire/cn-tag.js';
import { blankCnm, decodeCnm } from '../../services/engine/wire/cnm.js';
import { blankCnp, decodeCnp } from '../../services/engine/wire/cnp.js';
import { blankEnvelope, decodeEnvelope } from '../../services/engine/wire/congestion-message.js';
import { blankCeeDcbx, decodeCeeDcbx } from '../../services/engine/wire/lldp/dcbx-cee.js';
import { blankLldpFrame, decodeLldp } from '../../services/engine/wire/lldp/lldpdu.js';
import { splitTlvs } from '../../services/engine/wire/lldp/tlv.js';
import { blankCcUpdate, encodeCcUpdate } from '../../services/engine/wire/mac-control/cc-update.js';
import { blankCeFrame, encodeCe } from '../../services/engine/wire/mac-control/ce-frame.js';
import { OPCODE_CE_GRANT } from '../../services/engine/wire/mac-control/opcodes.js';
import {
  blankPauseFrame,
  encodePause,
} from '../../services/engine/wire/mac-control/pause-frame.js';
import { blankPfcFrame, encodePfc } from '../../services/engine/wire/mac-control/pfc-frame.js';
import { decodeAcknowledgeHeader } from '../../services/engine/wire/roce.js';
import { blankSfcm, decodeSfcm } from '../../services/engine/wire/sfcm.js';
import {
  LLDP_CEE,
  LLDP_CET_SFC,
  LLDP_CI_TR,
  LLDP_DCBX_IEEE,
  LLDP_MINIMAL,
  LLDP_SHUTDOWN,
  tlvCodecs,
} from '../unit/engine/wire/lldp-vectors.js';
import {
  CIM_IPV4_ADD,
  CIM_L2_ADD,
  CIM_L2_DEL,
  CNM,
  CNP_ROCEV2,
  SFCM_IPV4_PAUSE,
  SFCM_IPV6_PAUSE,
  SFCM_L2_PAUSE,
  SFCM_L2_RESUME,
} from '../unit/engine/wire/vectors.js';
import { messageOf } from '../../services/engine/faults/control-frames.js';
import { readU48 } from '../../services/engine/wire/big-endian.js';
import { Injector } from '../../services/fabric/assembly/spoofed-messages.js';
import type { Target } from './fuzzer.js';

const encoded = (encode: (into: Uint8Array) => number): Uint8Array => {
  const into = new Uint8Array(64);
  return into.subarray(0, encode(into));
};

export const CONTROL = [
  encoded((into) => encodePause(into, 0, { ...blankPauseFrame(), quanta: 0xffff })),
  encoded((into) => encodePfc(into, 0, { ...blankPfcFrame(), enableVector: 0xff })),
  encoded((into) => encodeCe(into, 0, { ...blankCeFrame(), tcSelectionVector: 0xff })),
  encoded((into) => encodeCcUpdate(into, 0, blankCcUpdate())),
  encoded((into) =>
    encodeCe(into, 0, { ...blankCeFrame(), opcode: OPCODE_CE_GRANT, tcSelectionVector: 0x10 }),
  ),
  encoded((into) => encodeLoneCeTag(into, 0, 1, { ...blankCeTag(), tcSelectionVector: 0x10 })),
];

export const LLDPDUS = [
  LLDP_MINIMAL,
  LLDP_SHUTDOWN,
  LLDP_DCBX_IEEE,
  LLDP_CEE,
  LLDP_CET_SFC,
  LLDP_CI_TR,
];
const TLV_HEADER_OCTETS = 2;
/** Whole frames that cross the fabric. */
const MESSAGES = [SFCM_L2_PAUSE, SFCM_IPV4_PAUSE, SFCM_IPV6_PAUSE, CIM_IPV4_ADD, CIM_L2_DEL, CNM];
/** In a fabric without hosts. */
const INJECTOR = new Injector([], []);

/** The decoders of control protocols that travel in frames of their own, vectors to begin with. */
export const PROTOCOL_TARGETS: readonly Target[] = [
  target('lldp', LLDPDUS, (octets) => decodeLldp(octets, 0, blankLldpFrame())),
  target('tlvs', LLDPDUS, (octets) =>
    splitTlvs(octets.subarray(14)) === null ? 'refused' : 'taken',
  ),
  ...tlvCodecs.map((codec) =>
    target(`tlv ${codec.name}`, [codec.octets.slice(TLV_HEADER_OCTETS)], (octets) => {
      return codec.read(octets).outcome;
    }),
  ),
  target('dcbx-cee', [LLDP_CEE.slice(28)], (octets) => decodeCeeDcbx(octets, blankCeeDcbx())),
  target('sfcm', bodiesOf([SFCM_L2_PAUSE, SFCM_L2_RESUME], 18), (octets) =>
    decodeSfcm(octets, 0, octets.length, blankSfcm()),
  ),
  target('cim', bodiesOf([CIM_L2_ADD, CIM_L2_DEL], 18), (octets) =>
    decodeCim(octets, 0, octets.length, blankCim()),
  ),
  target('envelope', [SFCM_L2_PAUSE, SFCM_IPV4_PAUSE, SFCM_IPV6_PAUSE, CIM_IPV4_ADD], (octets) =>
    decodeEnvelope(octets, 0, blankEnvelope()),
  ),
  target('message-kind', MESSAGES, (octets) => `kind ${messageOf(octets)}`),
  target('forged-message', MESSAGES, (octets) => {
    const around = INJECTOR.around(octets, readU48(MESSAGES[0]!, 0));
    return typeof around === 'string' ? 'refused' : `priority ${around.priority}`;
  }),
  target('cnm', bodiesOf([CNM], 22), (octets) => decodeCnm(octets, 0, blankCnm())),
  target('cn-tag', [Uint8Array.of(0x22, 0xe9, 0, 7)], (octets) =>
    decodeCnTag(octets, 0, { flowId: 0 }),
  ),
  target('cnp', bodiesOf([CNP_ROCEV2], 42), (octets) => decodeCnp(octets, 0, blankCnp())),
  target('aeth', [Uint8Array.of(0x1f, 0, 0, 1)], (octets) =>
    decodeAcknowledgeHeader(octets, 0, { syndrome: 0, messageSequence: 0 }),
  ),
];

function target(name: string, seeds: readonly Uint8Array[], take: Target['take']): Target {
  return { name, seeds, every: 1, take };
}

function bodiesOf(frames: readonly Uint8Array[], from: number): Uint8Array[] {
  return frames.map((frame) => frame.slice(from));
}
