import type {
  HoldReason,
  ManagedValue,
  Mechanism,
  MechanismHost,
} from '../../contract/flow-control.js';
import type { PortSpec } from '../../contract/spec.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, LENGTH, PRIORITY_MASK } from '../../frame/frame-pool.js';
import type { Tables } from '../../kernel/tables.js';
import { type AskedTerms, CreditAccounts } from './credit-accounts.js';
import type { CreditCharges } from './credit-charges.js';
import { makeCreditCharges } from './credit-charges.js';
import { CreditConversation } from './credit-conversation.js';
import type { CreditCarrier } from './credit-machine.js';
import { creditManagedValues } from './credit-managed.js';
import type { CreditReceiver } from './credit-receiver.js';
import { makeCreditReceiver } from './credit-receiver.js';
import type { CreditSender } from './credit-sender.js';
import { makeCreditSender } from './credit-sender.js';

const PORT_TIMER = 0;
const TAG_TIMER = 1;

/** What both ends have negotiated beside priorities. */
export interface CreditTerms extends AskedTerms {
  readonly tags: boolean;
}

/** Octets that wait for credit. */
export interface WaitingFrames {
  /** In a class of one account. */
  inQueue(port: number, trafficClass: number): number;
  /** In line for a class of several. */
  inLine(row: number): number;
  /** The frame that starts next, which has left its line; -1 if there is none. */
  first(port: number, trafficClass: number): number;
  /** Those of a port that a link layer may send again. */
  forEachRepeatable(port: number, visit: (frame: number) => void): void;
}

/** Of a priority without credit. */
const NO_ROWS: readonly number[] = [];

/** Credit exchange: a port sends only what its link partner has granted buffer for. */
export class CreditMechanism implements Mechanism, CreditCarrier {
  readonly name = 'credit';
  readonly clock: { readonly now: number };
  readonly hasListeners: Uint8Array;
  readonly accounts: CreditAccounts;
  readonly sender: CreditSender;
  readonly receiver: CreditReceiver;
  readonly conversation: CreditConversation;
  // Functions that the data path calls.
  readonly rowOf: CreditCharges['rowOf'];
  readonly admitted: CreditCharges['admitted'];
  readonly released: CreditCharges['released'];
  readonly passed: CreditCharges['passed'];
  private readonly armedFor: Float64Array;
  /** By port: priorities that exchange credit now, one bit each. */
  private readonly operational: Uint8Array;
  /** By port: messages may be carried in tags of data frames. */
  private readonly tagged: Uint8Array;

  constructor(
    tables: Tables,
    private readonly host: MechanismHost,
    private readonly slot: number,
    private readonly pool: FramePool,
    private readonly waiting: WaitingFrames,
  ) {
    this.clock = host.clock;
    this.hasListeners = host.hasListeners;
    this.accounts = new CreditAccounts(tables);
    this.sender = makeCreditSender(tables, this.accounts, this);
    this.receiver = makeCreditReceiver(tables, this.accounts, this);
    this.conversation = new CreditConversation(tables, this.accounts, this.sender, this.receiver);
    const charges = makeCreditCharges(pool, this.accounts, this.receiver);
    this.rowOf = charges.rowOf;
    this.admitted = charges.admitted;
    this.released = charges.released;
    this.passed = charges.passed;
    this.armedFor = tables.float64('port', 1).fill(Infinity);
    this.operational = tables.uint8('port', 1);
    this.tagged = tables.uint8('port', 1);
  }

  configurePort(port: number, spec: PortSpec): void {
    this.accounts.configure(port, spec.credit, spec.classOf, spec.retry ?? null);
    this.conversation.configure(port, spec.mac);
    // Ports that negotiate begin without credit, until they have agreed on it.
    if (spec.credit === null || spec.discovery?.drives === true) return;
    this.operational[port] = spec.credit.priorities;
    this.tagged[port] = spec.credit.tagWaitPs === null ? 0 : 1;
    this.accounts.forEach(port, (row) => {
      this.wake(row, 0);
    });
  }

  /** The priorities, of those that a port is built for, that exchange credit from now on. */
  setOperational(port: number, priorities: number, terms: CreditTerms): void {
    this.operational[port] = priorities;
    const tags = terms.tags && this.accounts.spec(port)?.tagWaitPs !== null;
    this.tagged[port] = tags ? 1 : 0;
    this.accounts.forEach(port, (row) => {
      const runs = (priorities & (1 << this.accounts.priority(row))) !== 0;
      if (runs === this.conversation.isStarted(row)) return;
      if (runs) {
        this.accounts.setAsked(row, terms);
        this.begin(row);
        // The link partner may have sent requests before this end would have answered.
        this.receiver.resynchronise(row);
      } else this.end(row);
    });
  }

  /** Priorities that exchange credit now, one bit each. */
  operationalAt(port: number): number {
    return this.operational[port];
  }

  isOperational(port: number, priority: number): boolean {
    return (this.operational[port] & (1 << priority)) !== 0;
  }

  linkUp(port: number): void {
    this.accounts.forEach(port, (row) => {
      if (!this.conversation.isStarted(row)) return;
      this.sender.linkUp(row);
      this.receiver.linkUp(row);
    });
  }

  /** A fault uses credit of a port without a frame. */
  steal(port: number, priorities: number, octets: number): void {
    const spec = this.accounts.spec(port);
    if (spec === null) return;
    const units = Math.ceil(octets / spec.asking.unitOctets);
    this.accounts.forEach(port, (row) => {
      if ((priorities & (1 << this.accounts.priority(row))) !== 0) this.sender.forfeit(row, units);
    });
  }

  // What the two halves of an account use.

  say(row: number, what: number): void {
    const port = this.accounts.port(row);
    this.conversation.add(row, what);
    if (this.tagged[port] === 0 || !this.conversation.fitsTag(port)) {
      this.host.requestControl(this.slot, port);
      return;
    }
    this.conversation.offerTag(port, true);
    const wait = this.accounts.spec(port)!.tagWaitPs!;
    this.host.arm(this.slot, port, TAG_TIMER, this.clock.now + wait);
  }

  wake(row: number, timePs: number): void {
    const port = this.accounts.port(row);
    if (timePs >= this.armedFor[port]) return;
    this.armedFor[port] = timePs;
    this.host.arm(this.slot, port, PORT_TIMER, timePs);
  }

  permit(row: number): void {
    this.host.permit(this.accounts.port(row));
  }

  withdraw(row: number): void {
    this.host.withdraw(this.accounts.port(row));
  }

  lacks(row: number, credit: boolean): void {
    if (this.hasListeners[0] === 0) return;
    const { accounts } = this;
    const port = accounts.port(row);
    this.host.announceShort(port, accounts.priority(row), accounts.channel(row), credit);
  }

  announce(row: number, step: number, units: number): void {
    if (this.hasListeners[0] === 0) return;
    const { accounts } = this;
    const port = accounts.port(row);
    this.host.announceCredit(port, step, accounts.priority(row), accounts.channel(row), units);
  }

  waitingOctets(row: number): number {
    const { accounts, waiting, pool } = this;
    const port = accounts.port(row);
    const trafficClass = accounts.trafficClass(row);
    if (accounts.hasClassAlone(row)) return waiting.inQueue(port, trafficClass);
    const first = waiting.first(port, trafficClass);
    const isOwn = first >= 0 && this.rowOf(port, first) === row;
    return waiting.inLine(row) + (isOwn ? pool.words[first + LENGTH] : 0);
  }

  repeatableUnits(row: number): number {
    const port = this.accounts.port(row);
    let units = 0;
    this.waiting.forEachRepeatable(port, (frame) => {
      const frameClass = this.pool.words[frame + CLASS];
      if ((frameClass & PRIORITY_MASK) !== this.accounts.priority(row)) return;
      if (this.rowOf(port, frame) !== row) return;
      units += this.sender.cost(row, this.pool.words[frame + LENGTH]);
    });
    return units;
  }

  // Octets and timers.

  compose(port: number, _txEnd: number, octets: Uint8Array): number {
    const length = this.conversation.compose(port, octets);
    if (length === 0) return 0;
    if (this.conversation.isPending(port)) this.host.requestControl(this.slot, port);
    return length;
  }

  /** The tag of the data frame that starts now, or a frame of its own; 0 if there is none. */
  composeTag(port: number, octets: Uint8Array): number {
    return this.conversation.composeTag(port, octets);
  }

  receiveControl(port: number, octets: Uint8Array, length: number): boolean {
    return this.conversation.receive(port, octets, length);
  }

  onTimer(port: number, timer: number): void {
    if (timer === TAG_TIMER) {
      if (!this.conversation.isPending(port)) return;
      this.conversation.offerTag(port, false);
      this.host.requestControl(this.slot, port);
      return;
    }
    const { now } = this.clock;
    if (this.armedFor[port] !== now) return;
    this.armedFor[port] = Infinity;
    let next = Infinity;
    const first = this.accounts.firstRow(port);
    for (let row = first; row < first + this.accounts.rowCount(port); row++) {
      if (!this.isOperational(port, this.accounts.priority(row))) continue;
      if (!this.conversation.isStarted(row)) this.begin(row);
      next = Math.min(next, this.sender.onTimer(row), this.receiver.onTimer(row));
    }
    if (next >= this.armedFor[port]) return;
    this.armedFor[port] = next;
    this.host.arm(this.slot, port, PORT_TIMER, next);
  }

  // Results.

  holdReason(port: number, priority: number): HoldReason | null {
    let sincePs = Infinity;
    for (const row of this.rowsOf(port, priority)) {
      sincePs = Math.min(sincePs, this.sender.blockedSincePs(row) ?? Infinity);
    }
    return sincePs === Infinity ? null : { mechanism: this.name, untilPs: Infinity, sincePs };
  }

  /** Of the channel that was blocked longest: channels wait at the same time. */
  heldPs(port: number, priority: number, now: number): number {
    let most = 0;
    for (const row of this.rowsOf(port, priority)) {
      most = Math.max(most, this.sender.blockedPs(row, now));
    }
    return most;
  }

  holdCount(port: number, priority: number): number {
    return this.sum(port, priority, (row) => this.sender.blocks(row));
  }

  /** Credit exchange never pauses. */
  stopsSent(): number {
    return 0;
  }

  managedValues(port: number, now: number): ManagedValue[] {
    return creditManagedValues(this, this.conversation, port, now);
  }

  private begin(row: number): void {
    this.conversation.start(row);
    this.sender.start(row);
    this.receiver.start(row);
  }

  private end(row: number): void {
    this.conversation.stop(row);
    this.sender.stop(row);
    this.receiver.stop(row);
  }

  private sum(port: number, priority: number, value: (row: number) => number): number {
    return this.rowsOf(port, priority).reduce((total, row) => total + value(row), 0);
  }

  private rowsOf(port: number, priority: number): readonly number[] {
    const spec = this.accounts.spec(port);
    if (spec === null || (spec.priorities & (1 << priority)) === 0) return NO_ROWS;
    return spec.channels.map((_, slot) => this.accounts.row(port, slot, priority));
  }
}
