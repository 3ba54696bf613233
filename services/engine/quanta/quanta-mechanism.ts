import type { HoldReason, IngressAccounts, MechanismHost } from '../contract/flow-control.js';
import type { PortSpec } from '../contract/spec.js';
import type { Tables } from '../kernel/tables.js';
import type { Ports } from '../port/ports.js';
import { PauseInitiator } from './pause-initiator.js';
import { EXPIRY_TIMER, PauseResponder } from './pause-responder.js';

/** What PAUSE and PFC have in common: initiator and responder. */
export abstract class QuantaMechanism {
  abstract readonly name: string;
  readonly initiator: PauseInitiator;
  readonly responder: PauseResponder;
  /** By port, numbered through the service. */
  protected readonly specs: PortSpec[] = [];

  /** `timers` is 1 (every priority pauses together) or 8; `slot` is its index at its host. */
  constructor(
    tables: Tables,
    host: MechanismHost,
    accounts: IngressAccounts,
    slot: number,
    timers: 1 | 8,
    ports: Ports,
  ) {
    this.initiator = new PauseInitiator(tables, host, accounts, slot);
    this.responder = new PauseResponder(tables, host, slot, timers, ports);
  }

  onTimer(port: number, timer: number): void {
    if (timer >= EXPIRY_TIMER) this.responder.onTimer(port, timer - EXPIRY_TIMER);
    else this.initiator.onTimer(port);
  }

  linkUp(port: number): void {
    this.responder.forget(port);
    this.initiator.restate(port);
  }

  /** Whether the link partner of a port is paused for any reason. */
  isStopping(port: number): boolean {
    return this.initiator.off[port] !== 0;
  }

  holdReason(port: number, priority: number): HoldReason | null {
    return this.responder.reason(port, priority, this.name);
  }

  heldPs(port: number, priority: number, now: number): number {
    return this.responder.heldPs(port, priority, now);
  }

  holdCount(port: number, priority: number): number {
    return this.responder.holdCount(port, priority);
  }
}
