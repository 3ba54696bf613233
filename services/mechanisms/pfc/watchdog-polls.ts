import { PRIORITIES } from '../../engine/units/ethernet.js';
import type { MechanismHost, WatchdogTools } from '../../engine/contract/flow-control.js';
import type { PauseWatchdogSpec } from '../../engine/contract/spec.js';
import { SHAPE } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import { type Counters, TX_FRAMES } from '../../engine/port/counters.js';
import type { PauseResponder } from '../../engine/quanta/pause-responder.js';
import type { PortRow, Priority } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';
import { isQuietPoll, isStormPoll, stormTimePs } from './machine.js';

/** What polls decide. */
export interface StormActions {
  isDetected(port: PortRow, priority: Priority): boolean;
  stepIn(port: PortRow, priority: Priority): void;
  stepBack(port: PortRow, priority: Priority): void;
}

/** What polls read, beside the gate of the port. */
export interface PolledState {
  readonly counters: Counters;
  /** PFC frames received that name a priority. */
  readonly pfc: { indicationsOf(port: PortRow, priority: Priority): number };
  readonly responder: PauseResponder;
}

/**
 * The watchdog as a switch's software has it: it reads counters at every poll, and knows nothing of
 * what came and went in between. A condition that holds at successive polls runs a time down; one
 * poll at which it does not sets the time back.
 */
export class WatchdogPolls {
  // By port and priority, as they were at the last poll.
  private readonly received: Float64Array;
  private readonly sent: Float64Array;
  private readonly pausedPs: Float64Array;
  /** What is left of detection, or in a storm of restoration. */
  private readonly leftPs: Float64Array;
  /** By port: priorities that were paused at the last poll, and whose pauses have ended since. */
  private readonly paused: Uint8Array;
  private readonly resumed: Uint8Array;
  private tools: WatchdogTools | null = null;

  constructor(
    tables: Tables,
    private readonly host: MechanismHost,
    private readonly state: PolledState,
    private readonly actions: StormActions,
  ) {
    // Polls are at times of the clock: within what repeats there is none, and nothing reads these.
    this.received = tables.float64('port', field('polled received', SHAPE, PRIORITIES));
    this.sent = tables.float64('port', field('polled sent', SHAPE, PRIORITIES));
    this.pausedPs = tables.float64('port', field('polled pauses', SHAPE, PRIORITIES));
    this.leftPs = tables.float64('port', field('polls left', SHAPE, PRIORITIES));
    this.paused = tables.uint8('port', field('polled paused', SHAPE));
    this.resumed = tables.uint8('port', field('polled resumed', SHAPE));
  }

  setTools(tools: WatchdogTools): void {
    this.tools = tools;
  }

  configure(port: PortRow, priority: Priority, spec: PauseWatchdogSpec): void {
    this.leftPs[port * PRIORITIES + priority] = stormTimePs(spec);
  }

  pauseEnded(port: PortRow, priority: Priority): void {
    this.resumed[port] |= 1 << priority;
  }

  poll(port: PortRow, priority: Priority, spec: PauseWatchdogSpec): void {
    const { polled } = spec;
    const i = port * PRIORITIES + priority;
    const bit = 1 << priority;
    const { counters, pfc, responder } = this.state;
    const { now } = this.host.clock;
    assert(polled !== null && now % polled.pollPs === 0, 'watchdog.polls-in-step');
    const received = pfc.indicationsOf(port, priority);
    const sent = counters.get(port, priority, TX_FRAMES);
    const pausedPs = responder.blockedPs(port, priority, now);
    const isPaused = responder.isRunning(port, priority);
    const seen = {
      isPaused,
      wasPaused: (this.paused[port] & bit) !== 0,
      hasResumed: (this.resumed[port] & bit) !== 0,
      hasReceived: received > this.received[i],
      hasSent: sent > this.sent[i],
      waits: this.tools!.waits(port, priority),
      pausedShare: (pausedPs - this.pausedPs[i]) / polled.pollPs,
    };
    this.received[i] = received;
    this.sent[i] = sent;
    this.pausedPs[i] = pausedPs;
    this.resumed[port] &= ~bit;
    this.paused[port] = isPaused ? this.paused[port] | bit : this.paused[port] & ~bit;
    const isDetected = this.actions.isDetected(port, priority);
    const holds = isDetected ? isQuietPoll(polled.chip, seen) : isStormPoll(polled.chip, seen);
    const wholePs = isDetected ? spec.restorationPs : stormTimePs(spec);
    if (!holds) this.leftPs[i] = wholePs;
    else if (this.leftPs[i] > polled.pollPs) this.leftPs[i] -= polled.pollPs;
    else if (isDetected) {
      this.leftPs[i] = stormTimePs(spec);
      this.actions.stepBack(port, priority);
    } else {
      this.leftPs[i] = spec.restorationPs;
      this.actions.stepIn(port, priority);
    }
  }
}
