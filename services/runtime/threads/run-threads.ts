import { MessageChannel, Worker } from 'node:worker_threads';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { PartPlan } from '../../fabric/placement/part-plan.js';
import type { FaultStep, FaultWish, LiveFaults } from '../live-faults.js';
import type { Glance } from '../glance.js';
import { glanceOf } from '../glance.js';
import type { MergedRun } from '../merge.js';
import { mergeParts } from '../merge.js';
import { joinedColumns, portsOfParts } from '../port-columns.js';
import type { PortSample } from '../port-sample.js';
import { placeNames } from '../results/outcome.js';
import { deliveredShare } from '../packets.js';
import type { Failure } from '../results/results.js';
import type { Progress } from '../session.js';
import { RecoveryLooks } from '../checks/recovery-looks.js';
import type { Promised } from '../checks/recovery-times.js';
import { promisedBy } from '../checks/recovery-times.js';
import { STALLED, watchIntervals } from '../checks/stall.js';
import type { WholeState } from '../whole-state.js';
import { partOf } from '../whole-state.js';
import type { MailboxMemory } from './mailbox.js';
import { makeMailboxMemory } from './mailbox.js';
import {
  ANSWERED,
  CALL_WORDS,
  COUNTED,
  GOES_ON,
  HEARD,
  makeMeetingMemory,
  SHOWN,
  WANTED,
} from './meeting.js';
import type {
  Count,
  Halt,
  Order,
  Shown,
  Stand,
  ThreadOutcome,
  ThreadTask,
} from './thread-worker.js';
import { WordsOfAll } from './words-of-all.js';

export interface ThreadsOptions {
  readonly check: boolean;
  /** Null: at the beginning. */
  readonly from: WholeState | null;
  /** Through which faults may come to the run; without it none can. */
  readonly live?: LiveFaults;
}

/** Hears of a run while it goes on. */
export interface ThreadsListener {
  sampled(sample: PortSample): void;
  /** It stands still, or goes on. */
  changed(): void;
}

/** What somebody waits for. */
interface Wish {
  readonly wish: FaultWish;
  readonly resolve: (step: FaultStep) => void;
  readonly reject: (error: Error) => void;
}

/** Somebody who wants to see the run. */
interface Looker {
  readonly resolve: (glance: Glance) => void;
  readonly reject: (error: Error) => void;
}

const PROGRESS_NUMBERS = 4;
/** Virtual time of a window of a thread that has no neighbours. */
const LONE_WINDOW_PS = 1e6;

/** One run in several threads of this process, in step, over memory that they share. */
export class ThreadsRun {
  private readonly stopFlag = new SharedArrayBuffer(4);
  private readonly numbers: Float64Array[];
  private readonly tasks: ThreadTask[];
  private readonly orders: MessageChannel[];
  private readonly call = new Int32Array(new SharedArrayBuffer(4 * CALL_WORDS));
  private readonly wishes: Wish[] = [];
  private isHeld = false;
  /** Held threads go on until a bound that is not before this; 0: they stand. */
  private stepEndPs = 0;
  private isCountWanted = false;
  private readonly counts: WordsOfAll<Count>;
  private isLookWanted = false;
  private readonly shows: WordsOfAll<Shown>;
  private readonly lookers: Looker[] = [];
  private readonly stands: WordsOfAll<Stand>;
  private readonly looks: RecoveryLooks;
  private unrecovered: Failure | null = null;
  /** The bound at which all have stood and said what their ports have counted. */
  private countedPs = -1;
  /** Whoever comes to stand says what its ports have counted. */
  isWatched = false;
  private haltedPs: number | null = null;
  listener: ThreadsListener | null = null;

  constructor(
    private readonly assembled: Fabric,
    private readonly plans: readonly PartPlan[],
    private readonly options: ThreadsOptions,
  ) {
    const memory = plans.map(() => new SharedArrayBuffer(PROGRESS_NUMBERS * 8));
    this.numbers = memory.map((shared) => new Float64Array(shared));
    this.orders = plans.map(() => new MessageChannel());
    this.looks = new RecoveryLooks(assembled, plans, options.check);
    this.looks.begin(this.fabric, options.from?.boundPs ?? 0);
    this.tasks = this.makeTasks(memory);
    this.counts = new WordsOfAll(plans.length);
    this.shows = new WordsOfAll(plans.length);
    this.stands = new WordsOfAll(plans.length);
  }

  get live(): LiveFaults {
    return this.options.live!;
  }

  /** By now: faults may have come to it. */
  private get fabric(): Fabric {
    return this.options.live?.fabric ?? this.assembled;
  }

  /** Runs to the end, or until `stop` is called. */
  async run(): Promise<MergedRun> {
    const file = new URL('./thread-worker.js', import.meta.url);
    const workers = this.tasks.map(
      (workerData) => new Worker(file, { workerData, transferList: [workerData.orders] }),
    );
    const { halted, counted, shown, stood } = this;
    const said = { halted, counted, shown, stood };
    try {
      return this.merge(await Promise.all(workers.map((worker) => outcomeOf(worker, said))));
    } finally {
      for (const { reject } of this.wishes.splice(0)) reject(new Error('the run has ended'));
      for (const { reject } of this.lookers.splice(0)) reject(new Error('the run has ended'));
      for (const { port1 } of this.orders) port1.close();
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
  }

  /** Asks all threads to end at one window. */
  stop(): void {
    Atomics.store(new Int32Array(this.stopFlag), 0, 1);
    this.hold(false);
  }

  /** Holds all threads at one bound, or lets them go on. */
  hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    this.stepEndPs = 0;
    this.called();
  }

  /** Held threads go on for so long, and at least to the next bound. */
  step(stepPs = 0): void {
    this.isHeld = true;
    this.stepEndPs = this.progress().virtualPs + Math.max(1, stepPs);
    this.called();
  }

  /** Whether all stand still until somebody lets them go on. */
  get isStanding(): boolean {
    return this.isHeld && this.haltedPs !== null;
  }

  /** Has all say what their ports have counted at the next bound. */
  count(): void {
    this.isCountWanted = true;
    this.called();
  }

  /** The run as it stands at the next bound. */
  look(): Promise<Glance> {
    return new Promise((resolve, reject) => {
      this.lookers.push({ resolve, reject });
      this.isLookWanted = true;
      this.called();
    });
  }

  /** A fault comes or goes at the next bound. */
  change(wish: FaultWish): Promise<FaultStep> {
    this.live.check(wish);
    return new Promise((resolve, reject) => {
      this.wishes.push({ wish, resolve, reject });
      this.called();
    });
  }

  private readonly halted = (atPs: number): void => {
    this.haltedPs = atPs;
    this.answer();
  };

  private readonly counted = (count: Count): void => {
    this.isCountWanted = false;
    const { timePs } = count;
    const counts = this.counts.take(count);
    if (counts === null) return;
    const lengths = this.fabric.linkEnds.map(({ length }) => length);
    const devices = this.plans.map((plan) => plan.devices);
    const columns = joinedColumns(
      counts.map((known) => known.columns),
      portsOfParts(devices, lengths),
    );
    this.listener?.sampled({ timePs, columns });
  };

  private readonly shown = (show: Shown): void => {
    this.isLookWanted = false;
    const shows = this.shows.take(show);
    if (shows === null) return;
    const states = shows.map(({ glimpse }) => glimpse);
    const beganAt = performance.now() - Math.max(...shows.map(({ costMs }) => costMs));
    const glance = Promise.resolve().then(() => glanceOf(this.fabric, this.plans, states, beganAt));
    for (const { resolve, reject } of this.lookers.splice(0)) glance.then(resolve, reject);
  };

  /** Threads go on meanwhile, and end at a window soon after a failure. */
  private readonly stood = (stand: Stand): void => {
    const stands = this.stands.take(stand);
    if (stands === null) return;
    this.unrecovered ??= this.looks.look(
      stands.map(({ recovery }) => recovery),
      stand.timePs,
    );
    if (this.unrecovered !== null) this.stop();
  };

  private called(): void {
    Atomics.store(this.call, WANTED, HEARD | this.wanted);
    if (this.haltedPs !== null) this.answer();
  }

  /** What threads shall say at the next bound. */
  private get wanted(): number {
    return (this.isCountWanted ? COUNTED : 0) | (this.isLookWanted ? SHOWN : 0);
  }

  /** Says what there is to say to threads that wait, and lets them go on unless they are held. */
  private answer(): void {
    const { haltedPs, call } = this;
    for (const { wish, resolve, reject } of this.wishes.splice(0)) {
      try {
        const { step, change } = this.live.take(wish, haltedPs!);
        const { specs, scenario } = this.fabric;
        const watch = watchIntervals(specs, scenario.durationPs);
        this.looks.begin(this.fabric, haltedPs!);
        const order: Order = { change, watch, promised: this.promised() };
        for (const { port1 } of this.orders) port1.postMessage(order);
        resolve(step);
      } catch (error) {
        reject(error as Error);
      }
    }
    const goesOn = !this.isHeld || haltedPs! < this.stepEndPs;
    if (!goesOn) {
      this.stepEndPs = 0;
      if (this.isWatched && this.countedPs !== haltedPs) this.isCountWanted = true;
      if (this.isCountWanted) this.countedPs = haltedPs!;
      if (this.wanted === 0) {
        this.listener?.changed();
        return;
      }
    }
    this.haltedPs = null;
    Atomics.store(call, GOES_ON, goesOn ? 1 : 0);
    Atomics.store(call, WANTED, this.wanted | (this.isHeld ? HEARD : 0));
    Atomics.add(call, ANSWERED, 1);
    Atomics.notify(call, ANSWERED);
  }

  private promised(): Promised[] {
    return this.options.check ? promisedBy(this.fabric) : [];
  }

  progress(): Progress {
    const endPs = this.fabric.scenario.durationPs;
    const [virtualPs] = this.numbers[0]! as unknown as [number];
    const packets = this.numbers.map(([, , left, total]) => ({ left: left!, total: total! }));
    const share = endPs === null ? deliveredShare(packets) : virtualPs / endPs;
    const frameHops = this.numbers.reduce((sum, [, started]) => sum + started!, 0);
    return { virtualPs, endPs, share, frameHops };
  }

  private makeTasks(progress: readonly SharedArrayBuffer[]): ThreadTask[] {
    const { plans, options, fabric } = this;
    const lookaheads = plans.flatMap(({ channels }) => channels.map((c) => c.lookaheadOutPs));
    const lookaheadPs = Math.min(...lookaheads, LONE_WINDOW_PS);
    const boxes = (plan: PartPlan): MailboxMemory[] =>
      plan.channels.map((_, channel) => makeMailboxMemory(plan, channel, lookaheadPs));
    const outgoing = plans.map((plan) => [boxes(plan), boxes(plan)]);
    const meeting = makeMeetingMemory(plans.length);
    return plans.map((plan, thread) => ({
      plan,
      threads: plans.length,
      meeting,
      outgoing: outgoing[thread]!,
      incoming: [0, 1].map((parity) =>
        plan.channels.map(({ peer }) => {
          const back = plans[peer]!.channels.findIndex((channel) => channel.peer === thread);
          return outgoing[peer]![parity]![back]!;
        }),
      ),
      durationPs: fabric.scenario.durationPs,
      lookaheadPs,
      watch: watchIntervals(fabric.specs, fabric.scenario.durationPs),
      check: options.check,
      promised: this.promised(),
      from: options.from && partOf(options.from, plan),
      fromPs: options.from?.boundPs ?? 0,
      framesSeen: options.from?.framesSeen ?? -1,
      stop: this.stopFlag,
      orders: this.orders[thread]!.port2,
      call: this.call.buffer,
      progress: progress[thread]!,
    }));
  }

  private merge(outcomes: readonly ThreadOutcome[]): MergedRun {
    const [first] = outcomes as [ThreadOutcome];
    return mergeParts(
      this.fabric,
      this.plans,
      outcomes.map(({ state }) => state),
      {
        status: first.interrupted ? 'interrupted' : 'complete',
        failure: this.failureOf(outcomes),
        check: this.options.check,
        lookedPs: this.looks.lookedPs,
        moment: { boundPs: first.boundPs, framesSeen: first.framesSeen },
        steps: this.options.live?.steps ?? [],
      },
    );
  }

  private failureOf(outcomes: readonly ThreadOutcome[]): Failure | null {
    const breaches = outcomes.flatMap((outcome) => outcome.breach ?? []);
    const [breach] = breaches.sort((a, b) => a.timePs - b.timePs);
    if (breach !== undefined) {
      const { reason, timePs, device, port, priority } = breach;
      return { reason, timePs, ...placeNames(this.fabric, device, port), priority };
    }
    if (this.unrecovered !== null) return this.unrecovered;
    const atPs = outcomes[0]!.stalledAtPs;
    if (atPs === null) return null;
    return { reason: STALLED, timePs: atPs, ...placeNames(this.fabric, -1, -1), priority: null };
  }
}

/** What a thread says in the end; if it fails, or goes without a word, so does the run. */
function outcomeOf(
  worker: Worker,
  hear: {
    readonly halted: (atPs: number) => void;
    readonly counted: (count: Count) => void;
    readonly shown: (show: Shown) => void;
    readonly stood: (stand: Stand) => void;
  },
): Promise<ThreadOutcome> {
  return new Promise((resolve, reject) => {
    worker.on('message', (said: ThreadOutcome | Halt | Count | Shown | Stand) => {
      if ('haltedPs' in said) hear.halted(said.haltedPs);
      else if ('columns' in said) hear.counted(said);
      else if ('glimpse' in said) hear.shown(said);
      else if ('recovery' in said) hear.stood(said);
      else resolve(said);
    });
    worker.once('error', reject);
    worker.once('exit', () => {
      reject(new Error('a thread ended before its work was done'));
    });
  });
}
