import type { CaptureLog } from '../engine/analysis/capture/capture-log.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { capturesOf } from '../fabric/assembly/observer-plan.js';
import type { Captures } from '../telemetry/captures/capture-file.js';
import { framesOmitted } from '../telemetry/captures/capture-file.js';

/** The capture that the scenario requests; null: none. */
export function capturesWanted(
  fabric: Fabric,
  logs: readonly CaptureLog[] | null,
): Captures | null {
  const { captures } = fabric.scenario.observe;
  const spec = capturesOf(fabric, [...fabric.specs.keys()]);
  return captures && spec && logs && { spec, logs, snapOctets: captures.snapOctets };
}

/** Frames that a capture omits are reported, so that it is not mistaken for complete. */
export function warnOfOmitted(captures: Captures): void {
  const omitted = framesOmitted(captures);
  if (omitted === 0) return;
  const most = captures.spec.frames;
  process.stderr.write(
    `${omitted} frames were not captured: a port keeps ${most} (observe.captures.frames)\n`,
  );
}
