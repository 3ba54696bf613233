import { availableParallelism } from 'node:os';

/**
 * How often a thread looks before it lies down, where each has a processor: about as long as waking
 * it up would take. Where they have not, who looks keeps the one from working that it waits for.
 */
const SPINS = 4_000;

const ARRIVED = 0;
const TURN = 1;

/** Numbers that every thread says at a meeting, and memory for meeting. */
export interface MeetingMemory {
  readonly state: SharedArrayBuffer;
  readonly numbers: SharedArrayBuffer;
}

/** What a thread says: its next event, and what the watch for standstill wants to know. */
export const NEXT_EVENT = 0;
export const STARTED = 1;
export const HELD = 2;
/** Not 0: the run shall end here. */
export const STOP = 3;
export const PLANNED = 4;
/** Not 0: the main thread has something to say, and all wait for it; what it wants. */
export const CALLED = 5;
const NUMBERS = 6;

/**
 * Words of `call`: the main thread wants to be heard; how often it has been; whether a window is
 * executed before it is heard again.
 */
export const WANTED = 0;
export const ANSWERED = 1;
export const GOES_ON = 2;
export const CALL_WORDS = 3;
/** What it wants: to be heard; to hear what ports have counted, or what parts have come to, too. */
export const HEARD = 1;
export const COUNTED = 2;
export const SHOWN = 4;

export function makeMeetingMemory(threads: number): MeetingMemory {
  return {
    state: new SharedArrayBuffer(8),
    // Two sets: a fast thread says its next word while a slow one still reads the last.
    numbers: new SharedArrayBuffer(2 * threads * NUMBERS * 8),
  };
}

/**
 * Where threads meet in each window: all say their numbers, and nobody goes on before all have.
 * Promises between pairs, which services exchange, gain nothing here: a meeting costs about a
 * microsecond, and every thread is the neighbour of every other.
 */
export class Meeting {
  private readonly state: Int32Array;
  private readonly numbers: Float64Array;
  private readonly spins: number;
  private set = 0;
  private heard = 0;
  private turn = 0;

  constructor(
    memory: MeetingMemory,
    private readonly threads: number,
    private readonly self: number,
  ) {
    this.spins = threads <= availableParallelism() ? SPINS : 0;
    this.state = new Int32Array(memory.state);
    this.numbers = new Float64Array(memory.numbers);
  }

  say(number: number, value: number): void {
    this.numbers[this.at(this.self) + number] = value;
  }

  /** Has said everything, and may do what nobody waits for before it waits for all. */
  arrive(): void {
    const { state } = this;
    this.turn = Atomics.load(state, TURN);
    this.heard = this.set;
    this.set ^= 1;
    if (Atomics.add(state, ARRIVED, 1) < this.threads - 1) return;
    Atomics.store(state, ARRIVED, 0);
    Atomics.add(state, TURN, 1);
    Atomics.notify(state, TURN);
  }

  /** Waits for all; from now on `least` and `sum` tell what they said. */
  wait(): void {
    const { state, turn } = this;
    for (let spin = 0; spin < this.spins; spin++) if (Atomics.load(state, TURN) !== turn) return;
    while (Atomics.load(state, TURN) === turn) Atomics.wait(state, TURN, turn);
  }

  least(number: number): number {
    let least = Infinity;
    for (let thread = 0; thread < this.threads; thread++) {
      least = Math.min(least, this.numbers[this.heardAt(thread) + number]!);
    }
    return least;
  }

  sum(number: number): number {
    let sum = 0;
    for (let thread = 0; thread < this.threads; thread++) {
      sum += this.numbers[this.heardAt(thread) + number]!;
    }
    return sum;
  }

  private at(thread: number): number {
    return (this.set * this.threads + thread) * NUMBERS;
  }

  private heardAt(thread: number): number {
    return (this.heard * this.threads + thread) * NUMBERS;
  }
}
