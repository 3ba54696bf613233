/** A point of a cumulative distribution: probability of a message of at most so many octets. */
export interface SizePoint {
  readonly bytes: number;
  readonly probability: number;
}

/** Message sizes by their cumulative distribution, straight between its points. */
export class SizeCurve {
  private readonly points: readonly SizePoint[];

  /** Octets and probabilities do not fall; the last probability is 1. */
  constructor(points: readonly SizePoint[]) {
    // The first point has the probability of exactly that size.
    this.points = [{ bytes: points[0]!.bytes, probability: 0 }, ...points];
  }

  /** The size below which this share (0 .. 1) of messages lies; at least an octet. */
  sizeAt(share: number): number {
    const { points } = this;
    const above = points.findIndex((point, i) => i > 0 && point.probability >= share);
    const [from, to] = [points[above - 1]!, points[above]!];
    const rise = to.probability - from.probability;
    const part = rise === 0 ? 1 : (share - from.probability) / rise;
    return Math.max(1, Math.ceil(from.bytes + part * (to.bytes - from.bytes)));
  }

  meanBytes(): number {
    return this.meanPieces(1);
  }

  /** Number of pieces of at most so many octets that a message is segmented into, on average. */
  meanPieces(bytes: number): number {
    let mean = 0;
    for (let i = 1; i < this.points.length; i++) {
      const [from, to] = [this.points[i - 1]!, this.points[i]!];
      const share = to.probability - from.probability;
      mean += share * meanPiecesBetween(from.bytes / bytes, to.bytes / bytes);
    }
    return mean;
  }
}

/** Mean of x rounded up, for x spread evenly from `low` to `high`. */
function meanPiecesBetween(low: number, high: number): number {
  if (low === high) return Math.ceil(low);
  return (sumOfPieces(high) - sumOfPieces(low)) / (high - low);
}

/** Integral of x rounded up, from 0 to `high`. */
function sumOfPieces(high: number): number {
  const whole = Math.floor(high);
  return (whole * (whole + 1)) / 2 + (high - whole) * (whole + 1);
}
