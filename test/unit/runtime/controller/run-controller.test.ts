import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  Advance,
  CheckTimes,
  PartitionSet,
} from '../../../../services/runtime/controller/partition-set.js';
import { RunController } from '../../../../services/runtime/controller/run-controller.js';
import { transition } from '../../../../services/runtime/controller/run-state.js';
import type { Failure } from '../../../../services/runtime/results/results.js';
import { fc } from '../../../kit/properties.js';

const END_PS = 1000;
const EVENT_PS = 10;
const CHECK_PS = 250;
const BROKEN: Failure = { reason: 'broken', timePs: 30, device: '', port: '', priority: null };

/** Partitions with an event every 10 ps, which carry out one action when `work` is called. */
class Fake implements PartitionSet, CheckTimes {
  readonly log: string[] = [];
  readonly events: number[] = [];
  readonly controller: RunController<number>;
  dueAt: number;
  boundPs = 0;
  ended: readonly [string, Failure | null] | null = null;
  private isInterrupted = false;
  private next: (() => void) | null = null;

  constructor(
    private readonly checkPs = Infinity,
    haltsPs: readonly number[] = [],
  ) {
    this.dueAt = checkPs;
    const watch = { stallPs: 400, endsQuietly: false };
    this.controller = new RunController(this, this, { durationPs: END_PS, watch, haltsPs });
    this.controller.begin(this.bound, -1);
  }

  /** False: nothing is under way. */
  work(): boolean {
    const { next } = this;
    this.next = null;
    next?.();
    return next !== null;
  }

  get bound(): { boundPs: number; nextPs: number } {
    const nextPs = this.events.length * EVENT_PS;
    return { boundPs: this.boundPs, nextPs };
  }

  advance({ basePs, limitPs, isSingle }: Advance): void {
    this.log.push('advance');
    this.isInterrupted = false;
    assert.equal(basePs >= limitPs, this.bound.nextPs >= limitPs);
    const window = (): void => {
      const next = this.events.length * EVENT_PS;
      if (next < limitPs) this.events.push(next);
      this.boundPs = Math.min(next + EVENT_PS, limitPs);
      const isOver = this.boundPs === limitPs || this.isInterrupted || isSingle;
      if (isOver) this.controller.advanced(this.bound);
      else this.next = window;
    };
    this.next = window;
  }

  interrupt(): void {
    this.isInterrupted = true;
  }

  counts() {
    return { started: this.events.length, underway: 1, planned: 1 };
  }

  isDue(nextPs: number): boolean {
    return this.dueAt <= nextPs && nextPs < END_PS;
  }

  begin(): void {
    this.dueAt = (Math.floor(this.boundPs / this.checkPs) + 1) * this.checkPs;
  }

  check(timePs: number): void {
    assert.ok(timePs >= this.boundPs);
    this.dueAt = timePs + this.checkPs;
    this.later('check', () => {
      this.controller.checked(null);
    });
  }

  change(): void {
    throw new Error('no change was requested');
  }

  save(): void {
    this.later('save', () => {
      this.controller.done('saving');
    });
  }

  sample(): void {
    this.later('sample', () => {
      this.controller.done('sampling');
    });
  }

  snapshot(): void {
    this.later('snapshot', () => {
      this.controller.snapshotTaken(this.boundPs);
    });
  }

  paused(): void {
    this.log.push('pause');
  }

  collect(status: 'complete' | 'interrupted', failure: Failure | null): void {
    this.later('collect', () => {
      this.ended = [status, failure];
      this.controller.end();
    });
  }

  private later(what: string, then: () => void): void {
    this.log.push(what);
    this.next = then;
  }
}

function finish(run: Fake): void {
  while (run.work());
}

describe('the controller of a run', () => {
  it('advances to the end, and checks what is due on the way', () => {
    const run = new Fake(CHECK_PS);
    finish(run);
    assert.deepEqual(run.ended, ['complete', null]);
    assert.equal(run.events.length, END_PS / EVENT_PS);
    assert.equal(run.log.filter((what) => what === 'check').length, END_PS / CHECK_PS - 1);
  });

  it('saves, takes a snapshot and samples at one bound, in this order, before it pauses', async () => {
    const run = new Fake();
    const { controller } = run;
    run.work();
    controller.pause();
    controller.sample();
    const snapshot = controller.snapshot();
    controller.save();
    finish(run);
    assert.deepEqual(run.log, ['advance', 'save', 'snapshot', 'sample', 'pause']);
    assert.equal(await snapshot, run.boundPs);
    assert.equal(controller.state, 'paused');
  });

  it('steps as far as requested, and pauses there', () => {
    const run = new Fake();
    const { controller } = run;
    controller.pause();
    finish(run);
    const from = controller.virtualPs;
    controller.step(105);
    finish(run);
    assert.deepEqual([controller.state, controller.virtualPs], ['paused', from + 105]);
    controller.runTo(500);
    finish(run);
    assert.deepEqual([controller.state, controller.virtualPs], ['paused', 500]);
    controller.step(0);
    finish(run);
    assert.equal(controller.virtualPs, 510);
    controller.step(2 * END_PS);
    finish(run);
    assert.deepEqual(run.ended, ['complete', null]);
  });

  it('pauses at a halt until it is resumed', () => {
    const run = new Fake(Infinity, [200]);
    run.controller.runTo(200);
    finish(run);
    run.controller.step(50);
    finish(run);
    assert.equal(run.boundPs, 200);
    run.controller.resume();
    finish(run);
    assert.deepEqual(run.ended, ['complete', null]);
  });

  it('pauses at a halt where nothing is executed, and has executed nothing after it', () => {
    const run = new Fake(Infinity, [155]);
    finish(run);
    assert.deepEqual(
      [run.controller.state, run.boundPs, run.controller.isHalted],
      ['paused', 155, true],
    );
    assert.equal(run.events.at(-1), 150);
  });

  it('ends with the earliest failure that partitions report', () => {
    const run = new Fake();
    run.work();
    run.controller.report({ ...BROKEN, timePs: 40 });
    run.controller.report(BROKEN);
    run.interrupt();
    finish(run);
    assert.deepEqual(run.ended, ['complete', BROKEN]);
  });

  it('ends a run in which nothing moves although frames are under way', () => {
    const run = new Fake();
    run.counts = () => ({ started: 7, underway: 1, planned: 0 });
    finish(run);
    assert.match(run.ended![1]!.reason, /^nothing moves any more/);
    assert.equal(run.ended![1]!.timePs, 800);
  });

  it('begins again after a partition was lost, and carries out what was requested before', async () => {
    const run = new Fake();
    run.work();
    const snapshot = run.controller.snapshot();
    run.controller.lose();
    assert.equal(run.controller.state, 'waiting');
    run.controller.begin(run.bound, -1);
    finish(run);
    assert.equal(await snapshot, EVENT_PS);
    assert.deepEqual(run.ended, ['complete', null]);
  });

  it('finds again what was found after the bound to which all return', () => {
    const run = new Fake();
    run.work();
    run.controller.report(BROKEN);
    run.controller.lose();
    run.controller.begin(run.bound, -1);
    finish(run);
    assert.deepEqual(run.ended, ['complete', null]);
  });

  it('refuses requests when it is over', async () => {
    const run = new Fake();
    run.controller.stop();
    const late = run.controller.snapshot();
    finish(run);
    assert.deepEqual(run.ended, ['interrupted', null]);
    await assert.rejects(late, /the run has ended/);
    assert.throws(() => run.controller.snapshot(), /the run has ended/);
  });

  it('knows no way but those of its states', () => {
    assert.equal(transition('standing', 'advancing'), 'advancing');
    assert.throws(() => transition('advancing', 'saving'), /cannot become saving/);
    assert.throws(() => transition('ended', 'waiting'), /cannot become waiting/);
    const run = new Fake();
    assert.throws(() => {
      run.controller.checked(null);
    }, /a run that is advancing ends checking/);
  });

  it('executes the same events whatever is requested, and answers every request', async () => {
    const plain = new Fake(CHECK_PS);
    finish(plain);
    const request = fc.oneof(
      fc.constantFrom('pause', 'resume', 'save', 'sample', 'snapshot', 'work' as const),
      fc.record({ stepPs: fc.nat(300) }),
      fc.record({ toPs: fc.nat(END_PS) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(request, { maxLength: 60 }), async (requests) => {
        const run = new Fake(CHECK_PS);
        const { controller } = run;
        const snapshots: Promise<number>[] = [];
        for (const wanted of requests) {
          if (controller.isOver) break;
          if (wanted === 'snapshot') snapshots.push(controller.snapshot());
          else if (wanted === 'work') run.work();
          else if (typeof wanted === 'string') controller[wanted]();
          else if ('toPs' in wanted) controller.runTo(wanted.toPs);
          else controller.step(wanted.stepPs);
        }
        controller.resume();
        finish(run);
        assert.deepEqual(run.events, plain.events);
        assert.deepEqual(run.ended, plain.ended);
        const checks = (log: readonly string[]): number =>
          log.filter((what) => what === 'check').length;
        assert.equal(checks(run.log), checks(plain.log));
        for (const taken of await Promise.allSettled(snapshots)) {
          if (taken.status === 'rejected') assert.match(String(taken.reason), /run has ended/);
        }
      }),
    );
  });
});
