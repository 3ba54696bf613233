/** Frames of a flow are spread over equal-cost links. */
export interface Spread {
  /** One by one, so they overtake each other; else they may. */
  readonly isByFrame: boolean;
  /** Packets that are sent in a round trip of the idle path: so far one may fall behind others. */
  readonly packets: number;
  /** Packets that may come before one that is missing until that one is taken for lost. */
  readonly accepted: number;
}
