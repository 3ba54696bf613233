/**
 * Capability TLVs: credit exchange and source flow control (a number space of this project, since
 * none is assigned), congestion isolation and topology recognition (802.1Qcz, D.2.15 and D.2.16).
 */

import { PRIORITIES } from '../../units/ethernet.js';
import { readU16, readU32, readU48, writeU16, writeU32, writeU48 } from '../big-endian.js';
import type { Decoded } from '../decoded.js';
import {
  encodeOrganization,
  ORGANIZATION_OCTETS,
  organization,
  OUI_8021,
  OUI_SELVAGE,
} from './tlv.js';

export const CREDIT_EXCHANGE = organization(OUI_SELVAGE, 1);
export const SOURCE_FLOW_CONTROL = organization(OUI_SELVAGE, 2);
export const CONGESTION_ISOLATION = organization(OUI_8021, 0x13);
export const TOPOLOGY_RECOGNITION = organization(OUI_8021, 0x14);

export const CREDIT_UNIT_LEAST = 64;
export const MAX_CR_BLK_DEFAULT = 2548;

const SFC_VERSION = 1;
/** The first version could not say on what an end agrees, so that its peer might wait for ever. */
const CREDIT_VERSION = 2;
const CREDIT_GRANTS_AT = 18;
const CREDIT_OCTETS = 64;
/** The third says which priorities may have the messages of CBFC instead of CE frames. */
export const CREDIT_CODEC_VERSION = 3;
const CREDIT_CODEC_OCTETS = 65;
/** Totals of 31 bits, and a fixed share for each channel. */
const WIDE_FLAG = 0x80;
const DIVIDED_FLAG = 0x40;
const SFC_OCTETS = 13;
const CI_OCTETS = 19;
const ADDRESS_OCTETS = [0, 4, 16];

export interface CreditExchange {
  version: number;
  willing: boolean;
  ceFrames: boolean;
  ceTag: boolean;
  cumulative: boolean;
  resync: boolean;
  answers: boolean;
  channelled: boolean;
  /** Of those that are enabled, the priorities that may have CBFC; the third version has it. */
  cbfc: number;
  /** Octets per credit that this port grants. */
  unitOctets: number;
  maxCreditBlockOctets: number;
  /** 0: channel 0 only. */
  channels: number;
  /** Priorities, one bit each: those it supports, and those it is configured for. */
  capable: number;
  enabled: number;
  requestTpid: number;
  responseTpid: number;
  /** Rounded, and at most 65,535; exact in the next two. */
  refreshUs: number;
  ageUs: number;
  refreshPs: number;
  agePs: number;
  /**
   * Priorities, one bit each, on which it agrees with the TLV that it has received from its peer;
   * none while it has received none.
   */
  agreed: number;
  /** This port's totals have 31 bits. */
  wide: boolean;
  /** Each channel has a fixed share of this port's buffer. */
  divided: boolean;
  /** By priority: units of this port's buffer; 0 where it is not advertised. */
  bufferUnits: number[];
}

export interface SourceFlowControl {
  version: number;
  sends: boolean;
  proxy: boolean;
  responds: boolean;
  layer2: boolean;
  ipv4: boolean;
  ipv6: boolean;
  monitored: number;
  hopLimit: number;
  mac: number;
  udpPort: number;
  /** 0, 4 or 16 octets. */
  address: Uint8Array;
}

export interface CongestionIsolation {
  /** By priority: 0 none; n monitors class n - 1; -n is the congesting class n - 1. */
  queueMap: readonly number[];
  encapsulationOctets: number;
  mac: number;
  udpPort: number;
  address: Uint8Array;
}

export interface TopologyRecognition {
  /** 0 end station, 1 bridge, 2 router, 255 unknown. */
  deviceType: number;
  level: number;
  /** 0 uplink, 1 downlink, 2 crosslink, 255 unknown. */
  orientation: number;
}

export function blankCreditExchange(): CreditExchange {
  return {
    version: CREDIT_VERSION,
    willing: false,
    ceFrames: true,
    ceTag: false,
    cumulative: false,
    resync: false,
    answers: false,
    channelled: false,
    cbfc: 0,
    unitOctets: CREDIT_UNIT_LEAST,
    maxCreditBlockOctets: MAX_CR_BLK_DEFAULT,
    channels: 0,
    capable: 0,
    enabled: 0,
    requestTpid: 0,
    responseTpid: 0,
    refreshUs: 0,
    ageUs: 0,
    refreshPs: 0,
    agePs: 0,
    agreed: 0,
    wide: false,
    divided: false,
    bufferUnits: new Array<number>(PRIORITIES).fill(0),
  };
}

export function encodeCreditExchange(
  octets: Uint8Array,
  at: number,
  tlv: Readonly<CreditExchange>,
): number {
  const length = creditOctets(tlv.version);
  const value = encodeOrganization(octets, at, OUI_SELVAGE, 1, length);
  octets[value] = tlv.version;
  octets[value + 1] = flagsOf([
    tlv.willing,
    tlv.ceFrames,
    tlv.ceTag,
    tlv.cumulative,
    tlv.resync,
    tlv.answers,
    tlv.channelled,
  ]);
  writeU16(octets, value + 2, tlv.unitOctets);
  writeU16(octets, value + 4, tlv.maxCreditBlockOctets);
  writeU16(octets, value + 6, tlv.channels);
  octets[value + 8] = tlv.capable;
  octets[value + 9] = tlv.enabled;
  writeU16(octets, value + 10, tlv.requestTpid);
  writeU16(octets, value + 12, tlv.responseTpid);
  writeU16(octets, value + 14, tlv.refreshUs);
  writeU16(octets, value + 16, tlv.ageUs);
  encodeGrants(octets, value + CREDIT_GRANTS_AT, tlv);
  if (tlv.version >= CREDIT_CODEC_VERSION) octets[value + CREDIT_OCTETS] = tlv.cbfc;
  return value + length;
}

/** Fields about grants. */
function encodeGrants(octets: Uint8Array, at: number, tlv: Readonly<CreditExchange>): void {
  octets[at] = tlv.agreed;
  octets[at + 1] = (tlv.wide ? WIDE_FLAG : 0) | (tlv.divided ? DIVIDED_FLAG : 0);
  writeU48(octets, at + 2, tlv.refreshPs);
  writeU48(octets, at + 8, tlv.agePs);
  for (let p = 0; p < PRIORITIES; p++) writeU32(octets, at + 14 + 4 * p, tlv.bufferUnits[p]);
}

function decodeGrants(value: Uint8Array, at: number, into: CreditExchange): void {
  into.agreed = value[at];
  into.wide = (value[at + 1] & WIDE_FLAG) !== 0;
  into.divided = (value[at + 1] & DIVIDED_FLAG) !== 0;
  into.refreshPs = readU48(value, at + 2);
  into.agePs = readU48(value, at + 8);
  for (let p = 0; p < PRIORITIES; p++) into.bufferUnits[p] = readU32(value, at + 14 + 4 * p);
}

/** A higher version may be longer; its known fields are used. */
export function decodeCreditExchange(value: Uint8Array, into: CreditExchange): Decoded {
  const at = ORGANIZATION_OCTETS;
  if (value.length <= at) return 'bad-length';
  const version = value[at];
  if (version < CREDIT_VERSION) return 'wrong-version';
  const length = at + creditOctets(version);
  if (value.length < length) return 'bad-length';
  if (version <= CREDIT_CODEC_VERSION && value.length !== length) return 'bad-length';
  const flags = value[at + 1];
  const [capable, enabled] = [value[at + 8], value[at + 9]];
  const cbfc = version >= CREDIT_CODEC_VERSION ? value[at + CREDIT_OCTETS] : 0;
  if ((enabled & ~capable) !== 0 || (cbfc & ~enabled) !== 0) return 'bad-value';
  const channelled = (flags & 0x02) !== 0;
  const channels = readU16(value, at + 6);
  if (!channelled && channels !== 0) return 'bad-value';
  into.version = version;
  into.willing = (flags & 0x80) !== 0;
  into.ceFrames = (flags & 0x40) !== 0;
  into.ceTag = (flags & 0x20) !== 0;
  into.cumulative = (flags & 0x10) !== 0;
  into.resync = (flags & 0x08) !== 0;
  into.answers = (flags & 0x04) !== 0;
  into.channelled = channelled;
  into.cbfc = cbfc;
  into.unitOctets = readU16(value, at + 2);
  into.maxCreditBlockOctets = readU16(value, at + 4);
  into.channels = channels;
  into.capable = capable;
  into.enabled = enabled;
  into.requestTpid = readU16(value, at + 10);
  into.responseTpid = readU16(value, at + 12);
  into.refreshUs = readU16(value, at + 14);
  into.ageUs = readU16(value, at + 16);
  decodeGrants(value, at + CREDIT_GRANTS_AT, into);
  return 'ok';
}

function creditOctets(version: number): number {
  return version < CREDIT_CODEC_VERSION ? CREDIT_OCTETS : CREDIT_CODEC_OCTETS;
}

export function blankSourceFlowControl(): SourceFlowControl {
  return {
    version: SFC_VERSION,
    sends: false,
    proxy: false,
    responds: false,
    layer2: false,
    ipv4: false,
    ipv6: false,
    monitored: 0,
    hopLimit: 0,
    mac: 0,
    udpPort: 0,
    address: new Uint8Array(0),
  };
}

export function encodeSourceFlowControl(
  octets: Uint8Array,
  at: number,
  tlv: Readonly<SourceFlowControl>,
): number {
  const { address } = tlv;
  const value = encodeOrganization(octets, at, OUI_SELVAGE, 2, SFC_OCTETS + address.length);
  octets[value] = tlv.version;
  octets[value + 1] = flagsOf([tlv.sends, tlv.proxy, tlv.responds, tlv.layer2, tlv.ipv4, tlv.ipv6]);
  octets[value + 2] = tlv.monitored;
  octets[value + 3] = tlv.hopLimit;
  writeU48(octets, value + 4, tlv.mac);
  writeU16(octets, value + 10, tlv.udpPort);
  return encodeAddress(octets, value + 12, address);
}

export function decodeSourceFlowControl(value: Uint8Array, into: SourceFlowControl): Decoded {
  const at = ORGANIZATION_OCTETS;
  if (value.length < at + SFC_OCTETS) return 'bad-length';
  if (value[at] === 0) return 'wrong-version';
  const length = ADDRESS_OCTETS[value[at + 12]];
  if (length === undefined) return 'bad-value';
  const end = at + SFC_OCTETS + length;
  if (value.length < end || (value[at] === SFC_VERSION && value.length !== end))
    return 'bad-length';
  const flags = value[at + 1];
  into.version = value[at];
  into.sends = (flags & 0x80) !== 0;
  into.proxy = (flags & 0x40) !== 0;
  into.responds = (flags & 0x20) !== 0;
  into.layer2 = (flags & 0x10) !== 0;
  into.ipv4 = (flags & 0x08) !== 0;
  into.ipv6 = (flags & 0x04) !== 0;
  into.monitored = value[at + 2];
  into.hopLimit = value[at + 3];
  into.mac = readU48(value, at + 4);
  into.udpPort = readU16(value, at + 10);
  into.address = value.slice(at + SFC_OCTETS, end);
  return 'ok';
}

export function blankCongestionIsolation(): CongestionIsolation {
  return {
    queueMap: [0, 0, 0, 0, 0, 0, 0, 0],
    encapsulationOctets: 48,
    mac: 0,
    udpPort: 0,
    address: new Uint8Array(0),
  };
}

export function encodeCongestionIsolation(
  octets: Uint8Array,
  at: number,
  tlv: Readonly<CongestionIsolation>,
): number {
  const { address } = tlv;
  const value = encodeOrganization(octets, at, OUI_8021, 0x13, CI_OCTETS + address.length);
  octets.set(
    tlv.queueMap.map((queue) => queue & 0xff),
    value,
  );
  writeU16(octets, value + 8, tlv.encapsulationOctets);
  writeU48(octets, value + 10, tlv.mac);
  writeU16(octets, value + 16, tlv.udpPort);
  return encodeAddress(octets, value + 18, address);
}

export function decodeCongestionIsolation(value: Uint8Array, into: CongestionIsolation): Decoded {
  const at = ORGANIZATION_OCTETS;
  if (value.length < at + CI_OCTETS) return 'bad-length';
  const length = ADDRESS_OCTETS[value[at + 18]];
  if (length === undefined) return 'bad-value';
  if (value.length !== at + CI_OCTETS + length) return 'bad-length';
  const queueMap = Array.from(value.subarray(at, at + 8), (octet) => (octet << 24) >> 24);
  if (queueMap.some((queue) => queue > 8 || queue < -8)) return 'bad-value';
  const encapsulationOctets = readU16(value, at + 8);
  if (encapsulationOctets > 512) return 'bad-value';
  into.queueMap = queueMap;
  into.encapsulationOctets = encapsulationOctets;
  into.mac = readU48(value, at + 10);
  into.udpPort = readU16(value, at + 16);
  into.address = value.slice(at + CI_OCTETS);
  return 'ok';
}

export function blankTopologyRecognition(): TopologyRecognition {
  return { deviceType: 255, level: 255, orientation: 255 };
}

export function encodeTopologyRecognition(
  octets: Uint8Array,
  at: number,
  tlv: Readonly<TopologyRecognition>,
): number {
  const value = encodeOrganization(octets, at, OUI_8021, 0x14, 3);
  octets[value] = tlv.deviceType;
  octets[value + 1] = tlv.level;
  octets[value + 2] = tlv.orientation;
  return value + 3;
}

export function decodeTopologyRecognition(value: Uint8Array, into: TopologyRecognition): Decoded {
  const at = ORGANIZATION_OCTETS;
  if (value.length !== at + 3) return 'bad-length';
  into.deviceType = value[at];
  into.level = value[at + 1];
  into.orientation = value[at + 2];
  return 'ok';
}

/** The first flag is bit 7. */
function flagsOf(flags: readonly boolean[]): number {
  return flags.reduce((octet, flag, i) => octet | (flag ? 0x80 >> i : 0), 0);
}

/** Family (0 none, 1 IPv4, 2 IPv6) and address. */
function encodeAddress(octets: Uint8Array, at: number, address: Uint8Array): number {
  const family = ADDRESS_OCTETS.indexOf(address.length);
  if (family < 0) throw new RangeError(`no IP address has ${address.length} octets`);
  octets[at] = family;
  octets.set(address, at + 1);
  return at + 1 + address.length;
}
