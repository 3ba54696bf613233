/** LLDP frames and TLVs known octet by octet, and the codec of every TLV beside its octets. */

import type { Decoded } from '../../../../services/engine/wire/decoded.js';
import * as basic from '../../../../services/engine/wire/lldp/basic-tlvs.js';
import * as capability from '../../../../services/engine/wire/lldp/capability-tlvs.js';
import * as cee from '../../../../services/engine/wire/lldp/dcbx-cee.js';
import * as ieee from '../../../../services/engine/wire/lldp/dcbx-ieee.js';
import * as organizational from '../../../../services/engine/wire/lldp/organizational-tlvs.js';
import { hexOf, octetsOf } from './vectors.js';

function lldp(tlvs: string, length: number, ttl = '0079'): Uint8Array {
  const frame = new Uint8Array(length);
  const header = '0180c200000e 02000000000a 88cc 0207 04 02000000000a 0405 05 65746830 0602';
  frame.set(octetsOf(`${header} ${ttl} ${tlvs}`));
  return frame;
}

const ETS_CONFIGURATION = 'fe19 0080c2 09 83 00010022 3232000000000000 0202000000000000';
const ETS_RECOMMENDATION = 'fe19 0080c2 0a 00 00010022 3232000000000000 0202000000000000';
const PFC_CONFIGURATION = 'fe06 0080c2 0b 84 08';
const APPLICATIONS = 'fe0e 0080c2 0c 00 618906 8312b7 c50030';
const CONGESTION_NOTIFICATION = 'fe06 0080c2 08 20 20';
const CEE = `fe3d 001b21 02 020a 00 00 00000001 00000000
  0411 0000c000 0001000f 3232000000000000 03 0606 0000c000 08 04
  0810 0000c000 8906 00 1b21 08 0cbc 01 1b21 10`;
const CREDIT_AGREED =
  'fe44 02ce70 01 02 fe 0040 09f4 0010 18 08 88b5 88b6 0014 0000 08 c0 000001312d00 000000000000' +
  '00000000 00000000 00000000 0000008a 00009c40 00000000 00000000 00000000';
const CREDIT_CODEC =
  'fe45 02ce70 01 03 fe 0040 09f4 0010 18 08 88b5 88b6 0014 0000 08 c0 000001312d00 000000000000' +
  '00000000 00000000 00000000 0000008a 00009c40 00000000 00000000 00000000 08';
const ISOLATION = 'fe1b 0080c2 13 00000004fb000000 0030 02000000000a c0de 01 0a000001';
const TOPOLOGY = 'fe07 0080c2 14 01 01 01';
const SFC = 'fe15 02ce70 02 01 b8 08 02 02000000000a c0df 01 0a000001';

export const LLDP_MINIMAL = lldp('', 60);
export const LLDP_SHUTDOWN = lldp('', 60, '0000');
export const LLDP_DCBX_IEEE = lldp(
  ETS_CONFIGURATION +
    ETS_RECOMMENDATION +
    PFC_CONFIGURATION +
    APPLICATIONS +
    CONGESTION_NOTIFICATION,
  122,
);
export const LLDP_CEE = lldp(CEE, 99);
export const LLDP_CET_SFC = lldp(PFC_CONFIGURATION + CREDIT_AGREED + SFC, 137);
export const LLDP_CI_TR = lldp(ISOLATION + TOPOLOGY, 74);

const CREDIT_RECORD = {
  willing: true,
  ceFrames: true,
  ceTag: true,
  cumulative: true,
  resync: true,
  answers: true,
  channelled: true,
  cbfc: 0,
  unitOctets: 64,
  maxCreditBlockOctets: 2548,
  channels: 16,
  capable: 0x18,
  enabled: 8,
  requestTpid: 0x88b5,
  responseTpid: 0x88b6,
  refreshUs: 20,
  ageUs: 0,
  refreshPs: 0,
  agePs: 0,
  wide: false,
  divided: false,
  bufferUnits: [0, 0, 0, 0, 0, 0, 0, 0],
};

interface Codec {
  readonly name: string;
  readonly octets: Uint8Array;
  readonly record: object;
  readonly write: (record: object) => string;
  readonly read: (value: Uint8Array) => { outcome: Decoded; record: object };
}

function codec<T extends object>(
  name: string,
  hex: string,
  record: T,
  blank: () => T,
  encode: (octets: Uint8Array, at: number, record: T) => number,
  decode: (value: Uint8Array, into: T) => Decoded,
): Codec {
  return {
    name,
    octets: octetsOf(hex),
    record,
    write: (from) => {
      const octets = new Uint8Array(600).fill(0xee);
      return hexOf(octets.subarray(0, encode(octets, 0, from as T)));
    },
    read: (value) => {
      const into = blank();
      return { outcome: decode(value, into), record: into };
    },
  };
}

const table = {
  classOf: [0, 0, 0, 1, 0, 0, 2, 2],
  shares: [50, 50, 0, 0, 0, 0, 0, 0],
  algorithms: [2, 2, 0, 0, 0, 0, 0, 0],
};
const on = { enable: true, willing: true, error: false };

/** Every TLV of the vectors, its record and its codec. */
export const tlvCodecs: readonly Codec[] = [
  codec(
    'capabilities',
    '0e04 0014 0004',
    { supported: 0x14, enabled: 4 },
    basic.blankCapabilities,
    basic.encodeCapabilities,
    basic.decodeCapabilities,
  ),
  codec(
    'management address',
    '100c 05 01 0a000001 02 00000007 00',
    {
      family: 1,
      address: Uint8Array.of(10, 0, 0, 1),
      interfaceNumbering: 2,
      interfaceNumber: 7,
    },
    basic.blankManagementAddress,
    basic.encodeManagementAddress,
    basic.decodeManagementAddress,
  ),
  codec(
    'port VLAN',
    'fe06 0080c2 01 0064',
    { vlan: 100 },
    organizational.blankPortVlan,
    organizational.encodePortVlan,
    organizational.decodePortVlan,
  ),
  codec(
    'link aggregation',
    'fe09 0080c2 07 03 00000007',
    { capable: true, enabled: true, portNumber: 7 },
    organizational.blankLinkAggregation,
    organizational.encodeLinkAggregation,
    organizational.decodeLinkAggregation,
  ),
  codec(
    'maximum frame size',
    'fe06 00120f 04 2442',
    { octets: 9282 },
    organizational.blankMaximumFrameSize,
    organizational.encodeMaximumFrameSize,
    organizational.decodeMaximumFrameSize,
  ),
  codec(
    'ETS configuration',
    ETS_CONFIGURATION,
    { willing: true, shaper: false, classes: 3, ...table },
    ieee.blankEts,
    ieee.encodeEtsConfiguration,
    ieee.decodeEts,
  ),
  codec(
    'ETS recommendation',
    ETS_RECOMMENDATION,
    { willing: false, shaper: false, classes: 8, ...table },
    ieee.blankEts,
    ieee.encodeEtsRecommendation,
    ieee.decodeEts,
  ),
  codec(
    'PFC configuration',
    PFC_CONFIGURATION,
    { willing: true, noMacsecBypass: false, capability: 4, enabled: 8 },
    ieee.blankPfcConfiguration,
    ieee.encodePfcConfiguration,
    ieee.decodePfcConfiguration,
  ),
  codec(
    'application priority',
    APPLICATIONS,
    {
      entries: [
        { priority: 3, selector: 1, protocol: 0x8906 },
        { priority: 4, selector: 3, protocol: 4791 },
        { priority: 6, selector: 5, protocol: 48 },
      ],
    },
    ieee.blankApplications,
    ieee.encodeApplications,
    ieee.decodeApplications,
  ),
  codec(
    'congestion notification',
    CONGESTION_NOTIFICATION,
    { priorities: 0x20, ready: 0x20 },
    ieee.blankCongestionNotification,
    ieee.encodeCongestionNotification,
    ieee.decodeCongestionNotification,
  ),
  codec(
    'CEE DCBX',
    CEE,
    {
      operatingVersion: 0,
      maxVersion: 0,
      sequence: 1,
      acknowledged: 0,
      groups: {
        ...on,
        groupOf: [0, 0, 0, 1, 0, 0, 0, 15],
        shares: table.shares,
        classes: 3,
      },
      pfc: { ...on, enabled: 8, classes: 4 },
      applications: {
        ...on,
        entries: [
          { protocol: 0x8906, selector: 0, priorities: 8 },
          { protocol: 3260, selector: 1, priorities: 16 },
        ],
      },
      duplicates: 0,
    },
    cee.blankCeeDcbx,
    cee.encodeCeeDcbx,
    cee.decodeCeeDcbx,
  ),
  codec(
    'credit exchange',
    CREDIT_AGREED,
    {
      ...CREDIT_RECORD,
      version: 2,
      agreed: 8,
      refreshPs: 20e6,
      wide: true,
      divided: true,
      bufferUnits: [0, 0, 0, 138, 40000, 0, 0, 0],
    },
    capability.blankCreditExchange,
    capability.encodeCreditExchange,
    capability.decodeCreditExchange,
  ),
  codec(
    'credit exchange of the third version, which says where CBFC may take its place',
    CREDIT_CODEC,
    {
      ...CREDIT_RECORD,
      version: 3,
      cbfc: 8,
      agreed: 8,
      refreshPs: 20e6,
      wide: true,
      divided: true,
      bufferUnits: [0, 0, 0, 138, 40000, 0, 0, 0],
    },
    capability.blankCreditExchange,
    capability.encodeCreditExchange,
    capability.decodeCreditExchange,
  ),
  codec(
    'source flow control',
    SFC,
    {
      version: 1,
      sends: true,
      proxy: false,
      responds: true,
      layer2: true,
      ipv4: true,
      ipv6: false,
      monitored: 8,
      hopLimit: 2,
      mac: 0x02000000000a,
      udpPort: 49375,
      address: Uint8Array.of(10, 0, 0, 1),
    },
    capability.blankSourceFlowControl,
    capability.encodeSourceFlowControl,
    capability.decodeSourceFlowControl,
  ),
  codec(
    'congestion isolation',
    ISOLATION,
    {
      queueMap: [0, 0, 0, 4, -5, 0, 0, 0],
      encapsulationOctets: 48,
      mac: 0x02000000000a,
      udpPort: 49374,
      address: Uint8Array.of(10, 0, 0, 1),
    },
    capability.blankCongestionIsolation,
    capability.encodeCongestionIsolation,
    capability.decodeCongestionIsolation,
  ),
  codec(
    'topology recognition',
    TOPOLOGY,
    { deviceType: 1, level: 1, orientation: 1 },
    capability.blankTopologyRecognition,
    capability.encodeTopologyRecognition,
    capability.decodeTopologyRecognition,
  ),
];
