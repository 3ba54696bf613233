import type { MergedRun } from '../merge.js';
import { packWhole, unpackWhole } from '../whole-state.js';
import { packLogs, unpackLogs } from './packed-logs.js';

/** What a run measured, as it is sent and kept. */
export interface PackedOutcome {
  /** Numbers that JSON has no words for are said as strings. */
  readonly json: Uint8Array;
  /** Empty: there is nothing to go on from. */
  readonly state: Uint8Array;
  readonly logs: Uint8Array;
}

export function packOutcome({
  state,
  hops,
  captures,
  events,
  ...measured
}: MergedRun): PackedOutcome {
  return {
    json: Buffer.from(JSON.stringify(measured, infinityAsText)),
    state: state === null ? new Uint8Array(0) : packWhole(state),
    logs: packLogs({ hops, captures, events }),
  };
}

export function unpackOutcome({ json, state, logs }: PackedOutcome): MergedRun {
  const measured = JSON.parse(Buffer.from(json).toString(), textAsInfinity) as MergedRun;
  const whole = state.length === 0 ? null : unpackWhole(state);
  return { ...measured, state: whole, ...unpackLogs(logs) };
}

function infinityAsText(_: string, value: unknown): unknown {
  return value === Infinity ? 'Infinity' : value;
}

function textAsInfinity(_: string, value: unknown): unknown {
  return value === 'Infinity' ? Infinity : value;
}
