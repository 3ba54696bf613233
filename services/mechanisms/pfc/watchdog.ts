import { PRIORITIES } from '../../engine/units/ethernet.js';
import type {
  MechanismHost,
  PauseWatchdog,
  WatchdogTools,
} from '../../engine/contract/flow-control.js';
import type { PausingSpec } from '../../engine/contract/spec.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { StopListener, PauseResponder } from '../../engine/quanta/pause-responder.js';
import { watchDuePs } from './machine.js';
import type { PortRow, Priority } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

/**
 * Watches paused priorities. One that was paused without a break for the detection time, and has
 * frames waiting, is in a storm: its pauses are ignored, and frames that wait or arrive are
 * dropped, or they are sent. When the link partner has not paused it for the restoration time, the
 * storm is over.
 */
export class PfcWatchdog implements PauseWatchdog, StopListener {
  /** By port: priorities in a storm, and those of them whose frames are dropped, one bit each. */
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
  private readonly specs: (PausingSpec['watchdog'] | undefined)[] = [];
  private tools: WatchdogTools | null = null;

  /** `timer` is the first of eight at the host. */
  constructor(
    tables: Tables,
    private readonly host: MechanismHost,
    private readonly responder: PauseResponder,
    private readonly slot: number,
    private readonly timer: number,
  ) {
    this.storms = tables.uint8('port', 1);
    this.discards = tables.uint8('port', 1);
    this.since = tables.float64('port', PRIORITIES).fill(Infinity);
    this.armed = tables.uint8('port', 1);
    this.stormCount = tables.float64('port', PRIORITIES);
    this.stormSince = tables.float64('port', PRIORITIES);
    this.stormTime = tables.float64('port', PRIORITIES);
    this.dropped = tables.float64('port', PRIORITIES);
  }

  /** Sets what is built after the mechanisms. */
  setTools(tools: WatchdogTools): void {
    this.tools = tools;
  }

  configure(port: PortRow, spec: PausingSpec | null): void {
    this.specs[port] = spec?.watchdog ?? null;
  }

  /** Whether a port and priority is watched at all. */
  watches(port: PortRow, priority: Priority): boolean {
    return (this.specs[port]?.[priority] ?? null) !== null;
  }

  isStorm(port: PortRow, priority: Priority): boolean {
    return (this.storms[port] & (1 << priority)) !== 0;
  }

  stopBegan(port: PortRow, priority: Priority): void {
    if (!this.watches(port, priority)) return;
    this.wait(port, priority, this.isStorm(port, priority) ? Infinity : this.host.clock.now);
  }

  stopEnded(port: PortRow, priority: Priority): void {
    if (!this.watches(port, priority)) return;
    this.wait(port, priority, this.isStorm(port, priority) ? this.host.clock.now : Infinity);
  }

  onTimer(port: PortRow, priority: Priority): void {
    this.armed[port] &= ~(1 << priority);
    const due = this.duePs(port, priority);
    if (due === Infinity) return;
    if (due > this.host.clock.now) this.arm(port, priority, due);
    else if (this.isStorm(port, priority)) this.stepBack(port, priority);
    else if (this.tools!.waits(port, priority)) this.stepIn(port, priority);
    // A pause for which no frame waits is harmless; it is checked again.
    else this.wait(port, priority, this.host.clock.now);
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

  /** How long its storms have lasted until `now`. */
  stormPs(port: PortRow, priority: Priority, now: number): number {
    const i = port * PRIORITIES + priority;
    return this.stormTime[i] + (this.isStorm(port, priority) ? now - this.stormSince[i] : 0);
  }

  private stepIn(port: PortRow, priority: Priority): void {
    const i = port * PRIORITIES + priority;
    const bit = 1 << priority;
    assert(!this.isStorm(port, priority), 'watchdog.storm-begins-once');
    this.stormCount[i]++;
    this.stormSince[i] = this.host.clock.now;
    this.storms[port] |= bit;
    this.since[i] = Infinity;
    this.tools!.note(port, priority, true);
    if (this.specs[port]![priority]!.action === 'drop') {
      this.discards[port] |= bit;
      this.dropped[i] += this.tools!.discard(port, priority);
    }
    this.responder.ignore(port, priority);
  }

  private stepBack(port: PortRow, priority: Priority): void {
    const i = port * PRIORITIES + priority;
    const bit = 1 << priority;
    assert(this.host.clock.now >= this.stormSince[i], 'watchdog.storm-ends-after-it-began');
    this.stormTime[i] += this.host.clock.now - this.stormSince[i];
    this.storms[port] &= ~bit;
    this.discards[port] &= ~bit;
    this.since[i] = Infinity;
    this.tools!.note(port, priority, false);
    this.responder.respond(port, priority);
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
    return watchDuePs(this.specs[port]![priority]!, since, this.isStorm(port, priority));
  }

  private arm(port: PortRow, priority: Priority, time: number): void {
    assert(time >= this.host.clock.now, 'watchdog.armed-ahead');
    this.armed[port] |= 1 << priority;
    this.host.arm(this.slot, port, this.timer + priority, time);
  }
}
