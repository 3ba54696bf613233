import type { Progress } from '../runtime/session.js';

/**
 * The latest progress of a run, as an async iterable; slow readers miss what was in between. It
 * ends with the run, or throws why the run failed.
 */
export class ProgressFeed {
  private latest: Progress | null = null;
  private count = 0;
  private isOver = false;
  private failure: { readonly reason: unknown } | null = null;
  private waiting: (() => void)[] = [];

  say(progress: Progress): void {
    this.latest = progress;
    this.count++;
    this.wake();
  }

  fail(reason: unknown): void {
    this.failure = { reason };
    this.end();
  }

  end(): void {
    this.isOver = true;
    this.wake();
  }

  async *values(): AsyncGenerator<Progress> {
    for (let seen = 0; ;) {
      if (this.count > seen) {
        seen = this.count;
        yield this.latest!;
      } else if (this.failure !== null) throw this.failure.reason;
      else if (this.isOver) return;
      else {
        await new Promise<void>((resolve) => {
          this.waiting.push(resolve);
        });
      }
    }
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
