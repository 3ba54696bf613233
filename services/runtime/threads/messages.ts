import type { MessagePort } from 'node:worker_threads';
import type { SharedRows } from '../../engine/kernel/tables.js';
import type { PartitionPlan } from '../../fabric/placement/partition-plan.js';
import type { Breach } from '../checks/breach.js';
import type { Advance, Bound, StallCounts } from '../controller/partition-set.js';
import type { FaultChange } from '../live-faults.js';
import type { ActorCounts } from '../partition/actors.js';
import type { PartitionState } from '../partition/partition.js';
import type { PortColumns } from '../port-sample.js';
import type { BarrierMemory } from './barrier.js';
import type { MailboxMemory } from './mailbox.js';

/** Input of a thread. */
export interface ThreadTask {
  readonly plan: PartitionPlan;
  /** Its index among the threads. */
  readonly thread: number;
  readonly threads: number;
  /** That the threads may use. */
  readonly processors: number;
  readonly barrier: BarrierMemory;
  /** By window parity, then channel; null: its peer is in another service. */
  readonly outgoing: readonly (readonly (MailboxMemory | null)[])[];
  readonly incoming: readonly (readonly (MailboxMemory | null)[])[];
  /** The least of the links between threads. */
  readonly lookaheadPs: number;
  /** Commands of the main thread; `signals` counts them. */
  readonly commands: MessagePort;
  readonly signals: SharedArrayBuffer;
  /** Of a run in one process; null in a service. */
  readonly run: RunOfThreads | null;
  /** Of a service; null in a run of one process. */
  readonly service: ServiceMemory | null;
}

/** Where a run in one process begins, and what it shows. */
interface RunOfThreads {
  readonly check: boolean;
  readonly from: PartitionState | null;
  readonly fromPs: number;
  /** Virtual time, frames, packets left and in all: for progress. */
  readonly progress: SharedArrayBuffer;
}

/** What a thread shares with the main thread of its service, which takes steps without messages. */
export interface ServiceMemory {
  /** The step of all threads: the earliest event, and where it ends. */
  readonly step: SharedArrayBuffer;
  /** What this thread reports after a step; see below. */
  readonly report: SharedArrayBuffer;
  /** By channel: what goes to other services, and comes from them; null: its peer is a thread. */
  readonly outgoing: readonly (MailboxMemory | null)[];
  readonly incoming: readonly (MailboxMemory | null)[];
}

/** Numbers of a step. */
export const STEP_BASE = 0;
export const STEP_LIMIT = 1;
export const STEP_NUMBERS = 2;

/** Numbers of a report: next and latest event, events of the step, whether a check has failed. */
export const NEXT_PS = 0;
export const LATEST_PS = 1;
export const EVENTS = 2;
export const BREACHED = 3;
/** From here on: by channel, the promise to its peer. */
export const PROMISES = 4;

/**
 * Words of `signals`: commands so far; whether the advance under way ends at the next window. In a
 * service, too: whether the command is a step; how many threads have executed what other services
 * wait for, and the whole command; whether a thread has failed.
 */
export const COMMANDS = 0;
export const INTERRUPT = 1;
export const IS_STEP = 2;
export const BORDERS = 3;
export const ENDED = 4;
export const FAILED = 5;
export const SIGNAL_WORDS = 6;

/** Commands of the main thread to all threads; each answers every command once. */
export type Command =
  | ({ readonly kind: 'advance' } & Pick<Advance, 'basePs' | 'limitPs' | 'isSingle'>)
  | { readonly kind: 'change'; readonly changes: readonly FaultChange[] }
  | { readonly kind: 'sample'; readonly timePs: number }
  | { readonly kind: 'snapshot' | 'save' | 'collect' }
  | ServiceCommand;

/** Commands in a service. */
type ServiceCommand =
  /** A new epoch, from these states, by thread, or from the beginning. */
  | {
      readonly kind: 'begin';
      readonly states: readonly PartitionState[] | null;
      readonly check: boolean;
    }
  | { readonly kind: 'pack'; readonly isGlimpse: boolean }
  | { readonly kind: 'count' | 'breach' };

/** Answers to commands, by their kind. */
export interface Answers {
  /** All threads have the same bound; `nextPs` is the earliest event of this one. */
  readonly advance: { readonly breach: Breach | null } & Bound & StallCounts;
  readonly change: null;
  readonly sample: PortColumns;
  /** With the wall-clock time that it took. */
  readonly snapshot: { readonly state: PartitionState; readonly costMs: number };
  readonly save: PartitionState;
  /** At the end: nothing is executed after it. */
  readonly collect: PartitionState<SharedRows>;
  readonly begin: null;
  /** A state, or what snapshots show of it, in octets. */
  readonly pack: Uint8Array;
  readonly count: ActorCounts;
  readonly breach: Breach | null;
}

export interface Reply<Kind extends Command['kind'] = Command['kind']> {
  readonly thread: number;
  readonly kind: Kind;
  readonly answer: Answers[Kind];
}

/** A thread of a service cannot go on. */
export interface FailureReply {
  readonly failure: string;
}
