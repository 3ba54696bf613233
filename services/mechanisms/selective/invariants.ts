export interface SendingEnd {
  readonly unacked: number;
  readonly highest: number;
  /** Packet that is sent next, and the one that is lost or new first. */
  readonly next: number;
  readonly lost: number;
  readonly window: number;
  readonly cleared: number;
  readonly sackedTo: number;
  readonly lostTo: number;
}

type Holds<End> = Readonly<Record<string, (end: End) => boolean>>;

export const ofSenders: Holds<SendingEnd> = {
  windowIsKept: ({ unacked, highest, window }) => highest - unacked <= window,
  bitmapFollowsAcknowledgements: ({ unacked, cleared }) => unacked === cleared,
  noneArrivedThatWasNotSent: ({ sackedTo, lostTo, highest }) =>
    sackedTo <= highest && lostTo <= highest,
  lossesAreSentFirst: ({ next, lost }) => next === lost,
};
