import type { RandomStream } from '../../engine/kernel/random.js';
import type { EcnSpec } from './spec.js';
import { assert } from '../../engine/kernel/assert.js';

/**
 * Marking probability for a queue of so many octets: a step, or the RED line from `min` to `max`
 * and certainty above.
 */
export function markProbability(spec: EcnSpec, octets: number): number {
  switch (spec.kind) {
    case 'off':
    case 'outside':
      return 0;
    case 'step':
      return octets >= spec.thresholdOctets ? 1 : 0;
    case 'red':
      if (octets <= spec.minOctets) return 0;
      if (octets >= spec.maxOctets) return 1;
      return (spec.probability * (octets - spec.minOctets)) / (spec.maxOctets - spec.minOctets);
  }
}

/** A shorter queue marks nothing. */
export function leastMarked(spec: Exclude<EcnSpec, { readonly kind: 'off' }>): number {
  if (spec.kind === 'outside') return 0;
  return spec.kind === 'step' ? spec.thresholdOctets : spec.minOctets;
}

/** Samples only when the outcome is open, so a quiet queue does not advance the stream. */
export function drawMark(spec: EcnSpec, octets: number, random: RandomStream): boolean {
  const probability = markProbability(spec, octets);
  assert(probability >= 0 && probability <= 1, 'ecn.probability');
  assert(probability === 0 || spec.kind === 'off' || octets >= leastMarked(spec), 'ecn.least');
  return probability > 0 && (probability >= 1 || random.uniform() < probability);
}
