import type { CiCounters } from './managed.js';
import type { CiStreamTable } from './stream-table.js';
import { STREAM_AHEAD, STREAM_INSIDE } from './stream-table.js';

/** Counters and table of a CI point. */
export interface CiState {
  readonly counters: CiCounters;
  readonly table: CiStreamTable;
}

/** Frames that an entry counts in its two queues: never fewer than none. */
export function countsAreSane({ table }: CiState): boolean {
  for (let slot = table.ages.oldest; slot >= 0; slot = table.ages.after(slot)) {
    if (table.get(slot, STREAM_AHEAD) < 0 || table.get(slot, STREAM_INSIDE) < 0) return false;
  }
  return true;
}

/** Every flow that was isolated is in the table, or was released. */
export function everyFlowIsAccountedFor({ counters, table }: CiState): boolean {
  const isolated = counters.ciFlowsFound + counters.ciFlowsByCim;
  return isolated === counters.ciFlowsReturned + table.ages.count;
}
