/**
 * Weighted random early detection of egress queues with pools: a frame that joins a queue whose
 * average length lies between two thresholds is marked or dropped by chance, and in any case above
 * them. Each colour has thresholds of its own. A frame that may be dropped early is yellow; red
 * ones would take a meter, which no port has.
 */

import type { BufferSpec, WredCurve, WredSpec } from '../contract/memory.js';
import { QUEUES } from '../contract/memory.js';
import { DEI_FLAG, ECN_CE, ECN_MASK } from '../frame/frame-pool.js';
import { assert } from '../kernel/assert.js';
import { fields } from '../kernel/fields.js';
import { SHAPE } from '../kernel/kinds.js';
import { RandomStream } from '../kernel/random.js';
import type { Tables } from '../kernel/tables.js';

// Doubles of a queue.

const AVERAGE = 0;
/** State of its random numbers. */
const RANDOM = 1;
const STRIDE = 2;
/** A draw makes it another state. */
const QUEUE = fields(STRIDE, { average: [AVERAGE, SHAPE], random: [RANDOM, SHAPE] });

const PASSES = 0;
export const MARKS = 1;
export const DROPS = 2;

const NONE = -1;

export function makeWred(tables: Tables) {
  const ports = tables.count('wred') > 0 ? tables.count('port') : 0;
  const rows = tables.float64('wred', QUEUE);
  /** By port: the row of its first queue. */
  const firstRow = new Int32Array(ports).fill(NONE);
  const specs: (WredSpec | undefined)[] = [];

  /** `firstPort` and `first` are its first port, and its first row here. */
  function configure(
    { firstPort, first }: { readonly firstPort: number; readonly first: number },
    { pools }: BufferSpec,
    { name, seed }: { readonly name: string; readonly seed: number },
  ): void {
    if (pools === null || pools.wreds.length === 0) return;
    const random = new RandomStream(seed, `${name}/wred`);
    pools.wredOf.forEach((own, p) => {
      const port = firstPort + p;
      firstRow[port] = first + p * QUEUES;
      own.forEach((which, tc) => {
        rows[(firstRow[port] + tc) * STRIDE + RANDOM] = random.uint32();
        if (which >= 0) specs[port * QUEUES + tc] = pools.wreds[which];
      });
    });
  }

  /** What becomes of a frame that joins a queue of so many octets. */
  function verdict(port: number, tc: number, queueOctets: number, frameClass: number): number {
    const spec = ports === 0 ? undefined : specs[port * QUEUES + tc];
    if (spec === undefined) return PASSES;
    const row = (firstRow[port] + tc) * STRIDE;
    const average = rows[row + AVERAGE] + (queueOctets - rows[row + AVERAGE]) * spec.share;
    rows[row + AVERAGE] = average;
    const curve = (frameClass & DEI_FLAG) === 0 ? spec.green : spec.yellow;
    if (curve === null || average <= curve.minOctets) return PASSES;
    const chance = chanceOf(curve, average);
    if (chance < 1 && uniform(row) >= chance) return PASSES;
    const isCapable = (frameClass & ECN_MASK) !== 0;
    if (curve.marks && isCapable) {
      return (frameClass & ECN_MASK) === ECN_CE ? PASSES : MARKS;
    }
    return curve.drops ? DROPS : PASSES;
  }

  /** In [0, 1); mulberry32, whose state is a word. */
  function uniform(row: number): number {
    const state = (rows[row + RANDOM] + 0x6d2b79f5) >>> 0;
    rows[row + RANDOM] = state;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  return { configure, verdict };
}

function chanceOf({ minOctets, maxOctets, probability }: WredCurve, octets: number): number {
  if (octets >= maxOctets) return 1;
  const chance = (probability * (octets - minOctets)) / (maxOctets - minOctets);
  assert(chance >= 0 && chance <= 1, 'wred.chance');
  return chance;
}

/** Rows of a buffer: of all queues of a device, where any has WRED. */
export function wredRows({ pools }: BufferSpec): number {
  return pools === null || pools.wreds.length === 0 ? 0 : pools.sliceOf.length * QUEUES;
}
