import type { EngineKinds } from '../engine/device/engine.js';
import { cbfc } from './cbfc/slice.js';
import type { CbfcResults } from './cbfc/results.js';
import type { CiResults } from './ci/results.js';
import { ci } from './ci/slice.js';
import { dcqcn } from './dcqcn/slice.js';
import { ecn } from './ecn/slice.js';
import { hpcc } from './hpcc/slice.js';
import type { QcnResults } from './qcn/results.js';
import { qcn, qcnDomain } from './qcn/slice.js';
import type { LlrMetric, LlrResults } from './llr/results.js';
import { llr } from './llr/slice.js';
import type { MechanismSlice, SliceMetric } from './mechanism-slice.js';
import { nic82599 } from './nic-82599/slice.js';
import type { RateControlSlice } from './rate-control-slice.js';
import type { SfcMetric, SfcResults } from './sfc/results.js';
import { sfc } from './sfc/slice.js';
import { swift } from './swift/slice.js';
import { timely } from './timely/slice.js';

/** The rate controls that a load may name in `congestion`; each has a section of the same name. */
export const RATE_CONTROLS: readonly RateControlSlice[] = [dcqcn, qcn, timely, hpcc, swift];

/** Mechanisms of switches and hosts, in the order in which they process a frame. */
export const MECHANISMS: readonly MechanismSlice[] = [ecn, qcnDomain, ci, sfc, cbfc, llr];

/** Those that mark frames. */
export const MARKINGS: readonly Required<Pick<MechanismSlice, 'name' | 'marking'>>[] =
  MECHANISMS.flatMap(({ name, marking }) => (marking === undefined ? [] : [{ name, marking }]));

/** Names of those that are flow controls of priorities. */
export const FLOW_CONTROLS = [cbfc.name as 'cbfc'] as const;
export type SliceFlowControlName = (typeof FLOW_CONTROLS)[number];

/** What rules a priority on a link where only one end has this flow control. */
export function fallbackOf(name: string, sections: Readonly<Record<string, object>>) {
  const slice = MECHANISMS.find((own) => own.name === name);
  return slice?.flowControl?.fallback(sections[name]) ?? 'refuse';
}

/** Their parts of results, side by side. */
export type MechanismResults = QcnResults & CiResults & SfcResults & CbfcResults & LlrResults;
export type MechanismMetric = SfcMetric | LlrMetric;

/** Their measures for `expect`. */
export const MECHANISM_METRICS = Object.assign(
  {},
  ...MECHANISMS.map(({ results }) => results.metrics),
) as Readonly<Record<MechanismMetric, SliceMetric<object>>>;

/** The NIC of hosts that have no plain one. */
export const NIC = nic82599;
export type { NicArrival, NicHost } from './nic-82599/context.js';
export type { NicSource } from './nic-82599/normalise.js';
export type { ClassRow, NicResult } from './nic-82599/results.js';
export type { NicSection } from './nic-82599/section.js';
export type { NicShares } from './nic-82599/share-check.js';

/** All kinds that engines are given. */
export const ENGINE_KINDS: EngineKinds = { rateControls: RATE_CONTROLS, mechanisms: MECHANISMS };

/** Whether switches write telemetry into the packets of a load with this rate control. */
export function hasTelemetry(congestion: string): boolean {
  const slice = RATE_CONTROLS.find(({ kind }) => kind === congestion);
  return slice?.feedback === 'telemetry';
}
