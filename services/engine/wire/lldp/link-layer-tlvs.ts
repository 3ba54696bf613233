/**
 * What a port says of the Ultra Ethernet link layer: which of its protocols it has, and the credits
 * behind its virtual channels. Identifier and layout are a choice (README of mechanisms/cbfc).
 */

import { readU24, readU32, writeU24, writeU32 } from '../big-endian.js';
import { VIRTUAL_CHANNELS } from '../cf-update.js';
import type { Decoded } from '../decoded.js';
import { CREDIT_COUNT_MASK } from '../mac-control/cc-update.js';
import { encodeOrganization, ORGANIZATION_OCTETS, organization, OUI_SELVAGE } from './tlv.js';

const LINK_LAYER_SUBTYPE = 3;
const CREDITS_SUBTYPE = 4;
export const LINK_LAYER = organization(OUI_SELVAGE, LINK_LAYER_SUBTYPE);
export const CHANNEL_CREDITS = organization(OUI_SELVAGE, CREDITS_SUBTYPE);

export const LINK_LAYER_VERSION = 1;
const LINK_LAYER_OCTETS = 2;
const RETRY_FLAG = 1;
const CREDITS_FLAG = 2;

const CREDITS_OCTETS = 10;
const LIMIT_OCTETS = 3;
/** Credits of 32 to 2,048 octets. */
const SHIFT_LEAST = 5;
const SHIFT_MOST = 11;
const OVERHEAD_LEAST = -16;

export interface LinkLayer {
  version: number;
  /** It has link-level retry. */
  retry: boolean;
  /** It has flow control by credits. */
  credits: boolean;
}

export interface ChannelCredits {
  /** How many virtual channels the port has. */
  channels: number;
  /** A credit is so many octets, a power of two, of this port's buffer. */
  creditOctets: number;
  /** Octets that each frame takes beyond its own. */
  overhead: number;
  /** Credits of the port, where its channels share them; 0: each has its own. */
  total: number;
  /** Lossless channels, one bit each. */
  lossless: number;
  /** By channel: its credits; 0 where it has none of its own. */
  readonly limits: Uint32Array;
}

export function blankLinkLayer(): LinkLayer {
  return { version: LINK_LAYER_VERSION, retry: false, credits: false };
}

export function encodeLinkLayer(octets: Uint8Array, at: number, tlv: Readonly<LinkLayer>): number {
  const value = encodeOrganization(octets, at, OUI_SELVAGE, LINK_LAYER_SUBTYPE, LINK_LAYER_OCTETS);
  octets[value] = tlv.version;
  octets[value + 1] = (tlv.retry ? RETRY_FLAG : 0) | (tlv.credits ? CREDITS_FLAG : 0);
  return value + LINK_LAYER_OCTETS;
}

export function decodeLinkLayer(value: Uint8Array, into: LinkLayer): Decoded {
  if (value.length !== ORGANIZATION_OCTETS + LINK_LAYER_OCTETS) return 'bad-length';
  const [version, flags] = value.subarray(ORGANIZATION_OCTETS);
  if (version !== LINK_LAYER_VERSION) return 'wrong-version';
  into.version = version;
  into.retry = (flags & RETRY_FLAG) !== 0;
  into.credits = (flags & CREDITS_FLAG) !== 0;
  return 'ok';
}

export function blankChannelCredits(): ChannelCredits {
  return {
    channels: 8,
    creditOctets: 128,
    overhead: 0,
    total: 0,
    lossless: 0,
    limits: new Uint32Array(VIRTUAL_CHANNELS),
  };
}

export function encodeChannelCredits(
  octets: Uint8Array,
  at: number,
  tlv: Readonly<ChannelCredits>,
): number {
  const length = CREDITS_OCTETS + LIMIT_OCTETS * bitCount(tlv.lossless);
  const value = encodeOrganization(octets, at, OUI_SELVAGE, CREDITS_SUBTYPE, length);
  octets[value] = tlv.channels;
  octets[value + 1] = 31 - Math.clz32(tlv.creditOctets);
  octets[value + 2] = tlv.overhead & 0xff;
  writeU24(octets, value + 3, tlv.total);
  writeU32(octets, value + 6, tlv.lossless >>> 0);
  let next = value + CREDITS_OCTETS;
  for (let channel = 0; channel < VIRTUAL_CHANNELS; channel++) {
    if ((tlv.lossless & (1 << channel)) === 0) continue;
    writeU24(octets, next, tlv.limits[channel]);
    next += LIMIT_OCTETS;
  }
  return next;
}

export function decodeChannelCredits(value: Uint8Array, into: ChannelCredits): Decoded {
  const at = ORGANIZATION_OCTETS;
  if (value.length < at + CREDITS_OCTETS) return 'bad-length';
  const lossless = readU32(value, at + 6) | 0;
  if (value.length !== at + CREDITS_OCTETS + LIMIT_OCTETS * bitCount(lossless)) return 'bad-length';
  const [channels, shift] = value.subarray(at);
  const overhead = (value[at + 2] << 24) >> 24;
  const total = readU24(value, at + 3);
  const isSound =
    channels >= 1 &&
    channels <= VIRTUAL_CHANNELS &&
    (channels === VIRTUAL_CHANNELS || lossless >>> channels === 0) &&
    shift >= SHIFT_LEAST &&
    shift <= SHIFT_MOST &&
    overhead >= OVERHEAD_LEAST &&
    total <= CREDIT_COUNT_MASK;
  if (!isSound) return 'bad-value';
  into.channels = channels;
  into.creditOctets = 1 << shift;
  into.overhead = overhead;
  into.total = total;
  into.lossless = lossless;
  return readLimits(value, at + CREDITS_OCTETS, into);
}

function readLimits(
  value: Uint8Array,
  from: number,
  { lossless, limits }: ChannelCredits,
): Decoded {
  limits.fill(0);
  let at = from;
  for (let channel = 0; channel < VIRTUAL_CHANNELS; channel++) {
    if ((lossless & (1 << channel)) === 0) continue;
    limits[channel] = readU24(value, at);
    if (limits[channel] > CREDIT_COUNT_MASK) return 'bad-value';
    at += LIMIT_OCTETS;
  }
  return 'ok';
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
