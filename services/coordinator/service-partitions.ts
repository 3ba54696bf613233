/**
 * What the run controller decides becomes a request to all services, and their last answer becomes
 * the controller's next bound. It relies on one question at a time: an answer is told by its epoch
 * and round, and one of an earlier epoch is void. It would break if a service could answer twice,
 * or a second question were sent before the first is answered: a bound would be left too early.
 */

import type { selvage } from '#contracts';
import type { PartitionPlan } from '../fabric/placement/partition-plan.js';
import { packSnapshot } from '../runtime/checkpoints/packed-outcome.js';
import { RecoverySnapshots } from '../runtime/checks/recovery-snapshots.js';
import { watchIntervals } from '../runtime/checks/stall.js';
import type {
  Advance,
  PartitionSet,
  StallCounts,
  TakenChange,
} from '../runtime/controller/partition-set.js';
import { RunController } from '../runtime/controller/run-controller.js';
import type { LiveFaults } from '../runtime/live-faults.js';
import type { OperationLog } from '../runtime/operations.js';
import { unixMs } from '../runtime/operations.js';
import type { RoundReport } from '../runtime/partition/sync-protocol.js';
import type { PartitionState } from '../runtime/partition/partition.js';
import type { Failure } from '../runtime/results/results.js';
import type { Round } from '../runtime/rounds/rounds.js';
import { Rounds } from '../runtime/rounds/rounds.js';
import { snapshotOf } from '../runtime/run-snapshot.js';
import type { Checkpoints } from './checkpoints.js';
import type { CoordinatorOptions } from './coordinator-options.js';
import { Gathering } from './gathering.js';
import { Sampling } from './sampling.js';
import type { Services } from './services.js';
import type { TakenFaults } from './taken-faults.js';

/** Virtual time of a round of a service without link partners in others: it can be paused there. */
const LONE_ROUND_PS = 1e6;
/** Wall-clock time between two counts of frames, for progress. */
const COUNT_MS = 200;

/** The latest request to all services, and which of them have not answered. */
type QuestionKind = 'round' | 'save' | 'show' | 'finish';
interface Question {
  readonly kind: QuestionKind;
  readonly owing: Set<number>;
}

/** Receives the results of actions of the services. */
export interface PartitionsListener {
  /** A round is sent to the services. */
  opened(): void;
  paused(): void;
  /** The run is over: services send their final states. */
  collecting(): void;
  collected(
    status: 'complete' | 'interrupted',
    failure: Failure | null,
    states: readonly PartitionState[],
  ): void;
  /** The run cannot continue. */
  fail(reason: string): void;
}

interface Parties {
  readonly live: LiveFaults;
  readonly services: Services;
  readonly checkpoints: Checkpoints;
  readonly faults: TakenFaults;
  readonly operations: OperationLog;
}

const IDLE: Advance = { basePs: 0, limitPs: 0, countAtPs: 0, isSingle: true };

/**
 * The services of a run as its partitions: each action is a request to all of them, and ends with
 * the last answer.
 */
export class ServicePartitions implements PartitionSet {
  readonly controller: RunController<Uint8Array>;
  readonly rounds: Rounds;
  readonly recovery: RecoverySnapshots;
  readonly sampling: Sampling;
  epoch = 0;
  /** Of this epoch. */
  private round = 0;
  /** Of all epochs. */
  roundsRun = 0;
  /** Resolves when nothing is being written to the store. */
  stored: Promise<void> = Promise.resolve();
  private question: Question | null = null;
  private gathering: Gathering | null = null;
  private gathered: (states: PartitionState[]) => void = () => undefined;
  private advancing = IDLE;
  private countedAt = -Infinity;
  /** When the round under way began, if it is one of the sample. */
  private opened: { readonly atMs: number; readonly basePs: number } | null = null;

  constructor(
    private readonly parties: Parties,
    options: CoordinatorOptions,
    private readonly listener: PartitionsListener,
  ) {
    const { fabric } = parties.live;
    const plans = parties.services.slots.map(({ plan }) => plan);
    const { durationPs } = fabric.scenario;
    const lookaheads = plans.flatMap(({ channels }) => channels.map((c) => c.lookaheadOutPs));
    this.rounds = new Rounds({
      peers: plans.map(({ channels }) => channels.map(({ peer }) => peer)),
      lookaheadPs: Math.min(...lookaheads, LONE_ROUND_PS),
      fixedLength: options.roundLength,
    });
    this.recovery = new RecoverySnapshots(fabric, this.plans, options.check);
    this.sampling = new Sampling(
      plans,
      fabric.linkEnds.map(({ length }) => length),
    );
    const watch = watchIntervals(fabric.specs, durationPs);
    const { haltsPs = [] } = options;
    this.controller = new RunController(this, this.recovery, { durationPs, watch, haltsPs });
    if (options.paused === true) this.controller.pause();
  }

  /** Services that have not answered the latest request. */
  get owing(): readonly number[] {
    return [...(this.question?.owing ?? [])];
  }

  /** Services build their parts: earlier requests are void. */
  beginEpoch(epoch: number): void {
    this.epoch = epoch;
    this.round = 0;
    this.question = null;
    this.parties.checkpoints.forget();
  }

  /** A service was lost, or all return to a checkpoint. */
  lose(): void {
    this.question = null;
    this.parties.checkpoints.forget();
    this.controller.lose();
  }

  /** All services are at a bound. */
  begin(nexts: readonly number[]): void {
    const { checkpoints, live } = this.parties;
    const { boundPs, framesSeen } = checkpoints.last ?? { boundPs: 0, framesSeen: -1 };
    this.rounds.begin(boundPs, nexts);
    this.recovery.begin(live.fabric, boundPs);
    checkpoints.begun();
    this.controller.begin(this.rounds.bound, framesSeen);
  }

  advance(advance: Advance): void {
    this.advancing = advance;
    this.open(advance.basePs);
  }

  /** The round that is under way is the last one of the advance. */
  interrupt(): void {
    this.advancing = { ...this.advancing, isSingle: true };
  }

  counts(): StallCounts | null {
    return this.rounds.counts();
  }

  check(timePs: number): void {
    this.askStates('finish', (states) => {
      this.controller.checked(this.recovery.check(states, timePs));
    });
  }

  change(taken: readonly TakenChange[]): void {
    const { epoch, controller } = this;
    this.stored = this.parties.faults.keep(taken).then(
      (changes) => {
        for (const { resolve, step } of taken) resolve(step);
        // Services that begin another epoch have them from its assignment.
        if (epoch !== this.epoch || controller.state !== 'changing') return;
        this.rounds.disturb();
        for (const change of changes) {
          this.parties.services.send(() => ({ change: { epoch, change } }));
        }
        controller.done('changing');
      },
      (error: unknown) => {
        this.listener.fail(`the store fails: ${(error as Error).message}`);
      },
    );
  }

  save(): void {
    const { epoch } = this;
    const { boundPs } = this.rounds.bound;
    const name = `c${epoch}-${this.round}`;
    const { framesSeen } = this.controller;
    this.parties.checkpoints.begin({ name, epoch, boundPs, framesSeen });
    this.ask('save', (expected) => ({ save: { epoch, checkpoint: name, expected, boundPs } }));
  }

  snapshot(): void {
    const { live } = this.parties;
    const beganAt = performance.now();
    this.askStates('show', (states) => {
      const snapshot = snapshotOf(live.fabric, this.plans, states, beganAt);
      this.controller.snapshotTaken(packSnapshot(snapshot));
    });
  }

  sample(): void {
    this.sampling.begin();
    this.send(this.rounds.openEmpty(), true);
  }

  paused(): void {
    this.listener.paused();
  }

  collect(status: 'complete' | 'interrupted', failure: Failure | null): void {
    this.listener.collecting();
    this.askStates('finish', (states) => {
      this.listener.collected(status, failure, states);
    });
  }

  /** A service has executed its part of the round. */
  takeReport(service: number, report: selvage.v1.Report.$Properties, complete: RoundReport): void {
    if (report.round !== this.round || !this.takeAnswer('round', service)) return;
    this.sampling.take(service, report.ports);
    if (!this.rounds.report(service, complete)) return;
    this.question = null;
    if (this.controller.state === 'sampling') {
      this.sampling.finish(this.rounds.latestPs);
      this.controller.done('sampling');
    } else {
      this.noteRound(service);
      this.roundEnded();
    }
  }

  takeSaved(service: number, saved: selvage.v1.Saved.$Properties): void {
    const verdict = this.parties.checkpoints.take(service, saved);
    if (verdict === 'unwanted' || !this.takeAnswer('save', service)) return;
    if (verdict === 'waiting') return;
    this.question = null;
    const { epoch, controller } = this;
    const done = (): void => {
      // Unless all return to a checkpoint meanwhile.
      if (epoch === this.epoch && controller.state === 'saving') controller.done('saving');
    };
    if (verdict === 'given up') done();
    else this.stored = verdict.then(done);
  }

  /** A piece of a state that was requested. Throws if it is damaged. */
  takeState(
    service: number,
    kind: 'show' | 'finish',
    piece: selvage.v1.StatePart.$Properties,
  ): void {
    if (this.question?.kind !== kind || !this.question.owing.has(service)) return;
    let states: PartitionState[] | null;
    try {
      states = this.gathering!.take(service, piece);
    } catch (error) {
      // Without it the run continues; without a final state it cannot end.
      if (kind === 'finish') throw error;
      this.question = null;
      const damaged = error as Error;
      this.controller.snapshotTaken(Promise.reject(damaged));
      return;
    }
    if (piece.last === true) this.question.owing.delete(service);
    if (states === null) return;
    this.question = null;
    this.gathering = null;
    this.gathered(states);
  }

  private get plans(): readonly PartitionPlan[] {
    return this.parties.services.parts;
  }

  private open(basePs: number): void {
    const now = performance.now();
    const count = now - this.countedAt > COUNT_MS;
    if (count) this.countedAt = now;
    const isSampled = this.parties.operations.isSampled('round');
    this.opened = isSampled ? { atMs: unixMs(), basePs } : null;
    this.send(this.rounds.open(basePs, this.advancing, count), false);
    this.listener.opened();
  }

  private send({ basePs, endPs, countFrames, services }: Round, countPorts: boolean): void {
    const { epoch } = this;
    const round = ++this.round;
    this.ask(
      'round',
      (expected) => ({
        round: { epoch, round, basePs, endPs, expected, countFrames, countPorts },
      }),
      services,
    );
  }

  /** `service`: the last that reported. */
  private noteRound(service: number): void {
    if (this.opened === null) return;
    const { atMs: startMs, basePs: fromPs } = this.opened;
    const times = { startMs, endMs: unixMs(), fromPs, toPs: this.rounds.bound.boundPs };
    const { epoch } = this;
    this.parties.operations.note({ kind: 'round', ...times, epoch, service, reason: '' });
  }

  private roundEnded(): void {
    const { controller, rounds } = this;
    this.roundsRun++;
    if (this.parties.checkpoints.isDue(rounds.bound.boundPs)) controller.save();
    if (this.sampling.isDue()) controller.sample();
    const { limitPs, isSingle } = this.advancing;
    const { nextPs } = rounds.bound;
    if (isSingle || nextPs >= limitPs) controller.advanced(rounds.bound);
    else this.open(nextPs);
  }

  private askStates(kind: 'show' | 'finish', then: (states: PartitionState[]) => void): void {
    const { epoch } = this;
    const { boundPs } = this.rounds.bound;
    this.gathering = new Gathering(this.parties.services.count);
    this.gathered = then;
    this.ask(kind, (expected) => ({ [kind]: { epoch, expected, boundPs } }));
  }

  /** These services answer this, when the messages that they must expect have arrived. */
  private ask(
    kind: QuestionKind,
    messageOf: (expected: number[]) => selvage.v1.ToService.$Properties,
    addressed: readonly number[] = [...this.parties.services.slots.keys()],
  ): void {
    const { services } = this.parties;
    this.question = { kind, owing: new Set(addressed) };
    services.send((service) => messageOf(this.rounds.expectedBy(service)), addressed);
  }

  /** False: the service was not requested that, or has answered. */
  private takeAnswer(kind: QuestionKind, service: number): boolean {
    return this.question?.kind === kind && this.question.owing.delete(service);
  }
}
