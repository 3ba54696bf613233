import { setImmediate, setTimeout } from 'node:timers/promises';
import type { FaultStep, FaultWish, LiveFaults } from '../runtime/live-faults.js';
import type { Session } from '../runtime/session.js';
import type { LocalRun } from './local-desk.js';
import type { ProgressLine } from './progress.js';

/** How long a run goes on before it looks up: short enough for a prompt answer to Ctrl-C. */
const SLICE_MS = 40;
/** How often a run that is held looks whether it may go on. */
const HELD_MS = 20;

/** A run in this thread, which listens between slices of its work. */
export class SessionRun implements LocalRun {
  private isHeld = false;
  private isSteppingOn = false;
  private isStopped = false;

  constructor(
    private readonly session: Session,
    readonly live: LiveFaults,
  ) {}

  /** Runs to the end, or until somebody asks to stop. */
  async drive(progress: ProgressLine): Promise<'complete' | 'interrupted'> {
    for (;;) {
      if (this.isStopped) return 'interrupted';
      if (this.isHeld && !this.isSteppingOn) {
        await setTimeout(HELD_MS);
        continue;
      }
      const budgetMs = this.isSteppingOn ? 0 : SLICE_MS;
      this.isSteppingOn = false;
      if (this.session.advance(budgetMs) !== 'running') return 'complete';
      progress.show(() => this.session.progress());
      await setImmediate();
    }
  }

  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
  }

  step(): void {
    this.isHeld = true;
    this.isSteppingOn = true;
  }

  stop(): void {
    this.isStopped = true;
  }

  progress(): ReturnType<Session['progress']> {
    return this.session.progress();
  }

  change(wish: FaultWish): Promise<FaultStep> {
    const { session, live } = this;
    const { boundPs } = session;
    if (boundPs === Infinity) throw new Error('the run has ended');
    const { step, change } = live.take(wish, boundPs);
    session.change(change, live.fabric);
    return Promise.resolve(step);
  }
}
