/**
 * What may arrive at a lossless group after XOFF, in cells: Annex N, with the response time of
 * 802.3 31B.3.7 where that is longer than the response delay, and MAC and PHY; with frames of the
 * worst length until the sender has stopped, and behind them the frame that it had begun. If all of
 * it had the worst length, that frame would count as if it were many.
 */

import type { HeadroomTerms } from '../../engine/analysis/headroom/headroom.js';
import { FRAME_OCTETS_MIN, WIRE_OVERHEAD_OCTETS } from '../../engine/units/ethernet.js';
import { responsePs } from './headroom-script.js';

interface Need {
  readonly neededOctets: number;
  /** Octets of cells for one on the wire. */
  readonly waste: number;
}

/** Of both ends, as vendors have it (mac_phy_delay of SONiC's ASIC_TABLE). */
export const MAC_PHY_OCTETS = Math.ceil(0.8 * 1024);

export function need(
  { waitOctets, controlOctets, linkOctets, interfaceOctets, ...terms }: HeadroomTerms,
  {
    cellOctets: cell,
    frameOctets: more,
  }: { readonly cellOctets: number; readonly frameOctets: number },
  { octetPs, rateMbps }: { readonly octetPs: number; readonly rateMbps: number },
): Need {
  const stored = (octets: number): number => Math.ceil((octets + more) / cell) * cell;
  const wasteOf = (octets: number): number => stored(octets) / (octets + WIRE_OVERHEAD_OCTETS);
  const begun = terms.frameOctets - WIRE_OVERHEAD_OCTETS;
  const overCell = stored(FRAME_OCTETS_MIN - 1) + 1 - more;
  const lengths = [FRAME_OCTETS_MIN, Math.min(overCell, begun), begun];
  const waste = Math.max(...lengths.map(wasteOf));
  const response = Math.max(terms.responseOctets, Math.ceil((responsePs(rateMbps) ?? 0) / octetPs));
  const stations = Math.max(interfaceOctets, MAC_PHY_OCTETS);
  const untilStop =
    waitOctets + controlOctets + linkOctets + stations + terms.pipelineOctets + response;
  const behind = [FRAME_OCTETS_MIN, begun, terms.fullPoolOctets].map(stored);
  const octets = Math.ceil(untilStop * waste) + behind.reduce((sum, own) => sum + own, 0);
  return { neededOctets: Math.ceil(octets / cell) * cell, waste };
}
