import { PRIORITIES } from '../../engine/units/ethernet.js';
import type {
  MechanismHost,
  PauseWatchdog,
  WatchdogTools,
} from '../../engine/contract/flow-control.js';
import type { PausingSpec, PauseWatchdogSpec } from '../../engine/contract/spec.js';
import { COUNTER, SHAPE, STAMP, unknown } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { StopListener, PauseResponder } from '../../engine/quanta/pause-responder.js';
import { watchDuePs } from './machine.js';
import { StormCounts, type StormFrames } from './storm-frames.js';
import { type PolledState, type StormActions, WatchdogPolls } from './watchdog-polls.js';
import type { PortRow, Priority } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

/** Behind a timer for each priority: the next poll. */
const POLL_TIMER = PRIORITIES;

/** At a host: the slot of its mechanism, and the first of its timers. */
interface TimerPlace {
  readonly slot: number;
  readonly timer: number;
}

/**
 * Watches paused priorities. One that was paused without a break for the detection time, and has
 * frames waiting, is in a storm: its pauses are ignored, and frames that wait or arrive are
 * dropped, or they are sent; an alert counts it only. When the link partner has not paused it for
 * the restoration time, the storm is over. A watchdog that polls sees the same from counters.
 */
export class PfcWatchdog implements PauseWatchdog, StopListener, StormActions {
  /**
   * By port: priorities in a storm, those of them whose pauses are ignored, and those whose frames
   * are dropped, one bit each.
   */
  private readonly detected: Uint8Array;
  readonly storms: Uint8Array;
  readonly discards: Uint8Array;
  /** By port and priority: since when the awaited condition lasts; Infinity while it does not. */
  private readonly since: Float64Array;
  private readonly armed: Uint8Array;
  /**
   * By port and priority: number of storms, when the last began, and after what time of detection.
   */
  private readonly stormCount: Float64Array;
  private readonly stormSince: Float64Array;
  private readonly stormTime: Float64Array;
  private readonly dropped: Float64Array;
  private readonly frames: StormCounts;
  private readonly polls: WatchdogPolls;
  private readonly responder: PauseResponder;
  private readonly specs: (PausingSpec['watchdog'] | undefined)[] = [];
  private tools: WatchdogTools | null = null;

  constructor(
    tables: Tables,
    private readonly host: MechanismHost,
    state: PolledState,
    private readonly place: TimerPlace,
  ) {
    this.responder = state.responder;
    this.detected = tables.uint8('port', field('storms detected', SHAPE));
    this.storms = tables.uint8('port', field('storms ignored', SHAPE));
    this.discards = tables.uint8('port', field('storms discarded', SHAPE));
    this.since = tables
      .float64('port', field('condition since', unknown(Infinity), PRIORITIES))
      .fill(Infinity);
    this.armed = tables.uint8('port', field('watchdog armed', SHAPE));
    this.stormCount = tables.float64('port', field('storms', COUNTER, PRIORITIES));
    this.stormSince = tables.float64('port', field('storm since', STAMP, PRIORITIES));
    this.stormTime = tables.float64('port', field('storm time', COUNTER, PRIORITIES));
    this.dropped = tables.float64('port', field('storm drops', COUNTER, PRIORITIES));
    this.frames = new StormCounts(tables, state.counters, this.dropped);
    this.polls = new WatchdogPolls(tables, host, state, this);
  }

  /** Sets what is built after the mechanisms. */
  setTools(tools: WatchdogTools): void {
    this.tools = tools;
    this.polls.setTools(tools);
  }

  configure(port: PortRow, spec: PausingSpec | null): void {
    const watches = spec?.watchdog ?? null;
    this.specs[port] = watches;
    if (watches === null) return;
    watches.forEach((own, priority) => {
      if (own !== null) this.polls.configure(port, priority, own);
    });
    const isForced = watches.some((own) => own?.isForced === true);
    const nextPs = isForced ? 0 : nextPollPs(watches, 0);
    if (nextPs !== Infinity) this.armPoll(port, nextPs);
  }

  /** Whether a port and priority is watched at all. */
  watches(port: PortRow, priority: Priority): boolean {
    return this.specOf(port, priority) !== null;
  }

  /** Its pauses are ignored. */
  isStorm(port: PortRow, priority: Priority): boolean {
    return (this.storms[port] & (1 << priority)) !== 0;
  }

  isDetected(port: PortRow, priority: Priority): boolean {
    return (this.detected[port] & (1 << priority)) !== 0;
  }

  stopBegan(port: PortRow, priority: Priority): void {
    if (!this.watchesAlways(port, priority)) return;
    this.wait(port, priority, this.isDetected(port, priority) ? Infinity : this.host.clock.now);
  }

  stopEnded(port: PortRow, priority: Priority): void {
    this.polls.pauseEnded(port, priority);
    if (!this.watchesAlways(port, priority)) return;
    this.wait(port, priority, this.isDetected(port, priority) ? this.host.clock.now : Infinity);
  }

  onTimer(port: PortRow, timer: number): void {
    if (timer === POLL_TIMER) this.pollPort(port);
    else this.onTimerOf(port, timer);
  }

  /** A frame was not admitted to a queue. */
  refused(port: PortRow, priority: Priority): void {
    assert((this.discards[port] & (1 << priority)) !== 0, 'watchdog.discards-refused');
    this.dropped[port * PRIORITIES + priority]++;
  }

  stormsOf(port: PortRow, priority: Priority): number {
    return this.stormCount[port * PRIORITIES + priority];
  }

  droppedOf(port: PortRow, priority: Priority): number {
    return this.dropped[port * PRIORITIES + priority];
  }

  /** Frames in all its storms, and in the last one. */
  framesOf(port: PortRow, priority: Priority): readonly [all: StormFrames, last: StormFrames] {
    return this.frames.of(port, priority, this.isDetected(port, priority));
  }

  /** How long its storms have lasted until `now`. */
  stormPs(port: PortRow, priority: Priority, now: number): number {
    const i = port * PRIORITIES + priority;
    return this.stormTime[i] + (this.isDetected(port, priority) ? now - this.stormSince[i] : 0);
  }

  stepIn(port: PortRow, priority: Priority): void {
    const i = port * PRIORITIES + priority;
    const bit = 1 << priority;
    const { action } = this.specs[port]![priority]!;
    assert(!this.isDetected(port, priority), 'watchdog.storm-begins-once');
    this.stormCount[i]++;
    this.stormSince[i] = this.host.clock.now;
    this.detected[port] |= bit;
    this.since[i] = Infinity;
    this.frames.begin(port, priority);
    if (action === 'alert') return;
    this.storms[port] |= bit;
    this.tools!.note(port, priority, true);
    if (action === 'drop') {
      this.discards[port] |= bit;
      this.dropped[i] += this.tools!.discard(port, priority);
    }
    this.responder.ignore(port, priority);
  }

  stepBack(port: PortRow, priority: Priority): void {
    const i = port * PRIORITIES + priority;
    const bit = 1 << priority;
    assert(this.host.clock.now >= this.stormSince[i], 'watchdog.storm-ends-after-it-began');
    this.stormTime[i] += this.host.clock.now - this.stormSince[i];
    this.frames.end(port, priority);
    const isActing = this.isStorm(port, priority);
    this.detected[port] &= ~bit;
    this.storms[port] &= ~bit;
    this.discards[port] &= ~bit;
    this.since[i] = Infinity;
    if (!isActing) return;
    this.tools!.note(port, priority, false);
    this.responder.respond(port, priority);
  }

  private specOf(port: PortRow, priority: Priority): PauseWatchdogSpec | null {
    return this.specs[port]?.[priority] ?? null;
  }

  /** Without polls. */
  private watchesAlways(port: PortRow, priority: Priority): boolean {
    const spec = this.specOf(port, priority);
    return spec?.polled === null && !spec.isForced;
  }

  private pollPort(port: PortRow): void {
    const { now } = this.host.clock;
    const watches = this.specs[port]!;
    for (let priority = 0; priority < PRIORITIES; priority++) {
      const spec = watches[priority];
      if (spec?.isForced === true) {
        if (!this.isDetected(port, priority)) this.stepIn(port, priority);
      } else if (spec?.polled && now > 0 && now % spec.polled.pollPs === 0) {
        this.polls.poll(port, priority, spec);
      }
    }
    const nextPs = nextPollPs(watches, now);
    if (nextPs !== Infinity) this.armPoll(port, nextPs);
  }

  private onTimerOf(port: PortRow, priority: Priority): void {
    this.armed[port] &= ~(1 << priority);
    const due = this.duePs(port, priority);
    if (due === Infinity) return;
    if (due > this.host.clock.now) this.arm(port, priority, due);
    else if (this.isDetected(port, priority)) this.stepBack(port, priority);
    else if (this.tools!.waits(port, priority)) this.stepIn(port, priority);
    // A pause for which no frame waits is harmless; it is checked again.
    else this.wait(port, priority, this.host.clock.now);
  }

  private wait(port: PortRow, priority: Priority, since: number): void {
    this.since[port * PRIORITIES + priority] = since;
    const due = this.duePs(port, priority);
    if (due !== Infinity && (this.armed[port] & (1 << priority)) === 0) {
      this.arm(port, priority, due);
    }
  }

  private duePs(port: PortRow, priority: Priority): number {
    const since = this.since[port * PRIORITIES + priority];
    return watchDuePs(this.specs[port]![priority]!, since, this.isDetected(port, priority));
  }

  private arm(port: PortRow, priority: Priority, time: number): void {
    assert(time >= this.host.clock.now, 'watchdog.armed-ahead');
    this.armed[port] |= 1 << priority;
    this.host.arm(this.place.slot, port, this.place.timer + priority, time);
  }

  private armPoll(port: PortRow, time: number): void {
    this.host.arm(this.place.slot, port, this.place.timer + POLL_TIMER, time);
  }
}

/** The first poll of any priority after a time; Infinity: there is none. */
function nextPollPs(watches: readonly (PauseWatchdogSpec | null)[], nowPs: number): number {
  return watches.reduce((next, own) => {
    if (!own?.polled || own.isForced) return next;
    const { pollPs } = own.polled;
    return Math.min(next, (Math.floor(nowPs / pollPs) + 1) * pollPs);
  }, Infinity);
}
