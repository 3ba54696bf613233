import type { FramePool } from '../frame/frame-pool.js';
import { CHARGE_MASK, CHARGE_SHIFT, CLASS, COPY_FLAG, LENGTH } from '../frame/frame-pool.js';
import type { FrameRef } from '../units/indices.js';
import { assert } from '../kernel/assert.js';

/** Most units that a frame which is stored can bear. */
export const CHARGE_MOST = CHARGE_MASK >>> CHARGE_SHIFT;

/** Accounts of what link partners may send, in units of each. */
export interface Accounts {
  /** The account at a port that a frame belongs to. */
  rowOf(port: number, frame: FrameRef): number;
  /** Units of a frame of so many octets. */
  cost(row: number, octets: number): number;
  /** A frame has come in, for which its sender has used units. */
  take(row: number, units: number, octets: number): void;
  /** One that no mechanism charges. */
  storeCopy(row: number, units: number): void;
  /** What was stored has left. */
  free(row: number, units: number): void;
}

/** A frame that is stored bears the units that it takes in its account. */
export type Charges = ReturnType<typeof makeCharges>;

export function makeCharges({ words }: FramePool, accounts: Accounts) {
  /** `octets`: its length as it came in. */
  function admitted(port: number, _group: number, frame: FrameRef, octets: number): void {
    const row = accounts.rowOf(port, frame);
    const units = accounts.cost(row, octets);
    const frameClass = words[frame + CLASS];
    assert(units > 0 && units <= CHARGE_MOST, 'charge.units-of-frame');
    assert((frameClass & CHARGE_MASK) === 0, 'charge.once');
    words[frame + CLASS] = (frameClass & ~COPY_FLAG) | (units << CHARGE_SHIFT);
    if ((frameClass & COPY_FLAG) === 0) accounts.take(row, units, octets);
    else accounts.storeCopy(row, units);
  }

  function released(port: number, _group: number, frame: FrameRef): void {
    const row = accounts.rowOf(port, frame);
    const frameClass = words[frame + CLASS];
    assert((frameClass & CHARGE_MASK) !== 0, 'charge.released-was-charged');
    words[frame + CLASS] = frameClass & ~CHARGE_MASK;
    accounts.free(row, (frameClass & CHARGE_MASK) >>> CHARGE_SHIFT);
  }

  /** A frame came in that takes no memory, or has left it already. */
  function passed(port: number, frame: FrameRef): void {
    const row = accounts.rowOf(port, frame);
    const octets = words[frame + LENGTH];
    const units = accounts.cost(row, octets);
    if ((words[frame + CLASS] & COPY_FLAG) === 0) accounts.take(row, units, octets);
    else accounts.storeCopy(row, units);
    words[frame + CLASS] &= ~COPY_FLAG;
    accounts.free(row, units);
  }

  return { admitted, released, passed };
}
