import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { FaultChange, FaultStep } from '../live-faults.js';
import type { Failure } from '../results/results.js';

/** Where all partitions are when an advance is over. */
export interface Bound {
  /** Everything before this time has been executed, and nothing from it on. */
  readonly boundPs: number;
  /** The earliest event of all partitions; Infinity if there is none. */
  readonly nextPs: number;
}

/** How far partitions may advance. */
export interface Advance {
  /** The earliest event; nothing is executed where it is not before `limitPs`. */
  readonly basePs: number;
  readonly limitPs: number;
  /** Frames have to be counted by partitions that come to this time. */
  readonly countAtPs: number;
  /** The advance ends with the first window. */
  readonly isSingle: boolean;
}

/** Sums over all partitions, which show whether the run progresses. */
export interface StallCounts {
  readonly started: number;
  readonly underway: number;
  readonly planned: number;
}

/** A change of the scenario; its request waits for the step. */
export interface TakenChange {
  readonly change: FaultChange;
  readonly step: FaultStep;
  readonly resolve: (step: FaultStep) => void;
}

/**
 * The partitions of a run, as the controller uses them: in this thread, in threads or in services.
 * Each call starts an action, whose end the set reports to the controller, at once or later.
 */
export interface PartitionSet {
  /** Executes events up to a bound of its choice that is not after the limit; then `advanced`. */
  advance(advance: Advance): void;
  /** Ends the advance that is under way at the next bound. */
  interrupt(): void;
  /** At the present bound; null where nothing was counted there. */
  counts(): StallCounts | null;
  /** Checks what is due at a time up to which there is nothing to execute; then `checked`. */
  check(timePs: number): void;
  /** Applies changes at the bound and resolves them; then `done`. */
  change(changes: readonly TakenChange[], fabric: Fabric): void;
  /** Writes a checkpoint; then `done`. */
  save(): void;
  /** Ends with `snapshotTaken`. */
  snapshot(): void;
  /** Reads the counters of all ports; then `done`. */
  sample(): void;
  /** The run is paused. */
  paused(): void;
  /** The run is over: gathers the final states; then `collected`. */
  collect(status: 'complete' | 'interrupted', failure: Failure | null): void;
}

/** When the set has something to check. */
export interface CheckTimes {
  /** Infinity for never. */
  readonly dueAt: number;
  /** Whether that time has come if `nextPs` is the next event. */
  isDue(nextPs: number): boolean;
  /** The run continues from a bound, or with other faults from there on. */
  begin(fabric: Fabric, boundPs: number): void;
}
