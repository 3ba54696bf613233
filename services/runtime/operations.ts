import type { RunOperation } from '../telemetry/run-operation.js';

/** So many of a kind are kept at most. */
const MOST = 512;

/**
 * Operations of a run, sampled: of each kind every one at first, and every second, fourth and so on
 * when there are many, so that what is kept spreads over the whole run.
 */
export class OperationLog {
  private readonly samples = {
    round: new Sample(),
    checkpoint: new Sample(),
    recovery: new Sample(),
  };

  /** Counts an operation; returns whether it is one to be noted. */
  isSampled(kind: RunOperation['kind']): boolean {
    return this.samples[kind].next();
  }

  note(operation: RunOperation): void {
    this.samples[operation.kind].keep(operation);
  }

  /** By their beginnings. */
  list(): RunOperation[] {
    const all = Object.values(this.samples).flatMap(({ kept }) => kept);
    return all.sort((a, b) => a.startMs - b.startMs);
  }
}

class Sample {
  kept: RunOperation[] = [];
  private stride = 1;
  private count = 0;

  next(): boolean {
    return this.count++ % this.stride === 0;
  }

  keep(operation: RunOperation): void {
    this.kept.push(operation);
    if (this.kept.length < MOST) return;
    this.kept = this.kept.filter((_, i) => i % 2 === 0);
    this.stride *= 2;
  }
}

/** Now, in ms of Unix time, by a clock that is never set. */
export function unixMs(): number {
  return performance.timeOrigin + performance.now();
}
