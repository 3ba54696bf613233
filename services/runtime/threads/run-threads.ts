import { Worker } from 'node:worker_threads';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { PartPlan } from '../../fabric/placement/part-plan.js';
import type { MergedRun } from '../merge.js';
import { mergeParts } from '../merge.js';
import { placeNames } from '../outcome.js';
import { deliveredShare } from '../packets.js';
import type { Failure } from '../results.js';
import type { Progress } from '../session.js';
import { STALLED, watchIntervals } from '../stall.js';
import type { WholeState } from '../whole-state.js';
import { partOf } from '../whole-state.js';
import type { MailboxMemory } from './mailbox.js';
import { makeMailboxMemory } from './mailbox.js';
import { makeMeetingMemory } from './meeting.js';
import type { ThreadOutcome, ThreadTask } from './thread-worker.js';

export interface ThreadsOptions {
  readonly check: boolean;
  /** Null: at the beginning. */
  readonly from: WholeState | null;
}

const PROGRESS_NUMBERS = 4;
/** Virtual time of a window of a thread that has no neighbours. */
const LONE_WINDOW_PS = 1e6;

/** One run in several threads of this process, in step, over memory that they share. */
export class ThreadsRun {
  private readonly stopFlag = new SharedArrayBuffer(4);
  private readonly numbers: Float64Array[];
  private readonly tasks: ThreadTask[];

  constructor(
    private readonly fabric: Fabric,
    private readonly plans: readonly PartPlan[],
    private readonly options: ThreadsOptions,
  ) {
    const memory = plans.map(() => new SharedArrayBuffer(PROGRESS_NUMBERS * 8));
    this.numbers = memory.map((shared) => new Float64Array(shared));
    this.tasks = this.makeTasks(memory);
  }

  /** Runs to the end, or until `stop` is called. */
  async run(): Promise<MergedRun> {
    const file = new URL('./thread-worker.js', import.meta.url);
    const workers = this.tasks.map((workerData) => new Worker(file, { workerData }));
    try {
      return this.merge(await Promise.all(workers.map(outcomeOf)));
    } finally {
      await Promise.all(workers.map((worker) => worker.terminate()));
    }
  }

  /** Asks all threads to end at one window. */
  stop(): void {
    Atomics.store(new Int32Array(this.stopFlag), 0, 1);
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
      from: options.from && partOf(options.from, plan),
      fromPs: options.from?.boundPs ?? 0,
      framesSeen: options.from?.framesSeen ?? -1,
      stop: this.stopFlag,
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
        moment: { boundPs: first.boundPs, framesSeen: first.framesSeen },
      },
    );
  }

  private failureOf(outcomes: readonly ThreadOutcome[]): Failure | null {
    const breach = outcomes.flatMap((outcome) => outcome.breach ?? [])[0];
    if (breach !== undefined) {
      const { reason, timePs, device, port, priority } = breach;
      return { reason, timePs, ...placeNames(this.fabric, device, port), priority };
    }
    const atPs = outcomes[0]!.stalledAtPs;
    if (atPs === null) return null;
    return { reason: STALLED, timePs: atPs, ...placeNames(this.fabric, -1, -1), priority: null };
  }
}

/** What a thread says in the end; if it fails, or goes without a word, so does the run. */
function outcomeOf(worker: Worker): Promise<ThreadOutcome> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => {
      reject(new Error('a thread ended before its work was done'));
    });
  });
}
