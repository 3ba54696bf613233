/**
 * Known octets of every format, read and written once when an engine is made: a codec that has lost
 * a field, or its place, does not write what it read. Both ends of a link would misread alike, and
 * nothing behind them would notice. A vector has another value in every field.
 */

import { assert } from '../kernel/assert.js';
import { blankCeTag, decodeCeTag, encodeCeTag } from './ce-tag.js';
import { blankCfUpdate, decodeCfUpdate, encodeCfUpdate } from './cf-update.js';
import { blankCim, decodeCim, encodeCim } from './cim.js';
import { blankCnm, blankCnmEnvelope, decodeCnmFrame, encodeCnmFrame } from './cnm.js';
import { blankCnp, decodeCnpPacket, encodeCnpFrame } from './cnp.js';
import { blankEnvelope, decodeEnvelope, encodeEnvelope } from './congestion-message.js';
import type { Decoded } from './decoded.js';
import { decodeLinkStates, encodeLinkStates } from './link-state.js';
import { blankLlrSet, decodeLlrSet, encodeLlrSet } from './llr.js';
import * as basic from './lldp/basic-tlvs.js';
import * as capability from './lldp/capability-tlvs.js';
import * as cee from './lldp/dcbx-cee.js';
import * as ieee from './lldp/dcbx-ieee.js';
import * as linkLayer from './lldp/link-layer-tlvs.js';
import { blankLldpFrame, decodeLldp, encodeLldp } from './lldp/lldpdu.js';
import * as organizational from './lldp/organizational-tlvs.js';
import { TLV_HEADER_OCTETS } from './lldp/tlv.js';
import { blankCcUpdate, decodeCcUpdate, encodeCcUpdate } from './mac-control/cc-update.js';
import { blankCeFrame, decodeCe, encodeCe } from './mac-control/ce-frame.js';
import { MAC_CONTROL_OCTETS } from './mac-control/mac-control-header.js';
import { blankPauseFrame, decodePause, encodePause } from './mac-control/pause-frame.js';
import { blankPfcFrame, decodePfc, encodePfc } from './mac-control/pfc-frame.js';
import { packOrderedSet, unpackOrderedSet } from './ordered-set.js';
import {
  blankBaseTransportHeader,
  decodeAcknowledgeHeader,
  decodeBaseTransportHeader,
  encodeAcknowledgeHeader,
  encodeBaseTransportHeader,
} from './roce.js';
import { blankSelectiveAck, decodeSelectiveAck, encodeSelectiveAck } from './selective-ack.js';
import { blankSfcm, decodeSfcm, encodeSfcm } from './sfcm.js';
import { appendHop, blankTelemetry, decodeTelemetry, encodeBlankTelemetry } from './telemetry.js';
import {
  blankUetAck,
  blankUetCredit,
  blankUetCreditRequest,
  blankUetNack,
  blankUetRequest,
  decodeUetAck,
  decodeUetCredit,
  decodeUetCreditRequest,
  decodeUetNack,
  decodeUetRequest,
  encodeUetAck,
  encodeUetCredit,
  encodeUetCreditRequest,
  encodeUetNack,
  encodeUetRequest,
} from './uet.js';

/** Reads octets and writes them anew; returns where it ended, or -1 where it refuses them. */
type Rewrite = (octets: Uint8Array, into: Uint8Array) => number;

/** What is not written keeps this. */
const UNWRITTEN = 'ee';

interface KnownOctets {
  readonly octets: Uint8Array;
  readonly rewrite: Rewrite;
}

type Encode<R> = (octets: Uint8Array, at: number, record: R) => number;

function octetsOf(hex: string, length = 0): Uint8Array {
  const pairs = hex.match(/[0-9a-f]{2}/g) ?? [];
  const octets = new Uint8Array(Math.max(length, pairs.length));
  octets.set(pairs.map((pair) => parseInt(pair, 16)));
  return octets;
}

function known<R>(
  octets: Uint8Array,
  record: R,
  [decode, encode]: readonly [(octets: Uint8Array, into: R) => Decoded, Encode<R>],
): KnownOctets {
  const rewrite: Rewrite = (from, into) =>
    decode(from, record) === 'ok' ? encode(into, 0, record) : -1;
  return { octets, rewrite };
}

/** A format whose decoder begins at an offset. */
function framed<R>(
  hex: string,
  record: R,
  [decode, encode]: readonly [(octets: Uint8Array, at: number, into: R) => Decoded, Encode<R>],
): KnownOctets {
  return known(octetsOf(hex), record, [(octets, into) => decode(octets, 0, into), encode]);
}

function macControl<R>(parameters: string, record: R, codec: Parameters<typeof framed<R>>[2]) {
  const octets = octetsOf(`0180c2000001 02a1b2c3d40a 8808 ${parameters}`, MAC_CONTROL_OCTETS);
  return { ...framed('', record, codec), octets };
}

/** An ordered set, whose decoder is given its length. */
function orderedSet<R>(hex: string, record: R, codec: Parameters<typeof framed<R>>[2]) {
  const [decode, encode] = codec;
  return known(octetsOf(hex), record, [(octets, into) => decode(octets, 8, into), encode]);
}

/** A TLV, whose decoder is given what follows its header. */
function tlv<R>(hex: string, record: R, codec: Parameters<typeof known<R>>[2]): KnownOctets {
  const [decode, encode] = codec;
  return known(octetsOf(hex), record, [
    (octets, into) => decode(octets.subarray(TLV_HEADER_OCTETS), into),
    encode,
  ]);
}

/** A message about congestion in its envelope. */
function message<R>(
  hex: string,
  record: R,
  [decode, encode]: readonly [
    (octets: Uint8Array, at: number, end: number, into: R) => Decoded,
    Encode<R>,
  ],
): KnownOctets {
  const rewrite: Rewrite = (octets, into) => {
    const envelope = blankEnvelope();
    if (decodeEnvelope(octets, 0, envelope) !== 'ok') return -1;
    const { pduAt, pduEnd } = envelope;
    if (decode(octets, pduAt, pduEnd, record) !== 'ok') return -1;
    return encodeEnvelope(into, 0, envelope, encode(into, pduAt, record) - pduAt);
  };
  return { octets: octetsOf(hex), rewrite };
}

const IPV4 = '4500002e00004000 401126bd 0a000001 0a000002';
const SAMPLED = `0800 ${IPV4} 1388 1389 001a 0000 0000 0000`;
const CIM = `0001 02000000000b 02000000000a 0064 0030 ${SAMPLED} ${'00'.repeat(14)}`;
const SFCM = '0111 0044 611a 0107 12344e20 0200 0000000b 02000000000a 0064 0200000000c1 0103 0228';
const COUNTERS = '00010 0020f fffff 12345 00405 00506 00607 00708';
const TABLE = '01234560 32280a00 00000000 0202 0200 0001 00ff';

function all(): KnownOctets[] {
  return [
    macControl('0001 fedc', blankPauseFrame(), [decodePause, encodePause]),
    macControl('0101 00ff 1122 3344 5566 7788 99aa bbcc ddee f00f', blankPfcFrame(), [
      decodePfc,
      encodePfc,
    ]),
    macControl('0111 45ff 0102 0304 0506 0708 090a 0b0c 0d0e 0f10 0007 1112 1314', blankCeFrame(), [
      decodeCe,
      encodeCe,
    ]),
    macControl(`fffe 02ce70 02 ${COUNTERS.repeat(2).replaceAll(' ', '')}`, blankCcUpdate(), [
      decodeCcUpdate,
      encodeCcUpdate,
    ]),
    orderedSet('4b 10 19 23 46 ff ff e0', blankCfUpdate(), [decodeCfUpdate, encodeCfUpdate]),
    orderedSet('4b 03 ab cd e6 34 12 00', blankLlrSet(), [decodeLlrSet, encodeLlrSet]),
    {
      octets: octetsOf('4b 01 ab cd e6 00 00 00'),
      rewrite: (octets, into) => {
        unpackOrderedSet(packOrderedSet(octets), into);
        return octets.length;
      },
    },
    framed(`${UNWRITTEN.repeat(12)} 88b6 4508 1234 5678`, blankCeTag(), [decodeCeTag, encodeCeTag]),
    framed('81 f0 ffff c0 123456 80 789abc', blankBaseTransportHeader(), [
      decodeBaseTransportHeader,
      encodeBaseTransportHeader,
    ]),
    framed('00 123456 89abcdef', blankSelectiveAck(), [decodeSelectiveAck, encodeSelectiveAck]),
    framed('1194 0000 89abcdef 1234 5678', blankUetRequest(), [decodeUetRequest, encodeUetRequest]),
    framed(
      '4220 fffd 89abcdef 1234 5678 00 80 0010 0123456789abcdef 4321 c0 fedcba 9876',
      blankUetAck(),
      [decodeUetAck, encodeUetAck],
    ),
    framed('6994 0000 89abcdef 1234 5678 00 fedcba', blankUetCreditRequest(), [
      decodeUetCreditRequest,
      encodeUetCreditRequest,
    ]),
    framed('5b80 0000 89abcdef 1234 5678 fedcba98', blankUetCredit(), [
      decodeUetCredit,
      encodeUetCredit,
    ]),
    framed('5020 02 00 89abcdef 1234 5678 00000000', blankUetNack(), [
      decodeUetNack,
      encodeUetNack,
    ]),
    framed('61 123456', { syndrome: 0, messageSequence: 0 }, [
      decodeAcknowledgeHeader,
      encodeAcknowledgeHeader,
    ]),
    {
      octets: octetsOf(
        `02000000000a 0200000000c1 88a8 e0c8 8100 c064 22e9 0125 22e7
        0020 0200000000c1 0103 032d ff6e a000 02000000000b 0014 ${IPV4}`,
      ),
      rewrite: (octets, into) => {
        const [around, record] = [blankCnmEnvelope(), blankCnm()];
        if (decodeCnmFrame(octets, 0, around, record) !== 'ok') return -1;
        return encodeCnmFrame(into, 0, around, record);
      },
    },
    {
      octets: octetsOf(
        `02000000000a 02000000000b 0800 45 c0 003c 0000 4000 40 11 25ef 0a000002 0a000001
        c001 12b7 0028 0000 81 00 ffff 40 000011 00 000000 00000000 00000000 00000000 00000000
        93727150`,
      ),
      rewrite: (octets, into) => {
        const [around, record] = [blankEnvelope(), blankCnp()];
        if (decodeEnvelope(octets, 0, around) !== 'ok') return -1;
        if (decodeCnpPacket(octets, 0, around, record) !== 'ok') return -1;
        return encodeCnpFrame(into, 0, around, record);
      },
    },
    message(`020000000051 0200000000c1 8100 c064 89a2 ${CIM}`, blankCim(), [decodeCim, encodeCim]),
    message(
      `02000000000a 0200000000c1 0800 45c0 0064 0000 4000 4011 24c8 0aff0002 0a000001
      c0df c0df 0050 0000 ${SFCM} 0022 ${SAMPLED}`,
      blankSfcm(),
      [decodeSfcm, encodeSfcm],
    ),
    message(
      `02000000000a 0200000000c1 86dd 6c0abcde 0050 11 40 fd01234567 89abcd 0000000000000a02
      fd01234567 89abcd 1122334455660a01 c0df c0df 0050 6b06 ${SFCM} 0022 ${SAMPLED}`,
      blankSfcm(),
      [decodeSfcm, encodeSfcm],
    ),
    {
      octets: octetsOf(
        `0180c200000e 02a1b2c3d40a 88b7 02ce7000 02 0002
        00010203 04050607 01 00000809 0a0b0c0d 0e0f1011 12131415 00 00001617 18191a1b`,
      ),
      rewrite: (octets, into) => {
        const states = decodeLinkStates(octets, octets.length);
        return states === null ? -1 : encodeLinkStates(into, 0x02a1b2c3d40a, states);
      },
    },
    {
      octets: octetsOf(
        `000000000000 000000000000 88b7 02ce7000 01 22f1 7234567a bcde1234 8987654a 3210fedc`,
        encodeBlankTelemetry().length,
      ),
      rewrite: (octets, into) => {
        const record = blankTelemetry();
        if (decodeTelemetry(octets, record) !== 'ok') return -1;
        const header = encodeBlankTelemetry();
        appendHop(header, 0, record.hops[0]);
        appendHop(header, record.path, record.hops[1]);
        into.set(header);
        return header.length;
      },
    },
    framed(
      `0180c200000e 02a1b2c3d40a 88cc 0207 04 02000000000a 0405 05 65746830 0602 1234
      fe06 0080c2 01 0064 0a05 6c65616635 0000 ${'00'.repeat(9)}`,
      blankLldpFrame(),
      [decodeLldp, encodeLldp],
    ),
    ...tlvs(),
  ];
}

function tlvs(): KnownOctets[] {
  return [
    tlv('0e04 0014 0204', basic.blankCapabilities(), [
      basic.decodeCapabilities,
      basic.encodeCapabilities,
    ]),
    tlv('100c 05 01 0a0b0c0d 02 01020307 00', basic.blankManagementAddress(), [
      basic.decodeManagementAddress,
      basic.encodeManagementAddress,
    ]),
    tlv('fe06 0080c2 01 0164', organizational.blankPortVlan(), [
      organizational.decodePortVlan,
      organizational.encodePortVlan,
    ]),
    tlv('fe09 0080c2 07 03 01020307', organizational.blankLinkAggregation(), [
      organizational.decodeLinkAggregation,
      organizational.encodeLinkAggregation,
    ]),
    tlv('fe06 00120f 04 2442', organizational.blankMaximumFrameSize(), [
      organizational.decodeMaximumFrameSize,
      organizational.encodeMaximumFrameSize,
    ]),
    tlv(`fe19 0080c2 09 83 ${TABLE}`, ieee.blankEts(), [
      ieee.decodeEts,
      ieee.encodeEtsConfiguration,
    ]),
    tlv('fe06 0080c2 0b c4 98', ieee.blankPfcConfiguration(), [
      ieee.decodePfcConfiguration,
      ieee.encodePfcConfiguration,
    ]),
    tlv('fe0e 0080c2 0c 00 618906 8312b7 c50030', ieee.blankApplications(), [
      ieee.decodeApplications,
      ieee.encodeApplications,
    ]),
    tlv('fe06 0080c2 08 31 21', ieee.blankCongestionNotification(), [
      ieee.decodeCongestionNotification,
      ieee.encodeCongestionNotification,
    ]),
    tlv(
      `fe3d 001b21 02 020a 01 02 00000304 00000506
      0411 0000c000 0123456f 32280a00 00000000 03 0606 0000c000 08 04
      0810 0000c000 8906 00 1b21 08 0cbc 01 1b21 10`,
      cee.blankCeeDcbx(),
      [cee.decodeCeeDcbx, cee.encodeCeeDcbx],
    ),
    tlv(
      `fe45 02ce70 01 03 fe 0140 09f4 0010 18 08 88b5 88b6 0114 0203 08 c0 000001312d00
      000000000000 00000001 00000002 00000003 0000008a 00009c40 00000004 00000005 00000006 08`,
      capability.blankCreditExchange(),
      [capability.decodeCreditExchange, capability.encodeCreditExchange],
    ),
    tlv(
      'fe15 02ce70 02 01 b8 08 02 02a1b2c3d40a c0df 01 0a0b0c0d',
      capability.blankSourceFlowControl(),
      [capability.decodeSourceFlowControl, capability.encodeSourceFlowControl],
    ),
    tlv(
      'fe1b 0080c2 13 00000004fb000000 0030 02a1b2c3d40a c0de 01 0a0b0c0d',
      capability.blankCongestionIsolation(),
      [capability.decodeCongestionIsolation, capability.encodeCongestionIsolation],
    ),
    tlv('fe07 0080c2 14 01 02 01', capability.blankTopologyRecognition(), [
      capability.decodeTopologyRecognition,
      capability.encodeTopologyRecognition,
    ]),
    tlv('fe06 02ce70 03 01 03', linkLayer.blankLinkLayer(), [
      linkLayer.decodeLinkLayer,
      linkLayer.encodeLinkLayer,
    ]),
    tlv(
      'fe17 02ce70 04 12 07 fc 001234 00030001 010203 040506 070809',
      linkLayer.blankChannelCredits(),
      [linkLayer.decodeChannelCredits, linkLayer.encodeChannelCredits],
    ),
  ];
}

/** More than the longest vector. */
const ROOM = 512;

/** Every codec writes what it reads, octet by octet. */
export function checkCodecs(): void {
  const into = new Uint8Array(ROOM);
  for (const { octets, rewrite } of all()) {
    into.fill(parseInt(UNWRITTEN, 16));
    assert(rewrite(octets, into) === octets.length, 'wire.known-octets');
    for (let i = 0; i < octets.length; i++) assert(into[i] === octets[i], 'wire.known-octets');
  }
}
