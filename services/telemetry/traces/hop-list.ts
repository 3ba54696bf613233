import type { Hops } from '../../engine/analysis/trace/hop-log.js';
import {
  ARRIVED,
  BORN,
  DEVICE,
  DICE,
  HOP_WIDTH,
  INGRESS,
  isSameFrame,
  nameOfHop,
} from '../../engine/analysis/trace/hop-log.js';

const NONE = -1;

/** Where a journey starts. */
export interface Start {
  readonly hop: number;
  readonly frame: string;
  readonly bornPs: number;
}

/** The hops that all devices have seen. Those of one frame are found by its dice. */
export class HopList {
  /** Where journeys start, in the order in which payload was ready. */
  readonly starts: readonly Start[];
  /** What was written down, hop by hop: see `HopLog`. */
  readonly numbers: Float64Array;
  /** By the low bits of dice the first hop, and by hop the next one with the same. */
  private readonly first: Int32Array;
  private readonly next: Int32Array;
  private readonly isTaken: Uint8Array;

  constructor({ count, numbers }: Hops) {
    this.numbers = numbers;
    this.first = new Int32Array(2 ** Math.ceil(Math.log2(count + 1))).fill(NONE);
    this.next = new Int32Array(count);
    this.isTaken = new Uint8Array(count);
    this.starts = this.chain(count).sort(compare);
  }

  /**
   * The hop of the same frame that was the first to come in at a port, after a time and no later
   * than another, and those that came together with it; each is found once.
   */
  take(like: number, device: number, port: number, afterPs: number, untilPs: number): number[] {
    const { numbers, next, isTaken } = this;
    const at = like * HOP_WIDTH;
    let latestPs = untilPs;
    const found: number[] = [];
    for (let hop = this.firstLike(like); hop >= 0; hop = next[hop]!) {
      const there = hop * HOP_WIDTH;
      if (numbers[there + DEVICE] !== device || numbers[there + INGRESS] !== port) continue;
      const arrivedPs = numbers[there + ARRIVED]!;
      if (arrivedPs <= afterPs || arrivedPs > latestPs || isTaken[hop] !== 0) continue;
      if (!isSameFrame(numbers, there, at)) continue;
      // Those of a device are in the order of their times.
      latestPs = arrivedPs;
      isTaken[hop] = 1;
      found.push(hop);
    }
    return found;
  }

  /** All may be found once more. */
  giveBack(): void {
    this.isTaken.fill(0);
  }

  /** How many journeys of the frame have started before. */
  attempt(start: number): number {
    const { numbers, next } = this;
    const at = start * HOP_WIDTH;
    let count = 0;
    for (let hop = this.firstLike(start); hop < start; hop = next[hop]!) {
      const there = hop * HOP_WIDTH;
      if (numbers[there + INGRESS]! < 0 && isSameFrame(numbers, there, at)) count++;
    }
    return count;
  }

  /** Finds the starts, and what has the same dice, from the last hop to the first. */
  private chain(count: number): Start[] {
    const { numbers, first, next } = this;
    const mask = first.length - 1;
    const starts: Start[] = [];
    for (let hop = count - 1, at = hop * HOP_WIDTH; hop >= 0; hop--, at -= HOP_WIDTH) {
      if (numbers[at + DEVICE]! < 0) continue;
      const place = numbers[at + DICE]! & mask;
      next[hop] = first[place]!;
      first[place] = hop;
      if (numbers[at + INGRESS]! >= 0) continue;
      starts.push({ hop, frame: nameOfHop(numbers, at), bornPs: numbers[at + BORN]! });
    }
    return starts;
  }

  private firstLike(hop: number): number {
    return this.first[this.numbers[hop * HOP_WIDTH + DICE]! & (this.first.length - 1)]!;
  }
}

function compare(a: Start, b: Start): number {
  if (a.bornPs !== b.bornPs) return a.bornPs - b.bornPs;
  if (a.frame !== b.frame) return a.frame < b.frame ? -1 : 1;
  return a.hop - b.hop;
}
