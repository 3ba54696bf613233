import type { EngineKinds } from '../engine/device/engine.js';
import { ci } from './ci/slice.js';
import { dcqcn } from './dcqcn/slice.js';
import { hpcc } from './hpcc/slice.js';
import { qcn } from './qcn/slice.js';
import type { RateControlSlice } from './rate-control-slice.js';
import { sfc } from './sfc/slice.js';
import { swift } from './swift/slice.js';
import { timely } from './timely/slice.js';

/** The rate controls that a load may name in `congestion`; each has a section of the same name. */
export const RATE_CONTROLS: readonly RateControlSlice[] = [dcqcn, qcn, timely, hpcc, swift];

/** All that engines are given. */
export const ENGINE_KINDS: EngineKinds = { rateControls: RATE_CONTROLS, mechanisms: [ci, sfc] };

/** Whether switches write telemetry into the packets of a load with this rate control. */
export function hasTelemetry(congestion: string): boolean {
  return congestion !== 'none' && rateControl(congestion).feedback === 'telemetry';
}

/** Whether its load needs packets that may be marked. */
export function reactsToMarks(congestion: string): boolean {
  return congestion !== 'none' && rateControl(congestion).feedback === 'marks';
}

/** The rate control of that kind. */
export function rateControl(kind: string): RateControlSlice {
  const found = RATE_CONTROLS.find((slice) => slice.kind === kind);
  if (found === undefined) throw new Error(`no rate control is called ${kind}`);
  return found;
}
