import type { EcnSpec } from '../../contract/spec.js';
import { ECN_CE, ECN_MASK } from '../../frame/frame-pool.js';
import { RandomStream } from '../../kernel/random.js';
import { drawMark, leastMarked } from './ecn-machine.js';

/** Marks ECN-capable frames by the length of their egress queue (RFC 3168). */
export class EcnMarker {
  /** Classes that mark when a frame joins the queue, and when it leaves, one bit each. */
  readonly atEnqueue: number;
  readonly atDequeue: number;
  private readonly random: RandomStream;

  static readonly wiring = ['specs'];

  constructor(
    private readonly specs: readonly EcnSpec[],
    seed: number,
    device: string,
  ) {
    this.random = new RandomStream(seed, `${device}/ecn`);
    this.atEnqueue = classesMarkingAt('enqueue', specs);
    this.atDequeue = classesMarkingAt('dequeue', specs);
  }

  /** From how long a queue on frames may be marked at a moment; null: never. */
  leastOctets(moment: 'enqueue' | 'dequeue', trafficClass: number): number | null {
    const spec = this.specs[trafficClass];
    return spec.kind === 'off' || spec.at !== moment ? null : leastMarked(spec);
  }

  /** The frame's class word after a queue of so many octets has had its say. */
  mark(frameClass: number, trafficClass: number, queueOctets: number): number {
    const ecn = frameClass & ECN_MASK;
    if (ecn === 0 || ecn === ECN_CE) return frameClass;
    return drawMark(this.specs[trafficClass], queueOctets, this.random)
      ? frameClass | ECN_CE
      : frameClass;
  }
}

function classesMarkingAt(moment: 'enqueue' | 'dequeue', specs: readonly EcnSpec[]): number {
  return specs.reduce(
    (mask, spec, tc) => (spec.kind !== 'off' && spec.at === moment ? mask | (1 << tc) : mask),
    0,
  );
}
