import type { EngineKinds } from '../engine/device/engine.js';
import type { CiResults } from './ci/results.js';
import { ci } from './ci/slice.js';
import { dcqcn } from './dcqcn/slice.js';
import { ecn } from './ecn/slice.js';
import { hpcc } from './hpcc/slice.js';
import type { QcnResults } from './qcn/results.js';
import { qcn, qcnDomain } from './qcn/slice.js';
import type { MechanismSlice, SliceMetric } from './mechanism-slice.js';
import type { RateControlSlice } from './rate-control-slice.js';
import type { SfcMetric, SfcResults } from './sfc/results.js';
import { sfc } from './sfc/slice.js';
import { swift } from './swift/slice.js';
import { timely } from './timely/slice.js';

/** The rate controls that a load may name in `congestion`; each has a section of the same name. */
export const RATE_CONTROLS: readonly RateControlSlice[] = [dcqcn, qcn, timely, hpcc, swift];

/** Mechanisms of switches and hosts, in the order in which a frame meets them. */
export const MECHANISMS: readonly MechanismSlice[] = [ecn, qcnDomain, ci, sfc];

/** Those that mark frames. */
export const MARKINGS: readonly Required<Pick<MechanismSlice, 'name' | 'marking'>>[] =
  MECHANISMS.flatMap(({ name, marking }) => (marking === undefined ? [] : [{ name, marking }]));

/** What they have to say of a run, side by side. */
export type MechanismResults = QcnResults & CiResults & SfcResults;
export type MechanismMetric = SfcMetric;

/** Their measures for `expect`. */
export const MECHANISM_METRICS = Object.assign(
  {},
  ...MECHANISMS.map(({ results }) => results.metrics),
) as Readonly<Record<MechanismMetric, SliceMetric<object>>>;

/** All that engines are given. */
export const ENGINE_KINDS: EngineKinds = { rateControls: RATE_CONTROLS, mechanisms: MECHANISMS };

/** Whether switches write telemetry into the packets of a load with this rate control. */
export function hasTelemetry(congestion: string): boolean {
  const slice = RATE_CONTROLS.find(({ kind }) => kind === congestion);
  return slice?.feedback === 'telemetry';
}
