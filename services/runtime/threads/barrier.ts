/**
 * Number of reads before a thread sleeps, where each has a processor: about as long as waking it up
 * would take. Where they have not, spinning takes time from the thread it waits for.
 */
export const SPINS = 4_000;

const ARRIVED = 0;
const TURN = 1;

/** Memory of a barrier that all threads share. */
export interface BarrierMemory {
  readonly state: SharedArrayBuffer;
  readonly numbers: SharedArrayBuffer;
}

/** Numbers that threads exchange: the earliest event of each, and whether all shall stop here. */
export const NEXT_EVENT = 0;
export const INTERRUPTED = 1;
const NUMBERS = 2;

export function makeBarrierMemory(threads: number): BarrierMemory {
  return {
    state: new SharedArrayBuffer(8),
    // Two sets: a fast thread writes its next numbers while a slow one still reads the last.
    numbers: new SharedArrayBuffer(2 * threads * NUMBERS * 8),
  };
}

/**
 * A barrier after each window: all threads write their numbers, and none continues before all have.
 * Bounds between pairs, which services exchange, gain nothing here: a barrier costs about a
 * microsecond, and every thread has links to every other.
 */
export class Barrier {
  private readonly state: Int32Array;
  private readonly numbers: Float64Array;
  private readonly spins: number;
  private set = 0;
  private readSet = 0;
  private turn = 0;

  constructor(
    memory: BarrierMemory,
    private readonly threads: number,
    private readonly self: number,
    /** That its threads may use. */
    processors: number,
  ) {
    this.spins = threads <= processors ? SPINS : 0;
    this.state = new Int32Array(memory.state);
    this.numbers = new Float64Array(memory.numbers);
  }

  write(number: number, value: number): void {
    this.numbers[this.at(this.set, this.self) + number] = value;
  }

  /** All is written; work that no other thread waits for may be done before `wait`. */
  arrive(): void {
    const { state } = this;
    this.turn = Atomics.load(state, TURN);
    this.readSet = this.set;
    this.set ^= 1;
    if (Atomics.add(state, ARRIVED, 1) < this.threads - 1) return;
    Atomics.store(state, ARRIVED, 0);
    Atomics.add(state, TURN, 1);
    Atomics.notify(state, TURN);
  }

  /** Waits for all; from now on `least` and `sum` read what they wrote. */
  wait(): void {
    const { state, turn } = this;
    for (let spin = 0; spin < this.spins; spin++) if (Atomics.load(state, TURN) !== turn) return;
    while (Atomics.load(state, TURN) === turn) Atomics.wait(state, TURN, turn);
  }

  least(number: number): number {
    let least = Infinity;
    for (let thread = 0; thread < this.threads; thread++) {
      least = Math.min(least, this.numbers[this.at(this.readSet, thread) + number]!);
    }
    return least;
  }

  sum(number: number): number {
    let sum = 0;
    for (let thread = 0; thread < this.threads; thread++) {
      sum += this.numbers[this.at(this.readSet, thread) + number]!;
    }
    return sum;
  }

  private at(set: number, thread: number): number {
    return (set * this.threads + thread) * NUMBERS;
  }
}
