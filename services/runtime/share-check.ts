import { quantaOf } from '../engine/arbiter/dwrr.js';
import type { ArbiterSpec } from '../engine/contract/arbiter.js';
import type { DeviceSpec, Engine } from '../engine/device/engine.js';
import type { FramePool } from '../engine/frame/frame-pool.js';
import { CLASS, LENGTH, PRIORITY_MASK } from '../engine/frame/frame-pool.js';

const CLASSES = 8;
const WIRE_OVERHEAD_OCTETS = 20;
/**
 * Two classes that both wait all the time are served as many rounds, but for one that has begun,
 * one that is owed from before, and a frame of each that does not fit into its turn.
 */
const ROUNDS_APART = 2;
/** In turn, frame by frame: one of them may have had its turn. */
const TURNS_APART = 1;

/** What a port gave to its classes since the same ones wait. */
interface Sharing {
  /** Of a round, for each class: octets, or a frame where they take turns. */
  readonly quanta: readonly number[];
  /** Classes that share, and those that go first, the highest before all. */
  readonly mask: number;
  readonly strict: number;
  readonly byFrames: boolean;
  waiting: number;
  readonly served: Float64Array;
  readonly longest: Float64Array;
}

/** Counts what every class gets of a port, against its share. */
export class ShareCheck {
  /** By port; null where others decide than an arbiter that is known. */
  private readonly ports: readonly (Sharing | null)[];

  constructor(private readonly engine: Engine) {
    this.ports = engine.devices.flatMap(({ spec }) =>
      // Where neighbours negotiate, shares and classes change.
      spec.ports.map(({ arbiter, discovery }) =>
        movesFrames(spec) || discovery?.drives === true ? null : sharingOf(arbiter),
      ),
    );
  }

  /** A frame starts at a port; what is wrong with that, or null. */
  breach(port: number, pool: FramePool, frame: number): string | null {
    const sharing = this.ports[port] ?? null;
    if (sharing === null) return null;
    const { queues, ports } = this.engine.shared;
    const tc = ports.classOf(port, pool.words[frame + CLASS]! & PRIORITY_MASK);
    const waiting = queues.eligible(port) | (1 << tc);
    const strict = waiting & sharing.strict;
    if (strict !== 0) {
      return tc === highest(strict) ? null : 'a class went before one that goes first';
    }
    if ((waiting & ~sharing.mask) !== 0) return null;
    if (waiting !== sharing.waiting) {
      sharing.waiting = waiting;
      sharing.served.fill(0);
    }
    const octets = pool.words[frame + LENGTH]! + WIRE_OVERHEAD_OCTETS;
    sharing.served[tc]! += sharing.byFrames ? 1 : octets;
    if (!sharing.byFrames) this.measure(sharing, port, tc, octets);
    return isAhead(sharing, tc) ? 'a class got more than its share of the port' : null;
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

/** Frames change their class there, and their priority no longer tells which is theirs. */
function movesFrames(spec: DeviceSpec): boolean {
  return spec.kind === 'switch' && (spec.mvtx2802 !== null || spec.ci !== null);
}

function highest(classes: number): number {
  return 31 - Math.clz32(classes);
}

function longer(longest: Float64Array, tc: number, octets: number): void {
  longest[tc] = Math.max(longest[tc]!, octets);
}

function isAhead({ quanta, waiting, served, longest, byFrames }: Sharing, tc: number): boolean {
  const rounds = served[tc]! / quanta[tc]!;
  const apart = byFrames ? TURNS_APART : ROUNDS_APART;
  for (let other = 0; other < CLASSES; other++) {
    if (other === tc || (waiting & (1 << other)) === 0) continue;
    const slack = longest[tc]! / quanta[tc]! + longest[other]! / quanta[other]!;
    if (rounds - served[other]! / quanta[other]! > apart + slack) return true;
  }
  return false;
}

function sharingOf(arbiter: ArbiterSpec): Sharing | null {
  const rounds = roundsOf(arbiter);
  if (rounds === null) return null;
  const quanta = rounds.map((round) => round ?? 0);
  const [mask, strict] = [bitsOf(rounds, (r) => r !== null && r > 0), bitsOf(rounds, isFirst)];
  const byFrames = arbiter.kind === 'round-robin';
  const [served, longest] = [new Float64Array(CLASSES), new Float64Array(CLASSES)];
  return { quanta, mask, strict, byFrames, waiting: 0, served, longest };
}

/** What each class gets in a round; null if it goes first. Null: an 82599 goes by registers. */
function roundsOf(arbiter: ArbiterSpec): readonly (number | null)[] | null {
  switch (arbiter.kind) {
    case 'dwrr':
      return quantaOf(arbiter.weights);
    case 'ets': {
      const quanta = quantaOf(arbiter.shares.map((share) => share ?? 0));
      return arbiter.shares.map((share, tc) => (share === null ? null : quanta[tc]!));
    }
    case 'round-robin':
      return new Array<number>(CLASSES).fill(1);
    case 'strict':
      return new Array<null>(CLASSES).fill(null);
    case 'weighted-strict':
      return null;
  }
}

function isFirst(round: number | null): boolean {
  return round === null;
}

function bitsOf(
  rounds: readonly (number | null)[],
  has: (round: number | null) => boolean,
): number {
  return rounds.reduce<number>((bits, round, tc) => (has(round) ? bits | (1 << tc) : bits), 0);
}
