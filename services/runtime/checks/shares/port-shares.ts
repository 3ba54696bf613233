import { TRAFFIC_CLASSES } from '../../../engine/units/ethernet.js';
import type { ArbiterSpec } from '../../../engine/contract/arbiter.js';
import type { Queues } from '../../../engine/port/queues.js';
import type { Line } from '../../../engine/analysis/shares/share-book.js';
import {
  apartFrom,
  GOT_MORE,
  inTurn,
  ShareBook,
  WENT_BEFORE,
} from '../../../engine/analysis/shares/share-book.js';

/** A round that has begun, and one that is owed from before. */
const ROUNDS_APART = 2;

/** Shares of the classes of a port: null is strict, the highest first. */
export type Rounds = readonly (number | null)[];

/** Shares of traffic classes at a port. */
export class PortShares implements Line {
  private readonly strict: number;
  /** Classes that go before those without a share, one bit each. */
  private readonly sharing: number;
  private readonly book: ShareBook;
  private eligible = 0;

  /** `before`: shares until just now, of which classes may have some left. */
  constructor(
    private readonly queues: Queues,
    private readonly port: number,
    rounds: Rounds,
    private readonly byFrames: boolean,
    private readonly before: Rounds | null,
  ) {
    this.strict = bitsOf(rounds, (round) => round === null);
    this.sharing = bitsOf(rounds, (round) => round !== null && round > 0);
    const shares = rounds.map((round) => round ?? 0);
    this.book = new ShareBook(byFrames ? inTurn(TRAFFIC_CLASSES) : apartFrom(shares, ROUNDS_APART));
  }

  /** A class is served, of those eligible (a bit each): the violation, or null. */
  breach(tc: number, octets: number, eligible: number): string | null {
    const first = eligible & this.strict;
    if (first !== 0) return tc === 31 - Math.clz32(first) ? null : WENT_BEFORE;
    const late = (this.sharing & (1 << tc)) === 0;
    if (late && (eligible & this.sharing) !== 0) return WENT_BEFORE;
    this.eligible = eligible;
    return this.book.serve(tc, this.byFrames ? 1 : octets, this) ? null : GOT_MORE;
  }

  isWaiting(tc: number): boolean {
    return (this.eligible & (1 << tc)) !== 0;
  }

  /** A long frame at the head of its class needs the quanta of several rounds. */
  headCost(tc: number): number {
    if (this.byFrames || this.queues.head(this.port, tc) < 0) return 0;
    return this.queues.headWireOctets(this.port, tc);
  }

  saved(): number {
    return 0;
  }

  savedByGroup(tc: number): number {
    return this.before?.[tc] ?? 0;
  }
}

function bitsOf(rounds: Rounds, has: (round: number | null) => boolean): number {
  return rounds.reduce<number>((bits, round, tc) => (has(round) ? bits | (1 << tc) : bits), 0);
}

/** The usual frame with preamble and gap. */
const USUAL_OCTETS = 1538;

/**
 * Service of each class in the shortest round that weights allow: the smallest share is one usual
 * frame. Computed here, not by the arbiter's own table: longer rounds are silences of a class.
 */
function roundOf(weights: readonly number[]): number[] {
  const least = weights.reduce((min, own) => (own > 0 && own < min ? own : min), Infinity);
  return weights.map((own) => (own > 0 ? (own * USUAL_OCTETS) / least : 0));
}

/** Quantum of each class in a round. (A NIC with registers uses those instead.) */
export function roundsOf(arbiter: ArbiterSpec): Rounds {
  switch (arbiter.kind) {
    case 'dwrr':
      return roundOf(arbiter.weights);
    case 'ets':
      return roundsOfEts(arbiter.shares);
    case 'round-robin':
      return new Array<number>(TRAFFIC_CLASSES).fill(1);
    case 'due-dates': {
      // Bounded classes have an order of their own: see `due-date-check`.
      const quanta = roundOf(arbiter.weights);
      return quanta.map((quantum, tc) => ((arbiter.strict & (1 << tc)) !== 0 ? null : quantum));
    }
    case 'strict':
    case 'outside':
    case 'weighted-strict':
      return new Array<null>(TRAFFIC_CLASSES).fill(null);
  }
}

export function roundsOfEts(shares: readonly (number | null)[]): Rounds {
  const quanta = roundOf(shares.map((share) => share ?? 0));
  return shares.map((share, tc) => (share === null ? null : quanta[tc]!));
}
