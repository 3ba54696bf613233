/**
 * Octets that may still arrive above the threshold before source flow control takes effect: the
 * delay model of 802.1Q Annex N, with the whole path to the source and back in the place of one
 * link.
 */

import { PREAMBLE_OCTETS, wireOctets } from '../../engine/units/ethernet.js';

/** A link on the path from the congested switch to the source, in one direction. */
interface SfcLink {
  readonly octetPs: number;
  /** From a bit leaving one port to the same bit at the other's MAC. */
  readonly latencyPs: number;
  /**
   * The longest frame that may delay a message here; 0 where there is no traffic in that direction.
   */
  readonly inTheWayOctets: number;
}

interface SfcBufferInput {
  /** Number of senders at full rate to the one port. */
  readonly senders: number;
  /** Of the congested port, which is as fast as each sender's. */
  readonly octetPs: number;
  /** From the congested switch to the source. */
  readonly links: readonly SfcLink[];
  /** Of every switch, the congested one included: from the last bit to admission. */
  readonly pipelinePs: number;
  /** From the last bit of a message to its effect. */
  readonly processingPs: number;
  readonly messageOctets: number;
  readonly frameOctets: number;
}

export interface SfcBufferTerms {
  /** A frame of each source has to pass before its source is known. */
  readonly detectionPs: number;
  /** The message to the source, and its processing there. */
  readonly upPs: number;
  /** The frame that the source had just begun, to the congested queue. */
  readonly downPs: number;
  /** Octets of buffer above the threshold. */
  readonly totalOctets: number;
}

export function sfcBufferTerms(input: SfcBufferInput): SfcBufferTerms {
  const { senders, octetPs, links, pipelinePs, processingPs, messageOctets, frameOctets } = input;
  const detectionPs = wireOctets(frameOctets) * octetPs;
  const paths = links.map((link) => {
    const waitPs = link.inTheWayOctets === 0 ? 0 : wireOctets(link.inTheWayOctets) * link.octetPs;
    const passPs = (octets: number): number =>
      (PREAMBLE_OCTETS + octets) * link.octetPs + link.latencyPs;
    return { upPs: waitPs + passPs(messageOctets), downPs: passPs(frameOctets) };
  });
  const between = (links.length - 1) * pipelinePs;
  const upPs = paths.reduce((sum, path) => sum + path.upPs, between + processingPs);
  const downPs = paths.reduce((sum, path) => sum + path.downPs, between + pipelinePs);
  const frames = ((senders - 1) * (detectionPs + upPs + downPs)) / detectionPs;
  return { detectionPs, upPs, downPs, totalOctets: Math.ceil(frames * frameOctets) };
}
