/** One direction of a link: what its receiver grants, and what its sender makes of that. */

import { wireOctets } from '../../engine/units/ethernet.js';
import { VIRTUAL_CHANNELS } from '../../engine/wire/cf-update.js';
import { ORDERED_SET_OCTETS } from '../../engine/wire/ordered-set.js';
import { CHANNEL_CREDITS_MOST, costOf, PORT_CREDITS_MOST } from './machine.js';
import { type CbfcSettings, CF_MAX_SPACING, CREDIT_SIZE, CREDIT_SIZES } from './settings.js';
import type { ChannelTerms, ReceiverTerms, SenderTerms } from './spec.js';
import { assert } from '../../engine/kernel/assert.js';

/** An update waits for so much of the round trip, or for so many frames, where memory allows. */
const STEP_OF_LOOP = 1 / 8;
const STEP_FRAMES = 8;
const CHANNELS_OF_UPDATE = 2;

/** Octets at the link's rate from the start of a frame until its credits can be used again. */
interface LoopTerms {
  readonly frameOctets: number;
  /** Link and interfaces, there and back. */
  readonly roundTripOctets: number;
  readonly pipelineOctets: number;
  /** The longest frame that the receiver may just have begun to send. */
  readonly waitOctets: number;
  /** Until all channels have had their turn in updates. */
  readonly spacingOctets: number;
  readonly updateOctets: number;
  readonly totalOctets: number;
}

export interface Direction {
  readonly priorities: readonly number[];
  readonly channelOf: readonly number[];
  readonly octetPs: number;
  readonly terms: LoopTerms;
  readonly receiver: ReceiverTerms;
  readonly sender: SenderTerms;
  /** By channel: credits for line rate; with what an update may wait for; and that. */
  readonly needed: readonly number[];
  readonly wanted: readonly number[];
  readonly frameCredits: readonly number[];
  readonly stepCredits: readonly number[];
}

interface DirectionInput {
  /** Of the device at each end. */
  readonly receiver: CbfcSettings;
  readonly sender: CbfcSettings;
  readonly priorities: readonly number[];
  /** By priority: lengths of frames that flows send all the time. */
  readonly frameLengths: readonly (readonly number[])[];
  readonly longestOctets: number;
  readonly octetPs: number;
  readonly latencyPs: number;
  readonly pipelinesPs: number;
  readonly fail: (key: string, message: string) => Error;
  readonly failOfSender: (key: string, message: string) => Error;
}

export function directionOf(input: DirectionInput): Direction {
  const { receiver, priorities } = input;
  const channels = [...new Set(priorities.map((priority) => receiver.channels[priority]))];
  const terms = loopOf(input, channels.length);
  const shift = 31 - Math.clz32(sizeOf(input, terms));
  const size = { shift, overhead: receiver.overhead };
  const lengthsOf = (channel: number): readonly number[] =>
    priorities
      .filter((priority) => receiver.channels[priority] === channel)
      .flatMap((priority) => input.frameLengths[priority]);
  const byChannel = (of: (channel: number) => number): number[] =>
    Array.from({ length: VIRTUAL_CHANNELS }, (_, n) => (channels.includes(n) ? of(n) : 0));
  const frames = byChannel((n) => costOf(Math.max(...lengthsOf(n)), size.overhead, shift));
  const needed = byChannel((n) => creditsFor(terms.totalOctets, lengthsOf(n), size));
  const steps = byChannel((n) =>
    Math.max(STEP_FRAMES * frames[n], Math.ceil(needed[n] * STEP_OF_LOOP)),
  );
  const wanted = byChannel((n) => needed[n] + steps[n]);
  const plan = { input, channels, shift, frames, needed, wanted };
  const { sender, total } =
    receiver.limit === 'channel' ? perChannel(plan) : perPort(plan, Math.max(...steps));
  const limits = byChannel((n) => sender.channels[n]!.limit);
  checkLimits(input, channels, limits, frames);
  assert(Math.max(...limits) <= CHANNEL_CREDITS_MOST, 'cbfc.planned-limit');
  assert(total <= PORT_CREDITS_MOST && shift >= 0, 'cbfc.planned-port');
  return {
    priorities,
    channelOf: receiver.channels,
    octetPs: input.octetPs,
    terms,
    receiver: { ...size, limits, total },
    sender: { ...sender, ...size },
    needed,
    wanted,
    frameCredits: frames,
    stepCredits: byChannel((n) => {
      const isPort = receiver.limit === 'port';
      // The longest frame never waits for what is freed and not reported.
      const beside = limits[n] - frames[n] + 1;
      const spare = isPort ? Math.min(frames[n], beside) : limits[n] - needed[n];
      return Math.max(1, Math.min(steps[n], spare));
    }),
  };
}

interface DirectionPlan {
  readonly input: DirectionInput;
  readonly channels: readonly number[];
  readonly shift: number;
  /** By channel: credits of its longest frame. */
  readonly frames: readonly number[];
  readonly needed: readonly number[];
  readonly wanted: readonly number[];
}

interface Granted {
  readonly sender: Omit<SenderTerms, 'shift' | 'overhead'>;
  readonly total: number;
}

function perChannel({ input, channels, shift, wanted }: DirectionPlan): Granted {
  const { buffer } = input.receiver;
  const limitOf = (channel: number): number => {
    const credits = buffer === 'auto' ? wanted[channel] : Math.floor(buffer / 2 ** shift);
    return Math.min(credits, CHANNEL_CREDITS_MOST);
  };
  const terms = Array.from({ length: VIRTUAL_CHANNELS }, (_, n): ChannelTerms | null =>
    channels.includes(n)
      ? { limit: limitOf(n), pool: -1, reserved: 0, sharing: 'none', threshold: 0 }
      : null,
  );
  return { sender: { channels: terms, pools: [] }, total: 0 };
}

/** The sender divides what the port is given: reserved, and of the rest what the profile says. */
function perPort({ input, channels, shift, frames, needed }: DirectionPlan, step: number): Granted {
  const { receiver, sender: profile } = input;
  const creditsIn = (octets: number): number => Math.floor(octets / 2 ** shift);
  const reservedOf = (channel: number): number =>
    profile.reserved === 'auto' ? frames[channel] : creditsIn(profile.reserved);
  const sumOf = (of: readonly number[]): number => of.reduce((sum, n) => sum + reservedOf(n), 0);
  const most = Math.max(...channels.map((channel) => needed[channel]));
  const wanted = sumOf(channels) + 2 * (most + step);
  const total = Math.min(
    receiver.buffer === 'auto' ? wanted : creditsIn(receiver.buffer),
    PORT_CREDITS_MOST,
  );
  const parts =
    profile.pools.length === 0
      ? [{ channels, credits: total }]
      : profile.pools.map((pool) => ({ channels: pool.channels, credits: creditsIn(pool.size) }));
  const given = parts.reduce((sum, { credits }) => sum + credits, 0);
  if (given > total) {
    const message = `pools of ${given} credits, of ${total} that the port is given`;
    throw input.failOfSender('pools', `${message}; smaller pools, or more buffer at its receiver`);
  }
  const pools = parts.map(({ channels: own, credits }) => {
    const reserved = sumOf(own.filter((channel) => channels.includes(channel)));
    if (reserved <= credits) return credits - reserved;
    throw input.failOfSender(
      'reserved',
      `${reserved} credits reserved for channels ${own.join(', ')}, which have ${credits} ` +
        'between them; a smaller reserved, or more buffer',
    );
  });
  const terms = Array.from({ length: VIRTUAL_CHANNELS }, (_, n): ChannelTerms | null => {
    if (!channels.includes(n)) return null;
    const pool = parts.findIndex(({ channels: own }) => own.includes(n));
    if (pool < 0) {
      throw input.failOfSender('pools', `channel ${n} is lossless, and in no pool; put it in one`);
    }
    const threshold =
      profile.sharing === 'dynamic' ? profile.sharedDynamic : creditsIn(profile.sharedStatic);
    const isBound = profile.sharing === 'static' && threshold > 0;
    const beyond =
      profile.sharing === 'none' ? 0 : Math.min(pools[pool], isBound ? threshold : Infinity);
    const limit = Math.min(reservedOf(n) + beyond, CHANNEL_CREDITS_MOST);
    return { limit, pool, reserved: reservedOf(n), sharing: profile.sharing, threshold };
  });
  return { sender: { channels: terms, pools }, total };
}

/** A channel that cannot have the credits of its longest frame would wait for ever. */
function checkLimits(
  { receiver, fail }: DirectionInput,
  channels: readonly number[],
  limits: readonly number[],
  frames: readonly number[],
): void {
  const short = channels.find((channel) => limits[channel] < frames[channel]);
  if (short === undefined) return;
  throw fail(
    'buffer',
    `channel ${short} may have ${limits[short]} credits, and its longest frame takes ` +
      `${frames[short]}: it would wait for ever; a larger buffer` +
      (receiver.limit === 'port' ? ', or more reserved' : ''),
  );
}

/** What both ends count in: the largest that the sender supports and the receiver's holds. */
function sizeOf(input: DirectionInput, terms: LoopTerms): number {
  const { receiver, sender, failOfSender } = input;
  const native = receiver.creditSize === 'auto' ? usualSize(input, terms) : receiver.creditSize;
  const supported = sender.senderSizes.filter((size) => size <= native);
  if (supported.length > 0) return Math.max(...supported);
  throw failOfSender(
    'senderSizes',
    `no size of ${sender.senderSizes.join(', ')} is at most the receiver's ${native}; ` +
      'add one, or a larger creditSize at the other end',
  );
}

/** The usual size, or the next whose count holds the round trip. */
function usualSize(input: DirectionInput, terms: LoopTerms): number {
  const { receiver, priorities, frameLengths } = input;
  const fits = (size: number): boolean => {
    const shift = 31 - Math.clz32(size);
    const own = { shift, overhead: receiver.overhead };
    return priorities.every((priority) => {
      const needed = creditsFor(terms.totalOctets, frameLengths[priority], own);
      return needed * (1 + STEP_OF_LOOP) <= CHANNEL_CREDITS_MOST;
    });
  };
  const larger = CREDIT_SIZES.filter((size) => size >= CREDIT_SIZE);
  return larger.find(fits) ?? larger[larger.length - 1];
}

/** Credits that frames of these lengths use in the time of so many octets, the worst of them. */
function creditsFor(
  totalOctets: number,
  lengths: readonly number[],
  { shift, overhead }: { readonly shift: number; readonly overhead: number },
): number {
  return lengths.reduce((most, length) => {
    const frames = Math.ceil(totalOctets / wireOctets(length)) + 1;
    return Math.max(most, frames * costOf(length, overhead, shift));
  }, 0);
}

function loopOf(input: DirectionInput, channels: number): LoopTerms {
  const { priorities, frameLengths, longestOctets, octetPs } = input;
  const octetsIn = (ps: number): number => Math.ceil(ps / octetPs);
  const longest = Math.max(...priorities.flatMap((priority) => frameLengths[priority]));
  const terms = {
    frameOctets: wireOctets(longest),
    roundTripOctets: octetsIn(2 * input.latencyPs),
    pipelineOctets: octetsIn(input.pipelinesPs),
    waitOctets: wireOctets(longestOctets),
    spacingOctets:
      Math.ceil(channels / CHANNELS_OF_UPDATE) *
      Math.min(input.receiver.cfMinSpacing, CF_MAX_SPACING.most),
    updateOctets: ORDERED_SET_OCTETS,
  };
  return { ...terms, totalOctets: Object.values(terms).reduce((sum, octets) => sum + octets, 0) };
}
