/**
 * Octets that may still arrive after XOFF: the delay model of 802.1Q Annex N. A frame is stored
 * once, however many ports it leaves by: copies share its buffer.
 */

import { FRAME_OCTETS_MIN, GAP_OCTETS, PREAMBLE_OCTETS, wireOctets } from '../../units/ethernet.js';
import { assert } from '../../kernel/assert.js';

/** Octets at the link's rate that may still arrive after XOFF. */
export interface HeadroomTerms {
  /** The longest frame that the pausing side may just have begun. */
  readonly waitOctets: number;
  /** The control frame itself. */
  readonly controlOctets: number;
  /** Link delay, both ways. */
  readonly linkOctets: number;
  /** Interface delays of both stations. */
  readonly interfaceOctets: number;
  /** Frames in the switch's own ingress pipeline, not yet charged. */
  readonly pipelineOctets: number;
  /** Response time of the paused side. */
  readonly responseOctets: number;
  /** The frame that the paused side had just begun. */
  readonly frameOctets: number;
  /** A frame that may find the pool exhausted before its sender was paused. */
  readonly fullPoolOctets: number;
  /** More for buffer in cells. */
  readonly cellOctets: number;
  readonly totalOctets: number;
}

export interface HeadroomInput {
  readonly octetPs: number;
  /** One way, of the medium alone. */
  readonly propagationPs: number;
  /** Of one station, transmit and receive together. */
  readonly interfaceDelayPs: number;
  /** From the last bit received to the account, in the pausing switch. */
  readonly pipelinePs: number;
  /** From the last bit of the control frame to its effect, in the paused station. */
  readonly responseDelayPs: number;
  /** Longest frame that the pausing side may be sending. */
  readonly longestSentOctets: number;
  /** Longest frame of the paused priority that the paused side may be sending. */
  readonly longestPausedOctets: number;
  /** What the account may have to take from its headroom before it has sent XOFF. */
  readonly fullPoolOctets: number;
  readonly cellOctets: number;
  /** Stored with each frame; none where it is absent. */
  readonly frameOctets?: number;
}

export function headroomTerms(input: HeadroomInput): HeadroomTerms {
  const octetsIn = (ps: number): number => Math.ceil(ps / input.octetPs);
  const terms = {
    waitOctets: wireOctets(input.longestSentOctets),
    controlOctets: wireOctets(FRAME_OCTETS_MIN),
    linkOctets: octetsIn(2 * input.propagationPs),
    interfaceOctets: octetsIn(2 * input.interfaceDelayPs),
    pipelineOctets: octetsIn(input.pipelinePs),
    responseOctets: octetsIn(input.responseDelayPs),
    frameOctets: wireOctets(input.longestPausedOctets),
    fullPoolOctets: input.fullPoolOctets,
  };
  const onWire = Object.values(terms).reduce((sum, octets) => sum + octets, 0);
  assert(
    Object.values(terms).every((octets) => octets >= 0),
    'headroom.terms',
  );
  assert(input.octetPs > 0 && input.cellOctets >= 1, 'headroom.units');
  const cellOctets = octetsForCells(onWire, input);
  return { ...terms, cellOctets, totalOctets: onWire + cellOctets };
}

/**
 * Buffer that frames of the worst length take beyond their octets on the wire. The worst length is
 * one octet over a multiple of the cell, the least such, or the shortest frame.
 */
function octetsForCells(
  onWire: number,
  { cellOctets: cell, longestPausedOctets: longest, frameOctets: more = 0 }: HeadroomInput,
): number {
  const overMultiple = Math.ceil((FRAME_OCTETS_MIN + more - 1) / cell) * cell + 1 - more;
  const lengths = [FRAME_OCTETS_MIN, Math.min(overMultiple, longest)];
  const needs = lengths.map((length) => {
    const stored = Math.ceil((length + more) / cell) * cell;
    return Math.ceil((onWire * stored) / (PREAMBLE_OCTETS + length + GAP_OCTETS));
  });
  return Math.max(0, ...needs.map((need) => need - onWire));
}
