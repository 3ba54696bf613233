import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { BrokenAssertion } from '../../engine/kernel/assert.js';
import { HoldCheck } from '../checks/hold-check.js';
import type { Breach } from '../checks/breach.js';
import { framesStarted, thingsPlanned } from '../checks/stall.js';
import { packetsOf } from '../packets.js';
import type { PartState } from '../part/part.js';
import { Part } from '../part/part.js';
import { Barrier, INTERRUPTED, NEXT_EVENT } from './barrier.js';
import type { MailboxMemory } from './mailbox.js';
import { Mailbox } from './mailbox.js';
import type { Answers, Command, Reply, ThreadTask } from './messages.js';
import { COMMANDS, INTERRUPT } from './messages.js';

const WINDOWS_PER_PROGRESS = 256;

/** Runs one partition in step with the other threads, as the main thread commands. */
class Thread {
  private readonly part: Part;
  private readonly barrier: Barrier;
  private readonly outgoing: Mailbox[][];
  private readonly incoming: Mailbox[][];
  private readonly holdCheck: HoldCheck | null;
  private readonly signals: Int32Array;
  private readonly progress: Float64Array;
  private parity = 0;
  private handedOverPs = Infinity;
  private boundPs: number;
  /** A fault of the engine itself: nothing is executed here after it, and the run ends. */
  private broken: Breach | null = null;

  constructor(private readonly task: ThreadTask) {
    this.part = new Part(task.plan);
    if (task.from !== null) this.part.restore(task.from);
    this.boundPs = task.fromPs;
    this.barrier = new Barrier(task.barrier, task.threads, task.plan.service);
    const boxes = (sets: readonly (readonly MailboxMemory[])[]): Mailbox[][] =>
      sets.map((set) => set.map((memory) => new Mailbox(memory)));
    this.outgoing = boxes(task.outgoing);
    this.incoming = boxes(task.incoming);
    this.holdCheck = task.check ? new HoldCheck(this.part.engine) : null;
    if (this.holdCheck !== null) this.part.engine.listen(this.holdCheck);
    this.signals = new Int32Array(task.signals);
    this.progress = new Float64Array(task.progress);
  }

  /** Carries out commands until the main thread terminates this one. */
  run(): never {
    for (let commands = 0; ; commands++) {
      while (Atomics.load(this.signals, COMMANDS) === commands) {
        Atomics.wait(this.signals, COMMANDS, commands);
      }
      const command = receiveMessageOnPort(this.task.commands)!.message as Command;
      const { kind } = command;
      const reply: Reply = { thread: this.task.plan.service, kind, answer: this.answer(command) };
      parentPort!.postMessage(reply);
    }
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
        return part.portColumns(this.boundPs);
      case 'snapshot':
        return this.snapshot();
      case 'save':
      case 'collect':
        return part.save();
    }
  }

  /**
   * Of each window the devices with links to other threads are executed first, and then their
   * frames are handed over; the others are executed while threads wait for each other, so that one
   * may be late by as much and no thread idles. By then the next event is only known to be no
   * earlier than the window's end.
   */
  private advance({
    basePs,
    limitPs,
    isSingle,
  }: Extract<Command, { readonly kind: 'advance' }>): Answers['advance'] {
    const { task, part, barrier } = this;
    for (let window = 0; ; window++) {
      barrier.write(INTERRUPTED, this.isInterrupted() || (isSingle && window === 1) ? 1 : 0);
      const ownPs = Math.max(part.nextTime(), this.boundPs);
      barrier.write(NEXT_EVENT, Math.min(ownPs, this.handedOverPs));
      barrier.arrive();
      this.execute(() => part.runTo(this.boundPs));
      barrier.wait();
      this.takeIn();
      const nextPs = barrier.least(NEXT_EVENT);
      if (nextPs >= limitPs || barrier.sum(INTERRUPTED) > 0) {
        const isAtLimit = nextPs >= limitPs && (nextPs !== Infinity || basePs >= limitPs);
        return this.arrived(isAtLimit ? limitPs : this.boundPs);
      }
      this.holdCheck?.lookAtBooks(nextPs, task.plan.specs.length);
      this.boundPs = Math.min(nextPs + task.lookaheadPs, limitPs);
      this.execute(() => part.runBorderTo(this.boundPs));
      this.parity ^= 1;
      part.take(this.egressPath);
      if (window % WINDOWS_PER_PROGRESS === 0) this.showProgress(nextPs);
    }
  }

  /** Executes some of the partition; an assertion that fails ends the run as in one process. */
  private execute(run: () => unknown): void {
    if (this.broken !== null) return;
    try {
      run();
    } catch (error) {
      if (!(error instanceof BrokenAssertion)) throw error;
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
    return this.task.plan.service === 0 && Atomics.load(this.signals, INTERRUPT) !== 0;
  }

  /** Everything before a bound has been executed everywhere. */
  private arrived(boundPs: number): Answers['advance'] {
    const { part } = this;
    this.boundPs = Math.max(this.boundPs, boundPs);
    this.execute(() => part.runTo(this.boundPs));
    this.showProgress(this.boundPs);
    const { engine, plan } = part;
    const breach = this.breach();
    return {
      boundPs: this.boundPs,
      nextPs: part.nextTime(),
      started: framesStarted(engine),
      underway: engine.shared.pool.inUse(),
      planned: thingsPlanned(engine),
      breach: breach && { ...breach, device: plan.devices[breach.device]! },
    };
  }

  private snapshot(): { state: PartState; costMs: number } {
    const beganAt = performance.now();
    const state = this.part.glimpse();
    return { state, costMs: performance.now() - beganAt };
  }

  /** Puts in what the others handed over in the window before. */
  private takeIn(): void {
    this.incoming[this.parity]!.forEach((box, channel) => {
      box.empty(this.part, channel);
    });
    this.handedOverPs = Infinity;
  }

  private readonly egressPath = {
    frame: (channel: number, inFlightQueue: number, pool: FramePool, frame: number): void => {
      this.outgoing[this.parity]![channel]!.addFrame(inFlightQueue, pool, frame);
      const at = pool.arrival(frame);
      if (at < this.handedOverPs) this.handedOverPs = at;
    },
    control: (channel: number, inFlightQueue: number, atPs: number, octets: Uint8Array): void => {
      this.outgoing[this.parity]![channel]!.addControl(inFlightQueue, atPs, octets);
      if (atPs < this.handedOverPs) this.handedOverPs = atPs;
    },
  };

  private showProgress(nowPs: number): void {
    const { left, total } = packetsOf(this.part.engine);
    this.progress.set([nowPs, framesStarted(this.part.engine), left, total]);
  }
}

new Thread(workerData as ThreadTask).run();
