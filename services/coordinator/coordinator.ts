/**
 * The run of a fleet as one thing, whoever of it is lost: services join and leave, epochs begin,
 * and results are joined. It relies on the store for the highest epoch (claimed there, so that of
 * two coordinators one ends), on gRPC for order within a stream, and on services to repeat what was
 * lost between them. It would break if a checkpoint were taken while messages are under way, or if
 * messages of two epochs were not told apart: both ends of a channel would count different ones.
 */

import { selvage } from '#contracts';
import type { ServicePlan } from '../fabric/placement/service-plan.js';
import type { PackedOutcome } from '../runtime/checkpoints/packed-outcome.js';
import { packOutcome, unpackOutcome } from '../runtime/checkpoints/packed-outcome.js';
import type { CheckpointStore } from '../runtime/checkpoints/store.js';
import type { Breach } from '../runtime/checks/breach.js';
import type { RunController } from '../runtime/controller/run-controller.js';
import { ENDED } from '../runtime/controller/run-controller.js';
import { drawSalt } from '../runtime/keys/run-keys.js';
import type { FaultStep, FaultRequest, LiveFault, LiveFaults } from '../runtime/live-faults.js';
import { mergePartitions } from '../runtime/merge.js';
import { OperationLog, unixMs } from '../runtime/operations.js';
import type { RoundReport } from '../runtime/partition/sync-protocol.js';
import type { PartitionState } from '../runtime/partition/partition.js';
import type { PortSample } from '../runtime/port-sample.js';
import { placeNames } from '../runtime/results/outcome.js';
import type { Failure, RunResults } from '../runtime/results/results.js';
import { Checkpoints } from './checkpoints.js';
import type { CoordinatorOptions } from './coordinator-options.js';
import { HALTED } from './coordinator-options.js';
import { Progress } from './progress.js';
import type { Refusal } from './refusal.js';
import { refusal } from './refusal.js';
import { roundReport } from './round-report.js';
import type { ServiceStream } from './control-requests.js';
import type { PartitionsListener } from './service-partitions.js';
import { ServicePartitions } from './service-partitions.js';
import { Services } from './services.js';
import type { Slot } from './slot.js';
import { whoIsMissing } from './slot.js';
import { TakenFaults } from './taken-faults.js';
import { Throughput } from './throughput.js';
import { Vitals } from './vitals.js';
import { Watchdog } from './watchdog.js';

const { Phase } = selvage.v1.RunStatus;
const { Action } = selvage.v1.SteerRequest;
type Status = selvage.v1.RunStatus.$Properties;

/** Interval of checks that services are alive. */
const PULSE_MS = 1_000;
/** Between two checks: this process was stopped, and has not read what came meanwhile. */
const STOPPED_MS = 3 * PULSE_MS;
const OVER = [Phase.PHASE_COMPLETE, Phase.PHASE_INTERRUPTED, Phase.PHASE_FAILED];

/**
 * The coordinator of a run: gathers services, begins a new epoch when one is lost, passes control
 * requests to the run's controller, and joins the results of all services.
 */
export class Coordinator implements PartitionsListener {
  private readonly services: Services;
  private readonly partitions: ServicePartitions;
  private readonly controller: RunController<Uint8Array>;
  private readonly checkpoints: Checkpoints;
  private readonly faultsTaken: TakenFaults;
  private readonly progress = new Progress();
  private readonly watchers = new Set<(status: Status) => void>();
  private phase = Phase.PHASE_GATHERING;
  private detail = '';
  /** The highest epoch of this run so far. */
  private lastEpoch = 0;
  private lostTimer: NodeJS.Timeout | undefined;
  private readonly pulse: NodeJS.Timeout;
  private readonly vitals: Vitals;
  private readonly watchdog: Watchdog;
  private observedMs = performance.now();
  private readonly throughput = new Throughput();
  private readonly operations = new OperationLog();
  /** Since when, and why, services return to a checkpoint. */
  private recovering: { readonly sinceMs: number; readonly reason: string } | null = null;
  /** The latest bound that this run has reached. */
  private farthestPs = 0;
  private packed: PackedOutcome | null = null;
  /** Virtual time of the results. */
  private endedPs: number | null = null;

  constructor(
    private readonly live: LiveFaults,
    plans: readonly ServicePlan[],
    private readonly store: CheckpointStore,
    private readonly options: CoordinatorOptions,
  ) {
    const { run, checkpointMs, layout, log, patienceMs } = options;
    const services = new Services(plans);
    const checkpoints = new Checkpoints(store, {
      ...{ run, layout, checkpointMs, log },
      ...{ services: plans.length, operations: this.operations },
    });
    const faults = new TakenFaults(live, store);
    const { operations } = this;
    const parties = { live, services, checkpoints, faults, operations };
    this.services = services;
    this.checkpoints = checkpoints;
    this.faultsTaken = faults;
    this.partitions = new ServicePartitions(parties, options, this);
    this.controller = this.partitions.controller;
    this.vitals = new Vitals(plans.length);
    this.watchdog = new Watchdog(patienceMs, performance.now());
    this.pulse = setInterval(() => {
      this.observe();
    }, PULSE_MS);
    this.awaitServices();
  }

  /** Continues a run of another coordinator. */
  async recall(): Promise<void> {
    const ended = await this.store.outcome();
    if (ended !== null) {
      const outcome = selvage.v1.Outcome.decode(ended);
      this.end(outcome, unpackOutcome(outcome).results);
      return;
    }
    this.lastEpoch = await this.store.lastEpoch();
    await this.faultsTaken.recall();
    await this.checkpoints.recall();
    // It was resumed under another coordinator.
    if ((this.checkpoints.last?.epoch ?? 0) > 0) this.controller.resume();
  }

  /** A service has opened its stream; returns null, or why it is refused. */
  register(register: selvage.v1.Register.$Properties, stream: ServiceStream): Refusal | null {
    const { services } = this;
    const refused = refusal(register, services.slots, this.options);
    if (refused !== null) return refused;
    if (this.isOver()) {
      stream.send({ leave: {} });
      return null;
    }
    const service = register.service ?? 0;
    if (!services.join(register, stream)) {
      return { reason: `service ${service} is already there`, surplus: false };
    }
    this.vitals.forget(service);
    this.options.log.info('service is connected', { service, host: register.host ?? '' });
    if (services.missing.length === 0) this.beginEpoch();
    this.publish();
    return null;
  }

  /** A stream has ended. */
  lost(service: number, stream: ServiceStream): void {
    if (!this.services.leave(service, stream) || this.isOver()) return;
    this.options.log.warn('service is lost', { service });
    this.awaitServices();
    this.lose(`service ${service} was lost`);
  }

  receive(service: number, message: selvage.v1.FromService): void {
    const { ready, report, saved, shown, final, failed, unusable, alive } = message;
    const { partitions } = this;
    const { epoch } = partitions;
    if (this.isOver()) return;
    const now = performance.now();
    if (alive) {
      if (this.vitals.note(service, alive, now)) this.watchdog.progress(now);
      return;
    }
    this.watchdog.progress(now);
    if (failed) this.fail(`service ${service}: ${failed.reason ?? ''}`);
    else if (ready?.epoch === epoch) this.takeReady(service, ready.nextPs ?? 0);
    else if (report?.epoch === epoch) this.takeReport(service, report);
    else if (saved?.epoch === epoch) partitions.takeSaved(service, saved);
    else if (shown?.epoch === epoch) this.takeState(service, 'show', shown);
    else if (final?.epoch === epoch) this.takeState(service, 'finish', final);
    else if (unusable?.epoch === epoch) this.takeUnusable(service, unusable);
  }

  steer(action: selvage.v1.SteerRequest.Action, stepPs = 0): { done: boolean; detail: string } {
    const { controller } = this;
    if (this.isOver()) return { done: false, detail: ENDED };
    if (action === Action.ACTION_PAUSE) controller.pause();
    else if (action === Action.ACTION_RESUME) controller.resume();
    else if (action === Action.ACTION_STEP) controller.step(stepPs);
    else if (action === Action.ACTION_CHECKPOINT) controller.save();
    else if (action === Action.ACTION_STOP) controller.stop();
    else return { done: false, detail: 'unknown action' };
    this.publish();
    return { done: true, detail: '' };
  }

  /** Injects or ends a fault at the next bound; throws if it cannot. */
  change(request: FaultRequest): Promise<FaultStep> {
    return this.controller.change(request, this.live);
  }

  faults(): LiveFault[] {
    return this.live.list();
  }

  /** Calls back now and whenever something changed, until the function returned is called. */
  watch(listener: (status: Status) => void): () => void {
    this.watchers.add(listener);
    listener(this.status());
    return () => this.watchers.delete(listener);
  }

  listenPorts(listener: (sample: PortSample) => void): () => void {
    const { controller } = this;
    const { sampling } = this.partitions;
    const stop = sampling.listen(listener);
    controller.isWatched = true;
    return () => {
      stop();
      controller.isWatched = sampling.isWanted;
    };
  }

  /** A snapshot of the run at the next bound; throws if it has ended. */
  snapshot(): Promise<Uint8Array> {
    return this.controller.snapshot();
  }

  /** The results of the run, once it is over. */
  get outcome(): PackedOutcome | null {
    return this.packed;
  }

  isOver(): boolean {
    return OVER.includes(this.phase);
  }

  /** Dismisses services after a run that is over; resolves when they have left, or soon. */
  dismiss(): Promise<void> {
    return this.isOver() ? this.services.dismiss() : Promise.resolve();
  }

  /** The run has no valid results: it reports that and ends. */
  fail(reason: string): void {
    if (this.isOver()) return;
    this.options.log.error('run has failed', { reason });
    this.stopTimers();
    this.enter(Phase.PHASE_FAILED, reason);
    this.controller.end();
  }

  opened(): void {
    if (this.phase !== Phase.PHASE_RUNNING) this.enter(Phase.PHASE_RUNNING, '');
  }

  paused(): void {
    this.enter(Phase.PHASE_PAUSED, this.controller.isHalted ? HALTED : '');
  }

  collecting(): void {
    this.enter(Phase.PHASE_COLLECTING, '');
  }

  collected(
    status: 'complete' | 'interrupted',
    failure: Failure | null,
    states: readonly PartitionState[],
  ): void {
    const { partitions, controller, live } = this;
    const merged = mergePartitions(live.fabric, this.services.parts, states, {
      status,
      failure,
      check: this.options.check,
      checkedPs: partitions.recovery.checkedPs,
      moment: { boundPs: controller.boundPs, framesSeen: controller.framesSeen },
      steps: live.steps,
    });
    const outcome = packOutcome({ ...merged, operations: this.operations.list() });
    const end = (): void => {
      this.end(outcome, merged.results);
    };
    // Results are returned even if the store cannot keep them.
    const octets = selvage.v1.Outcome.encode(outcome).finish();
    partitions.stored = this.store.putOutcome(octets).then(end, (error: unknown) => {
      this.options.log.warn('the results are not kept', { reason: (error as Error).message });
      end();
    });
  }

  private stopTimers(): void {
    clearTimeout(this.lostTimer);
    clearInterval(this.pulse);
  }

  /** Once a second: checks that all services that the run waits for make progress. */
  private observe(): void {
    const { watchdog, options, vitals } = this;
    const now = performance.now();
    if (now - this.observedMs > STOPPED_MS) watchdog.progress(now);
    this.observedMs = now;
    this.throughput.note(this.virtualPs, now);
    const verdict = watchdog.check(this.owing(), (service) => vitals.of(service), now);
    if (verdict.kind === 'well') this.publish();
    else {
      const services = verdict.services.join(', ');
      const { epoch } = this.partitions;
      if (verdict.kind === 'late') options.log.warn('round is late', { epoch, services });
      else if (verdict.kind === 'silent') this.replace(verdict.services);
      else this.fail(`services ${services} do not answer, though they were replaced`);
    }
  }

  /** Services without whose answer the run does not continue, though they are connected. */
  private owing(): readonly number[] {
    const { services, partitions, controller } = this;
    if (services.missing.length > 0) return [];
    if (controller.state !== 'waiting') return partitions.owing;
    return partitions.epoch === this.lastEpoch ? services.building : [];
  }

  /** Services that do not answer lose their places; others, or the same ones, rejoin. */
  private replace(silent: readonly number[]): void {
    const { log, patienceMs } = this.options;
    const names = silent.join(', ');
    log.warn('services do not answer and are replaced', { services: names });
    for (const service of silent) this.services.drop(service);
    this.awaitServices();
    this.lose(`services ${names} have not answered for ${patienceMs / 1000} s`);
  }

  /** All return to a checkpoint, or to the beginning. */
  private lose(detail: string): void {
    this.partitions.lose();
    this.recovering ??= { sinceMs: unixMs(), reason: detail };
    this.enter(Phase.PHASE_RECOVERING, detail);
  }

  private beginEpoch(): void {
    clearTimeout(this.lostTimer);
    const epoch = ++this.lastEpoch;
    const begun = this.partitions.stored.then(() => this.store.beginEpoch(epoch));
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
    const { checkpoints } = this;
    const { last } = checkpoints;
    const from = { checkpoint: last?.name ?? 'none', virtualPs: last?.boundPs ?? 0 };
    this.options.log.info('epoch begins', { epoch, ...from });
    this.partitions.beginEpoch(epoch);
    this.services.assign({
      epoch,
      check: this.options.check,
      changes: this.faultsTaken.changes,
      salt: drawSalt(),
      keptStateOf: (service) => checkpoints.keptStateOf(service),
    });
  }

  private takeReady(service: number, nextPs: number): void {
    const nexts = this.services.ready(service, nextPs);
    if (nexts === null || this.controller.state !== 'waiting') return;
    this.noteRecovery();
    this.partitions.begin(nexts);
  }

  private noteRecovery(): void {
    const { recovering, operations, checkpoints } = this;
    this.recovering = null;
    if (recovering === null || !operations.isSampled('recovery')) return;
    const { sinceMs: startMs, reason } = recovering;
    const times = { startMs, endMs: unixMs(), fromPs: this.farthestPs };
    const toPs = checkpoints.last?.boundPs ?? 0;
    const { epoch } = this.partitions;
    operations.note({ kind: 'recovery', ...times, toPs, epoch, service: -1, reason });
  }

  private takeReport(service: number, report: selvage.v1.Report.$Properties): void {
    const { partitions } = this;
    if (report.breach) this.noteBreach(report.breach);
    const rounds = partitions.roundsRun;
    const complete = roundReport(report);
    partitions.takeReport(service, report, complete);
    const { boundPs } = partitions.rounds.bound;
    if (boundPs > this.farthestPs) {
      this.farthestPs = boundPs;
      this.watchdog.advanced();
    }
    if (partitions.roundsRun === rounds || complete.framesStarted < 0) return;
    const { durationPs } = this.live.fabric.scenario;
    this.progress.count(this.reports(), this.virtualPs, durationPs);
    this.publish();
  }

  private takeState(
    service: number,
    kind: 'show' | 'finish',
    piece: selvage.v1.StatePart.$Properties,
  ): void {
    try {
      this.partitions.takeState(service, kind, piece);
    } catch (error) {
      this.fail((error as Error).message);
    }
  }

  /** Another checkpoint is tried. */
  private takeUnusable(service: number, unusable: selvage.v1.Unusable.$Properties): void {
    try {
      const reason = this.checkpoints.leave(service, unusable);
      if (reason === null) return;
      this.lose(reason);
      this.beginEpoch();
    } catch (error) {
      this.fail((error as Error).message);
    }
  }

  /** Of several, the first counts. */
  private noteBreach(text: string): void {
    const { reason, timePs, device, port, priority } = JSON.parse(text) as Breach;
    const place = placeNames(this.live.fabric, device, port);
    this.controller.report({ reason, timePs, ...place, priority });
    this.partitions.interrupt();
  }

  private end(outcome: PackedOutcome, results: RunResults): void {
    this.stopTimers();
    const { status, virtualPs } = results;
    this.options.log.info('run has ended', { status, virtualPs });
    this.packed = outcome;
    this.endedPs = virtualPs;
    this.progress.end(results);
    this.controller.end();
    const isCut = results.status === 'interrupted';
    this.enter(isCut ? Phase.PHASE_INTERRUPTED : Phase.PHASE_COMPLETE, '');
  }

  /** Everything before has been executed: in the rounds of an advance that is under way, too. */
  private get virtualPs(): number {
    const { controller, partitions, endedPs } = this;
    if (endedPs !== null) return endedPs;
    // After the last event, the bound is as far as the rounds were allowed to go.
    if (controller.isOver) return partitions.rounds.latestPs;
    return Math.max(controller.virtualPs, partitions.rounds.bound.boundPs);
  }

  private reports(): RoundReport[] {
    return this.partitions.rounds.last.flatMap((report) => report ?? []);
  }

  private awaitServices(): void {
    clearTimeout(this.lostTimer);
    const { patienceMs } = this.options;
    this.lostTimer = setTimeout(() => {
      this.fail(whoIsMissing(this.services.slots, patienceMs, this.checkpoints.last));
    }, patienceMs);
  }

  private enter(phase: selvage.v1.RunStatus.Phase, detail: string): void {
    this.phase = phase;
    this.detail = detail;
    this.publish();
  }

  private publish(): void {
    for (const listener of this.watchers) listener(this.status());
  }

  private partStatus(
    { stream, host }: Slot,
    service: number,
  ): selvage.v1.ServiceStatus.$Properties {
    const { waitsFor, cpuShare, messageRate, executedPs: reportedPs } = this.vitals.of(service);
    const { owing, rounds } = this.partitions;
    const isOwing = owing.includes(service);
    // One that had nothing to do in the latest rounds took no part in them.
    const executedPs = isOwing ? reportedPs : Math.max(reportedPs, rounds.bound.boundPs);
    return {
      connected: stream !== null,
      ...{ host, executedPs, waitsFor: [...waitsFor], cpuShare, messageRate },
      owing: isOwing,
    };
  }

  private status(): Status {
    const { scenario } = this.live.fabric;
    const { services, partitions } = this;
    return {
      run: this.options.run,
      scenario: scenario.name,
      phase: this.phase,
      virtualPs: this.virtualPs,
      endPs: scenario.durationPs ?? Infinity,
      ...this.progress.fields(this.reports()),
      services: services.count,
      connected: services.count - services.missing.length,
      epoch: partitions.epoch,
      rounds: partitions.roundsRun,
      checkpointPs: this.checkpoints.last?.boundPs ?? -1,
      detail: this.detail === '' ? (this.checkpoints.failure ?? '') : this.detail,
      missing: services.missing,
      parts: services.slots.map((slot, service) => this.partStatus(slot, service)),
      checkpointAgeMs: this.checkpoints.ageMs,
      psPerSecond: this.throughput.psPerSecond,
      checkpoints: this.checkpoints.written,
      checkpointMs: this.checkpoints.waitedMs,
    };
  }
}
