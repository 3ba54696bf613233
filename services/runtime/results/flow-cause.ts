/** Why a flow is not finished: the closed list, from which statuses and exit codes follow. */

import { NO_GRANT, type BlockCause } from '../../mechanisms/mechanism-slice.js';
import { EXCHANGE } from '../../mechanisms/registry.js';

/** Of a run in which flows stand still. */
export type StandingStatus = 'starved' | 'stalled' | 'deadlocked';

interface CauseEntry {
  /** As it is in a sentence: `a flow that is …`. */
  readonly title: string;
  readonly meaning: string;
  /** Status of a run in which such a flow stands still; null: it never does. */
  readonly status: StandingStatus | null;
}

export const FLOW_CAUSES = {
  'not-due': {
    title: 'not yet due',
    meaning: 'Its start, its next message or what it waits for is still to come.',
    status: null,
  },
  sending: {
    title: 'sending',
    meaning: 'Its frames arrive, or have been under way for no longer than its path explains.',
    status: null,
  },
  starved: {
    title: 'starved',
    meaning:
      'Its class waits at a port whose arbiter, as configured, serves others before it: a higher ' +
      'strict class, or any class with a share where it has 0 %.',
    status: 'starved',
  },
  paused: {
    title: 'paused',
    meaning: 'A port on its path, or the flow, is paused by a message of its link partner.',
    status: 'stalled',
  },
  [NO_GRANT]: {
    title: `without ${EXCHANGE}`,
    meaning: `A port on its path waits for ${EXCHANGE} of its link partner.`,
    status: 'stalled',
  },
  'rate-limited': {
    title: 'rate-limited',
    meaning: 'Its rate control, or the pace of its load, allows the next frame later.',
    status: null,
  },
  refused: {
    title: 'refused',
    meaning: 'A link partner has not agreed to the flow control of its priority.',
    status: 'stalled',
  },
  retrying: {
    title: 'lost and retrying',
    meaning: 'Frames were lost, and its retransmission timer expires again and again.',
    status: 'stalled',
  },
  dropped: {
    title: 'dropped',
    meaning: 'Frames were dropped, and its transport does not send them again.',
    status: 'stalled',
  },
  unreachable: {
    title: 'unreachable',
    meaning: 'A link on its only path is down, or a switch has no route.',
    status: 'stalled',
  },
  deadlocked: {
    title: 'deadlocked',
    meaning: 'Its path leads through a cyclic buffer dependency.',
    status: 'deadlocked',
  },
  stalled: {
    title: 'stalled',
    meaning: 'It does not progress, and nothing of the above explains it: a fault, or a defect.',
    status: 'stalled',
  },
} as const satisfies Readonly<Record<string, CauseEntry>> &
  Readonly<Record<BlockCause, CauseEntry>>;

export type CauseWord = keyof typeof FLOW_CAUSES;

export const CAUSE_WORDS = Object.keys(FLOW_CAUSES) as readonly CauseWord[];

/** Of a flow that is not finished, at the end of a run. */
export interface FlowCause {
  readonly word: CauseWord;
  /** Nothing of it has arrived for longer than its path, its pace and its timers explain. */
  readonly standsStill: boolean;
  /** The port or device where; null: at no single one. */
  readonly at: string | null;
  /** What does it there: a port, a class, a mechanism, a reason for drops; null: nothing known. */
  readonly by: string | null;
}

export interface CauseCount {
  readonly cause: CauseWord;
  readonly flows: number;
}

export function countCauses(causes: readonly (FlowCause | null)[]): CauseCount[] {
  return CAUSE_WORDS.flatMap((cause) => {
    const flows = causes.filter((one) => one?.word === cause).length;
    return flows === 0 ? [] : [{ cause, flows }];
  });
}

/** Those of its flows that stand still decide how a run has ended; the gravest first. */
const GRAVITY = ['deadlocked', 'stalled', 'starved'] as const;

/** The status of a run without a failure. */
export function statusOfCauses(causes: readonly (FlowCause | null)[]): StandingStatus | 'complete' {
  const standing = causes.flatMap((cause) =>
    cause?.standsStill === true ? (FLOW_CAUSES[cause.word].status ?? []) : [],
  );
  return GRAVITY.find((status) => standing.includes(status)) ?? 'complete';
}
