import type { HoldReason } from '../../engine/contract/flow-control.js';
import type { MechanismTools } from '../../engine/contract/slice.js';
import type { PausingSpec, PortSpec } from '../../engine/contract/spec.js';
import { standingStopIsRefreshed } from './invariants.js';
import { PauseInitiator } from './pause-initiator.js';
import { EXPIRY_TIMER, PauseResponder } from '../../engine/quanta/pause-responder.js';
import type { PortRow, Priority } from '../../engine/units/indices.js';

/** What PAUSE and PFC have in common: initiator and responder. */
export abstract class QuantaMechanism {
  abstract readonly name: string;
  readonly initiator: PauseInitiator;
  readonly responder: PauseResponder;
  /** By port, numbered through the service. */
  protected readonly specs: PortSpec[] = [];

  /** `timers` is 1 (every priority pauses together) or 8. */
  constructor({ tables, host, accounts, slot, ports }: MechanismTools, timers: 1 | 8) {
    this.initiator = new PauseInitiator(tables, host, accounts, slot);
    this.responder = new PauseResponder(tables, host, slot, timers, ports);
  }

  configurePort(port: PortRow, spec: PortSpec): void {
    this.specs[port] = spec;
    const own = this.specAt(port);
    if (own !== null) this.initiator.configure(port, own, spec.octetPs);
  }

  onTimer(port: PortRow, timer: number): void {
    if (timer >= EXPIRY_TIMER) this.responder.onTimer(port, timer - EXPIRY_TIMER);
    else this.initiator.onTimer(port);
  }

  linkUp(port: PortRow): void {
    this.responder.forget(port);
    this.initiator.restate(port);
  }

  pausedGroups(port: PortRow): number {
    return this.initiator.off[port];
  }

  blockedSincePs(port: PortRow, priority: Priority): number | null {
    return this.responder.blockedSincePs(port, priority);
  }

  isRefreshed(port: PortRow): boolean {
    return standingStopIsRefreshed(this.initiator, port);
  }

  /** Whether the link partner of a port is paused for any reason. */
  isStopping(port: PortRow): boolean {
    return this.initiator.off[port] !== 0;
  }

  holdReason(port: PortRow, priority: Priority): HoldReason | null {
    return this.responder.reason(port, priority, this.name);
  }

  blockedPs(port: PortRow, priority: Priority, now: number): number {
    return this.responder.blockedPs(port, priority, now);
  }

  holdCount(port: PortRow, priority: Priority): number {
    return this.responder.holdCount(port, priority);
  }

  /** Null where it does not run. */
  protected specAt(port: PortRow): PausingSpec | null {
    const { pausing } = this.specs[port];
    return pausing?.mechanism === this.name ? pausing : null;
  }
}
