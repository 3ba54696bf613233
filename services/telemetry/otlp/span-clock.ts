import { EPOCH_S } from '../epoch.js';

const PS_PER_NS = 1000n;
const NS_PER_S = 1_000_000_000n;
const NS_PER_MS = 1_000_000n;

/** How virtual time is shown to viewers. */
export interface SpanClock {
  /** Where virtual time begins, in ns of Unix time. */
  readonly epochNs: bigint;
  /** How often longer a time is shown than it is. */
  readonly scale: number;
}

/** Virtual time begins at 2000-01-01, so that runs lie side by side. */
export function fixedClock(scale: number): SpanClock {
  return { epochNs: BigInt(EPOCH_S) * NS_PER_S, scale };
}

/** A run that ends at a time of the wall clock, as viewers search the last hour. */
export function clockUpTo(wallMs: number, virtualPs: number, scale: number): SpanClock {
  const lengthNs = (BigInt(virtualPs) * BigInt(scale)) / PS_PER_NS;
  return { epochNs: BigInt(Math.floor(wallMs)) * NS_PER_MS - lengthNs, scale };
}

/** Rounded down, which keeps what lies inside of something inside; exact ps are attributes. */
export function shownTime({ epochNs, scale }: SpanClock, ps: number): [number, number] {
  const ns = epochNs + (BigInt(ps) * BigInt(scale)) / PS_PER_NS;
  return [Number(ns / NS_PER_S), Number(ns % NS_PER_S)];
}
