import * as hop from '../../engine/analysis/trace/hop-log.js';
import type { DeviceHops } from '../../engine/analysis/trace/hop-recorder.js';

const NONE = -1;

/**
 * The hops that all devices have seen, numbered: device by device, in the order in which each saw
 * them begin. Those of one frame are found by its dice.
 */
export class HopList {
  readonly count: number;
  /** By hop. */
  readonly device: Uint32Array;
  /** Where journeys start, in the order in which payload was ready. */
  readonly starts: readonly number[];
  /** By device: numbers of its hops; by hop: where its own begin. */
  private readonly numbers: readonly Float64Array[];
  private readonly at: Uint32Array;
  /** By the low bits of dice the first hop, and by hop the next one with the same. */
  private readonly first: Int32Array;
  private readonly next: Int32Array;

  constructor(devices: readonly DeviceHops[]) {
    this.count = devices.reduce((sum, { hops }) => sum + hops.count, 0);
    this.numbers = devices.map(({ hops }) => hops.numbers);
    this.device = new Uint32Array(this.count);
    this.at = new Uint32Array(this.count);
    this.first = new Int32Array(2 ** Math.ceil(Math.log2(this.count + 1))).fill(NONE);
    this.next = new Int32Array(this.count);
    const starts: number[] = [];
    let here = this.count;
    for (let d = devices.length - 1; d >= 0; d--) {
      for (let row = devices[d]!.hops.count - 1; row >= 0; row--) {
        here--;
        this.device[here] = d;
        this.at[here] = row * hop.HOP_WIDTH;
        const place = this.placeOf(here);
        this.next[here] = this.first[place]!;
        this.first[place] = here;
        if (this.get(here, hop.INGRESS) < 0) starts.push(here);
      }
    }
    this.starts = starts.sort((a, b) => this.compare(a, b));
  }

  get(here: number, number: number): number {
    return this.numbers[this.device[here]!]![this.at[here]! + number]!;
  }

  /** Source, target, and the connection there. */
  ends(here: number): readonly [number, number, number] {
    return [this.get(here, hop.FROM), this.get(here, hop.TO), this.get(here, hop.AT_CONNECTION)];
  }

  name(here: number): string {
    return hop.nameOfHop(this.numbers[this.device[here]!]!, this.at[here]!);
  }

  /** The first hop that may be of the same frame, -1 if there is none. */
  firstLike(here: number): number {
    return this.first[this.placeOf(here)]!;
  }

  nextLike(here: number): number {
    return this.next[here]!;
  }

  isSame(a: number, b: number): boolean {
    const { numbers, device, at } = this;
    return hop.isSameFrame(numbers[device[a]!]!, at[a]!, numbers[device[b]!]!, at[b]!);
  }

  /** How many journeys of the frame have started before. */
  attempt(start: number): number {
    let count = 0;
    for (let other = this.firstLike(start); other < start; other = this.nextLike(other)) {
      if (this.get(other, hop.INGRESS) < 0 && this.isSame(other, start)) count++;
    }
    return count;
  }

  private placeOf(here: number): number {
    return this.get(here, hop.DICE) & (this.first.length - 1);
  }

  private compare(a: number, b: number): number {
    const byTime = this.get(a, hop.BORN) - this.get(b, hop.BORN);
    if (byTime !== 0) return byTime;
    if (this.isSame(a, b)) return a - b;
    return this.name(a) < this.name(b) ? -1 : 1;
  }
}
