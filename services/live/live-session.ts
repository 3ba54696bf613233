import { setImmediate } from 'node:timers/promises';
import type {
  LiveAnswer,
  LiveOrder,
  LiveState,
  LiveStatus,
  LiveWish,
} from '../report/page/live-data.js';
import { formatTime } from '../report/format.js';
import type { FaultStep, FaultWish, LiveFaults } from '../runtime/live-faults.js';
import { Glances } from '../runtime/glance.js';
import type { PortSample } from '../runtime/port-sample.js';
import type { Progress, Session } from '../runtime/session.js';
import type { TreesView } from '../report/page/page-data.js';
import type { LiveRun } from './live-run.js';
import { LiveTrees } from './live-trees.js';

/** So many samples of a run whose end is known, while somebody looks. */
const SAMPLES = 400;
/** Where it is not known: a sample so often, by the wall clock. */
const SAMPLE_MS = 100;
/** A step in a run whose scenario ends with its load. */
const STEP_PS = 10e6;
const ENDED = 'the run has ended';

/** What has happened, for whoever tells the viewers. */
export interface LiveListener {
  sampled(sample: PortSample): void;
  changed(): void;
  /** Called now and then while the run goes on. */
  look(): void;
}

/** A run in this process that can be held, stepped and looked at. */
export class LiveSession implements LiveRun {
  /** Null: nobody can look. */
  listener: LiveListener | null = null;
  private isWatched = false;
  private isPaused: boolean;
  private stopAsked = false;
  private isOver = false;
  /** Where a step ends; null: nobody has asked for one. */
  private stepEndPs: number | null = null;
  /** Lets a paused run go on. */
  private wake: () => void = () => undefined;
  private readonly found: LiveTrees;
  private readonly everyPs: number;
  private sampleDueAt: number;
  private sampledAt = -Infinity;

  constructor(
    private readonly session: Session,
    readonly live: LiveFaults,
    beginPaused: boolean,
  ) {
    this.isPaused = beginPaused;
    const glances = new Glances(
      () => session.glance(),
      () => session.progress().virtualPs,
    );
    this.found = new LiveTrees(glances, () => live.fabric);
    const { endPs } = session;
    this.everyPs = endPs === null ? Infinity : endPs / SAMPLES;
    this.sampleDueAt = this.everyPs;
  }

  get status(): LiveStatus {
    return { state: this.state, ...this.progress(), detail: '' };
  }

  progress(): Progress {
    return this.session.progress();
  }

  order({ action, stepPs }: LiveOrder): Promise<LiveAnswer> {
    if (this.isOver) return Promise.resolve({ done: false, detail: ENDED });
    if (action === 'stop') this.stop();
    else if (action === 'step') this.step(stepPs);
    else this.hold(action === 'pause');
    return Promise.resolve({ done: true, detail: '' });
  }

  hold(isHeld: boolean): void {
    this.isPaused = isHeld;
    this.stepEndPs = null;
    this.goOn();
  }

  /** A run that is held goes on for so long. */
  step(stepPs = 0): void {
    this.isPaused = true;
    this.stepEndPs = this.session.progress().virtualPs + (stepPs === 0 ? STEP_PS : stepPs);
    this.goOn();
  }

  /** Asks the run to end where it is. */
  stop(): void {
    this.stopAsked = true;
    this.goOn();
  }

  async wish(wish: LiveWish): Promise<LiveAnswer> {
    try {
      const { atPs } = await this.change(wish);
      return { done: true, detail: `at ${formatTime(atPs)}` };
    } catch (error) {
      return { done: false, detail: (error as Error).message };
    }
  }

  change(wish: FaultWish): Promise<FaultStep> {
    const { session, live } = this;
    const { boundPs } = session;
    if (this.isOver || boundPs === Infinity) throw new Error(ENDED);
    const { step, change } = live.take(wish, boundPs);
    session.change(change, live.fabric);
    this.listener?.changed();
    return Promise.resolve(step);
  }

  trees(): Promise<TreesView | null> {
    return this.found.view();
  }

  watched(isWatched: boolean): void {
    this.isWatched = isWatched;
    if (isWatched) this.sample();
  }

  /** Runs to the end, or until somebody asks to stop; `look` is called now and then. */
  async drive(sliceMs: number, look: () => void): Promise<'complete' | 'interrupted'> {
    for (;;) {
      if (this.stopAsked) return this.end('interrupted');
      if (this.isPaused && this.stepEndPs === null) {
        this.sample();
        this.listener?.changed();
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
        continue;
      }
      if (this.slice(sliceMs)) return this.end('complete');
      look();
      this.listener?.look();
      await setImmediate();
    }
  }

  /** Goes on for a while; true when the run has ended. */
  private slice(wallMs: number): boolean {
    const until = performance.now() + wallMs;
    const { session } = this;
    do {
      const limitPs = Math.min(
        this.stepEndPs ?? Infinity,
        this.isWatched ? this.sampleDueAt : Infinity,
      );
      if (session.advance(until - performance.now(), limitPs) !== 'running') return true;
      const { boundPs } = session;
      if (boundPs >= this.sampleDueAt) this.sample();
      if (boundPs >= (this.stepEndPs ?? Infinity)) {
        this.stepEndPs = null;
        return false;
      }
    } while (performance.now() < until);
    if (this.everyPs === Infinity && performance.now() - this.sampledAt > SAMPLE_MS) this.sample();
    return false;
  }

  private sample(): void {
    const { session, everyPs } = this;
    this.sampledAt = performance.now();
    if (everyPs < Infinity) {
      this.sampleDueAt = (Math.floor(session.boundPs / everyPs) + 1) * everyPs;
    }
    if (this.isWatched) this.listener?.sampled(session.portSample());
  }

  private goOn(): void {
    this.wake();
    this.listener?.changed();
  }

  private end(status: 'complete' | 'interrupted'): 'complete' | 'interrupted' {
    this.sample();
    this.isOver = true;
    return status;
  }

  private get state(): LiveState {
    if (this.isOver) return 'waiting';
    return this.isPaused && this.stepEndPs === null ? 'paused' : 'running';
  }
}
