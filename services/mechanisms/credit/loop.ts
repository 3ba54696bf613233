/** Buffer that a link needs for its sender not to be blocked on credit. */

import { FRAME_OCTETS_MIN, wireOctets } from '../../engine/units/ethernet.js';

const REQUEST_OCTETS = wireOctets(FRAME_OCTETS_MIN);

/** Octets at the link's rate from the start of a frame until its credit can be used again. */
export interface CreditLoopTerms {
  /** The frame itself. */
  readonly frameOctets: number;
  /** Link and interface delays, both ways. */
  readonly roundTripOctets: number;
  /** Pipelines of both ends: of the frame, and of the grant. */
  readonly pipelineOctets: number;
  /** The longest frame that the granting side may just have begun. */
  readonly waitOctets: number;
  /** The grant. */
  readonly controlOctets: number;
  /** Where grants are answers only: until the next request starts, and the request itself. */
  readonly requestOctets: number;
  readonly totalOctets: number;
}

interface CreditLoopInput {
  readonly octetPs: number;
  /** One way, interfaces included. */
  readonly latencyPs: number;
  readonly pipelinePs: number;
  readonly peerPipelinePs: number;
  /** Longest frame on the wire, of any priority. */
  readonly longestAnyOctets: number;
  /** Longest frame of the priority. */
  readonly longestOctets: number;
  /** Time between two requests; null where freed buffer is granted without one. */
  readonly requestPs: number | null;
}

export function creditLoop(input: CreditLoopInput): CreditLoopTerms {
  const octetsIn = (ps: number): number => Math.ceil(ps / input.octetPs);
  const terms = {
    frameOctets: wireOctets(input.longestOctets),
    roundTripOctets: octetsIn(2 * input.latencyPs),
    pipelineOctets: octetsIn(input.pipelinePs + input.peerPipelinePs),
    waitOctets: wireOctets(input.longestAnyOctets),
    controlOctets: wireOctets(FRAME_OCTETS_MIN),
    requestOctets: input.requestPs === null ? 0 : octetsIn(input.requestPs) + REQUEST_OCTETS,
  };
  const totalOctets = Object.values(terms).reduce((sum, octets) => sum + octets, 0);
  return { ...terms, totalOctets };
}

/** Units that frames of these lengths use in the time of so many octets, the worst of them. */
export function unitsForFullRate(
  totalOctets: number,
  lengths: readonly number[],
  unitOctets: number,
): number {
  return lengths.reduce((most, length) => {
    const frames = Math.ceil(totalOctets / wireOctets(length)) + 1;
    return Math.max(most, frames * Math.ceil(length / unitOctets));
  }, 0);
}
