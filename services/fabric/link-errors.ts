/** From the description of a link to its frame error rate, and the delay of its FEC. */

import { PS_PER_S } from '../engine/units/time.js';
import { OCTET_BITS } from '../engine/units/words.js';

export const FEC_KINDS = ['none', 'rs-528', 'rs-544'] as const;

export type FecKind = (typeof FEC_KINDS)[number];

/** A Reed-Solomon code of 10-bit symbols. */
interface Code {
  readonly symbols: number;
  /** Symbols of a codeword that it corrects. */
  readonly corrects: number;
  /** Rates that 802.3 defines it for (clauses 91, 108, 119, 134). */
  readonly leastBps: number;
  readonly mostBps: number;
}

export const CODES: Readonly<Record<Exclude<FecKind, 'none'>, Code>> = {
  'rs-528': { symbols: 528, corrects: 7, leastBps: 25e9, mostBps: 100e9 },
  'rs-544': { symbols: 544, corrects: 15, leastBps: 50e9, mostBps: 1.6e12 },
};

const SYMBOL_BITS = 10;
/** A codeword carries 20 blocks of 257 bits, each of them 32 octets of the line. */
export const CODEWORD_OCTETS = 640;
/** Codewords that are interleaved from 200 Gb/s on (802.3 clause 119). */
const INTERLEAVED = 2;
const INTERLEAVED_FROM_BPS = 200e9;
/** A codeword has to come in whole, and is decoded in about as long. */
const CODEWORDS_OF_DELAY = 2;

/** Errors of a link; bursts are of so many bits, 1 for errors that are independent. */
export interface LinkErrors {
  readonly fec: FecKind;
  /** Probability of a bit to be wrong, on the medium or, after FEC, in frames. */
  readonly ber: number;
  readonly isAfterFec: boolean;
  readonly burstBits: number;
}

/** A frame is intact with the probability exp(`perOctet` * octets + `perFrame`). */
interface FrameErrors {
  readonly perOctet: number;
  readonly perFrame: number;
}

/** What FEC adds to the delay of a link, both its ends together. */
export function fecDelayPs(fec: FecKind, rateBps: number): number {
  if (fec === 'none') return 0;
  const codewords = rateBps >= INTERLEAVED_FROM_BPS ? INTERLEAVED : 1;
  const octets = CODEWORDS_OF_DELAY * codewords * CODEWORD_OCTETS;
  return Math.round((octets * OCTET_BITS * PS_PER_S) / rateBps);
}

export function frameErrorsOf({ fec, ber, isAfterFec, burstBits }: LinkErrors): FrameErrors {
  if (fec === 'none' || isAfterFec) {
    // A burst that begins in the bits before a frame reaches into it.
    const perBit = Math.log1p(-ber / burstBits);
    return { perOctet: perBit * OCTET_BITS, perFrame: perBit * (burstBits - 1) };
  }
  // A frame lies across its octets' share of codewords, and one more that it only begins in.
  const perCodeword = Math.log1p(-codewordErrorRate(fec, ber, burstBits));
  const perOctet = perCodeword / CODEWORD_OCTETS;
  return { perOctet, perFrame: perOctet * (CODEWORD_OCTETS - 1) };
}

export function frameErrorRate({ perOctet, perFrame }: FrameErrors, octets: number): number {
  return -Math.expm1(perOctet * octets + perFrame);
}

/** Probability that a codeword has more wrong symbols than the code corrects. */
export function codewordErrorRate(
  fec: Exclude<FecKind, 'none'>,
  ber: number,
  burstBits: number,
): number {
  const { symbols, corrects } = CODES[fec];
  const begins = -Math.expm1(SYMBOL_BITS * Math.log1p(-ber / burstBits));
  // A burst spans `least` symbols, or one more where it begins late in its first.
  const least = Math.floor((burstBits - 1) / SYMBOL_BITS) + 1;
  const longer = ((burstBits - 1) % SYMBOL_BITS) / SYMBOL_BITS;
  let wrong = 0;
  let logChoices = 0;
  for (let bursts = 1; bursts <= symbols; bursts++) {
    logChoices += Math.log((symbols - bursts + 1) / bursts);
    const log = logChoices + bursts * Math.log(begins) + (symbols - bursts) * Math.log1p(-begins);
    wrong += Math.exp(log) * atLeast(bursts, longer, corrects + 1 - bursts * least);
  }
  return Math.min(wrong, 1);
}

/** Probability that of so many trials at least `wanted` succeed. */
function atLeast(trials: number, probability: number, wanted: number): number {
  if (wanted <= 0) return 1;
  if (wanted > trials || probability === 0) return 0;
  let sum = 0;
  let logChoices = 0;
  for (let successes = 1; successes <= trials; successes++) {
    logChoices += Math.log((trials - successes + 1) / successes);
    if (successes < wanted) continue;
    const misses = (trials - successes) * Math.log1p(-probability);
    sum += Math.exp(logChoices + successes * Math.log(probability) + misses);
  }
  return sum;
}
