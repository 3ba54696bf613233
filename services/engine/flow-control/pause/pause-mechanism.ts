import type {
  IngressAccounts,
  ManagedValue,
  Mechanism,
  MechanismHost,
} from '../../contract/flow-control.js';
import type { PortSpec } from '../../contract/spec.js';
import type { Tables } from '../../kernel/tables.js';
import type { Ports } from '../../port/ports.js';
import { QuantaMechanism } from '../../quanta/quanta-mechanism.js';
import { MAC_CONTROL_GROUP, macControlOpcode } from '../../wire/mac-control/mac-control-header.js';
import { OPCODE_PAUSE } from '../../wire/mac-control/opcodes.js';
import { blankPauseFrame, decodePause, encodePause } from '../../wire/mac-control/pause-frame.js';
import * as invariants from './pause-invariants.js';
import { PORT_GROUP, PORT_TIMER, pauseQuanta } from './pause-machine.js';
import { PauseCounters, pauseManagedValues } from './pause-managed.js';

/** 802.3 Annex 31B: a receiver pauses its link partner, all priorities, for a time. */
export class PauseMechanism extends QuantaMechanism implements Mechanism {
  readonly name = 'pause';
  readonly counters: PauseCounters;
  private readonly frame = blankPauseFrame();
  /** The last received frame. */
  private readonly decoded = blankPauseFrame();

  constructor(
    tables: Tables,
    host: MechanismHost,
    accounts: IngressAccounts,
    slot: number,
    ports: Ports,
  ) {
    super(tables, host, accounts, slot, 1, ports);
    this.counters = new PauseCounters(tables);
  }

  configurePort(port: number, spec: PortSpec): void {
    this.specs[port] = spec;
    if (spec.pause !== null) this.initiator.configure(port, spec.pause, spec.octetPs);
  }

  admitted(port: number, _group: number): void {
    this.initiator.decideXoff(port, PORT_GROUP);
  }

  released(port: number, _group: number): void {
    this.initiator.decideXon(port, PORT_GROUP);
  }

  isRefreshed(port: number): boolean {
    return invariants.standingStopIsRefreshed(this.initiator, port);
  }

  compose(port: number, txEnd: number, octets: Uint8Array): number {
    const { initiator } = this;
    const spec = this.specs[port];
    const quanta = pauseQuanta(initiator.off[port], spec.pause!.quanta);
    initiator.takeReleases(port);
    initiator.stated(port, txEnd);
    this.counters.sent[port]++;
    this.frame.source = spec.mac;
    this.frame.quanta = quanta;
    return encodePause(octets, 0, this.frame);
  }

  receiveControl(port: number, octets: Uint8Array, length: number): boolean {
    const { decoded } = this;
    if (macControlOpcode(octets, length) !== OPCODE_PAUSE) return false;
    if (decodePause(octets, 0, decoded) !== 'ok') return false;
    const spec = this.specs[port];
    if (decoded.destination !== MAC_CONTROL_GROUP && decoded.destination !== spec.mac) return false;
    this.counters.received[port]++;
    // A port that runs PFC ignores PAUSE (802.1Q clause 36).
    if (spec.pause !== null) this.responder.load(port, PORT_TIMER, decoded.quanta);
    return true;
  }

  stopsSent(port: number): number {
    return this.counters.sent[port];
  }

  managedValues(port: number, now: number): ManagedValue[] {
    return pauseManagedValues(port, this.specs[port], this.counters, this.responder, now);
  }
}
