import type { Tables } from '../kernel/tables.js';

// Words of a port.

/** First and last frame in flight towards the port. */
export const LANE_HEAD = 0;
export const LANE_TAIL = 1;
/** Traffic classes that have frames queued, one bit each. */
export const READY = 2;
/** Priorities that may not start a frame, one bit each: the union over all gates. */
export const HELD = 3;
/** Mechanisms that have a control frame to send, one bit each. */
export const CONTROL_DUE = 4;
export const OCTET_PS = 5;
/** Classes and priorities are the same numbers, so a held priority is a held class. */
export const IDENTITY = 6;
/** What each gate holds. */
export const HELD_BY_GATE = 8;
export const MOST_GATES = 8;

export const PORT_WORDS = 16;

// Doubles of a port.

/** When the wire is free for the next frame, gap included. */
export const FREE_AT = 0;
export const LATENCY_PS = 1;
export const CONTROL_DELAY_PS = 2;

export const PORT_DOUBLES = 4;

/** State of every port of a service that is neither a queue nor a counter. */
export class Ports {
  readonly words: Int32Array;
  readonly doubles: Float64Array;

  constructor(tables: Tables) {
    this.words = tables.int32('port', PORT_WORDS);
    this.doubles = tables.float64('port', PORT_DOUBLES);
    for (let at = 0; at < this.words.length; at += PORT_WORDS) {
      this.words[at + LANE_HEAD] = -1;
      this.words[at + LANE_TAIL] = -1;
    }
  }

  /** Sets one gate's mask of held priorities; true if the union changed. */
  hold(gate: number, port: number, priorities: number): boolean {
    const { words } = this;
    const gates = port * PORT_WORDS + HELD_BY_GATE;
    words[gates + gate] = priorities;
    let union = 0;
    for (let g = 0; g < MOST_GATES; g++) union |= words[gates + g];
    if (union === words[port * PORT_WORDS + HELD]) return false;
    words[port * PORT_WORDS + HELD] = union;
    return true;
  }

  held(port: number): number {
    return this.words[port * PORT_WORDS + HELD];
  }

  octetPs(port: number): number {
    return this.words[port * PORT_WORDS + OCTET_PS];
  }

  requestControl(port: number, source: number): void {
    this.words[port * PORT_WORDS + CONTROL_DUE] |= 1 << source;
  }

  /** Takes the lowest source that has a control frame due. */
  takeControl(port: number): number {
    const at = port * PORT_WORDS + CONTROL_DUE;
    const due = this.words[at];
    const lowest = due & -due;
    this.words[at] = due & ~lowest;
    return 31 - Math.clz32(lowest);
  }

  /** Something waits to be sent, whether it may or not. */
  hasWork(port: number): boolean {
    const at = port * PORT_WORDS;
    return (this.words[at + READY] | this.words[at + CONTROL_DUE]) !== 0;
  }

  freeAt(port: number): number {
    return this.doubles[port * PORT_DOUBLES + FREE_AT];
  }

  setFreeAt(port: number, time: number): void {
    this.doubles[port * PORT_DOUBLES + FREE_AT] = time;
  }

  latencyPs(port: number): number {
    return this.doubles[port * PORT_DOUBLES + LATENCY_PS];
  }

  controlDelayPs(port: number): number {
    return this.doubles[port * PORT_DOUBLES + CONTROL_DELAY_PS];
  }
}
