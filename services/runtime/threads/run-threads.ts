import { availableParallelism } from 'node:os';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { PartitionPlan } from '../../fabric/placement/partition-plan.js';
import { RecoverySnapshots } from '../checks/recovery-snapshots.js';
import { watchIntervals } from '../checks/stall.js';
import type {
  Advance,
  PartitionSet,
  StallCounts,
  TakenChange,
} from '../controller/partition-set.js';
import { RunController } from '../controller/run-controller.js';
import type { LiveFaults } from '../live-faults.js';
import type { MergedRun } from '../merge.js';
import { mergePartitions } from '../merge.js';
import { programFile } from '../package-files.js';
import { deliveredShare } from '../packets.js';
import { joinedColumns, portsOfParts } from '../port-columns.js';
import type { PortSample } from '../port-sample.js';
import { placeNames } from '../results/outcome.js';
import type { Failure } from '../results/results.js';
import type { RunSnapshot } from '../run-snapshot.js';
import { snapshotOf } from '../run-snapshot.js';
import type { Progress } from '../session.js';
import type { WholeState } from '../whole-state.js';
import { partOf } from '../whole-state.js';
import { makeBarrierMemory } from './barrier.js';
import type { Answers, Command, Reply, ThreadTask } from './messages.js';
import { COMMANDS, INTERRUPT, SIGNAL_WORDS } from './messages.js';
import { lookaheadAmong, mailboxesAmong } from './thread-memory.js';

interface ThreadsOptions {
  readonly check: boolean;
  /** Null: at the beginning. */
  readonly from: WholeState | null;
  /** Through which faults may be injected into the run; without it none can. */
  readonly live?: LiveFaults;
}

/** Observes a run while it goes on. */
interface ThreadsListener {
  sampled(sample: PortSample): void;
  /** The run is paused. */
  changed(): void;
}

const PROGRESS_NUMBERS = 4;

/** One run in several threads of this process, in step, over memory that they share. */
export class ThreadsRun implements PartitionSet {
  readonly controller: RunController<RunSnapshot>;
  listener: ThreadsListener | null = null;
  private readonly numbers: Float64Array[];
  private readonly tasks: ThreadTask[];
  private readonly commands: MessageChannel[];
  private readonly signals = new Int32Array(new SharedArrayBuffer(4 * SIGNAL_WORDS));
  private readonly checks: RecoverySnapshots;
  private replies: Reply[] = [];
  private lastCounts: StallCounts | null = null;
  private carryOut: (answers: readonly never[]) => void = () => undefined;
  private merged: (run: Promise<MergedRun>) => void = () => undefined;
  private workers: readonly Worker[] = [];

  constructor(
    private fabric: Fabric,
    readonly plans: readonly PartitionPlan[],
    private readonly options: ThreadsOptions,
  ) {
    const memory = plans.map(() => new SharedArrayBuffer(PROGRESS_NUMBERS * 8));
    this.numbers = memory.map((shared) => new Float64Array(shared));
    this.commands = plans.map(() => new MessageChannel());
    this.checks = new RecoverySnapshots(fabric, plans, options.check);
    this.checks.begin(fabric, this.fromPs);
    this.tasks = this.makeTasks(memory);
    const { durationPs } = fabric.scenario;
    const watch = watchIntervals(fabric.specs, durationPs);
    this.controller = new RunController(this, this.checks, { durationPs, watch });
  }

  get live(): LiveFaults {
    return this.options.live!;
  }

  /** Runs to the end, or until the controller stops it. */
  async run(): Promise<MergedRun> {
    const program = programFile('thread-worker');
    this.workers = this.tasks.map(
      (workerData) => new Worker(program, { workerData, transferList: [workerData.commands] }),
    );
    try {
      return await new Promise<MergedRun>((resolve, reject) => {
        this.merged = resolve;
        for (const worker of this.workers) this.onMessage(worker, reject);
        this.begin();
      });
    } finally {
      this.controller.end();
      for (const { port1 } of this.commands) port1.close();
      await this.endThreads();
    }
  }

  progress(): Progress {
    const endPs = this.fabric.scenario.durationPs;
    const [virtualPs] = this.numbers[0]! as unknown as [number];
    const packets = this.numbers.map(([, , left, total]) => ({ left: left!, total: total! }));
    const share = endPs === null ? deliveredShare(packets) : virtualPs / endPs;
    const frameHops = this.numbers.reduce((sum, [, started]) => sum + started!, 0);
    return { virtualPs, endPs, share, frameHops };
  }

  advance({ basePs, limitPs, isSingle }: Advance): void {
    this.command({ kind: 'advance', basePs, limitPs, isSingle }, (answers) => {
      this.controller.advanced(this.boundOf(answers));
    });
  }

  interrupt(): void {
    Atomics.store(this.signals, INTERRUPT, 1);
  }

  counts(): StallCounts | null {
    return this.lastCounts;
  }

  check(timePs: number): void {
    this.command({ kind: 'save' }, (states) => {
      this.controller.checked(this.checks.check(states, timePs));
    });
  }

  change(taken: readonly TakenChange[], fabric: Fabric): void {
    this.fabric = fabric;
    const changes = taken.map(({ change }) => change);
    this.command({ kind: 'change', changes }, () => {
      for (const { resolve, step } of taken) resolve(step);
      this.controller.done('changing');
    });
  }

  /** The state of a run in one process is saved at its end only. */
  save(): void {
    this.controller.done('saving');
  }

  sample(): void {
    const timePs = this.controller.boundPs;
    this.command({ kind: 'sample', timePs }, (parts) => {
      const lengths = this.fabric.linkEnds.map(({ length }) => length);
      const devices = this.plans.map((plan) => plan.devices);
      const columns = joinedColumns(parts, portsOfParts(devices, lengths));
      this.listener?.sampled({ timePs, columns });
      this.controller.done('sampling');
    });
  }

  snapshot(): void {
    this.command({ kind: 'snapshot' }, (parts) => {
      const states = parts.map(({ state }) => state);
      const beganAt = performance.now() - Math.max(...parts.map(({ costMs }) => costMs));
      // Threads advance while the snapshot is put together.
      const merged = Promise.resolve().then(() =>
        snapshotOf(this.fabric, this.plans, states, beganAt),
      );
      this.controller.snapshotTaken(merged);
    });
  }

  paused(): void {
    this.listener?.changed();
  }

  collect(status: 'complete' | 'interrupted', failure: Failure | null): void {
    const { boundPs, framesSeen } = this.controller;
    this.command({ kind: 'collect' }, (states) => {
      // What threads share stays; their own memory is for the whole fabric now.
      const merged = this.endThreads().then(() =>
        mergePartitions(this.fabric, this.plans, states, {
          status,
          failure,
          check: this.options.check,
          checkedPs: this.checks.checkedPs,
          moment: { boundPs, framesSeen },
          steps: this.options.live?.steps ?? [],
        }),
      );
      this.merged(merged);
    });
  }

  private async endThreads(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.terminate()));
  }

  private get fromPs(): number {
    return this.options.from?.boundPs ?? 0;
  }

  /** The first command only reads where the threads are. */
  private begin(): void {
    const { fromPs } = this;
    const nowhere = { basePs: fromPs, limitPs: fromPs, isSingle: false };
    this.command({ kind: 'advance', ...nowhere }, (answers) => {
      this.controller.begin(this.boundOf(answers), this.options.from?.framesSeen ?? -1);
    });
  }

  /** All threads carry out a command; then `then` has their answers, in the order of threads. */
  private command<Kind extends Command['kind']>(
    command: Command & { readonly kind: Kind },
    then: (answers: readonly Answers[Kind][]) => void,
  ): void {
    const { signals } = this;
    this.carryOut = then;
    this.replies = [];
    for (const { port1 } of this.commands) port1.postMessage(command);
    Atomics.store(signals, INTERRUPT, 0);
    Atomics.add(signals, COMMANDS, 1);
    Atomics.notify(signals, COMMANDS);
  }

  private onMessage(worker: Worker, reject: (error: Error) => void): void {
    worker.on('message', (reply: Reply) => {
      this.replies.push(reply);
      if (this.replies.length < this.plans.length) return;
      const replies = this.replies.sort((a, b) => a.thread - b.thread);
      try {
        this.carryOut(replies.map(({ answer }) => answer) as never[]);
      } catch (error) {
        reject(error as Error);
      }
    });
    worker.once('error', reject);
    worker.once('exit', () => {
      reject(new Error('a thread ended before its work was done'));
    });
  }

  private boundOf(answers: readonly Answers['advance'][]): {
    readonly boundPs: number;
    readonly nextPs: number;
  } {
    const sum = (of: (answer: Answers['advance']) => number): number =>
      answers.reduce((total, answer) => total + of(answer), 0);
    this.lastCounts = {
      started: sum(({ started }) => started),
      underway: sum(({ underway }) => underway),
      planned: sum(({ planned }) => planned),
    };
    for (const { breach } of answers) {
      if (breach === null) continue;
      const { reason, timePs, device, port, priority } = breach;
      const place = placeNames(this.fabric, device, port);
      this.controller.report({ reason, timePs, ...place, priority });
    }
    const nextPs = Math.min(...answers.map((answer) => answer.nextPs));
    return { boundPs: answers[0]!.boundPs, nextPs };
  }

  private makeTasks(progress: readonly SharedArrayBuffer[]): ThreadTask[] {
    const { plans, options } = this;
    const lookaheadPs = lookaheadAmong(plans);
    const mailboxes = mailboxesAmong(plans, lookaheadPs);
    const barrier = makeBarrierMemory(plans.length);
    return plans.map((plan, thread) => ({
      plan,
      thread,
      threads: plans.length,
      processors: availableParallelism(),
      barrier,
      ...mailboxes[thread]!,
      lookaheadPs,
      commands: this.commands[thread]!.port2,
      signals: this.signals.buffer,
      run: {
        check: options.check,
        from: options.from && partOf(options.from, plan),
        fromPs: this.fromPs,
        progress: progress[thread]!,
      },
      service: null,
    }));
  }
}
