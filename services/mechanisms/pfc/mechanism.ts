import { field } from '../../engine/kernel/fields.js';
import { SHAPE } from '../../engine/kernel/kinds.js';
import type { OperatingPort } from '../../engine/contract/discovery.js';
import type { ManagedValue, ProxyPauser } from '../../engine/contract/flow-control.js';
import type { MechanismTools, SliceMechanism } from '../../engine/contract/slice.js';
import type { PortSpec } from '../../engine/contract/spec.js';
import { QuantaMechanism } from './quanta-mechanism.js';
import { RemoteStops } from './remote-stops.js';
import { macControlOpcode } from '../../engine/wire/mac-control/mac-control-header.js';
import { OPCODE_PFC } from '../../engine/wire/mac-control/opcodes.js';
import { blankPfcFrame, decodePfc, encodePfc } from '../../engine/wire/mac-control/pfc-frame.js';
import { IgnoredPauses } from './ignored-pauses.js';
import * as invariants from './invariants.js';
import { applyPfc, fillPfc, groupPriorities, groupsOf } from './machine.js';
import { PfcCounters, pfcManagedValues } from './managed.js';
import { PfcWatchdog } from './watchdog.js';
import { assert } from '../../engine/kernel/assert.js';
import type { PortRow, Priority } from '../../engine/units/indices.js';

/** Behind the timers that PAUSE and PFC share. */
const REMOTE_TIMER = 9;
const WATCHDOG_TIMER = 10;

/** 802.1Qbb: each receiver pauses its link partner priority by priority, for a time. */
export class PfcMechanism extends QuantaMechanism implements SliceMechanism, ProxyPauser {
  readonly name = 'pfc';
  readonly counters: PfcCounters;
  /** Pauses requested by other mechanisms than this port's own accounts. */
  readonly remote: RemoteStops;
  /** Handles pauses that last too long, here and at link partners. */
  readonly watchdog: PfcWatchdog;
  private readonly ignored: IgnoredPauses;
  private readonly frame = blankPfcFrame();
  /** The last received frame. */
  private readonly decoded = blankPfcFrame();
  /** By port and group: the priorities that a stop of the group may name. */
  private readonly prioritiesOf: Uint8Array[] = [];
  /** By port: priorities that have PFC now, one bit each. */
  private readonly operational: Uint8Array;
  /** By port: groups whose senders are paused before they are full, one bit each. */
  private readonly stopping: Uint8Array;

  constructor(tools: MechanismTools) {
    super(tools, 8);
    const { tables, host, slot, ports, counters } = tools;
    this.operational = tables.uint8('port', field('priorities with PFC', SHAPE));
    this.stopping = tables.uint8('port', field('groups with PFC', SHAPE));
    this.counters = new PfcCounters(tables);
    this.remote = new RemoteStops(tables, host, slot, REMOTE_TIMER, ports);
    const watched = { responder: this.responder, counters, pfc: this.counters };
    this.watchdog = new PfcWatchdog(tables, host, watched, { slot, timer: WATCHDOG_TIMER });
    this.ignored = new IgnoredPauses(tables, host.clock);
    this.responder.listener = this.watchdog;
    this.initiator.listener = this.ignored;
  }

  canStop(port: PortRow, priority: Priority): boolean {
    return (this.operational[port] & (1 << priority)) !== 0;
  }

  mayBeIgnored(port: PortRow, group: number): boolean {
    return this.ignored.mayIgnore(port, group);
  }

  stopFor(port: PortRow, priority: Priority, durationPs: number): void {
    this.remote.stop(port, priority, durationPs);
  }

  override linkUp(port: PortRow): void {
    super.linkUp(port);
    this.remote.restate(port);
  }

  override isStopping(port: PortRow): boolean {
    return super.isStopping(port) || this.remote.off[port] !== 0;
  }

  brokenAt(port: PortRow): string | null {
    return invariants.stormHoldsNothing(this, port) ? null : 'pfc: stormHoldsNothing';
  }

  override onTimer(port: PortRow, timer: number): void {
    if (timer >= WATCHDOG_TIMER) this.watchdog.onTimer(port, timer - WATCHDOG_TIMER);
    else if (timer === REMOTE_TIMER) this.remote.onTimer(port);
    else super.onTimer(port, timer);
  }

  override configurePort(port: PortRow, spec: PortSpec): void {
    super.configurePort(port, spec);
    const own = this.specAt(port);
    this.prioritiesOf[port] = groupPriorities(spec, own?.priorities ?? 0);
    this.setOperational(port, own?.priorities ?? 0);
    const { classOf, pausedClassOf } = spec;
    if (pausedClassOf !== undefined) this.responder.holdClasses(port, classOf, pausedClassOf);
    this.watchdog.configure(port, own);
    this.ignored.configure(port, own);
  }

  /** Priorities that both ends have PFC for. */
  operate(port: PortRow, operating: OperatingPort): void {
    const before = this.operational[port];
    const now = operating.pfc;
    if (now === before) return;
    assert((now & ~(this.specAt(port)?.priorities ?? 0)) === 0, 'pfc.operates-what-is-built');
    this.setOperational(port, now);
    for (let i = 0; i < 8; i++) {
      const bit = 1 << i;
      if ((before & ~now & bit) !== 0) {
        this.responder.load(port, i, 0);
        this.remote.stop(port, i, 0);
      }
      if (!this.protectsGroup(port, i)) this.initiator.cease(port, i);
    }
  }

  private setOperational(port: PortRow, priorities: number): void {
    this.operational[port] = priorities;
    this.stopping[port] = groupsOf(this.prioritiesOf[port], priorities);
  }

  rulesGroup(port: PortRow, group: number): boolean {
    return this.prioritiesOf[port][group] !== 0;
  }

  /** The senders of an account are paused before it is full. */
  protectsGroup(port: PortRow, group: number): boolean {
    return (this.stopping[port] & (1 << group)) !== 0;
  }

  admitted(port: PortRow, group: number): void {
    if (this.protectsGroup(port, group)) this.initiator.decideXoff(port, group);
  }

  released(port: PortRow, group: number): void {
    this.initiator.decideXon(port, group);
  }

  compose(port: PortRow, txEnd: number, octets: Uint8Array): number {
    const { frame, initiator } = this;
    const spec = this.specs[port];
    const releases = initiator.takeReleases(port);
    fillPfc(frame, this.prioritiesOf[port], initiator.off[port], releases, spec.pausing!.quanta);
    frame.enableVector = this.remote.fill(port, frame.enableVector, frame.quanta);
    // A remote pause can expire before the link is free.
    if (frame.enableVector === 0) return 0;
    initiator.stated(port, txEnd);
    this.counters.sent(port, frame.enableVector);
    frame.source = spec.mac;
    return encodePfc(octets, 0, frame);
  }

  receiveControl(port: PortRow, octets: Uint8Array, length: number): boolean {
    if (macControlOpcode(octets, length) !== OPCODE_PFC) return false;
    if (decodePfc(octets, 0, this.decoded) !== 'ok') return false;
    const operational = this.operational[port];
    this.counters.received(port, this.decoded.enableVector);
    applyPfc(this.decoded, operational, port, this.responder);
    return true;
  }

  stopsSent(port: PortRow, priority: Priority): number {
    return this.counters.requestsOf(port, priority);
  }

  stopsReceived(port: PortRow, priority: Priority): number {
    return this.counters.indicationsOf(port, priority);
  }

  managedValues(port: PortRow, now: number): ManagedValue[] {
    return pfcManagedValues(this, port, this.specAt(port)?.priorities ?? 0, now);
  }
}
