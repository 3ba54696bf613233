/**
 * What the two ends of a link come to about credit, from their settings: what a unit is, which
 * channels there are, and how many credits of CBFC a sender may have in use.
 */

import { lineOctets, ORDERED_SET, PRIORITIES, SHORTEST } from '../ethernet.js';
import type { Port } from './port.js';

/** A tenant's slice of each priority. */
interface Slice {
  readonly channel: number;
  readonly vlans: readonly number[];
  readonly share: number;
}

/** Of credit exchange, for frames that leave by a port. */
interface ExchangeTerms {
  readonly unit: number;
  readonly slices: readonly Slice[];
  readonly isIncremental: boolean;
  /** What is not used for some time is given back, at a moment that no message states. */
  readonly ages: boolean;
  /** Each slice has a part of the memory to itself. */
  readonly isDivided: boolean;
}

interface CreditSection {
  readonly buffer: number | 'auto';
  readonly keep: number | 'auto';
  readonly shaper: number | 'off';
  readonly grantFactor: number;
  readonly unsolicited: boolean;
  readonly request: string;
  readonly poll: number | 'auto';
  readonly unit: number | 'mtu';
  readonly counts: string;
  readonly channels: readonly Slice[];
  readonly maxChannels: number | 'all';
  readonly age: number | 'off';
  readonly cet: string;
  readonly grant: string;
}

const ONE_SLICE: Slice = { channel: 0, vlans: [], share: 1 };

export function exchangeTerms({ device, peer, configuration }: Port): ExchangeTerms {
  const { frameLengths } = configuration;
  const ends = [device, peer.device].map(
    ({ configuration: { settings } }) => settings.mechanisms['credit'] as CreditSection,
  ) as [CreditSection, CreditSection];
  const [own, other] = ends;
  // Application Protocol entries of DCBX say priorities, and no more.
  const isLiteral = ends.some(({ cet }) => cet === 'application');
  const most = ends.map(({ maxChannels }) => (maxChannels === 'all' ? Infinity : maxChannels));
  const slices = own.channels.length === 0 ? [ONE_SLICE] : own.channels;
  return {
    unit: other.unit === 'mtu' ? Math.max(...frameLengths.flat()) : other.unit,
    slices: slices.slice(0, isLiteral ? 1 : Math.min(...most)),
    isIncremental: isLiteral || ends.some(({ counts }) => counts === 'incremental'),
    ages: own.age !== 'off',
    isDivided: other.grant === 'static',
  };
}

/** Requests take no more of a link than this unless they must. */
const REQUESTS_OF_LINE = 1 / 256;

/**
 * Units that a port has for what it grants to its link partner, of a priority, all channels
 * together: what full rate takes over a loop, and what a grant may wait for; null: a shaper bounds
 * them.
 */
export function exchangeUnits({ device, peer }: Port, priority: number): number | null {
  const own = device.configuration.settings.mechanisms['credit'] as CreditSection;
  const { unit, slices, isDivided } = exchangeTerms(peer);
  if (own.shaper !== 'off') return null;
  const lengths = peer.configuration.frameLengths[priority]!;
  const frame = Math.ceil(Math.max(...lengths) / unit);
  const loop = exchangeLoop(peer, lengths, own);
  const needed = creditsFor(loop, lengths, unit, 0);
  const step = Math.max(8 * frame, Math.ceil(needed / 8));
  const shares = slices.map(({ share }) => share);
  const smallest = Math.min(...shares) / shares.reduce((sum, share) => sum + share, 0);
  const keep = Math.ceil((own.keep === 'auto' ? Math.max(...lengths) : own.keep) / unit);
  const apart = slices.length > 1 ? Math.ceil((step + frame) / smallest) : step;
  const wanted = isDivided ? Math.ceil((needed + step) / smallest) : needed + apart;
  const least = isDivided ? Math.ceil(frame / smallest) : slices.length * Math.max(frame, keep);
  const whole = own.buffer === 'auto' ? Math.max(wanted, least) : Math.floor(own.buffer / unit);
  return Math.floor(whole * own.grantFactor);
}

/**
 * Octet times from the start of a frame until its credit can be used again: the frame, link and
 * interfaces there and back, both pipelines, the longest frame that the granting side may just have
 * begun, and the grant; where that is an answer only, the wait for a request, and the request.
 */
function exchangeLoop(
  { device, peer, octetPs, configuration }: Port,
  lengths: readonly number[],
  granter: CreditSection,
): number {
  const octetsIn = (ps: number): number => Math.ceil(ps / octetPs);
  const longest = lineOctets(Math.max(...configuration.frameLengths.flat()));
  const latencyPs = configuration.propagationPs + configuration.interfaceDelayPs;
  const pipelinesPs = device.configuration.pipelinePs + peer.device.configuration.pipelinePs;
  const fixed =
    lineOctets(Math.max(...lengths)) +
    octetsIn(2 * latencyPs) +
    octetsIn(pipelinesPs) +
    longest +
    lineOctets(SHORTEST);
  const { request } = device.configuration.settings.mechanisms['credit'] as CreditSection;
  if (granter.unsolicited || (request !== 'auto' && request !== 'ahead')) return fixed;
  const roundTripPs = 2 * (latencyPs + longest * octetPs) + pipelinesPs;
  const cheapPs = (lineOctets(SHORTEST) / REQUESTS_OF_LINE) * octetPs;
  const usualPs = Math.min(roundTripPs, Math.max(roundTripPs / 8, cheapPs));
  const pollPs = granter.poll === 'auto' ? usualPs : granter.poll;
  return fixed + octetsIn(pollPs) + lineOctets(SHORTEST);
}

/** A channel of CBFC, for frames that leave by a port. */
export interface ChannelTerms {
  readonly unit: number;
  readonly overhead: number;
  readonly channel: number;
  /** Credits that it may have in use. */
  readonly limit: number;
  /** Where the port has the credits: its part of a pool, beyond what is its own. */
  readonly profile: Profile | null;
}

interface Profile {
  readonly pool: number;
  /** Credits of the pool beyond those that are reserved. */
  readonly poolCredits: number;
  readonly reserved: number;
  readonly sharing: 'none' | 'static' | 'dynamic';
  /** static: credits, 0 without a limit; dynamic: n of 2^n. */
  readonly threshold: number;
}

interface CbfcSection {
  readonly creditSize: number | 'auto';
  readonly senderSizes: readonly number[];
  readonly overhead: number;
  readonly channels: readonly number[];
  readonly buffer: number | 'auto';
  readonly limit: 'channel' | 'port';
  readonly reserved: number | 'auto';
  readonly sharing: Profile['sharing'];
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

/** Of the channel of a priority. */
export function channelTerms(port: Port, priority: number): ChannelTerms {
  const [own, other] = [port, port.peer].map(
    ({ device }) => device.configuration.settings.mechanisms['cbfc'] as CbfcSection,
  ) as [CbfcSection, CbfcSection];
  const { overhead } = other;
  const priorities = PRIORITIES.filter((p) => port.configuration.methods[p] === 'cbfc');
  const channels = [...new Set(priorities.map((p) => own.channels[p]!))];
  const loop = loopOctets(port, priorities, channels.length, other.cfMinSpacing);
  const lengthsOf = (channel: number): readonly number[] =>
    priorities
      .filter((p) => own.channels[p] === channel)
      .flatMap((p) => port.configuration.frameLengths[p]!);
  const unit = creditSize(own, other, (size) =>
    priorities.every((p) => {
      const needed = creditsFor(loop, port.configuration.frameLengths[p]!, size, overhead);
      return needed * 1.125 <= CHANNEL_MOST;
    }),
  );
  /** What full rate takes over a round trip, and what an update may wait for. */
  const needs = new Map(
    channels.map((channel) => {
      const lengths = lengthsOf(channel);
      const frame = costOf(Math.max(...lengths), unit, overhead);
      const needed = creditsFor(loop, lengths, unit, overhead);
      return [channel, { frame, needed, step: Math.max(8 * frame, Math.ceil(needed / 8)) }];
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
  const all = [...needs.values()];
  const usual =
    sum(channels) +
    2 * (Math.max(...all.map((one) => one.needed)) + Math.max(...all.map((one) => one.step)));
  const pool = Math.max(
    0,
    own.pools.findIndex(({ channels: some }) => some.includes(channel)),
  );
  const part = own.pools[pool];
  const size =
    part === undefined ? Math.min(given ?? usual, PORT_MOST) : Math.floor(part.size / unit);
  const inPool = (part?.channels ?? channels).filter((one) => channels.includes(one));
  const poolCredits = size - sum(inPool);
  const reserved = reservedOf(channel);
  const { sharing } = own;
  const threshold = sharing === 'dynamic' ? own.sharedDynamic : Math.floor(own.sharedStatic / unit);
  const beyond =
    sharing === 'static' && threshold > 0 ? Math.min(poolCredits, threshold) : poolCredits;
  const limit = Math.min(reserved + (sharing === 'none' ? 0 : beyond), CHANNEL_MOST);
  return { ...base, limit, profile: { pool, poolCredits, reserved, sharing, threshold } };
}

export function costOf(octets: number, unit: number, overhead: number): number {
  return Math.max(1, Math.ceil((octets + overhead) / unit));
}

/** The largest size that the sender supports and the receiver's holds. */
function creditSize(own: CbfcSection, other: CbfcSection, fits: (size: number) => boolean): number {
  const usual = SIZES.find(fits) ?? SIZES.at(-1)!;
  const most = other.creditSize === 'auto' ? usual : other.creditSize;
  return Math.max(...own.senderSizes.filter((size) => size <= most));
}

/** Credits that frames of these lengths use in the time of so many octets, the worst of them. */
function creditsFor(
  loop: number,
  lengths: readonly number[],
  unit: number,
  overhead: number,
): number {
  return Math.max(
    ...lengths.map(
      (length) => (Math.ceil(loop / lineOctets(length)) + 1) * costOf(length, unit, overhead),
    ),
  );
}

/**
 * Octet times from the start of a frame until its credits can be used again: the frame, link and
 * interfaces there and back, both pipelines, the longest frame that the receiver may just have
 * begun, the turns of all channels in updates of two, and the update.
 */
function loopOctets(
  { device, peer, octetPs, configuration }: Port,
  priorities: readonly number[],
  channels: number,
  spacing: number,
): number {
  const octetsIn = (ps: number): number => Math.ceil(ps / octetPs);
  const { propagationPs, interfaceDelayPs, frameLengths, longestOctets } = configuration;
  const longest = Math.max(...priorities.flatMap((priority) => frameLengths[priority]!));
  return (
    lineOctets(longest) +
    octetsIn(2 * (propagationPs + interfaceDelayPs)) +
    octetsIn(device.configuration.pipelinePs + peer.device.configuration.pipelinePs) +
    lineOctets(Math.max(...longestOctets)) +
    Math.ceil(channels / 2) * Math.min(spacing, LONGEST_SPACING) +
    ORDERED_SET
  );
}
