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
  readonly hasOldest: boolean;
  /** Packets that are lost and not sent again: counted, and as bits that are outstanding. */
  readonly lostCount: number;
  readonly lostBits: number;
  /** Of those, packets that are known to have arrived. */
  readonly lostAndArrived: number;
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
  noneArrivedThatWasNotSent: ({ sackedTo, highest }) => sackedTo <= highest,
  lossesAreCounted: ({ lostCount, lostBits }) => lostCount === lostBits,
  noneIsLostThatArrived: ({ lostAndArrived }) => lostAndArrived === 0,
  lossesAreSentFirst: ({ next, lost }) => next === lost,
  windowIsWithinItsBounds: ({ window, minWindow, maxWindow }) =>
    window >= minWindow && window <= maxWindow,
  whatIsInFlightWasSent: ({ inFlight, unacked, highest }) =>
    inFlight >= 0 && (inFlight === 0 || unacked < highest),
};
