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

export interface ReceivingEnd {
  readonly expected: number;
  readonly highest: number;
  readonly window: number;
  /** Packets behind the expected one that have a bit, and that are counted. */
  readonly bits: number;
  readonly packets: number;
  readonly octets: number;
  readonly hasExpected: boolean;
}

type Holds<End> = Readonly<Record<string, (end: End) => boolean>>;

export const ofSenders: Holds<SendingEnd> = {
  windowIsKept: ({ unacked, highest, window }) => highest - unacked <= window,
  bitmapFollowsAcknowledgements: ({ unacked, cleared }) => unacked === cleared,
  noneArrivedThatWasNotSent: ({ sackedTo, lostTo, highest }) =>
    sackedTo <= highest && lostTo <= highest,
  lossesAreSentFirst: ({ next, lost }) => next === lost,
};

export const ofReceivers: Holds<ReceivingEnd> = {
  windowIsKept: ({ expected, highest, window }) => highest - expected <= window,
  storedHaveBits: ({ bits, packets }) => bits === packets,
  nothingIsStoredInOrder: ({ hasExpected }) => !hasExpected,
  storedHaveOctets: ({ packets, octets }) => packets > 0 === octets > 0,
};
