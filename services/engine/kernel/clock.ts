import { doubleCell } from './cells.js';

/**
 * Virtual time of the actor that is running, in picoseconds. It is not passed from call to call
 * because a double argument is boxed wherever a call is not inlined, which on the hot path costs
 * more than the work itself.
 */
export class Clock {
  private readonly cell = doubleCell();

  get now(): number {
    return this.cell[0];
  }

  set now(time: number) {
    this.cell[0] = time;
  }
}
