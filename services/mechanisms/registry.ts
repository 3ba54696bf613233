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
  const slice = RATE_CONTROLS.find(({ kind }) => kind === congestion);
  return slice?.feedback === 'telemetry';
}
