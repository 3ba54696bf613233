/**
 * What the two ends of a link come to about credit, from their settings: what a unit is, which
 * channels there are, and how many credits of CBFC a sender may have in use.
 */

import { lineOctets, ORDERED_SET, PRIORITIES, SHORTEST } from '../ethernet.js';
import type { Port } from './port.js';

interface Slice {
  readonly channel: number;
  readonly vlans: readonly number[];
  readonly share: number;
}

type Auto = number | 'auto';

interface CreditSection {
  readonly buffer: Auto;
  readonly keep: Auto;
  readonly shaper: number | 'off';
  readonly grantFactor: number;
  readonly unsolicited: boolean;
  readonly request: string;
  readonly poll: Auto;
  readonly unit: number | 'mtu';
  readonly counts: string;
  readonly channels: readonly Slice[];
  readonly maxChannels: number | 'all';
  readonly age: number | 'off';
  readonly cet: string;
  readonly grant: string;
}

const ONE_SLICE: Slice = { channel: 0, vlans: [], share: 1 };

/** Of credit exchange, for frames that leave by a port. */
export function exchangeTerms(port: Port) {
  const { frameLengths } = port.configuration;
  const sections = port.ends.map(({ device }) => device.keysOf('credit') as CreditSection);
  const [own, other] = sections as [CreditSection, CreditSection];
  // Application Protocol entries of DCBX say priorities, and no more.
  const isLiteral = sections.some(({ cet }) => cet === 'application');
  const most = sections.map(({ maxChannels }) => (maxChannels === 'all' ? Infinity : maxChannels));
  const slices = own.channels.length === 0 ? [ONE_SLICE] : own.channels;
  return {
    unit: other.unit === 'mtu' ? Math.max(...frameLengths.flat()) : other.unit,
    slices: slices.slice(0, isLiteral ? 1 : Math.min(...most)),
    isIncremental: isLiteral || sections.some(({ counts }) => counts === 'incremental'),
    /** What is not used for some time is given back, at a moment that no message states. */
    ages: own.age !== 'off',
    /** Each slice has a part of the memory to itself. */
    isDivided: other.grant === 'static',
  };
}

/** What full rate takes over a loop, and what an update may wait for. */
function neededFor(loop: number, lengths: readonly number[], unit: number, overhead: number) {
  const frame = costOf(Math.max(...lengths), unit, overhead);
  // Of frames of some length, as many as begin in the loop: the worst of them.
  const needs = lengths.map(
    (length) => (Math.ceil(loop / lineOctets(length)) + 1) * costOf(length, unit, overhead),
  );
  const needed = Math.max(...needs);
  return { frame, needed, step: Math.max(8 * frame, Math.ceil(needed / 8)) };
}

/**
 * Units that a port has for what it grants to its link partner, of a priority, all channels
 * together; null: a shaper bounds them.
 */
export function exchangeUnits({ device, peer }: Port, priority: number): number | null {
  const own = device.keysOf('credit') as CreditSection;
  const { unit, slices, isDivided } = exchangeTerms(peer);
  if (own.shaper !== 'off') return null;
  const lengths = peer.configuration.frameLengths[priority]!;
  const loop = exchangeLoop(peer, lengths, own);
  const { frame, needed, step } = neededFor(loop, lengths, unit, 0);
  const shares = slices.map(({ share }) => share);
  const smallest = Math.min(...shares) / shares.reduce((sum, share) => sum + share, 0);
  const keep = Math.ceil((own.keep === 'auto' ? Math.max(...lengths) : own.keep) / unit);
  const apart = slices.length > 1 ? Math.ceil((step + frame) / smallest) : step;
  const wanted = isDivided ? Math.ceil((needed + step) / smallest) : needed + apart;
  const least = isDivided ? Math.ceil(frame / smallest) : slices.length * Math.max(frame, keep);
  const whole = own.buffer === 'auto' ? Math.max(wanted, least) : Math.floor(own.buffer / unit);
  return Math.floor(whole * own.grantFactor);
}

/** Octet times of link and interfaces there and back, and of both pipelines. */
function fixedOctets({ device, peer, octetPs, wirePs }: Port): number {
  const pipelinesPs = device.configuration.pipelinePs + peer.device.configuration.pipelinePs;
  return Math.ceil((2 * wirePs) / octetPs) + Math.ceil(pipelinesPs / octetPs);
}

/** Requests take no more of a link than this unless they must. */
const REQUESTS_OF_LINE = 1 / 256;

/**
 * Octet times from the start of a frame until its credit can be used again: the frame, what is
 * fixed, the longest frame that the granting side may just have begun, and the grant; where that is
 * an answer only, the wait for a request, and the request.
 */
function exchangeLoop(port: Port, lengths: readonly number[], granter: CreditSection): number {
  const { device, peer, octetPs, wirePs, configuration } = port;
  const longest = lineOctets(Math.max(...configuration.frameLengths.flat()));
  const grant = lineOctets(SHORTEST);
  const fixed = lineOctets(Math.max(...lengths)) + fixedOctets(port) + longest + grant;
  const { request } = device.keysOf('credit') as CreditSection;
  if (granter.unsolicited || (request !== 'auto' && request !== 'ahead')) return fixed;
  const pipelinesPs = device.configuration.pipelinePs + peer.device.configuration.pipelinePs;
  const roundTripPs = 2 * (wirePs + longest * octetPs) + pipelinesPs;
  const cheapPs = (grant / REQUESTS_OF_LINE) * octetPs;
  const usualPs = Math.min(roundTripPs, Math.max(roundTripPs / 8, cheapPs));
  const pollPs = granter.poll === 'auto' ? usualPs : granter.poll;
  return fixed + Math.ceil(pollPs / octetPs) + grant;
}

export type ChannelTerms = ReturnType<typeof channelTerms>;

interface CbfcSection {
  readonly creditSize: Auto;
  readonly senderSizes: readonly number[];
  readonly overhead: number;
  readonly channels: readonly number[];
  readonly buffer: Auto;
  readonly limit: 'channel' | 'port';
  readonly reserved: Auto;
  readonly sharing: 'none' | 'static' | 'dynamic';
  readonly sharedStatic: number;
  readonly sharedDynamic: number;
  readonly pools: readonly { readonly channels: readonly number[]; readonly size: number }[];
  readonly cfMinSpacing: number;
}

const SIZES = [128, 256, 512, 1024, 2048];
/** An update counts in 15 bits, and a port in 20. */
const CHANNEL_MOST = 0x7fff;
const PORT_MOST = 0xfffff;
const LONGEST_SPACING = 1 << 20;

/**
 * Of the channel of a priority of CBFC, for frames that leave by a port: credits that it may have
 * in use; where the port has the credits, its part of a pool, beyond what is its own.
 */
export function channelTerms(port: Port, priority: number) {
  const { frameLengths } = port.configuration;
  const sections = port.ends.map(({ device }) => device.keysOf('cbfc') as CbfcSection);
  const [own, other] = sections as [CbfcSection, CbfcSection];
  const { overhead } = other;
  const priorities = PRIORITIES.filter((p) => port.methods[p] === 'cbfc');
  const channels = [...new Set(priorities.map((p) => own.channels[p]!))];
  const loop = loopOctets(port, priorities, channels.length, other.cfMinSpacing);
  // The largest size that the sender supports and the receiver's holds.
  const usualSize = SIZES.find((size) =>
    priorities.every((p) => {
      const { needed } = neededFor(loop, frameLengths[p]!, size, overhead);
      return needed * 1.125 <= CHANNEL_MOST;
    }),
  );
  const most = other.creditSize === 'auto' ? (usualSize ?? SIZES.at(-1)!) : other.creditSize;
  const unit = Math.max(...own.senderSizes.filter((size) => size <= most));
  const needs = new Map(
    channels.map((channel) => {
      const some = priorities.filter((p) => own.channels[p] === channel);
      const lengths = some.flatMap((p) => frameLengths[p]!);
      return [channel, neededFor(loop, lengths, unit, overhead)];
    }),
  );
  const channel = own.channels[priority]!;
  const { needed, step } = needs.get(channel)!;
  const base = { unit, overhead, channel };
  const given = other.buffer === 'auto' ? null : Math.floor(other.buffer / unit);
  if (other.limit === 'channel') {
    return { ...base, limit: Math.min(given ?? needed + step, CHANNEL_MOST), profile: null };
  }
  const reservedOf = (one: number): number =>
    own.reserved === 'auto' ? needs.get(one)!.frame : Math.floor(own.reserved / unit);
  const sum = (of: readonly number[]): number => of.reduce((all, one) => all + reservedOf(one), 0);
  const longest = (key: 'needed' | 'step'): number =>
    Math.max(...[...needs.values()].map((one) => one[key]));
  const usual = sum(channels) + 2 * (longest('needed') + longest('step'));
  const found = own.pools.findIndex(({ channels: some }) => some.includes(channel));
  const pool = Math.max(0, found);
  const part = own.pools[pool];
  const size = part ? Math.floor(part.size / unit) : Math.min(given ?? usual, PORT_MOST);
  const inPool = (part?.channels ?? channels).filter((one) => channels.includes(one));
  const poolCredits = size - sum(inPool);
  const reserved = reservedOf(channel);
  const { sharing } = own;
  // static: credits, 0 without a limit; dynamic: n of 2^n.
  const threshold = sharing === 'dynamic' ? own.sharedDynamic : Math.floor(own.sharedStatic / unit);
  const isBounded = sharing === 'static' && threshold > 0;
  const beyond = isBounded ? Math.min(poolCredits, threshold) : poolCredits;
  const limit = Math.min(reserved + (sharing === 'none' ? 0 : beyond), CHANNEL_MOST);
  return { ...base, limit, profile: { pool, poolCredits, reserved, sharing, threshold } };
}

export const costOf = (octets: number, unit: number, overhead: number): number =>
  Math.max(1, Math.ceil((octets + overhead) / unit));

/**
 * Octet times from the start of a frame until its credits can be used again: the frame, what is
 * fixed, the longest frame that the receiver may just have begun, the turns of all channels in
 * updates of two, and the update.
 */
function loopOctets(
  port: Port,
  priorities: readonly number[],
  channels: number,
  spacing: number,
): number {
  const { frameLengths, longestOctets } = port.configuration;
  const longest = Math.max(...priorities.flatMap((priority) => frameLengths[priority]!));
  const turns = Math.ceil(channels / 2) * Math.min(spacing, LONGEST_SPACING);
  const both = lineOctets(longest) + lineOctets(Math.max(...longestOctets));
  return both + fixedOctets(port) + turns + ORDERED_SET;
}
