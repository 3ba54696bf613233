import { SHAPE } from '../../kernel/kinds.js';
import type { ReleaseSpec } from '../../contract/spec.js';
import type { RandomStream } from '../../kernel/random.js';

/**
 * When the packets of a flow become ready. Times of constant rates are computed from the packet's
 * number and not summed, so that a gap that is no whole number of picoseconds does not drift.
 */
export interface ReleaseClock {
  /** Release time of the packet after the one just released; Infinity when there is none. */
  next(): number;
}

export function makeReleaseClock(
  spec: ReleaseSpec,
  startPs: number,
  random: RandomStream,
): ReleaseClock | null {
  switch (spec.kind) {
    case 'backlog':
      return null;
    case 'constant':
      return new ConstantClock(startPs, spec.gapPs);
    case 'poisson':
      return new PoissonClock(startPs, spec.meanGapPs, random);
    case 'on-off':
      return new OnOffClock(startPs, spec.gapPs, spec.onPs, spec.offPs, spec.random, random);
  }
}

class ConstantClock implements ReleaseClock {
  // A gap may be no whole number of picoseconds: where it releases, nothing repeats.
  static readonly kinds = SHAPE;

  private count = 0;

  constructor(
    private readonly startPs: number,
    private readonly gapPs: number,
  ) {}

  next(): number {
    return this.startPs + Math.floor(this.count++ * this.gapPs);
  }
}

class PoissonClock implements ReleaseClock {
  // A gap may be no whole number of picoseconds: where it releases, nothing repeats.
  static readonly kinds = SHAPE;

  private at: number;

  constructor(
    startPs: number,
    private readonly meanGapPs: number,
    private readonly random: RandomStream,
  ) {
    this.at = startPs;
  }

  next(): number {
    this.at += Math.round(this.random.exponential(this.meanGapPs));
    return this.at;
  }
}

class OnOffClock implements ReleaseClock {
  // A gap may be no whole number of picoseconds: where it releases, nothing repeats.
  static readonly kinds = SHAPE;

  private burstAt: number;
  private burstEnds: number;
  private count = 0;

  constructor(
    startPs: number,
    private readonly gapPs: number,
    private readonly onPs: number,
    private readonly offPs: number,
    private readonly randomly: boolean,
    private readonly random: RandomStream,
  ) {
    this.burstAt = startPs;
    this.burstEnds = startPs + this.draw(onPs);
  }

  next(): number {
    let time = this.burstAt + Math.floor(this.count++ * this.gapPs);
    while (time >= this.burstEnds) {
      this.burstAt = this.burstEnds + this.draw(this.offPs);
      this.burstEnds = this.burstAt + this.draw(this.onPs);
      this.count = 1;
      time = this.burstAt;
    }
    return time;
  }

  /** At least a picosecond, so that bursts follow each other in time. */
  private draw(meanPs: number): number {
    return this.randomly ? 1 + Math.round(this.random.exponential(meanPs)) : meanPs;
  }
}
