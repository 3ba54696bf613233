import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { BrokenAssertion } from '../../engine/kernel/assert.js';
import { HoldCheck } from '../checks/hold-check.js';
import type { Breach } from '../checks/breach.js';
import { packState } from '../checkpoints/snapshots.js';
import { framesStarted, thingsPlanned } from '../checks/stall.js';
import { packetsOf } from '../packets.js';
import type { PartitionState } from '../partition/partition.js';
import { Partition } from '../partition/partition.js';
import { Barrier, INTERRUPTED, NEXT_EVENT } from './barrier.js';
import type { MailboxMemory } from './mailbox.js';
import { Mailbox } from './mailbox.js';
import type { Answers, Command, Reply, ThreadTask } from './messages.js';
import { COMMANDS, INTERRUPT, IS_STEP } from './messages.js';
import { ServiceEnd } from './service-end.js';

const WINDOWS_PER_PROGRESS = 256;

/** Runs one partition in step with the other threads, as the main thread commands. */
class Thread {
  private part!: Partition;
  private readonly barrier: Barrier;
  private readonly outgoing: (Mailbox | null)[][];
  private readonly incoming: (Mailbox | null)[][];
  /** Null in a run of one process. */
  private readonly service: ServiceEnd | null;
  private holdCheck: HoldCheck | null = null;
  private readonly signals: Int32Array;
  private readonly progress: Float64Array | null;
  private parity = 0;
  private handedOverPs = Infinity;
  private boundPs = 0;
  /** In all. */
  private events = 0;
  /** A fault of the engine itself: nothing is executed here after it, and the run ends. */
  private broken: Breach | null = null;

  constructor(private readonly task: ThreadTask) {
    this.barrier = new Barrier(task.barrier, task.threads, task.thread, task.processors);
    const boxes = (sets: readonly (readonly (MailboxMemory | null)[])[]): (Mailbox | null)[][] =>
      sets.map((set) => set.map((memory) => memory && new Mailbox(memory)));
    this.outgoing = boxes(task.outgoing);
    this.incoming = boxes(task.incoming);
    this.service = task.service && new ServiceEnd(task.service, task);
    if (task.run !== null) this.build(task.run.from, task.run.fromPs, task.run.check);
    this.signals = new Int32Array(task.signals);
    this.progress = task.run && new Float64Array(task.run.progress);
  }

  /** Carries out commands until the main thread terminates this one. */
  run(): never {
    for (let commands = 0; ; commands++) {
      while (Atomics.load(this.signals, COMMANDS) === commands) {
        Atomics.wait(this.signals, COMMANDS, commands);
      }
      const { service } = this;
      if (service === null) parentPort!.postMessage(this.reply());
      else
        service.carryOut(() => {
          if (Atomics.load(this.signals, IS_STEP) === 1) this.step(service);
          else service.post(this.reply());
        });
    }
  }

  private build(from: PartitionState | null, fromPs: number, check: boolean): void {
    this.boundPs = fromPs;
    this.part = new Partition(this.task.plan);
    if (from !== null) this.part.restore(from);
    this.holdCheck = check ? new HoldCheck(this.part.engine) : null;
    if (this.holdCheck !== null) this.part.engine.listen(this.holdCheck);
  }

  private reply(): Reply {
    const command = receiveMessageOnPort(this.task.commands)!.message as Command;
    const { kind } = command;
    if (kind !== 'begin') this.service?.takeIn(this.part);
    return { thread: this.task.thread, kind, answer: this.answer(command) };
  }

  private answer(command: Command): Answers[Command['kind']] {
    const { part } = this;
    switch (command.kind) {
      case 'advance':
        return this.advance(command);
      case 'change':
        for (const change of command.changes) part.change(change);
        return null;
      case 'sample':
        return part.portColumns(command.timePs);
      case 'snapshot':
        return this.snapshot();
      case 'save':
        return part.save();
      case 'collect':
        return part.share();
      case 'begin':
        this.build(command.states?.[this.task.thread] ?? null, 0, command.check);
        return null;
      case 'pack':
        return packState(command.isGlimpse ? part.glimpse() : part.save());
      case 'count':
        return part.count();
      case 'breach':
        return this.breachInFabric();
    }
  }

  private advance({
    basePs,
    limitPs,
    isSingle,
  }: Extract<Command, { readonly kind: 'advance' }>): Answers['advance'] {
    const { barrier } = this;
    for (let window = 0; ; window++) {
      barrier.write(INTERRUPTED, this.isInterrupted() || (isSingle && window === 1) ? 1 : 0);
      const nextPs = this.endWindow();
      if (nextPs >= limitPs || barrier.sum(INTERRUPTED) > 0) {
        const isAtLimit = nextPs >= limitPs && (nextPs !== Infinity || basePs >= limitPs);
        return this.arrived(isAtLimit ? limitPs : this.boundPs);
      }
      this.beginWindow(nextPs, limitPs);
      if (window % WINDOWS_PER_PROGRESS === 0) this.showProgress(nextPs);
    }
  }

  /** A step of a service: everything before its limit. */
  private step(service: ServiceEnd): void {
    const { part } = this;
    const { basePs, limitPs } = service;
    const before = this.events;
    service.takeIn(part);
    let nextPs = basePs;
    let isBorderDone = false;
    while (nextPs < limitPs) {
      this.beginWindow(nextPs, limitPs);
      isBorderDone = this.boundPs === limitPs;
      if (isBorderDone) service.endBorder(part);
      nextPs = this.endWindow();
    }
    if (!isBorderDone) {
      this.boundPs = limitPs;
      this.execute(() => part.runTo(limitPs));
      service.endBorder(part);
    }
    service.report(part, this.events - before, this.breach() !== null);
  }

  /**
   * Of each window the devices with links to other threads are executed first, and then their
   * frames are handed over; the others are executed while threads wait for each other, so that one
   * may be late by as much and no thread idles.
   */
  private beginWindow(nextPs: number, limitPs: number): void {
    const { task, part } = this;
    this.holdCheck?.lookAtBooks(nextPs, task.plan.specs.length);
    this.boundPs = Math.min(nextPs + task.lookaheadPs, limitPs);
    this.execute(() => part.runBorderTo(this.boundPs));
    this.parity ^= 1;
    part.take(this.egressPath);
  }

  /**
   * Executes the rest of a window; returns the earliest event of all threads. What the rest leads
   * to is only known to be no earlier than the window's end.
   */
  private endWindow(): number {
    const { part, barrier } = this;
    const ownPs = Math.max(part.nextTime(), this.boundPs);
    barrier.write(NEXT_EVENT, Math.min(ownPs, this.handedOverPs));
    barrier.arrive();
    this.execute(() => part.runTo(this.boundPs));
    barrier.wait();
    this.takeIn();
    return barrier.least(NEXT_EVENT);
  }

  /**
   * Executes some of the partition. An assertion that fails ends the run as in one process; in a
   * service it ends the service.
   */
  private execute(run: () => number): void {
    if (this.broken !== null) return;
    try {
      this.events += run();
    } catch (error) {
      if (!(error instanceof BrokenAssertion) || this.service !== null) throw error;
      const { message: reason, timePs, device } = error;
      this.broken = { reason, timePs, device, port: -1, priority: null };
    }
  }

  private breach(): Breach | null {
    return this.broken ?? this.holdCheck?.breach ?? null;
  }

  /** One thread reads the signal for all, so that all stop at the same window. */
  private isInterrupted(): boolean {
    if (this.breach() !== null) return true;
    return this.task.thread === 0 && Atomics.load(this.signals, INTERRUPT) !== 0;
  }

  /** Everything before a bound has been executed everywhere. */
  private arrived(boundPs: number): Answers['advance'] {
    const { part } = this;
    this.boundPs = Math.max(this.boundPs, boundPs);
    this.execute(() => part.runTo(this.boundPs));
    this.showProgress(this.boundPs);
    const { engine } = part;
    return {
      boundPs: this.boundPs,
      nextPs: part.nextTime(),
      started: framesStarted(engine),
      underway: engine.shared.pool.inUse(),
      planned: thingsPlanned(engine, this.task.plan.specs.length),
      breach: this.breachInFabric(),
    };
  }

  private breachInFabric(): Breach | null {
    const breach = this.breach();
    return breach && { ...breach, device: this.task.plan.devices[breach.device]! };
  }

  private snapshot(): { state: PartitionState; costMs: number } {
    const beganAt = performance.now();
    const state = this.part.glimpse();
    return { state, costMs: performance.now() - beganAt };
  }

  /** Puts in what the others handed over in the window before. */
  private takeIn(): void {
    this.incoming[this.parity]!.forEach((box, channel) => {
      box?.empty(this.part, channel);
    });
    this.handedOverPs = Infinity;
  }

  private readonly egressPath = {
    frame: (channel: number, inFlightQueue: number, pool: FramePool, frame: number): void => {
      const box = this.outgoing[this.parity]![channel];
      if (!box) {
        this.service!.outgoing(channel).addFrame(inFlightQueue, pool, frame);
        return;
      }
      box.addFrame(inFlightQueue, pool, frame);
      const at = pool.arrival(frame);
      if (at < this.handedOverPs) this.handedOverPs = at;
    },
    control: (channel: number, inFlightQueue: number, atPs: number, octets: Uint8Array): void => {
      const box = this.outgoing[this.parity]![channel];
      if (!box) {
        this.service!.outgoing(channel).addControl(inFlightQueue, atPs, octets);
        return;
      }
      box.addControl(inFlightQueue, atPs, octets);
      if (atPs < this.handedOverPs) this.handedOverPs = atPs;
    },
  };

  private showProgress(nowPs: number): void {
    const { left, total } = packetsOf(this.part.engine);
    this.progress?.set([nowPs, framesStarted(this.part.engine), left, total]);
  }
}

new Thread(workerData as ThreadTask).run();
