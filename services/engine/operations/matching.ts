import type { MatchingSpec } from '../contract/operations.js';
import { assert } from '../kernel/assert.js';

const NONE = -1;

/**
 * Which receive takes which message, as MPI has it: a message goes to the receive that was posted
 * first of those that take it, and a receive takes the message that came first of those that it
 * may take. Receives wait in a queue for each pattern, messages in one for each channel.
 */
export class Matching {
  private readonly firstPosted: Int32Array;
  private readonly lastPosted: Int32Array;
  private readonly nextPosted: Int32Array;
  /** By receive: its number in the order of posting. */
  private readonly postedAs: Int32Array;
  private readonly firstUnexpected: Int32Array;
  private readonly lastUnexpected: Int32Array;
  private readonly nextUnexpected: Int32Array;
  /** By message: its number in the order of arrival. */
  private readonly cameAs: Int32Array;
  /** By receive: the message that it took. */
  private readonly taken: Int32Array;
  private posted = 0;
  private came = 0;

  readonly #spec: MatchingSpec;

  constructor(spec: MatchingSpec) {
    const { patterns, patternOf, channelOf, patternsOfChannel } = spec;
    const channels = patternsOfChannel.first.length - 1;
    const [operations, messages] = [patternOf.length, channelOf.length];
    this.#spec = spec;
    this.firstPosted = new Int32Array(patterns).fill(NONE);
    this.lastPosted = new Int32Array(patterns).fill(NONE);
    this.nextPosted = new Int32Array(operations).fill(NONE);
    this.postedAs = new Int32Array(operations);
    this.firstUnexpected = new Int32Array(channels).fill(NONE);
    this.lastUnexpected = new Int32Array(channels).fill(NONE);
    this.nextUnexpected = new Int32Array(messages).fill(NONE);
    this.cameAs = new Int32Array(messages);
    this.taken = new Int32Array(operations).fill(NONE);
  }

  /** A receive is posted; true if a message for it is there already. */
  post(receive: number): boolean {
    const pattern = this.#spec.patternOf[receive];
    assert(pattern >= 0, 'matching.posted-is-a-receive');
    assert(this.taken[receive] === NONE, 'matching.posted-once');
    this.postedAs[receive] = this.posted++;
    const channel = this.channelWithFirst(pattern);
    if (channel === NONE) {
      if (this.firstPosted[pattern] === NONE) this.firstPosted[pattern] = receive;
      else this.nextPosted[this.lastPosted[pattern]] = receive;
      this.lastPosted[pattern] = receive;
      return false;
    }
    const message = this.firstUnexpected[channel];
    this.firstUnexpected[channel] = this.nextUnexpected[message];
    this.taken[receive] = message;
    return true;
  }

  /** A message has come; returns the receive that takes it, or -1: it waits for one. */
  arrive(message: number): number {
    const channel = this.#spec.channelOf[message];
    assert(channel >= 0, 'matching.message-of-channel');
    this.cameAs[message] = this.came++;
    const pattern = this.patternWithFirst(channel);
    if (pattern === NONE) {
      if (this.firstUnexpected[channel] === NONE) this.firstUnexpected[channel] = message;
      else this.nextUnexpected[this.lastUnexpected[channel]] = message;
      this.lastUnexpected[channel] = message;
      return NONE;
    }
    const receive = this.firstPosted[pattern];
    assert(receive !== NONE && this.taken[receive] === NONE, 'matching.taken-once');
    this.firstPosted[pattern] = this.nextPosted[receive];
    this.taken[receive] = message;
    return receive;
  }

  /** The message that a receive took; -1: none yet. */
  messageOf(receive: number): number {
    return this.taken[receive];
  }

  private patternWithFirst(channel: number): number {
    const { first, to } = this.#spec.patternsOfChannel;
    let best = NONE;
    for (let i = first[channel]; i < first[channel + 1]; i++) {
      const receive = this.firstPosted[to[i]];
      if (receive === NONE) continue;
      if (best !== NONE && this.postedAs[receive] > this.postedAs[this.firstPosted[best]]) continue;
      best = to[i];
    }
    return best;
  }

  private channelWithFirst(pattern: number): number {
    const { first, to } = this.#spec.channelsOfPattern;
    let best = NONE;
    for (let i = first[pattern]; i < first[pattern + 1]; i++) {
      const message = this.firstUnexpected[to[i]];
      if (message === NONE) continue;
      if (best !== NONE && this.cameAs[message] > this.cameAs[this.firstUnexpected[best]]) continue;
      best = to[i];
    }
    return best;
  }
}
