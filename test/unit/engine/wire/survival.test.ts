/** No octets whatsoever may throw a decoder off: it says 'ok' or why not. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Decoded } from '../../../../services/engine/wire/decoded.js';
import {
  blankEthernetHeader,
  decodeEthernetHeader,
} from '../../../../services/engine/wire/ethernet.js';
import { blankIpv4Header, decodeIpv4Header } from '../../../../services/engine/wire/ipv4.js';
import { blankIpv6Header, decodeIpv6Header } from '../../../../services/engine/wire/ipv6.js';
import { blankCim, decodeCim } from '../../../../services/engine/wire/cim.js';
import {
  blankEnvelope,
  decodeEnvelope,
} from '../../../../services/engine/wire/congestion-message.js';
import { blankSfcm, decodeSfcm } from '../../../../services/engine/wire/sfcm.js';
import { decodeCnTag } from '../../../../services/engine/wire/cn-tag.js';
import { blankCnm, decodeCnm } from '../../../../services/engine/wire/cnm.js';
import { blankCnp, decodeCnp } from '../../../../services/engine/wire/cnp.js';
import { blankCeTag, decodeCeTag } from '../../../../services/engine/wire/ce-tag.js';
import { blankCfUpdate, decodeCfUpdate } from '../../../../services/engine/wire/cf-update.js';
import {
  blankCcUpdate,
  decodeCcUpdate,
} from '../../../../services/engine/wire/mac-control/cc-update.js';
import { blankCeFrame, decodeCe } from '../../../../services/engine/wire/mac-control/ce-frame.js';
import { blankLldpFrame, decodeLldp } from '../../../../services/engine/wire/lldp/lldpdu.js';
import {
  blankPauseFrame,
  decodePause,
} from '../../../../services/engine/wire/mac-control/pause-frame.js';
import {
  blankPfcFrame,
  decodePfc,
} from '../../../../services/engine/wire/mac-control/pfc-frame.js';
import { readCapture } from '../../../../services/engine/wire/pcapng/reader.js';
import {
  interfaceBlockOctets,
  packetBlockOctets,
  SECTION_BLOCK_OCTETS,
  writeInterfaceBlock,
  writePacketBlock,
  writeSectionBlock,
} from '../../../../services/engine/wire/pcapng/writer.js';
import {
  blankBaseTransportHeader,
  decodeAcknowledgeHeader,
  decodeBaseTransportHeader,
} from '../../../../services/engine/wire/roce.js';
import { blankUdpHeader, decodeUdpHeader } from '../../../../services/engine/wire/udp.js';
import { LLDP_DCBX_IEEE, tlvCodecs } from './lldp-vectors.js';
import {
  CC_UPDATE_LOW,
  CF_UPDATE_3_AND_31,
  CE_DEMAND_CH7,
  CE_TAG_GRANT_P3,
  CIM_L2_ADD,
  CNM,
  CNP_ROCEV2,
  PAUSE_FFFF,
  PFC_P3_OFF_P4_ON,
  SFCM_IPV4_PAUSE,
  SFCM_IPV6_PAUSE,
  SFCM_L2_PAUSE,
} from './vectors.js';
import { fc } from '../../../kit/properties.js';

const RUNS = { seed: 1, numRuns: 1000 };

const OUTCOMES: Readonly<Record<Decoded, true>> = {
  ok: true,
  'too-short': true,
  'bad-length': true,
  'bad-checksum': true,
  'bad-order': true,
  repeated: true,
  'bad-sum': true,
  'bad-value': true,
  'wrong-type': true,
  'wrong-version': true,
  'wrong-destination': true,
  'wrong-opcode': true,
  'unsupported-opcode': true,
  fragmented: true,
};

interface Decoder {
  readonly name: string;
  readonly valid: Uint8Array;
  readonly decode: (octets: Uint8Array) => { outcome: Decoded; record: object };
}

/** A decoder of a fresh record each time. */
function decoder<T extends object>(
  name: string,
  valid: Uint8Array,
  blank: () => T,
  decode: (octets: Uint8Array, at: number, into: T) => Decoded,
): Decoder {
  const run = (octets: Uint8Array): { outcome: Decoded; record: T } => {
    const record = blank();
    return { outcome: decode(octets, 0, record), record };
  };
  return { name, valid, decode: run };
}

const ipv6 = Uint8Array.of(0x60, ...new Uint8Array(39));

const decoders: readonly Decoder[] = [
  decoder('PAUSE', PAUSE_FFFF, blankPauseFrame, decodePause),
  decoder('PFC', PFC_P3_OFF_P4_ON, blankPfcFrame, decodePfc),
  decoder('CE frame', CE_DEMAND_CH7, blankCeFrame, decodeCe),
  decoder('CC_Update', CC_UPDATE_LOW, blankCcUpdate, decodeCcUpdate),
  decoder('CF_Update', CF_UPDATE_3_AND_31, blankCfUpdate, (octets, at, into) =>
    decodeCfUpdate(octets.subarray(at), octets.length - at, into),
  ),
  decoder('SFCM', SFCM_L2_PAUSE.subarray(18), blankSfcm, (octets, at, into) =>
    decodeSfcm(octets, at, octets.length, into),
  ),
  decoder('CIM', CIM_L2_ADD.subarray(18), blankCim, (octets, at, into) =>
    decodeCim(octets, at, octets.length, into),
  ),
  decoder('envelope', SFCM_L2_PAUSE, blankEnvelope, decodeEnvelope),
  decoder('IPv4 envelope', SFCM_IPV4_PAUSE, blankEnvelope, decodeEnvelope),
  decoder('IPv6 envelope', SFCM_IPV6_PAUSE, blankEnvelope, decodeEnvelope),
  decoder('CE-Tag', CE_TAG_GRANT_P3, blankCeTag, decodeCeTag),
  decoder('CN-TAG', CNM.subarray(16), () => ({ flowId: 0 }), decodeCnTag),
  decoder('CNM', CNM.subarray(22), blankCnm, decodeCnm),
  decoder('CNP', CNP_ROCEV2.subarray(42), blankCnp, decodeCnp),
  decoder('Ethernet', CNP_ROCEV2, blankEthernetHeader, decodeEthernetHeader),
  decoder('IPv4', CNP_ROCEV2.subarray(14), blankIpv4Header, decodeIpv4Header),
  decoder('IPv6', ipv6, blankIpv6Header, decodeIpv6Header),
  decoder('UDP', CNP_ROCEV2.subarray(34), blankUdpHeader, decodeUdpHeader),
  decoder('BTH', CNP_ROCEV2.subarray(42), blankBaseTransportHeader, decodeBaseTransportHeader),
  decoder(
    'AETH',
    CNP_ROCEV2.subarray(54),
    () => ({ syndrome: 0, messageSequence: 0 }),
    decodeAcknowledgeHeader,
  ),
  decoder('LLDP', LLDP_DCBX_IEEE, blankLldpFrame, decodeLldp),
  ...tlvCodecs.map(({ name, octets, read }) => ({
    name,
    valid: octets.subarray(2),
    decode: read,
  })),
  { name: 'pcapng', valid: smallCapture(), decode: decodeCapture },
];

function decodeCapture(octets: Uint8Array): { outcome: Decoded; record: object } {
  const { outcome, packets } = readCapture(octets);
  return { outcome, record: packets };
}

function smallCapture(): Uint8Array {
  const port = { name: 'h1:p1', snapOctets: 0 };
  const packet = {
    interfaceIndex: 0,
    timeNs: 1,
    octets: PAUSE_FFFF,
    originalOctets: 60,
    comment: 'one',
  };
  const length = SECTION_BLOCK_OCTETS + interfaceBlockOctets(port) + packetBlockOctets(packet);
  const octets = new Uint8Array(length);
  const at = writeInterfaceBlock(octets, writeSectionBlock(octets, 0), port);
  writePacketBlock(octets, at, packet);
  return octets;
}

/** What was read past the end is undefined, or what arithmetic makes of it. */
function isWhole(record: object): boolean {
  return Object.values(record).every((value) => value !== undefined && !Number.isNaN(value));
}

function assertSurvives({ name, decode }: Decoder, octets: Uint8Array): void {
  const { outcome, record } = decode(octets);
  assert.ok(outcome in OUTCOMES, `${name} says ${outcome}`);
  assert.ok(isWhole(record), name);
}

describe('decoders', () => {
  for (const each of decoders) {
    it(`of ${each.name} read what is valid`, () => {
      assert.equal(each.decode(each.valid).outcome, 'ok');
    });

    it(`of ${each.name} survive random octets`, () => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 100 }), (octets) => {
          assertSurvives(each, octets);
        }),
        RUNS,
      );
    });

    it(`of ${each.name} survive mutations of what is valid`, () => {
      const change = fc.tuple(fc.nat(each.valid.length - 1), fc.nat(255));
      const changes = fc.array(change, { minLength: 1, maxLength: 4 });
      fc.assert(
        fc.property(changes, fc.nat(each.valid.length), (chosen, length) => {
          const octets = each.valid.slice();
          for (const [at, value] of chosen) octets[at] = value;
          assertSurvives(each, octets);
          assertSurvives(each, octets.subarray(0, length));
        }),
        RUNS,
      );
    });
  }
});
