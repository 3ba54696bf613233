import type { MessagePort } from 'node:worker_threads';
import type { PartPlan } from '../../fabric/placement/part-plan.js';
import type { Breach } from '../checks/breach.js';
import type { Advance, Bound, StallCounts } from '../controller/partition-set.js';
import type { FaultChange } from '../live-faults.js';
import type { PartState } from '../part/part.js';
import type { PortColumns } from '../port-sample.js';
import type { BarrierMemory } from './barrier.js';
import type { MailboxMemory } from './mailbox.js';

/** Input of a thread. */
export interface ThreadTask {
  readonly plan: PartPlan;
  readonly threads: number;
  readonly barrier: BarrierMemory;
  /** By window parity, then channel. */
  readonly outgoing: readonly (readonly MailboxMemory[])[];
  readonly incoming: readonly (readonly MailboxMemory[])[];
  readonly lookaheadPs: number;
  readonly check: boolean;
  readonly from: PartState | null;
  readonly fromPs: number;
  /** Commands of the main thread; `signals` counts them. */
  readonly commands: MessagePort;
  readonly signals: SharedArrayBuffer;
  /** Virtual time, frames, packets left and in all: for progress. */
  readonly progress: SharedArrayBuffer;
}

/** Words of `signals`: commands so far; whether the advance under way ends at the next window. */
export const COMMANDS = 0;
export const INTERRUPT = 1;
export const SIGNAL_WORDS = 2;

/** Commands of the main thread to all threads; each answers every command once. */
export type Command =
  | ({ readonly kind: 'advance' } & Pick<Advance, 'basePs' | 'limitPs' | 'isSingle'>)
  | { readonly kind: 'change'; readonly changes: readonly FaultChange[] }
  | { readonly kind: 'sample' | 'snapshot' | 'save' | 'collect' };

/** Answers to commands, by their kind. */
export interface Answers {
  /** All threads have the same bound; `nextPs` is the earliest event of this one. */
  readonly advance: { readonly breach: Breach | null } & Bound & StallCounts;
  readonly change: null;
  readonly sample: PortColumns;
  /** With the wall-clock time that it took. */
  readonly snapshot: { readonly state: PartState; readonly costMs: number };
  readonly save: PartState;
  readonly collect: PartState;
}

export interface Reply<Kind extends Command['kind'] = Command['kind']> {
  readonly thread: number;
  readonly kind: Kind;
  readonly answer: Answers[Kind];
}
