import { QUANTUM_OCTETS } from '../units/ethernet.js';
import type { HoldReason, MechanismHost } from '../contract/flow-control.js';
import { COUNTER, due, SHAPE, STAMP } from '../kernel/kinds.js';
import { field } from '../kernel/fields.js';
import type { Tables } from '../kernel/tables.js';
import type { Ports } from '../port/ports.js';
import type { PortRow, Priority } from '../units/indices.js';
import { assert } from '../kernel/assert.js';

/** Of 16 bits. */
const QUANTA_MOST = 0xffff;

/** Numbers of a port's timers: the pause initiator's refresh is 0, expiries follow. */
export const REFRESH_TIMER = 0;
export const EXPIRY_TIMER = 1;

/** Observes where pauses begin and end; `timer` is what is paused: a priority, or a group. */
export interface StopListener {
  stopBegan(port: PortRow, timer: number): void;
  stopEnded(port: PortRow, timer: number): void;
}

/**
 * The pause responder of mechanisms that pause for a time: one timer per port, or one per port and
 * priority. A received time replaces the running one; zero releases (802.3 31B.3.2, 31D).
 */
export class PauseResponder {
  /** By port and timer: blocked until; 0 when not blocked. */
  private readonly until: Float64Array;
  private readonly blockedSince: Float64Array;
  private readonly blockedTotal: Float64Array;
  /** How often a timer began to hold. */
  private readonly holds: Float64Array;
  /** By port: priorities blocked, one bit each. */
  private readonly mask: Uint8Array;
  /** By port: timers that run, but are ignored and hold nothing, one bit each. */
  private readonly ignored: Uint8Array;
  /** By port: what each timer holds, where that is not the priority of its number. */
  private readonly held: (Uint8Array | undefined)[] = [];
  /** Observes received pauses, ignored or not. */
  listener: StopListener | null = null;

  /** `timers` is 1 (every priority stops together) or 8. */
  constructor(
    tables: Tables,
    private readonly host: MechanismHost,
    private readonly slot: number,
    private readonly timers: 1 | 8,
    private readonly ports: Ports,
  ) {
    this.until = tables.float64('port', field('paused until', due(0), timers));
    this.blockedSince = tables.float64('port', field('paused since', STAMP, timers));
    this.blockedTotal = tables.float64('port', field('paused time', COUNTER, timers));
    this.holds = tables.float64('port', field('pauses', COUNTER, timers));
    this.mask = tables.uint8('port', field('paused', SHAPE));
    this.ignored = tables.uint8('port', field('ignored pauses', SHAPE));
  }

  /** A pause of a priority holds all priorities that are in the traffic class that it stops. */
  holdClasses(port: PortRow, classOf: readonly number[], pausedClassOf: readonly number[]): void {
    assert(this.timers === pausedClassOf.length, 'pause.class-of-each-timer');
    this.held[port] = Uint8Array.from(pausedClassOf, (stopped) =>
      classOf.reduce((mask, tc, priority) => (tc === stopped ? mask | (1 << priority) : mask), 0),
    );
  }

  /** Loads a timer with a number of quanta. */
  load(port: PortRow, timer: number, quanta: number): void {
    assert(quanta >= 0 && quanta <= QUANTA_MOST, 'pause.quanta-of-16-bits');
    this.loadFor(port, timer, quanta * QUANTUM_OCTETS * this.ports.octetPs(port));
  }

  /** Loads a timer with a time; zero releases. */
  loadFor(port: PortRow, timer: number, durationPs: number): void {
    const i = port * this.timers + timer;
    if (durationPs === 0) {
      this.endEarly(i, port, timer);
      return;
    }
    const until = this.host.clock.now + durationPs;
    const wasFree = this.until[i] === 0;
    if (!wasFree) this.disarm(i, port, timer);
    this.until[i] = until;
    this.host.arm(this.slot, port, EXPIRY_TIMER + timer, until);
    if (wasFree) {
      if (!this.isIgnored(port, timer)) this.hold(i, port, timer);
      this.listener?.stopBegan(port, timer);
    }
  }

  /** Ends all received pauses. */
  forget(port: PortRow): void {
    for (let timer = 0; timer < this.timers; timer++) {
      this.endEarly(port * this.timers + timer, port, timer);
    }
  }

  onTimer(port: PortRow, timer: number): void {
    const i = port * this.timers + timer;
    assert(this.until[i] === this.host.clock.now, 'pause.ends-in-time');
    this.endPause(i, port, timer);
  }

  /** Pauses of a timer are ignored from now on. */
  ignore(port: PortRow, timer: number): void {
    const i = port * this.timers + timer;
    this.ignored[port] |= 1 << timer;
    if (this.until[i] !== 0) this.release(i, port, timer);
  }

  /** Pauses of a timer apply again, a running one included. */
  respond(port: PortRow, timer: number): void {
    const i = port * this.timers + timer;
    this.ignored[port] &= ~(1 << timer);
    if (this.until[i] !== 0) this.hold(i, port, timer);
  }

  /** Whether the link partner pauses a priority now, ignored or not. */
  isRunning(port: PortRow, priority: Priority): boolean {
    return this.until[this.index(port, priority)] !== 0;
  }

  reason(port: PortRow, priority: Priority, mechanism: string): HoldReason | null {
    const timer = this.timerOf(port, priority);
    if (timer < 0) return null;
    const i = this.index(port, timer);
    return { mechanism, untilPs: this.until[i], sincePs: this.blockedSince[i] };
  }

  /** Time that a priority has been blocked until `now`. */
  blockedPs(port: PortRow, priority: Priority, now: number): number {
    const i = this.index(port, priority);
    const isBlocked = (this.mask[port] & (1 << priority)) !== 0;
    return this.blockedTotal[i] + (isBlocked ? now - this.blockedSince[i] : 0);
  }

  /** Since when a priority has been blocked; null while it is not. */
  blockedSincePs(port: PortRow, priority: Priority): number | null {
    const timer = this.timerOf(port, priority);
    return timer < 0 ? null : this.blockedSince[this.index(port, timer)];
  }

  holdCount(port: PortRow, priority: Priority): number {
    return this.holds[this.index(port, priority)];
  }

  /** Of a priority that is held: a timer that holds it; else -1. */
  private timerOf(port: PortRow, priority: number): number {
    const held = this.held[port];
    const mask = this.mask[port];
    if (held === undefined) return (mask & (1 << priority)) === 0 ? -1 : priority;
    for (let timer = 0; timer < held.length; timer++) {
      if ((mask & (1 << timer)) !== 0 && (held[timer] & (1 << priority)) !== 0) return timer;
    }
    return -1;
  }

  /** Priorities that the port may not send now. */
  private heldNow(port: PortRow): number {
    const held = this.held[port];
    const mask = this.mask[port];
    if (held === undefined) return mask;
    let priorities = 0;
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      priorities |= held[31 - Math.clz32(rest & -rest)];
    }
    return priorities;
  }

  private index(port: PortRow, priority: number): number {
    return port * this.timers + (this.timers === 1 ? 0 : priority);
  }

  private priorities(timer: number): number {
    return this.timers === 1 ? 0xff : 1 << timer;
  }

  private endEarly(i: number, port: PortRow, timer: number): void {
    if (this.until[i] === 0) return;
    this.disarm(i, port, timer);
    this.endPause(i, port, timer);
  }

  private endPause(i: number, port: PortRow, timer: number): void {
    this.until[i] = 0;
    if (!this.isIgnored(port, timer)) this.release(i, port, timer);
    this.listener?.stopEnded(port, timer);
  }

  private isIgnored(port: PortRow, timer: number): boolean {
    return (this.ignored[port] & (1 << timer)) !== 0;
  }

  private hold(i: number, port: PortRow, timer: number): void {
    assert((this.mask[port] & this.priorities(timer)) === 0, 'pause.begins-once');
    this.blockedSince[i] = this.host.clock.now;
    this.holds[i]++;
    this.mask[port] |= this.priorities(timer);
    this.host.hold(this.slot, port, this.heldNow(port));
  }

  private release(i: number, port: PortRow, timer: number): void {
    assert((this.mask[port] & this.priorities(timer)) !== 0, 'pause.ended-had-begun');
    assert(this.host.clock.now >= this.blockedSince[i], 'pause.ends-after-it-began');
    this.blockedTotal[i] += this.host.clock.now - this.blockedSince[i];
    this.mask[port] &= ~this.priorities(timer);
    this.host.hold(this.slot, port, this.heldNow(port));
  }

  private disarm(i: number, port: PortRow, timer: number): void {
    this.host.disarm(this.slot, port, EXPIRY_TIMER + timer, this.until[i]);
  }
}
