import type { CiCounters } from './managed.js';
import { FOUND_HERE, FROM_CIM } from './machine.js';
import type { CiStreamTable } from './stream-table.js';
import {
  STREAM_AHEAD,
  STREAM_CIMS,
  STREAM_INSIDE,
  STREAM_LEAVING,
  STREAM_MASK,
  STREAM_PORT,
} from './stream-table.js';

/** Counters and table of a CI point, and what it stands on. */
export interface CiState {
  readonly counters: CiCounters;
  readonly table: CiStreamTable;
  /** When the cleanup of the table is due, and its ports. */
  readonly isCleanupDue: boolean;
  readonly ports: number;
  readonly maxCim: number;
  /** Frames of an entry in the queues of its egress: the monitored ones, and the congesting one. */
  queued(slot: number): readonly [monitored: number, congesting: number];
  /** Whether the congesting queue of an egress is held, and has to be, to keep frames in order. */
  held(port: number): readonly [is: boolean, must: boolean];
}

function everyEntry({ table }: CiState, holds: (slot: number) => boolean): boolean {
  for (let slot = table.ages.oldest; slot >= 0; slot = table.ages.after(slot)) {
    if (!holds(slot)) return false;
  }
  return true;
}

/** Frames that an entry counts in its two queues are those that are there. */
export function countsAreOfFrames(state: CiState): boolean {
  const { table } = state;
  return everyEntry(state, (slot) => {
    const [monitored, congesting] = state.queued(slot);
    return (
      table.get(slot, STREAM_AHEAD) === monitored && table.get(slot, STREAM_INSIDE) === congesting
    );
  });
}

/** Every flow that was isolated is in the table, or was released. */
export function everyFlowIsAccountedFor({ counters, table }: CiState): boolean {
  const isolated = counters.ciFlowsFound + counters.ciFlowsByCim;
  return isolated === counters.ciFlowsReturned + table.ages.count;
}

/** An entry stands for a reason, or until its last frame has left. */
export function entriesHaveReasons(state: CiState): boolean {
  const { table, ports } = state;
  return everyEntry(state, (slot) => {
    const mask = table.get(slot, STREAM_MASK);
    const isLeaving = table.get(slot, STREAM_LEAVING) !== 0;
    if ((mask & ~(FOUND_HERE | FROM_CIM)) !== 0 || table.get(slot, STREAM_PORT) >= ports) {
      return false;
    }
    return isLeaving ? table.get(slot, STREAM_INSIDE) > 0 : mask !== 0;
  });
}

/** A flow is never silent for longer than it is kept: who cleans up looks again. */
export function cleanupIsDue({ table, isCleanupDue }: CiState): boolean {
  return table.ages.count === 0 || isCleanupDue;
}

/** 49.4.2: of an entry no more messages are sent than cipMaxCIM. */
export function messagesAreOfEntries(state: CiState): boolean {
  const { table, maxCim, counters } = state;
  const isBounded = everyEntry(state, (slot) => table.get(slot, STREAM_CIMS) <= maxCim);
  const { ciCimsMalformed, ciCimsRefused, ciCimsReceived } = counters;
  return isBounded && ciCimsMalformed + ciCimsRefused <= ciCimsReceived;
}

/** The congesting queue waits exactly while frames of its first flow are ahead of it. */
export function holdsKeepOrder(state: CiState): boolean {
  for (let port = 0; port < state.ports; port++) {
    const [is, must] = state.held(port);
    if (is !== must) return false;
  }
  return true;
}
