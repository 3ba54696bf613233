export interface SendingEnd {
  readonly unacked: number;
  readonly highest: number;
  /** Packet that is sent next, and the one that is lost or new first. */
  readonly next: number;
  readonly lost: number;
  /** Most that may be outstanding. */
  readonly packets: number;
  readonly cleared: number;
  readonly sackedTo: number;
  readonly lostTo: number;
  readonly hasOldest: boolean;
  readonly window: number;
  readonly minWindow: number;
  readonly maxWindow: number;
  readonly inFlight: number;
}

type Holds<End> = Readonly<Record<string, (end: End) => boolean>>;

export const ofSenders: Holds<SendingEnd> = {
  packetsAreTracked: ({ unacked, highest, packets }) => highest - unacked <= packets,
  bitmapFollowsAcknowledgements: ({ unacked, cleared, hasOldest }) =>
    unacked === cleared && !hasOldest,
  noneArrivedThatWasNotSent: ({ sackedTo, lostTo, highest }) =>
    sackedTo <= highest && lostTo <= highest,
  lossesAreSentFirst: ({ next, lost }) => next === lost,
  windowIsWithinItsBounds: ({ window, minWindow, maxWindow }) =>
    window >= minWindow && window <= maxWindow,
  whatIsInFlightWasSent: ({ inFlight, unacked, highest }) =>
    inFlight >= 0 && (inFlight === 0 || unacked < highest),
};
