import { UNKNOWN } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import { ahead, COUNT_MASK, WINDOW_MOST } from './machine.js';
import { assert } from '../../engine/kernel/assert.js';

/** Requests of link partners that have not been granted. */
export function makeCreditRequests(tables: Tables) {
  /** By account: the total that is requested; Infinity: as much as there is. */
  const totals = tables.float64('credit', field('requested', UNKNOWN)).fill(Infinity);

  /** Units beyond a total are requested, or (0) as much as there is. */
  function add(row: number, base: number, amount: number): void {
    assert(amount >= 0 && base >= 0, 'credit.requested-units');
    totals[row] = amount === 0 ? Infinity : (base + amount) & COUNT_MASK;
  }

  /** The request is answered; the rest is left to the next one. */
  function answer(row: number, total: number): void {
    totals[row] = total;
  }

  /** Bounds a limit by what was requested; but a limit never decreases. */
  function bound(row: number, limit: number, before: number): number {
    const total = totals[row];
    if (total === Infinity || ahead(total, limit) <= WINDOW_MOST) return limit;
    return ahead(total, before) <= WINDOW_MOST ? total : before;
  }

  return { add, answer, bound };
}
