import type { RunSnapshot } from '../run-snapshot.js';
import type { MergedRun } from '../merge.js';
import { packWhole, unpackWhole } from '../whole-state.js';
import { packLogs, unpackLogs } from './packed-logs.js';

/** Results of a run, as they are sent and stored. */
export interface PackedOutcome {
  /** Numbers that JSON does not have (Infinity, NaN) are strings. */
  readonly json: Uint8Array;
  /** Empty: the run cannot be continued. */
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
    json: packJson(measured),
    state: state === null ? new Uint8Array(0) : packWhole(state),
    logs: packLogs({ hops, captures, events }),
  };
}

export function unpackOutcome({ json, state, logs }: PackedOutcome): MergedRun {
  const measured = unpackJson(json) as MergedRun;
  const whole = state.length === 0 ? null : unpackWhole(state);
  return { ...measured, state: whole, ...unpackLogs(logs) };
}

export function packSnapshot(snapshot: RunSnapshot): Uint8Array {
  return packJson(snapshot);
}

export function unpackSnapshot(json: Uint8Array): RunSnapshot {
  return unpackJson(json) as RunSnapshot;
}

function packJson(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value, infinityAsText));
}

function unpackJson(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json).toString(), textAsInfinity);
}

function infinityAsText(_: string, value: unknown): unknown {
  return value === Infinity ? 'Infinity' : value;
}

function textAsInfinity(_: string, value: unknown): unknown {
  return value === 'Infinity' ? Infinity : value;
}
