import type { MessagePort } from 'node:worker_threads';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { BrokenAssertion } from '../../engine/kernel/assert.js';
import type { PartPlan } from '../../fabric/placement/part-plan.js';
import type { Breach } from '../checks/breach.js';
import { HoldCheck } from '../checks/hold-check.js';
import type { FaultChange } from '../live-faults.js';
import type { PortColumns } from '../port-sample.js';
import { packetsOf } from '../packets.js';
import type { Promised } from '../checks/recovery-times.js';
import { RecoveryTimes } from '../checks/recovery-times.js';
import type { PartState } from '../part/part.js';
import { Part } from '../part/part.js';
import type { Verdict, WatchIntervals } from '../checks/stall.js';
import { framesStarted, StallWatch, thingsPlanned } from '../checks/stall.js';
import type { MailboxMemory } from './mailbox.js';
import { Mailbox } from './mailbox.js';
import type { MeetingMemory } from './meeting.js';
import {
  ANSWERED,
  CALLED,
  COUNTED,
  GOES_ON,
  HELD,
  Meeting,
  NEXT_EVENT,
  PLANNED,
  SHOWN,
  STARTED,
  STOP,
  WANTED,
} from './meeting.js';

/** What a thread is given. */
export interface ThreadTask {
  readonly plan: PartPlan;
  readonly threads: number;
  readonly meeting: MeetingMemory;
  /** By window parity, then channel. */
  readonly outgoing: readonly (readonly MailboxMemory[])[];
  readonly incoming: readonly (readonly MailboxMemory[])[];
  readonly durationPs: number | null;
  readonly lookaheadPs: number;
  /** Interval of the watch for standstill, the same everywhere. */
  readonly watch: WatchIntervals;
  readonly check: boolean;
  /** Faults that promise to be recovered from, which somebody has to look at. */
  readonly promised: readonly Promised[];
  readonly from: PartState | null;
  readonly fromPs: number;
  readonly framesSeen: number;
  /** Set by the main thread when somebody asks to stop. */
  readonly stop: SharedArrayBuffer;
  /** What the main thread says while all wait, and how it calls for that: see meeting.ts. */
  readonly orders: MessagePort;
  readonly call: SharedArrayBuffer;
  /** Virtual time, frames, packets left and in all: for progress. */
  readonly progress: SharedArrayBuffer;
}

/** What the main thread says at a bound. */
export interface Order {
  readonly change: FaultChange;
  readonly watch: WatchIntervals;
  readonly promised: readonly Promised[];
}

/** What every thread is, when somebody has to look at a link that had to recover by then. */
export interface Stand {
  readonly thread: number;
  readonly timePs: number;
  readonly recovery: PartState;
}

/** What the first thread says when all wait for the main thread. */
export interface Halt {
  readonly haltedPs: number;
}

/** What every thread says of its ports, when that is wanted. */
export interface Count {
  readonly thread: number;
  /** The bound at which all stand. */
  readonly timePs: number;
  readonly columns: PortColumns;
}

/** What every thread has come to, when somebody wants to see the run as it stands. */
export interface Shown {
  readonly thread: number;
  readonly timePs: number;
  readonly glimpse: PartState;
  /** By the wall clock, so long it took. */
  readonly costMs: number;
}

/** What a thread has to say in the end. */
export interface ThreadOutcome {
  readonly state: PartState;
  readonly boundPs: number;
  readonly framesSeen: number;
  readonly interrupted: boolean;
  readonly stalledAtPs: number | null;
  readonly breach: Breach | null;
}

const WINDOWS_PER_PROGRESS = 256;

/** Runs one part in step with the other threads. */
class Thread {
  private readonly part: Part;
  private readonly meeting: Meeting;
  private readonly outgoing: Mailbox[][];
  private readonly incoming: Mailbox[][];
  private readonly stall: StallWatch;
  private readonly holdCheck: HoldCheck | null;
  private readonly stop: Int32Array;
  private readonly progress: Float64Array;
  private readonly call: Int32Array;
  private answers = 0;
  /** The next window comes before anything that the main thread wants. */
  private isLetGo = false;
  private parity = 0;
  private handedOverPs = Infinity;
  private boundPs = 0;
  private recovery: RecoveryTimes;
  private lookAtPs: number;
  /** A fault of the engine itself: nothing is executed here after it, and all end soon. */
  private broken: Breach | null = null;

  constructor(private readonly task: ThreadTask) {
    this.part = new Part(task.plan);
    if (task.from !== null) this.part.restore(task.from);
    this.boundPs = task.fromPs;
    this.recovery = new RecoveryTimes(task.promised);
    this.lookAtPs = this.recovery.after(task.fromPs);
    this.meeting = new Meeting(task.meeting, task.threads, task.plan.service);
    const boxes = (sets: readonly (readonly MailboxMemory[])[]): Mailbox[][] =>
      sets.map((set) => set.map((memory) => new Mailbox(memory)));
    this.outgoing = boxes(task.outgoing);
    this.incoming = boxes(task.incoming);
    this.stall = new StallWatch(task.watch);
    this.stall.restore(task.fromPs, task.framesSeen);
    this.holdCheck = task.check ? new HoldCheck(this.part.engine) : null;
    if (this.holdCheck !== null) this.part.engine.listen(this.holdCheck);
    this.stop = new Int32Array(task.stop);
    this.progress = new Float64Array(task.progress);
    this.call = new Int32Array(task.call);
  }

  /**
   * Of each window the devices with cables to other threads come first, and then what they sent is
   * handed over; the others are executed while threads wait for each other, so that one may be
   * late by as much without anybody standing still. By then the next event is only known to be no
   * earlier than the window's end.
   */
  run(): ThreadOutcome {
    const { task, part, meeting } = this;
    const endPs = task.durationPs ?? Infinity;
    for (let window = 0; ; window++) {
      // One thread hears the request for all, so that all stop at the same window.
      const isAsked = task.plan.service === 0 && Atomics.load(this.stop, 0) !== 0;
      meeting.say(STOP, isAsked || this.broken !== null ? 1 : 0);
      const mayCall = task.plan.service === 0 && !this.isLetGo;
      meeting.say(CALLED, mayCall ? Atomics.load(this.call, WANTED) : 0);
      this.isLetGo = false;
      const ownPs = Math.max(part.nextTime(), this.boundPs);
      meeting.say(NEXT_EVENT, Math.min(ownPs, this.handedOverPs));
      meeting.arrive();
      this.execute(() => part.runTo(this.boundPs));
      meeting.wait();
      this.collect();
      const nextPs = meeting.least(NEXT_EVENT);
      if (meeting.sum(STOP) > 0) return this.outcome(true, null);
      if (meeting.sum(CALLED) > 0) {
        this.takeOrders(nextPs, meeting.sum(CALLED));
        continue;
      }
      if (nextPs !== Infinity) this.showState(nextPs, endPs);
      if (nextPs >= endPs || nextPs === Infinity) {
        if (task.durationPs !== null) this.execute(() => part.runTo(endPs));
        this.boundPs = endPs;
        return this.outcome(false, null);
      }
      while (nextPs >= this.stall.dueAt) {
        const atPs = this.stall.dueAt;
        const verdict = this.look(nextPs);
        if (verdict === 'stalled') return this.outcome(false, atPs);
        if (verdict === 'quiet' && task.durationPs === null) {
          this.boundPs = atPs;
          return this.outcome(false, null);
        }
      }
      this.holdCheck?.lookAtBooks(nextPs, task.plan.specs.length);
      const dueAt = Math.min(this.stall.dueAt, this.lookAtPs);
      this.boundPs = Math.min(nextPs + task.lookaheadPs, endPs, dueAt);
      this.execute(() => part.runBorderTo(this.boundPs));
      this.parity ^= 1;
      this.handedOverPs = Infinity;
      part.take(this.outlet);
      if (window % WINDOWS_PER_PROGRESS === 0) this.showProgress(nextPs);
    }
  }

  /** Executes some of the part; an assertion that fails ends the run as in one process. */
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

  /** All stand at one bound and wait for what the main thread has to say. */
  private takeOrders(nextPs: number, wanted: number): void {
    const { task, call, part, boundPs: timePs } = this;
    const thread = task.plan.service;
    if ((wanted & COUNTED) !== 0) {
      const count = { thread, timePs, columns: part.portColumns(timePs) };
      parentPort!.postMessage(count satisfies Count);
    }
    if ((wanted & SHOWN) !== 0) {
      const beganAt = performance.now();
      const glimpse = part.glimpse();
      const costMs = performance.now() - beganAt;
      parentPort!.postMessage({ thread, timePs, glimpse, costMs } satisfies Shown);
    }
    if (task.plan.service === 0) {
      this.showProgress(nextPs);
      parentPort!.postMessage({ haltedPs: this.boundPs } satisfies Halt);
    }
    while (Atomics.load(call, ANSWERED) === this.answers)
      Atomics.wait(call, ANSWERED, this.answers);
    this.answers++;
    this.isLetGo = Atomics.load(call, GOES_ON) !== 0;
    for (let said = receiveMessageOnPort(task.orders); said;) {
      const { change, watch, promised } = said.message as Order;
      this.part.change(change);
      this.stall.adopt(watch, this.boundPs);
      this.recovery = new RecoveryTimes(promised);
      this.lookAtPs = this.recovery.after(this.boundPs);
      said = receiveMessageOnPort(task.orders);
    }
  }

  /** Says what the part is at the times by which links have to have recovered. */
  private showState(nextPs: number, endPs: number): void {
    while (this.lookAtPs <= nextPs && this.lookAtPs < endPs) {
      const timePs = this.lookAtPs;
      const { plan } = this.task;
      const stand: Stand = { thread: plan.service, timePs, recovery: this.part.save() };
      parentPort!.postMessage(stand);
      this.lookAtPs = this.recovery.after(timePs);
    }
  }

  /** Takes in what the others handed over in the window before. */
  private collect(): void {
    this.incoming[this.parity]!.forEach((box, channel) => {
      box.empty(this.part, channel);
    });
  }

  private readonly outlet = {
    frame: (channel: number, lane: number, pool: FramePool, frame: number): void => {
      this.outgoing[this.parity]![channel]!.addFrame(lane, pool, frame);
      const at = pool.arrival(frame);
      if (at < this.handedOverPs) this.handedOverPs = at;
    },
    control: (channel: number, lane: number, atPs: number, octets: Uint8Array): void => {
      this.outgoing[this.parity]![channel]!.addControl(lane, atPs, octets);
      if (atPs < this.handedOverPs) this.handedOverPs = atPs;
    },
  };

  /** Everybody looks at the same sums and comes to the same verdict. */
  private look(nextPs: number): Verdict {
    const { meeting, part } = this;
    meeting.say(STARTED, framesStarted(part.engine));
    meeting.say(HELD, part.engine.shared.pool.inUse());
    meeting.say(PLANNED, thingsPlanned(part.engine));
    meeting.arrive();
    meeting.wait();
    return this.stall.look(meeting.sum(STARTED), meeting.sum(HELD), meeting.sum(PLANNED), nextPs);
  }

  private showProgress(nextPs: number): void {
    const { left, total } = packetsOf(this.part.engine);
    this.progress.set([nextPs, framesStarted(this.part.engine), left, total]);
  }

  private outcome(interrupted: boolean, stalledAtPs: number | null): ThreadOutcome {
    const { part, boundPs, stall, holdCheck } = this;
    const breach = this.broken ?? holdCheck?.breach ?? null;
    return {
      state: part.save(),
      boundPs,
      framesSeen: stall.framesSeen,
      interrupted,
      stalledAtPs,
      breach: breach && { ...breach, device: part.plan.devices[breach.device]! },
    };
  }
}

parentPort!.postMessage(new Thread(workerData as ThreadTask).run());
