import { field } from '../../engine/kernel/fields.js';
import { DUE, SHAPE } from '../../engine/kernel/kinds.js';
import type {
  HoldReason,
  ManagedValue,
  MechanismHost,
} from '../../engine/contract/flow-control.js';
import type { ExchangeTerms, OperatingPort } from '../../engine/contract/discovery.js';
import type { AccountBooks } from '../../engine/contract/account-books.js';
import type { MechanismTools, SliceMechanism, TagSource } from '../../engine/contract/slice.js';
import type { StartAccounts } from '../../engine/contract/start-accounts.js';
import type { PortSpec } from '../../engine/contract/spec.js';
import type { ReplayBuffers } from '../../engine/port/replay-buffers.js';
import { CLASS, LENGTH, PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import { creditNegotiation } from './capability.js';
import { CreditAccounts } from './accounts.js';
import type { CreditCharges } from './charges.js';
import { makeCreditCharges } from './charges.js';
import { CreditConversation } from './conversation.js';
import type { CreditCarrier } from './machine.js';
import { repeatsPs, retriesPs } from './times.js';
import { creditManagedValues } from './managed.js';
import type { CreditReceiver } from './receiver.js';
import { makeCreditReceiver } from './receiver.js';
import type { CreditSender } from './sender.js';
import { makeCreditSender } from './sender.js';
import { type CreditStarts, makeCreditStarts } from './starts.js';
import { creditOf } from './spec.js';
import { QUEUE_OCTETS } from '../../engine/port/queues.js';
import type { FrameRef, PortRow, Priority } from '../../engine/units/indices.js';

const ALL_PRIORITIES = 0xff;
const PORT_TIMER = 0;
const TAG_TIMER = 1;

/** What it uses of its engine. */
interface CreditTools extends Pick<
  MechanismTools,
  'tables' | 'host' | 'slot' | 'pool' | 'ports' | 'queues' | 'lines'
> {
  readonly replayBuffers: Pick<ReplayBuffers, 'forEach'>;
}

/** Of a priority without credit. */
const NO_ROWS: readonly number[] = [];

/** Credit exchange: a port sends only what its link partner has granted buffer for. */
export class CreditMechanism implements SliceMechanism, AccountBooks, CreditCarrier {
  readonly name = 'credit';
  readonly clock: { readonly now: number };
  readonly hasListeners: Uint8Array;
  readonly accounts: CreditAccounts;
  readonly sender: CreditSender;
  readonly receiver: CreditReceiver;
  readonly conversation: CreditConversation;
  readonly tags: TagSource;
  readonly negotiation = creditNegotiation;
  // Functions that the data path calls.
  readonly rowOf: CreditCharges['rowOf'];
  readonly admitted: CreditCharges['admitted'];
  readonly released: CreditCharges['released'];
  readonly starts: StartAccounts & CreditStarts;
  private readonly armedFor: Float64Array;
  /** By port: priorities that exchange credit now, one bit each. */
  private readonly operational: Uint8Array;
  /** By port: messages may be carried in tags of data frames. */
  private readonly tagged: Uint8Array;

  private readonly host: MechanismHost;
  private readonly slot: number;

  constructor(private readonly tools: CreditTools) {
    const { tables, host, slot, pool } = tools;
    this.host = host;
    this.slot = slot;
    this.clock = host.clock;
    this.hasListeners = host.hasListeners;
    this.accounts = new CreditAccounts(tables);
    this.sender = makeCreditSender(tables, this.accounts, this);
    this.receiver = makeCreditReceiver(tables, this.accounts, this);
    this.conversation = new CreditConversation(tables, this.accounts, this.sender, this.receiver);
    this.tags = {
      offered: this.conversation.tagOffered,
      compose: (port, octets) => this.conversation.composeTag(port, octets),
    };
    const charges = makeCreditCharges(pool, this.accounts, this.receiver);
    this.rowOf = charges.rowOf;
    this.admitted = charges.admitted;
    this.released = charges.released;
    this.starts = {
      ...makeCreditStarts(tools, this),
      charges: (port, group) => this.accounts.isOfGroup(port, group, ALL_PRIORITIES),
      passed: charges.passed,
      covered: (port, frame) => this.covers(port, frame),
      backs: (port, group) => this.accounts.isOfGroup(port, group, this.operational[port]),
      lineOf: (port, priority, vlans) => this.accounts.rowOfFrame(port, priority, vlans),
    };
    this.armedFor = tables.float64('port', field('credit timer', DUE)).fill(Infinity);
    this.operational = tables.uint8('port', field('priorities with credit', SHAPE));
    this.tagged = tables.uint8('port', field('tagged', SHAPE));
  }

  get books(): AccountBooks {
    return this;
  }

  configurePort(port: PortRow, spec: PortSpec): void {
    const { ports } = this.tools;
    const credit = creditOf(spec);
    this.accounts.configure(port, credit, spec);
    this.conversation.configure(port, spec.mac);
    if (credit === null) return;
    ports.charge(port, this.slot, credit.priorities);
    // Ports that negotiate begin without credit, until they have agreed on it.
    if (spec.discovery?.drives === true) return;
    ports.meter(port, this.slot, credit.priorities);
    this.operational[port] = credit.priorities;
    this.tagged[port] = credit.tagWaitPs === null ? 0 : 1;
    this.accounts.forEach(port, (row) => {
      this.wake(row, 0);
    });
  }

  operate(port: PortRow, { exchange }: OperatingPort): void {
    const { priorities } = exchange;
    if (priorities === this.operational[port]) return;
    this.setOperational(port, priorities, exchange);
    this.starts.change(port, priorities);
    this.host.wake(port);
  }

  /** The priorities, of those that a port is built for, that exchange credit from now on. */
  setOperational(port: PortRow, priorities: number, terms: ExchangeTerms): void {
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

  isOperational(port: PortRow, priority: Priority): boolean {
    return (this.operational[port] & (1 << priority)) !== 0;
  }

  linkUp(port: PortRow): void {
    this.accounts.forEach(port, (row) => {
      if (!this.conversation.isStarted(row)) return;
      this.sender.linkUp(row);
      this.receiver.linkUp(row);
    });
  }

  private covers(port: PortRow, frame: FrameRef): boolean {
    const row = this.rowOf(port, frame);
    const octets = this.tools.pool.words[frame + LENGTH];
    return this.receiver.isGranted(row, this.receiver.cost(row, octets));
  }

  accountOf(port: PortRow, priority: Priority, vlans: number): number {
    return this.accounts.has(port, priority) ? this.accounts.rowOfFrame(port, priority, vlans) : -1;
  }

  accountsAt(port: PortRow): readonly number[] {
    const first = this.accounts.firstRow(port);
    return Array.from({ length: this.accounts.rowCount(port) }, (_, i) => first + i);
  }

  chargedUnits(_port: PortRow, account: number): number {
    return this.receiver.occupied(account);
  }

  /** A fault uses credit of a port without a frame. */
  steal(port: PortRow, priorities: number, octets: number): void {
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
    this.arm(port, timePs);
  }

  permit(row: number): void {
    const port = this.accounts.port(row);
    if (this.starts.permit(port)) this.host.wake(port);
  }

  withdraw(row: number): void {
    this.starts.withdraw(this.accounts.port(row));
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
    this.host.announceGrantStep(port, step, accounts.priority(row), accounts.channel(row), units);
  }

  waitingOctets(row: number): number {
    const { accounts } = this;
    const { queues, lines, pool } = this.tools;
    const port = accounts.port(row);
    const trafficClass = accounts.trafficClass(row);
    if (accounts.hasClassAlone(row)) {
      return queues.get(port, trafficClass, QUEUE_OCTETS);
    }
    const first = queues.head(port, trafficClass);
    const isOwn = first >= 0 && this.rowOf(port, first) === row;
    return lines.octets(row) + (isOwn ? pool.words[first + LENGTH] : 0);
  }

  repeatableUnits(row: number): number {
    const port = this.accounts.port(row);
    let units = 0;
    this.tools.replayBuffers.forEach(port, (frame) => {
      const { words } = this.tools.pool;
      const frameClass = words[frame + CLASS];
      if ((frameClass & PRIORITY_MASK) !== this.accounts.priority(row)) return;
      if (this.rowOf(port, frame) !== row) return;
      units += this.sender.cost(row, words[frame + LENGTH]);
    });
    return units;
  }

  // Octets and timers.

  compose(port: PortRow, _txEnd: number, octets: Uint8Array): number {
    const length = this.conversation.compose(port, octets);
    if (length === 0) return 0;
    if (this.conversation.isPending(port)) this.host.requestControl(this.slot, port);
    return length;
  }

  receiveControl(port: PortRow, octets: Uint8Array, length: number): boolean {
    return this.conversation.receive(port, octets, length);
  }

  onTimer(port: PortRow, timer: number): void {
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
    this.arm(port, next);
  }

  private arm(port: PortRow, timePs: number): void {
    const armed = this.armedFor[port];
    if (timePs >= armed) return;
    if (armed !== Infinity) this.host.disarm(this.slot, port, PORT_TIMER, armed);
    this.armedFor[port] = timePs;
    this.host.arm(this.slot, port, PORT_TIMER, timePs);
  }

  // Results.

  holdReason(port: PortRow, priority: Priority): HoldReason | null {
    let sincePs = Infinity;
    for (const row of this.rowsOf(port, priority)) {
      sincePs = Math.min(sincePs, this.sender.blockedSincePs(row) ?? Infinity);
    }
    return sincePs === Infinity ? null : { mechanism: this.name, untilPs: Infinity, sincePs };
  }

  waitsSincePs(port: PortRow, priority: Priority): number | null {
    return this.holdReason(port, priority)?.sincePs ?? null;
  }

  /** Of the account that was emptied last. */
  emptySincePs(port: PortRow, priority: Priority): number | null {
    let last = -Infinity;
    for (const row of this.rowsOf(port, priority)) {
      last = Math.max(last, this.receiver.emptySincePs(row) ?? Infinity);
    }
    return Number.isFinite(last) ? last : null;
  }

  repeatsPs(port: PortRow): number {
    return repeatsPs(this.accounts.spec(port));
  }

  retriesPs(port: PortRow): number {
    return retriesPs(this.accounts.spec(port));
  }

  /** Of the channel that was blocked longest: channels wait at the same time. */
  blockedPs(port: PortRow, priority: Priority, now: number): number {
    let most = 0;
    for (const row of this.rowsOf(port, priority)) {
      most = Math.max(most, this.sender.blockedPs(row, now));
    }
    return most;
  }

  holdCount(port: PortRow, priority: Priority): number {
    return this.sum(port, priority, (row) => this.sender.blocks(row));
  }

  /** Credit exchange never pauses. */
  stopsSent(): number {
    return 0;
  }

  stopsReceived(): number {
    return 0;
  }

  managedValues(port: PortRow, now: number): ManagedValue[] {
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

  private sum(port: PortRow, priority: Priority, value: (row: number) => number): number {
    return this.rowsOf(port, priority).reduce((total, row) => total + value(row), 0);
  }

  private rowsOf(port: PortRow, priority: Priority): readonly number[] {
    const spec = this.accounts.spec(port);
    if (spec === null || (spec.priorities & (1 << priority)) === 0) return NO_ROWS;
    return spec.channels.map((_, slot) => this.accounts.row(port, slot, priority));
  }
}

/** Of an engine, which was given it. */
export function mechanismOf({ books }: { readonly books: AccountBooks }): CreditMechanism {
  return books as CreditMechanism;
}
