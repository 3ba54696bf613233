import { setImmediate } from 'node:timers/promises';
import type {
  LiveAnswer,
  LiveOrder,
  LiveState,
  LiveStatus,
  LiveRequest,
} from '../report/page/live-data.js';
import type { RunController } from '../runtime/controller/run-controller.js';
import type { LiveFaults } from '../runtime/live-faults.js';
import type { RunSnapshot } from '../runtime/run-snapshot.js';
import { SnapshotCache } from '../runtime/run-snapshot.js';
import type { PortSample } from '../runtime/port-sample.js';
import type { Progress, Session } from '../runtime/session.js';
import type { TreesView } from '../report/page/page-data.js';
import type { LiveRun } from './live-run.js';
import { LiveTrees } from './live-trees.js';
import { answerTo, steer } from './steer.js';

/** Number of samples of a run whose end is known, while there are viewers. */
const SAMPLES = 400;
/** Where it is not known: a sample so often, by the wall clock. */
const SAMPLE_MS = 100;

/** Notified of changes, for viewers. */
export interface LiveListener {
  sampled(sample: PortSample): void;
  changed(): void;
  /** Called periodically during the run. */
  publish(): void;
}

/** Lets virtual time pass as fast as something outside does. */
export interface Pacer {
  /** Up to when events are due; a smaller number never follows. */
  duePs(): number;
  /** All of them are executed; false: the run is to end. */
  reached(): boolean;
  /** Ends when an event that is next at a time may be due, or something has come in. */
  rest(nextPs: number): Promise<void>;
}

/** Wall-clock time of one slice of a run that is paced: what comes in waits no longer. */
const PACED_MS = 2;

/** A run in this thread that can be paused, stepped and viewed. */
export class LiveSession implements LiveRun {
  /** Null: there is no server for viewers. */
  listener: LiveListener | null = null;
  readonly controller: RunController<RunSnapshot>;
  /** Ends the wait of a paused run. */
  private wake: () => void = () => undefined;
  private readonly found: LiveTrees;
  private readonly everyPs: number;
  private sampleDueAt: number;
  private sampledAt = -Infinity;
  private isPaced = false;

  constructor(
    private readonly session: Session,
    readonly live: LiveFaults,
    beginPaused: boolean,
  ) {
    const { controller, endPs } = session;
    this.controller = controller;
    const snapshots = new SnapshotCache(
      () => (controller.isOver ? session.snapshot() : controller.snapshot()),
      () => session.progress().virtualPs,
    );
    this.found = new LiveTrees(snapshots, () => live.fabric);
    this.everyPs = endPs === null ? Infinity : endPs / SAMPLES;
    this.sampleDueAt = this.everyPs;
    if (beginPaused) controller.pause();
    session.listener = {
      sampled: () => {
        this.listener?.sampled(session.portSample());
      },
      paused: () => {
        this.listener?.changed();
      },
      proceeds: () => {
        this.wake();
      },
    };
  }

  get status(): LiveStatus {
    return { state: this.state, ...this.progress(), detail: '' };
  }

  progress(): Progress {
    return this.session.progress();
  }

  order(order: LiveOrder): Promise<LiveAnswer> {
    if (this.isPaced && order.action !== 'stop') {
      return Promise.resolve({
        done: false,
        detail: 'real hosts do not wait: stop it, and replay',
      });
    }
    const answer = steer(this.controller, order);
    this.listener?.changed();
    return Promise.resolve(answer);
  }

  async request(request: LiveRequest): Promise<LiveAnswer> {
    const answer = await answerTo(() => this.controller.change(request, this.live));
    this.listener?.changed();
    return answer;
  }

  trees(): Promise<TreesView | null> {
    return this.found.view();
  }

  watched(isWatched: boolean): void {
    this.controller.isWatched = isWatched;
    if (isWatched) this.sample();
  }

  /** Runs to the end, or until it is stopped; `publish` is called periodically. */
  async drive(sliceMs: number, publish: () => void): Promise<'complete' | 'interrupted'> {
    const { controller, session } = this;
    while (!controller.isOver) {
      if (controller.state === 'paused') {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
        continue;
      }
      this.slice(sliceMs);
      publish();
      this.listener?.publish();
      await setImmediate();
    }
    this.sample();
    return session.status;
  }

  /** The same at the pace of something outside. */
  async follow(pacer: Pacer, publish: () => void): Promise<'complete' | 'interrupted'> {
    const { controller, session } = this;
    this.isPaced = true;
    let publishedAt = -Infinity;
    while (!controller.isOver) {
      const duePs = pacer.duePs();
      if (duePs >= (session.endPs ?? Infinity)) controller.resume();
      else controller.runTo(duePs);
      session.advance(PACED_MS);
      if (controller.state === 'paused') {
        if (!pacer.reached()) controller.stop();
        else await pacer.rest(session.boundPs);
      } else await setImmediate();
      if (performance.now() - publishedAt < SAMPLE_MS) continue;
      publishedAt = performance.now();
      this.sample();
      publish();
      this.listener?.publish();
    }
    this.sample();
    return session.status;
  }

  /** Gives the run some wall-clock time, and takes the samples that are due by then. */
  private slice(wallMs: number): void {
    const { session, controller } = this;
    const until = performance.now() + wallMs;
    do {
      const limitPs = controller.isWatched ? this.sampleDueAt : Infinity;
      session.advance(until - performance.now(), limitPs);
      if (controller.isOver) return;
      if (session.boundPs >= this.sampleDueAt) this.sample();
    } while (controller.state === 'advancing' && performance.now() < until);
    if (this.everyPs === Infinity && performance.now() - this.sampledAt > SAMPLE_MS) this.sample();
  }

  private sample(): void {
    const { session, everyPs, controller } = this;
    this.sampledAt = performance.now();
    if (everyPs < Infinity) {
      this.sampleDueAt = (Math.floor(session.boundPs / everyPs) + 1) * everyPs;
    }
    if (!controller.isWatched) return;
    if (controller.isOver) this.listener?.sampled(session.portSample());
    else controller.sample();
  }

  private get state(): LiveState {
    if (this.controller.isOver) return 'waiting';
    // Between two events a paced run waits for the clock.
    return this.controller.state === 'paused' && !this.isPaced ? 'paused' : 'running';
  }
}
