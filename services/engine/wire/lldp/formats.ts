/** TLVs of LLDP that negotiate flow control, as a reference describes them. */

import { ALL_PRIORITIES, PRIORITIES } from '../../units/ethernet.js';
import { CREDIT_COUNT_MASK } from '../mac-control/cc-update.js';
import { type Described, format, type WireFormat } from '../wire-format.js';
import {
  blankCongestionIsolation,
  blankCreditExchange,
  blankSourceFlowControl,
  blankTopologyRecognition,
  type CreditExchange,
  encodeCongestionIsolation,
  encodeCreditExchange,
  encodeSourceFlowControl,
  encodeTopologyRecognition,
  CREDIT_CODEC_VERSION,
} from './capability-tlvs.js';
import {
  blankCongestionNotification,
  blankEts,
  blankPfcConfiguration,
  encodeApplications,
  encodeCongestionNotification,
  encodeEtsConfiguration,
  encodeEtsRecommendation,
  encodePfcConfiguration,
  type Ets,
  TSA_ETS,
} from './dcbx-ieee.js';
import {
  blankChannelCredits,
  blankLinkLayer,
  type ChannelCredits,
  encodeChannelCredits,
  encodeLinkLayer,
} from './link-layer-tlvs.js';

const ONES_8 = 0xff;
const ONES_16 = 0xffff;
const ONES_32 = 2 ** 32 - 1;
const ONES_48 = 2 ** 48 - 1;
const MAC = 0x02000000000a;
const LOSSLESS = 1 << 3;
const TLV_MOST = 513;

/** Of organizational TLVs: the type is 127. */
const TLV: Pick<WireFormat, 'fixed'> = {
  fixed: [
    ['type and length', 0, 2],
    ['organization', 2, 3],
    ['subtype', 5, 1],
  ],
};

const eight = (value: number): number[] => new Array<number>(PRIORITIES).fill(value);

const ETS_FIELDS: readonly Described<Ets>[] = [
  [
    'priority assignment',
    'traffic class of priorities 0 to 7, four bits each',
    { classOf: eight(15) },
  ],
  ['bandwidth', 'percent of traffic classes 0 to 7', { shares: eight(ONES_8) }],
  [
    'transmission selection',
    'of traffic classes 0 to 7: 0 strict priority, 2 ETS, 255 of the vendor',
    { algorithms: eight(ONES_8) },
  ],
];

const ETS_EXAMPLE: Partial<Ets> = {
  classOf: [0, 0, 0, 1, 0, 0, 0, 0],
  shares: [50, 50, 0, 0, 0, 0, 0, 0],
  algorithms: [TSA_ETS, TSA_ETS, 0, 0, 0, 0, 0, 0],
};

const CET_FIELDS: readonly Described<CreditExchange>[] = [
  ['willing', 'it uses what its link partner has switched on', { willing: true }],
  ['CE frames', 'it sends and reads CE frames', { ceFrames: true }, { ceFrames: false }],
  ['CE-Tag', 'it sends and reads tags of data frames', { ceTag: true }],
  ['totals', 'its messages say totals, and not amounts', { cumulative: true }],
  ['resynchronisation', 'it can exchange totals anew', { resync: true }],
  ['answers', 'it answers requests', { answers: true }],
  ['has channels', 'it has more than channel 0', { channelled: true }],
  ['unit', 'octets of a credit that it grants', { unitOctets: ONES_16 }, { unitOctets: 0 }],
  [
    'MAX_CR_BLK',
    'octets of the largest unit that it can count in',
    { maxCreditBlockOctets: ONES_16 },
    { maxCreditBlockOctets: 0 },
  ],
  ['channels', 'how many; 0: channel 0 only', { channels: ONES_16 }],
  ['capable', 'bit n: priority n can exchange credit', { capable: ONES_8 }],
  ['enabled', 'bit n: priority n is configured to', { enabled: ONES_8 }],
  ['request EtherType', 'of tags with requests', { requestTpid: ONES_16 }],
  ['grant EtherType', 'of tags with grants', { responseTpid: ONES_16 }],
  ['refresh, rounded', 'microseconds between grants that repeat totals', { refreshUs: ONES_16 }],
  ['age, rounded', 'microseconds after which unused credit is void', { ageUs: ONES_16 }],
  ['agreed', 'bit n: it agrees with what it receives for priority n', { agreed: ONES_8 }],
  ['wide', 'its totals have 31 bits', { wide: true }],
  ['divided', 'each channel has a fixed share of its buffer', { divided: true }],
  ['refresh', 'the same in picoseconds', { refreshPs: ONES_48 }],
  ['age', 'the same in picoseconds', { agePs: ONES_48 }],
  [
    'buffer of priorities',
    'units of priorities 0 to 7, four octets each; 0: not advertised',
    { bufferUnits: eight(ONES_32) },
  ],
  ['CBFC', 'bit n: priority n may have the messages of CBFC instead', { cbfc: ALL_PRIORITIES }],
];

/** More channels have more octets, of which the first ones are shown. */
function encodeSomeCredits(octets: Uint8Array, _at: number, tlv: ChannelCredits): void {
  const all = new Uint8Array(TLV_MOST);
  encodeChannelCredits(all, 0, tlv);
  octets.set(all.subarray(0, octets.length));
}

export const TLV_FORMATS: readonly WireFormat[] = [
  format(
    ['LLDP: ETS Configuration', '802.1Q D.2.8: the operational table of an end, and its will.'],
    { ...TLV, length: 27, encode: encodeEtsConfiguration, blank: { ...blankEts(), classes: 0 } },
    [
      ['willing', 'it uses the table that its link partner recommends', { willing: true }],
      ['credit-based shaper', 'it has that of 802.1Qav', { shaper: true }],
      ['classes', 'traffic classes that it has; 0: eight', { classes: 7 }],
      ...ETS_FIELDS,
    ],
    { ...ETS_EXAMPLE, willing: true },
  ),
  format(
    ['LLDP: ETS Recommendation', '802.1Q D.2.9: the table that a willing link partner uses.'],
    { ...TLV, length: 27, encode: encodeEtsRecommendation, blank: blankEts() },
    ETS_FIELDS,
    ETS_EXAMPLE,
  ),
  format(
    ['LLDP: PFC Configuration', '802.1Q D.2.10.'],
    {
      ...TLV,
      ...{ length: 8, encode: encodePfcConfiguration },
      blank: { ...blankPfcConfiguration(), capability: 0 },
    },
    [
      ['willing', 'it uses the priorities of its link partner', { willing: true }],
      ['MBC', 'it cannot bypass MACsec, and needs more headroom', { noMacsecBypass: true }],
      ['PFC cap', 'priorities that may have PFC at once', { capability: 15 }],
      ['PFC enable', 'bit n: PFC on priority n', { enabled: ONES_8 }],
    ],
    { willing: true, capability: 4, enabled: LOSSLESS },
  ),
  format(
    [
      'LLDP: Application Priority',
      '802.1Q D.2.11: three octets an entry. Here credit exchange by the EtherType of its frames.',
    ],
    {
      ...TLV,
      length: 10,
      encode: (octets, at, entry: { priority: number; selector: number; protocol: number }) =>
        encodeApplications(octets, at, { entries: [entry] }),
      blank: { priority: 0, selector: 0, protocol: 0 },
    },
    [
      ['priority', 'of the application', { priority: 7 }],
      ['selector', '1 EtherType, 2 TCP port, 3 UDP port, 4 port, 5 DSCP', { selector: 7 }],
      ['protocol', 'EtherType, port or DSCP', { protocol: ONES_16 }],
    ],
    { priority: 3, selector: 1, protocol: 0x8808 },
  ),
  format(
    ['LLDP: Congestion Notification', '802.1Q D.2.7.'],
    {
      ...TLV,
      ...{ length: 8, encode: encodeCongestionNotification },
      blank: { ...blankCongestionNotification(), priorities: 0, ready: 0 },
    },
    [
      ['CNPVs', 'bit n: priority n has congestion notification here', { priorities: ONES_8 }],
      ['ready', 'bit n: frames of priority n may keep their CN-TAG', { ready: ONES_8 }],
    ],
    { priorities: LOSSLESS, ready: LOSSLESS },
  ),
  format(
    ['LLDP: Congestion Isolation', '802.1Qcz D.2.15: where and how its port takes CIMs.'],
    {
      fixed: [...TLV.fixed, ['kind of address', 24, 1]],
      ...{ length: 25, encode: encodeCongestionIsolation, blank: blankCongestionIsolation() },
    },
    [
      [
        'queue map',
        'an octet a priority: n monitors class n - 1, -n is the congesting class n - 1, 0 neither',
        { queueMap: eight(-1) },
      ],
      [
        'encapsulation',
        'octets of the frame that a CIM quotes',
        { encapsulationOctets: ONES_16 },
        { encapsulationOctets: 0 },
      ],
      ['address', 'MAC address for CIMs', { mac: ONES_48 }],
      ['UDP port', 'for CIMs over IP', { udpPort: ONES_16 }],
    ],
    { queueMap: [0, 0, 0, 4, -5, 0, 0, 0], mac: MAC, udpPort: 0xc0de },
  ),
  format(
    ['LLDP: Topology Recognition', '802.1Qcz D.2.16.'],
    {
      ...TLV,
      ...{ length: 9, encode: encodeTopologyRecognition },
      blank: { ...blankTopologyRecognition(), deviceType: 0, level: 0, orientation: 0 },
    },
    [
      ['device', '0 end station, 1 bridge, 2 router, 255 unknown', { deviceType: ONES_8 }],
      ['level', 'one above the lowest of its neighbors; 255 unknown', { level: ONES_8 }],
      ['orientation', '0 uplink, 1 downlink, 2 crosslink, 255 unknown', { orientation: ONES_8 }],
    ],
    { deviceType: 1, level: 1, orientation: 1 },
  ),
  format(
    [
      'LLDP: Credit Exchange (CET)',
      'Capabilities that the proposal of 2014 wants advertised; layout and number are of this ' +
        'project. Version 2 ends before the last octet.',
    ],
    {
      ...TLV,
      ...{ length: 71, encode: encodeCreditExchange },
      blank: { ...blankCreditExchange(), version: CREDIT_CODEC_VERSION },
    },
    [
      ['version', 'of this layout', { version: 0xfc }, { version: CREDIT_CODEC_VERSION }],
      ...CET_FIELDS,
    ],
    {
      ...{ willing: true, cumulative: true, resync: true, answers: true, ceTag: true },
      ...{ capable: LOSSLESS, enabled: LOSSLESS, agreed: LOSSLESS, wide: true },
      ...{ requestTpid: 0x88b5, responseTpid: 0x88b6, refreshUs: 20, refreshPs: 20_000_000 },
      bufferUnits: [0, 0, 0, 138, 0, 0, 0, 0],
    },
  ),
  format(
    [
      'LLDP: Source Flow Control (SFC)',
      'P802.1Qdw: what a port does with SFCMs; layout and number are of this project.',
    ],
    {
      fixed: [...TLV.fixed, ['kind of address', 18, 1]],
      ...{ length: 19, encode: encodeSourceFlowControl, blank: blankSourceFlowControl() },
    },
    [
      ['version', 'of this layout', { version: ONES_8 }, { version: 0 }],
      ['sends', 'it sends SFCMs', { sends: true }],
      ['proxy', 'it acts for stations that do not respond', { proxy: true }],
      ['responds', 'it pauses when it receives one', { responds: true }],
      ['layer 2', 'it takes them behind EtherType 89-A2', { layer2: true }],
      ['IPv4', 'it takes them in UDP over IPv4', { ipv4: true }],
      ['IPv6', 'it takes them in UDP over IPv6', { ipv6: true }],
      ['monitored', 'bit n: it watches queues of priority n', { monitored: ONES_8 }],
      ['hop limit', 'of its messages over IP', { hopLimit: ONES_8 }],
      ['address', 'MAC address for SFCMs', { mac: ONES_48 }],
      ['UDP port', 'for SFCMs over IP', { udpPort: ONES_16 }],
    ],
    { sends: true, layer2: true, ipv4: true, monitored: LOSSLESS, mac: MAC, udpPort: 0xc0df },
  ),
  format(
    ['LLDP: UEC link layer', 'Protocols of the link layer; the layout is a choice.'],
    { ...TLV, length: 8, encode: encodeLinkLayer, blank: blankLinkLayer() },
    [
      ['version', 'of this layout', { version: ONES_8 }, { version: 0 }],
      ['LLR', 'it has link-level retry', { retry: true }],
      ['CBFC', 'it has flow control by credits', { credits: true }],
    ],
    { retry: true, credits: true },
  ),
  format(
    [
      'LLDP: UEC credits',
      'Credits of virtual channels; the layout is a choice. Three octets for each lossless one.',
    ],
    {
      ...TLV,
      ...{ length: 19, encode: encodeSomeCredits },
      blank: { ...blankChannelCredits(), channels: 0, creditOctets: 1, lossless: LOSSLESS },
    },
    [
      ['channels', 'virtual channels that it has', { channels: ONES_8 }],
      ['credit size', 'exponent of a power of two: octets', { creditOctets: 2 ** 31 }],
      ['overhead', 'octets that a frame takes beyond its own, signed', { overhead: -1 }],
      ['port credits', 'that channels share; 0: each has its own', { total: CREDIT_COUNT_MASK }],
      [
        'lossless',
        'bit n: virtual channel n is lossless',
        { lossless: 0x0f0f0f0f },
        { lossless: 0xf0f0f0f0 | 0 },
      ],
      [
        'credits of channels',
        'of each lossless channel, in their order',
        { limits: new Uint32Array(32).fill(CREDIT_COUNT_MASK) },
      ],
    ],
    {
      ...{ channels: 8, creditOctets: 128, lossless: LOSSLESS },
      limits: Object.assign(new Uint32Array(32), { 3: 252 }),
    },
  ),
];
