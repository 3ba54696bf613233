/**
 * What may arrive at a lossless group after XOFF, in cells: Annex N with frames of the worst length
 * until the sender has stopped, and behind them the frame that it had begun. With the worst length
 * for all of it (`headroom: auto`) that frame counts as if it were many.
 */

import type { HeadroomTerms } from '../engine/analysis/headroom/headroom.js';
import type { BufferSpec } from '../engine/contract/memory.js';
import { FRAME_OCTETS_MIN, WIRE_OVERHEAD_OCTETS } from '../engine/units/ethernet.js';

interface Need {
  readonly neededOctets: number;
  /** Octets of cells for one on the wire. */
  readonly waste: number;
}

/** `slowerOctets`: what comes in the time that a link partner takes beyond its response delay. */
export function need(
  { waitOctets, controlOctets, linkOctets, interfaceOctets, ...terms }: HeadroomTerms,
  { cellOctets: cell, pools }: BufferSpec,
  slowerOctets: number,
): Need {
  const more = pools?.frameOctets ?? 0;
  const stored = (octets: number): number => Math.ceil((octets + more) / cell) * cell;
  const wasteOf = (octets: number): number => stored(octets) / (octets + WIRE_OVERHEAD_OCTETS);
  const begun = terms.frameOctets - WIRE_OVERHEAD_OCTETS;
  const overCell = stored(FRAME_OCTETS_MIN - 1) + 1 - more;
  const waste = Math.max(...[FRAME_OCTETS_MIN, Math.min(overCell, begun), begun].map(wasteOf));
  const { pipelineOctets, responseOctets, fullPoolOctets } = terms;
  const untilStop =
    waitOctets + controlOctets + linkOctets + interfaceOctets + pipelineOctets + responseOctets;
  const neededOctets =
    Math.ceil((untilStop + slowerOctets) * waste) +
    stored(FRAME_OCTETS_MIN) +
    stored(begun) +
    stored(fullPoolOctets);
  return { neededOctets: Math.ceil(neededOctets / cell) * cell, waste };
}
