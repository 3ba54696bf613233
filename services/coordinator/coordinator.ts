import { selvage } from '#contracts';
import type { PartPlan } from '../fabric/placement/part-plan.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { PackedOutcome } from '../runtime/checkpoints/packed-outcome.js';
import { packOutcome, unpackOutcome } from '../runtime/checkpoints/packed-outcome.js';
import { packPlan, sha256 } from '../runtime/checkpoints/snapshots.js';
import type { CheckpointStore } from '../runtime/checkpoints/store.js';
import type { FaultStep, FaultRequest, LiveFault, LiveFaults } from '../runtime/live-faults.js';
import type { PortSample } from '../runtime/port-sample.js';
import type { RoundReport } from '../runtime/part/member.js';
import type { PartState } from '../runtime/part/part.js';
import type { Failure, RunResults } from '../runtime/results/results.js';
import { placeNames } from '../runtime/results/outcome.js';
import type { WholeState } from '../runtime/whole-state.js';
import type { WatchIntervals } from '../runtime/checks/stall.js';
import { watchIntervals } from '../runtime/checks/stall.js';
import { Rounds } from '../runtime/rounds/rounds.js';
import type { Breach } from '../runtime/checks/breach.js';
import { drawSalt } from '../runtime/keys/run-keys.js';
import { mergeParts } from '../runtime/merge.js';
import { RecoveryLooks } from '../runtime/checks/recovery-looks.js';
import { Checkpoints } from './checkpoints.js';
import type { CoordinatorOptions } from './coordinator-options.js';
import { EndedRun } from './ended-run.js';
import { FaultDesk } from './fault-desk.js';
import { keepAsCheckpoint } from './first-checkpoint.js';
import { Gathering } from './gathering.js';
import { Glancing } from './glancing.js';
import { HALTED, Halts } from './halts.js';
import { Progress } from './progress.js';
import type { Refusal } from './refusal.js';
import { refusal } from './refusal.js';
import { roundReport } from './round-report.js';
import { Sampling } from './sampling.js';
import type { Slot } from './slot.js';
import { vacant, whoIsMissing } from './slot.js';
import { Requests } from './requests.js';

const { Phase } = selvage.v1.RunStatus;
const { Action } = selvage.v1.SteerRequest;
type Down = selvage.v1.ToService.$Properties;
type Status = selvage.v1.RunStatus.$Properties;

const ENDED = 'the run has ended';
const OVER = [Phase.PHASE_COMPLETE, Phase.PHASE_INTERRUPTED, Phase.PHASE_FAILED];
/** How often people are told, and frames are counted for them. */
const TELL_MS = 200;
/** For how long services that were sent home are waited for. */
const FAREWELL_MS = 1_000;

/**
 * Drives a run: gathers services, opens rounds, takes checkpoints, begins a new epoch when a
 * service is lost, and puts together what all of them measured.
 */
export class Coordinator {
  private readonly slots: Slot[];
  private readonly rounds: Rounds;
  private phase = Phase.PHASE_GATHERING;
  private epoch = 0;
  /** The highest number that an epoch of this run has had. */
  private lastEpoch = 0;
  private round = 0;
  private roundsRun = 0;
  private readonly requests = new Requests();
  private readonly sampling: Sampling;
  private readonly glancing: Glancing;
  private readonly checkpoints: Checkpoints;
  /** Resolves when no commit is under way. */
  private committing: Promise<void> = Promise.resolve();
  private countedAt = -Infinity;
  private readonly progress = new Progress();
  private detail = '';
  private failure: Failure | null = null;
  private lostTimer: NodeJS.Timeout | undefined;
  private packed: PackedOutcome | null = null;
  private allLeft: () => void = () => undefined;
  private readonly watchers = new Set<(status: Status) => void>();
  private readonly looks: RecoveryLooks;
  /** States are on their way because somebody looks, and not because the run is over. */
  private isLooking = false;
  private gathering: Gathering | null = null;
  private readonly desk: FaultDesk;
  private readonly halts: Halts;
  private readonly ended: EndedRun;

  constructor(
    private readonly live: LiveFaults,
    plans: readonly PartPlan[],
    private readonly store: CheckpointStore,
    private readonly options: CoordinatorOptions,
  ) {
    this.desk = new FaultDesk(live, store);
    this.halts = new Halts(options.haltsPs ?? []);
    this.requests.isPaused = options.paused ?? false;
    const { fabric } = live;
    this.slots = plans.map((plan) => {
      const packed = packPlan(plan);
      return { plan, packed, hash: sha256(packed), ...vacant() };
    });
    const lookaheads = plans.flatMap(({ channels }) => channels.map((c) => c.lookaheadOutPs));
    this.rounds = new Rounds({
      peers: plans.map(({ channels }) => channels.map(({ peer }) => peer)),
      // A lone service is stopped only so that somebody may look.
      lookaheadPs: Math.min(...lookaheads, LONE_ROUND_PS),
      durationPs: fabric.scenario.durationPs,
      watch: watchIntervals(fabric.specs, fabric.scenario.durationPs),
      fixedLength: options.roundLength,
    });
    const { run, version, check, checkpointMs, warn } = options;
    const services = plans.length;
    this.checkpoints = new Checkpoints(store, { run, services, checkpointMs, warn });
    this.glancing = new Glancing(plans);
    this.looks = new RecoveryLooks(fabric, plans, options.check);
    this.sampling = new Sampling(
      plans,
      fabric.linkEnds.map(({ length }) => length),
    );
    const planHashes = this.slots.map(({ hash }) => hash);
    const { document } = live.loaded;
    this.ended = new EndedRun(store, { run, version, check, document, planHashes });
    this.awaitServices();
  }

  /** By now: faults may have come to it. */
  private get fabric(): Fabric {
    return this.live.fabric;
  }

  /** Picks up a run that another coordinator left. */
  async recall(): Promise<void> {
    const outcome = await this.ended.recall();
    if (outcome !== null) {
      this.end(outcome, unpackOutcome(outcome).results);
      return;
    }
    this.lastEpoch = await this.store.lastEpoch();
    await this.desk.recall();
    await this.checkpoints.recall();
    // Another coordinator has been let go already.
    if ((this.checkpoints.last?.epoch ?? 0) > 0) this.requests.isPaused = false;
  }

  /** Puts a state that somebody kept where a checkpoint is looked for. */
  async startFrom(whole: WholeState): Promise<void> {
    if ((await this.store.manifests()).length > 0) return;
    await keepAsCheckpoint(whole, this.slots, this.options.run, this.store);
  }

  /** A service has opened its stream; returns null, or why it is refused. */
  register(register: selvage.v1.Register.$Properties, send: (m: Down) => void): Refusal | null {
    const refused = refusal(register, this.slots.length, this.options);
    if (refused !== null) return refused;
    const slot = this.slots[register.service!]!;
    if (this.isOver()) {
      send({ leave: {} });
      return null;
    }
    if (slot.send !== null && slot.incarnation !== register.incarnation) {
      return { reason: `service ${register.service ?? 0} is already there`, surplus: false };
    }
    slot.send = send;
    slot.incarnation = register.incarnation ?? '';
    slot.nextPs = null;
    if (this.slots.every(({ send: present }) => present !== null)) this.beginEpoch();
    this.tell();
    return null;
  }

  /** A stream has ended. */
  lost(service: number, send: (m: Down) => void): void {
    const slot = this.slots[service]!;
    if (slot.send !== send) return;
    Object.assign(slot, { ...vacant(), informed: slot.informed });
    if (this.isOver()) {
      this.noteLeft();
      return;
    }
    this.phase = Phase.PHASE_RECOVERING;
    this.checkpoints.forget();
    this.isLooking = false;
    this.detail = `service ${service} was lost`;
    this.awaitServices();
    this.tell();
  }

  hear(service: number, message: selvage.v1.FromService): void {
    const { ready, report, saved, shown, final, failed, unusable } = message;
    if (failed) this.fail(`service ${service}: ${failed.reason ?? ''}`);
    else if (ready?.epoch === this.epoch) this.takeReady(service, ready.nextPs ?? 0);
    else if (report?.epoch === this.epoch && report.round === this.round) {
      this.sampling.take(service, report.ports);
      this.takeReport(service, roundReport(report), report.breach ?? '');
    } else if (saved?.epoch === this.epoch) this.takeSaved(service, saved);
    else if (shown?.epoch === this.epoch) this.takeShown(service, shown);
    else if (final?.epoch === this.epoch) this.takeFinal(service, final);
    else if (unusable?.epoch === this.epoch) this.takeUnusable(service, unusable);
  }

  steer(action: selvage.v1.SteerRequest.Action, stepPs = 0): { done: boolean; detail: string } {
    if (this.isOver()) return { done: false, detail: ENDED };
    if (!this.requests.take(action, stepPs, this.virtualPs())) {
      return { done: false, detail: 'unknown action' };
    }
    if (action === Action.ACTION_RESUME) this.halts.pass(this.rounds.boundPs);
    if (this.phase === Phase.PHASE_PAUSED) this.goOn();
    this.tell();
    return { done: true, detail: '' };
  }

  /** A fault comes or goes when everybody stands at one bound; throws if it cannot. */
  change(request: FaultRequest): Promise<FaultStep> {
    if (this.isOver()) throw new Error(ENDED);
    const granted = this.desk.ask(request);
    if (this.phase === Phase.PHASE_PAUSED) this.goOn();
    return granted;
  }

  faults(): LiveFault[] {
    return this.live.list();
  }

  /** Calls back now and whenever something changed, until the function returned is called. */
  watch(hear: (status: Status) => void): () => void {
    this.watchers.add(hear);
    hear(this.status());
    return () => this.watchers.delete(hear);
  }

  listenPorts(hear: (sample: PortSample) => void): () => void {
    return this.sampling.listen(hear);
  }

  /** The run as it stands when everybody comes to the next bound; throws if it has ended. */
  look(): Promise<Uint8Array> {
    if (this.isOver()) throw new Error(ENDED);
    const glance = this.glancing.ask();
    if (this.phase === Phase.PHASE_PAUSED) this.goOn();
    return glance;
  }

  /** What the run measured, once it is over. */
  get outcome(): PackedOutcome | null {
    return this.packed;
  }

  isOver(): boolean {
    return OVER.includes(this.phase);
  }

  /** Sends services home after a run that is over; resolves when they are gone, or soon. */
  dismiss(): Promise<void> {
    if (!this.isOver()) return Promise.resolve();
    for (const { send } of this.slots) send?.({ leave: {} });
    return new Promise((resolve) => {
      setTimeout(resolve, FAREWELL_MS);
      this.allLeft = resolve;
      this.noteLeft();
    });
  }

  private noteLeft(): void {
    if (this.slots.every(({ send }) => send === null)) this.allLeft();
  }

  /** The run cannot be ended with a right number: it says so and ends. */
  fail(reason: string): void {
    if (this.isOver()) return;
    this.phase = Phase.PHASE_FAILED;
    this.detail = reason;
    clearTimeout(this.lostTimer);
    this.desk.refuse(ENDED);
    this.glancing.refuse(ENDED);
    this.tell();
  }

  private grantRequests(): void {
    const { epoch } = this;
    const watch = (): WatchIntervals =>
      watchIntervals(this.fabric.specs, this.fabric.scenario.durationPs);
    this.committing = this.desk.grant(this.rounds.boundPs).then(
      ({ changes, steps }) => {
        // Who begins a new epoch is told when it does.
        if (epoch !== this.epoch || this.phase === Phase.PHASE_RECOVERING) return;
        for (const change of changes) {
          for (const { send } of this.slots) send?.({ change: { epoch, change } });
        }
        for (const { atPs } of steps) this.rounds.wake(atPs, watch());
        this.looks.begin(this.fabric, this.rounds.boundPs);
        this.goOn();
      },
      (error: unknown) => {
        this.fail(`the store fails: ${(error as Error).message}`);
      },
    );
  }

  /** All services are there, and begin a new epoch. */
  private recover(reason: string): void {
    this.phase = Phase.PHASE_RECOVERING;
    this.checkpoints.forget();
    this.isLooking = false;
    this.detail = reason;
    this.beginEpoch();
    this.tell();
  }

  private beginEpoch(): void {
    clearTimeout(this.lostTimer);
    const epoch = ++this.lastEpoch;
    const begun = this.committing.then(() => this.store.beginEpoch(epoch));
    begun.then(
      () => {
        if (epoch === this.lastEpoch && !this.isOver()) this.openEpoch(epoch);
      },
      (error: unknown) => {
        this.fail((error as Error).message);
      },
    );
  }

  private openEpoch(epoch: number): void {
    this.epoch = epoch;
    this.round = 0;
    this.checkpoints.forget();
    this.glancing.forget();
    const salt = drawSalt();
    for (const [service, slot] of this.slots.entries()) {
      slot.nextPs = null;
      const isInformed = slot.informed === slot.incarnation;
      slot.informed = slot.incarnation;
      slot.send?.({
        assignment: {
          epoch,
          plan: isInformed ? new Uint8Array(0) : slot.packed,
          planHash: slot.hash,
          from: this.checkpoints.keptStateOf(service),
          check: this.options.check,
          changes: this.desk.changes,
          salt,
        },
      });
    }
  }

  private takeReady(service: number, nextPs: number): void {
    this.slots[service]!.nextPs = nextPs;
    const nexts = this.slots.map((slot) => slot.nextPs);
    if (nexts.includes(null)) return;
    const { last } = this.checkpoints;
    const boundPs = last?.boundPs ?? 0;
    this.rounds.begin(boundPs, nexts as number[], last?.framesSeen ?? -1);
    this.looks.begin(this.fabric, boundPs);
    this.checkpoints.begun();
    this.detail = '';
    this.goOn();
  }

  private takeReport(service: number, report: RoundReport, breach: string): void {
    if (breach !== '') this.noteBreach(breach);
    if (!this.rounds.report(service, report)) return;
    this.sampling.finish(this.rounds.latestPs);
    this.roundsRun++;
    if (report.framesStarted >= 0) {
      this.progress.count(this.reports(), this.virtualPs(), this.fabric.scenario.durationPs);
    }
    this.goOn();
  }

  /** Everybody stands at the same bound: what next? */
  private goOn(): void {
    if (this.glancing.isUnderway) return;
    if (this.desk.isAsked) {
      this.grantRequests();
      return;
    }
    if (this.requests.isStopAsked) {
      this.collect('interrupted');
      return;
    }
    if (this.looks.isDue(this.rounds.nextPs)) {
      this.isLooking = true;
      this.gather();
      return;
    }
    if (this.checkpoints.isDue(this.rounds.boundPs, this.requests.isCheckpointAsked)) {
      this.save();
      return;
    }
    if (this.glancing.isAsked) {
      this.show();
      return;
    }
    const isHalted = this.halts.isDue(this.rounds.boundPs);
    if (this.requests.isHeldAt(this.rounds.nextPs) || isHalted) {
      this.detail = isHalted ? HALTED : '';
      this.phase = Phase.PHASE_PAUSED;
      this.tell();
      return;
    }
    this.detail = '';
    const stepEndPs = this.requests.beginRound();
    const count = performance.now() - this.countedAt > TELL_MS;
    if (count) this.countedAt = performance.now();
    const decision = this.rounds.decide(count, Math.min(stepEndPs, this.looks.dueAt));
    if (decision.kind === 'round') this.open(decision.basePs, decision.endPs, decision.count);
    else {
      if (decision.kind === 'stalled') {
        const { reason, atPs: timePs } = decision;
        this.failure ??= { reason, timePs, device: '', port: '', priority: null };
      }
      this.collect('complete');
    }
  }

  private open(basePs: number, endPs: number, countFrames: boolean): void {
    const wasRunning = this.phase === Phase.PHASE_RUNNING;
    this.phase = Phase.PHASE_RUNNING;
    this.round++;
    const { epoch, round } = this;
    const countPorts = this.sampling.begin(this.requests.isPaused);
    this.ask((expected) => ({
      round: { epoch, round, basePs, endPs, expected, countFrames, countPorts },
    }));
    if (!wasRunning || countFrames) this.tell();
  }

  private lookAtRecovery(states: readonly PartState[]): void {
    this.isLooking = false;
    const failure = this.looks.look(states, this.looks.dueAt);
    if (failure !== null) {
      this.failure ??= failure;
      this.requests.isStopAsked = true;
    }
    this.goOn();
  }

  private save(): void {
    this.requests.isCheckpointAsked = false;
    const { epoch } = this;
    const { boundPs, framesSeen } = this.rounds;
    const name = `c${epoch}-${this.round}`;
    this.checkpoints.begin({ name, epoch, boundPs, framesSeen });
    this.ask((expected) => ({ save: { epoch, checkpoint: name, expected, boundPs } }));
  }

  /** Every service owes an answer to this, when the messages that it must expect have come. */
  private ask(messageOf: (expected: number[]) => Down): void {
    this.slots.forEach(({ send }, service) => {
      send?.(messageOf(this.rounds.expectedBy(service)));
    });
  }

  private takeSaved(service: number, saved: selvage.v1.Saved.$Properties): void {
    const verdict = this.checkpoints.take(service, saved);
    if (verdict === 'given up') this.goOn();
    if (typeof verdict === 'string') return;
    const { epoch } = this;
    this.committing = verdict.then(() => {
      // Unless everything returns to a checkpoint meanwhile.
      const isOurs = epoch === this.epoch && this.phase !== Phase.PHASE_RECOVERING;
      if (isOurs && !this.isOver()) this.goOn();
    });
  }

  /** Everything returns to the checkpoint before, or to the beginning. */
  private takeUnusable(service: number, unusable: selvage.v1.Unusable.$Properties): void {
    try {
      const reason = this.checkpoints.leave(service, unusable);
      if (reason !== null) this.recover(reason);
    } catch (error) {
      this.fail((error as Error).message);
    }
  }

  private show(): void {
    this.glancing.begin();
    const { epoch } = this;
    this.ask((expected) => ({ show: { epoch, expected } }));
  }

  private takeShown(service: number, piece: selvage.v1.StatePart.$Properties): void {
    if (!this.glancing.isUnderway) return;
    this.glancing.take(service, piece, this.fabric);
    this.goOn();
  }

  private collect(status: 'complete' | 'interrupted'): void {
    this.phase = Phase.PHASE_COLLECTING;
    this.desk.refuse(ENDED);
    this.glancing.refuse(ENDED);
    this.collectedAs = status;
    this.gather();
    this.tell();
  }

  /** Every service says what it is at this bound. */
  private gather(): void {
    const { epoch } = this;
    this.gathering = new Gathering(this.slots.length);
    this.ask((expected) => ({ finish: { epoch, expected } }));
  }

  private collectedAs: 'complete' | 'interrupted' = 'complete';

  private takeFinal(service: number, piece: selvage.v1.StatePart.$Properties): void {
    let states: PartState[] | null;
    try {
      states = this.gathering?.take(service, piece) ?? null;
    } catch (error) {
      this.fail((error as Error).message);
      return;
    }
    if (states === null) return;
    if (this.isLooking) this.lookAtRecovery(states);
    else this.finish(states);
  }

  private finish(states: readonly PartState[]): void {
    const plans = this.slots.map(({ plan }) => plan);
    const merged = mergeParts(this.fabric, plans, states, {
      status: this.collectedAs,
      failure: this.failure,
      check: this.options.check,
      lookedPs: this.looks.lookedPs,
      moment: { boundPs: this.rounds.boundPs, framesSeen: this.rounds.framesSeen },
      steps: this.live.steps,
    });
    const outcome = packOutcome(merged);
    const end = (): void => {
      this.end(outcome, merged.results);
    };
    // Results that are there are given, even if the store cannot keep them.
    this.committing = this.ended.put(outcome).then(end, end);
  }

  private end(outcome: PackedOutcome, results: RunResults): void {
    clearTimeout(this.lostTimer);
    this.packed = outcome;
    this.progress.end(results);
    this.phase = results.status === 'interrupted' ? Phase.PHASE_INTERRUPTED : Phase.PHASE_COMPLETE;
    this.tell();
  }

  /** Of several, what went wrong first. */
  private noteBreach(text: string): void {
    const { reason, timePs, device, port, priority } = JSON.parse(text) as Breach;
    if (this.failure !== null && this.failure.timePs <= timePs) return;
    this.failure = { reason, timePs, ...placeNames(this.fabric, device, port), priority };
    this.requests.isStopAsked = true;
  }

  /** All that comes before has been executed. */
  private virtualPs(): number {
    const { boundPs, nextPs } = this.rounds;
    const { durationPs } = this.fabric.scenario;
    return Math.min(this.requests.reachedPs(boundPs, nextPs), durationPs ?? Infinity);
  }

  private reports(): RoundReport[] {
    return this.rounds.last.flatMap((report) => report ?? []);
  }

  private awaitServices(): void {
    clearTimeout(this.lostTimer);
    const { patienceMs } = this.options;
    this.lostTimer = setTimeout(() => {
      this.fail(whoIsMissing(this.slots, patienceMs, this.checkpoints.last));
    }, patienceMs);
  }

  private tell(): void {
    for (const hear of this.watchers) hear(this.status());
  }

  private status(): Status {
    return {
      run: this.options.run,
      scenario: this.fabric.scenario.name,
      phase: this.phase,
      virtualPs: this.virtualPs(),
      endPs: this.fabric.scenario.durationPs ?? Infinity,
      ...this.progress.told(this.reports()),
      services: this.slots.length,
      connected: this.slots.filter(({ send }) => send !== null).length,
      epoch: this.epoch,
      rounds: this.roundsRun,
      checkpointPs: this.checkpoints.last?.boundPs ?? -1,
      detail: this.detail,
      missing: this.slots.flatMap(({ send }, service) => (send === null ? service : [])),
    };
  }
}

/** Virtual time of a round of a service that has no neighbours. */
const LONE_ROUND_PS = 1e6;
