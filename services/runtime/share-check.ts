import { quantaOf } from '../engine/arbiter/dwrr.js';
import type { ArbiterSpec } from '../engine/contract/arbiter.js';
import type { Engine } from '../engine/device/engine.js';
import type { FramePool } from '../engine/frame/frame-pool.js';
import { CLASS, LENGTH, PRIORITY_MASK } from '../engine/frame/frame-pool.js';

const CLASSES = 8;
const WIRE_OVERHEAD_OCTETS = 20;
/**
 * Two classes that both wait all the time are served as many rounds, but for one that has begun,
 * one that is owed from before, and a frame of each that does not fit into its turn.
 */
const ROUNDS_APART = 2;

/** What a port that shares by weight gave to its classes since the same ones wait. */
interface Sharing {
  readonly quanta: readonly number[];
  /** Classes that share; the others go first. */
  readonly mask: number;
  waiting: number;
  readonly octets: Float64Array;
  readonly longest: Float64Array;
}

/** Counts what every class gets of a port, against its share. */
export class ShareCheck {
  /** By port; null where nothing is shared. */
  private readonly ports: readonly (Sharing | null)[];

  constructor(private readonly engine: Engine) {
    this.ports = engine.devices.flatMap(({ spec }) => {
      // An MVTX2802 moves frames to lower classes; their priority no longer tells which.
      const moves = spec.kind === 'switch' && spec.mvtx2802 !== null;
      // Where neighbours negotiate, shares and classes change.
      return spec.ports.map(({ arbiter, discovery }) =>
        moves || discovery?.drives === true ? null : sharingOf(arbiter),
      );
    });
  }

  /** A frame starts at a port; true if its class has got more than its share by then. */
  exceeds(port: number, pool: FramePool, frame: number): boolean {
    const sharing = this.ports[port] ?? null;
    if (sharing === null) return false;
    const { queues, ports } = this.engine.shared;
    const tc = ports.classOf(port, pool.words[frame + CLASS]! & PRIORITY_MASK);
    const waiting = queues.eligible(port) | (1 << tc);
    // Strict classes go first and are nobody's share.
    if ((waiting & ~sharing.mask) !== 0) return false;
    if (waiting !== sharing.waiting) {
      sharing.waiting = waiting;
      sharing.octets.fill(0);
    }
    const octets = pool.words[frame + LENGTH]! + WIRE_OVERHEAD_OCTETS;
    sharing.octets[tc]! += octets;
    this.measure(sharing, port, tc, octets);
    return isAhead(sharing, tc);
  }

  /** A long frame at the head of its class has to be saved for over several rounds. */
  private measure({ longest, waiting }: Sharing, port: number, tc: number, octets: number): void {
    const { queues } = this.engine.shared;
    longer(longest, tc, octets);
    for (let other = 0; other < CLASSES; other++) {
      if ((waiting & (1 << other)) === 0 || queues.head(port, other) < 0) continue;
      longer(longest, other, queues.headWireOctets(port, other));
    }
  }
}

function longer(longest: Float64Array, tc: number, octets: number): void {
  longest[tc] = Math.max(longest[tc]!, octets);
}

function isAhead({ quanta, waiting, octets, longest }: Sharing, tc: number): boolean {
  const rounds = octets[tc]! / quanta[tc]!;
  for (let other = 0; other < CLASSES; other++) {
    if (other === tc || (waiting & (1 << other)) === 0) continue;
    const slack = longest[tc]! / quanta[tc]! + longest[other]! / quanta[other]!;
    if (rounds - octets[other]! / quanta[other]! > ROUNDS_APART + slack) return true;
  }
  return false;
}

function sharingOf(arbiter: ArbiterSpec): Sharing | null {
  const weights = weightsOf(arbiter);
  if (weights === null) return null;
  const mask = weights.reduce((bits, weight, tc) => (weight > 0 ? bits | (1 << tc) : bits), 0);
  const [octets, longest] = [new Float64Array(CLASSES), new Float64Array(CLASSES)];
  return { quanta: quantaOf(weights), mask, waiting: 0, octets, longest };
}

function weightsOf(arbiter: ArbiterSpec): readonly number[] | null {
  if (arbiter.kind === 'dwrr') return arbiter.weights;
  return arbiter.kind === 'ets' ? arbiter.shares.map((share) => share ?? 0) : null;
}
