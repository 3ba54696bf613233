import { formatPs } from '../engine/units/time.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { shortSteps } from '../fabric/placement/parts.js';

/** A cut through devices with short links between them costs time: says so, and what does not. */
export function warnOfShortSteps(
  option: string,
  fabric: Fabric,
  parts: readonly { readonly devices: readonly number[] }[],
): void {
  const short = shortSteps(fabric, parts);
  if (short === null) return;
  const { stepPs, wholePs, clusters } = short;
  process.stderr.write(
    `${option}: the cut goes through devices with short links between them, so they are in step ` +
      `every ${formatPs(stepPs)} of virtual time; up to ${clusters} parts can be cut at links of ` +
      `${formatPs(wholePs)}\n`,
  );
}
