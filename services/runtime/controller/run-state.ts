/** What a run does at this moment. */
export type RunState =
  /** Partitions are missing: the run has not begun, or a partition was lost. */
  | 'waiting'
  /** All partitions have executed everything before one bound, and the next action is chosen. */
  | 'standing'
  | 'advancing'
  | 'checking'
  | 'changing'
  | 'saving'
  | 'snapshotting'
  | 'sampling'
  | 'paused'
  | 'collecting'
  | 'ended';

/** States in which partitions carry out one action at a bound. */
export type Action = 'checking' | 'changing' | 'saving' | 'snapshotting' | 'sampling';

const AFTER_ACTION: readonly RunState[] = ['standing', 'waiting', 'ended'];

/** A partition may be lost in every state before the end, and then all wait for it. */
const TRANSITIONS: Readonly<Record<RunState, readonly RunState[]>> = {
  waiting: ['standing', 'waiting', 'ended'],
  standing: [
    'advancing',
    'checking',
    'changing',
    'saving',
    'snapshotting',
    'sampling',
    'paused',
    'collecting',
    'waiting',
    'ended',
  ],
  advancing: AFTER_ACTION,
  checking: AFTER_ACTION,
  changing: AFTER_ACTION,
  saving: AFTER_ACTION,
  snapshotting: AFTER_ACTION,
  sampling: AFTER_ACTION,
  paused: AFTER_ACTION,
  collecting: ['waiting', 'ended'],
  ended: [],
};

/** Returns the next state; throws if it cannot follow. */
export function transition(from: RunState, to: RunState): RunState {
  if (TRANSITIONS[from].includes(to)) return to;
  throw new Error(`a run that is ${from} cannot become ${to}`);
}
