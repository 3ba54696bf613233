import { setImmediate } from 'node:timers/promises';
import type {
  LiveAnswer,
  LiveOrder,
  LiveState,
  LiveStatus,
  LiveWish,
  ShownFault,
} from '../report/page/live-data.js';
import { ScenarioError } from '../fabric/scenario/errors.js';
import { formatTime } from '../report/format.js';
import type { FaultWords, LiveFaults } from '../runtime/live-faults.js';
import type { PortSample } from '../runtime/port-sample.js';
import type { Progress, Session } from '../runtime/session.js';
import type { LiveRun } from './live-run.js';

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
  private readonly everyPs: number;
  private sampleDueAt: number;
  private sampledAt = -Infinity;

  constructor(
    private readonly session: Session,
    private readonly faults: LiveFaults,
    beginPaused: boolean,
  ) {
    this.isPaused = beginPaused;
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
    if (action === 'stop') this.stopAsked = true;
    else if (action === 'step') {
      const { virtualPs } = this.session.progress();
      this.isPaused = true;
      this.stepEndPs = virtualPs + (stepPs === 0 ? STEP_PS : stepPs);
    } else this.isPaused = action === 'pause';
    this.wake();
    this.listener?.changed();
    return Promise.resolve({ done: true, detail: '' });
  }

  wish(wish: LiveWish): Promise<LiveAnswer> {
    const { faults, session } = this;
    if (this.isOver) return Promise.resolve({ done: false, detail: ENDED });
    try {
      faults.check(wish);
      const { step, change } = faults.take(wish, session.boundPs);
      session.change(change, faults.fabric);
      this.listener?.changed();
      return Promise.resolve({ done: true, detail: `at ${formatTime(step.atPs)}` });
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error;
      return Promise.resolve({ done: false, detail: error.message });
    }
  }

  /** Faults that came while it was under way. */
  shownFaults(): ShownFault[] {
    const { boundPs } = this.session;
    return this.faults
      .list()
      .filter(({ injected }) => injected)
      .map(({ name, startPs: atPs, untilPs, words }) => {
        return { name, text: wordsText(words), atPs, isOver: untilPs <= boundPs };
      });
  }

  watched(isWatched: boolean): void {
    this.isWatched = isWatched;
    if (isWatched) this.sample();
  }

  /** Asks the run to end where it is. */
  stop(): void {
    this.stopAsked = true;
    this.wake();
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

/** `loss at leaf1:p3, probability 10%, for 20us` */
function wordsText({ kind, where, name, at, ...rest }: FaultWords): string {
  const place = Object.values(where ?? {}).join(', ');
  const more = Object.entries(rest).map(([key, value]) => `, ${key} ${String(value)}`);
  return `${String(kind)} at ${place === '' ? 'every port' : place}${more.join('')}`;
}
