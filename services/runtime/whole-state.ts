import type { DeviceState } from '../engine/device/checkpoint.js';
import type { Plain } from '../engine/kernel/snapshot.js';
import { savedRows, type SavedRows, type SharedRows } from '../engine/kernel/tables.js';
import type { PartitionPlan } from '../fabric/placement/partition-plan.js';
import { CHANGES_PER_PORT, sendsOf } from './series.js';
import type { SeriesRow } from './series-rows.js';
import { packPlain, unpackPlain } from './checkpoints/plain-octets.js';
import type { PartitionState } from './partition/partition.js';

/** A run at a moment when every actor has executed the same time, in any partitioning. */
export interface WholeState {
  /** Everything before this time has been executed, and nothing from it on. */
  readonly boundPs: number;
  /** Of the check for standstill. */
  readonly framesSeen: number;
  readonly latestPs: number;
  /** In the order of the fabric. */
  readonly devices: readonly DeviceState[];
  readonly rows: readonly SeriesRow[];
  readonly sampleDueAt: number;
  /** By sampled port: what its next sample is compared with. */
  readonly sampled: Readonly<Record<string, Float64Array>>;
  /** By device: its records so far. */
  readonly observed: readonly (Plain | null)[];
}

/** A file of states is invalid, or damaged; the message says why. */
export class StateError extends Error {}

const MARK = 'selvage-state-4';

export function packWhole(state: WholeState): Uint8Array {
  return packPlain({ mark: MARK, state });
}

export function unpackWhole(octets: Uint8Array): WholeState {
  try {
    const { mark, state } = unpackPlain(octets) as { mark: string; state: WholeState };
    if (mark === MARK && isWhole(state)) return state;
  } catch {
    // The error is thrown below.
  }
  throw new StateError('not the state of a run, or a damaged one');
}

function isWhole(state: Partial<WholeState>): boolean {
  const { devices, rows, observed, boundPs, framesSeen, latestPs, sampleDueAt } = state;
  const numbers = [boundPs, framesSeen, latestPs, sampleDueAt];
  return (
    [devices, rows, observed].every(Array.isArray) &&
    numbers.every((value) => typeof value === 'number') &&
    typeof state.sampled === 'object'
  );
}

/** What a part of it is, for a service. */
export function partOf(whole: WholeState, plan: PartitionPlan): PartitionState {
  const ports = plan.series?.ports ?? [];
  const connections = plan.specs.flatMap(sendsOf);
  const own = new Set([...ports, ...connections].map(({ name }) => name));
  const sampled = new Float64Array(ports.length * CHANGES_PER_PORT);
  ports.forEach(({ name }, i) => {
    sampled.set(whole.sampled[name] ?? [], i * CHANGES_PER_PORT);
  });
  return {
    devices: plan.devices.map((device) => whole.devices[device]!),
    rows: whole.rows.filter(([, name]) => own.has(name as string)),
    sampleDueAt: whole.sampleDueAt,
    sampled,
    latestPs: whole.latestPs,
    observed: plan.devices.map((device) => whole.observed[device] ?? null),
  };
}

/** Joins the states of parts, all at one bound; `rows` are theirs, in order. */
export function wholeOf(
  plans: readonly PartitionPlan[],
  parts: readonly PartitionState<SavedRows | SharedRows>[],
  rows: readonly SeriesRow[],
  { boundPs, framesSeen }: Pick<WholeState, 'boundPs' | 'framesSeen'>,
): WholeState {
  const devices: DeviceState[] = [];
  const observed: (Plain | null)[] = [];
  const sampled: Record<string, Float64Array> = {};
  plans.forEach((plan, service) => {
    const part = parts[service]!;
    plan.devices.forEach((device, place) => {
      const state = part.devices[place]!;
      devices[device] = { ...state, rows: savedRows(state.rows) };
      observed[device] = part.observed[place] ?? null;
    });
    plan.series?.ports.forEach(({ name }, i) => {
      const from = i * CHANGES_PER_PORT;
      sampled[name] = part.sampled.slice(from, from + CHANGES_PER_PORT);
    });
  });
  const sampleDueAt = Math.min(...parts.map((part) => part.sampleDueAt));
  const latestPs = Math.max(...parts.map((part) => part.latestPs));
  return { boundPs, framesSeen, latestPs, devices, rows, sampleDueAt, sampled, observed };
}
