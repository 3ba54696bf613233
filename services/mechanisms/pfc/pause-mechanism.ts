import type { ManagedValue } from '../../engine/contract/flow-control.js';
import type { MechanismTools, SliceMechanism } from '../../engine/contract/slice.js';
import { QuantaMechanism } from './quanta-mechanism.js';
import {
  MAC_CONTROL_GROUP,
  macControlOpcode,
} from '../../engine/wire/mac-control/mac-control-header.js';
import { OPCODE_PAUSE } from '../../engine/wire/mac-control/opcodes.js';
import {
  blankPauseFrame,
  decodePause,
  encodePause,
} from '../../engine/wire/mac-control/pause-frame.js';
import { PORT_GROUP, PORT_TIMER, pauseQuanta } from './pause-machine.js';
import { PauseCounters, pauseManagedValues } from './pause-managed.js';
import type { PortRow } from '../../engine/units/indices.js';

/** 802.3 Annex 31B: a receiver pauses its link partner, all priorities, for a time. */
export class PauseMechanism extends QuantaMechanism implements SliceMechanism {
  readonly name = 'pause';
  readonly holdsClients = true;
  readonly counters: PauseCounters;
  private readonly frame = blankPauseFrame();
  /** The last received frame. */
  private readonly decoded = blankPauseFrame();

  constructor(tools: MechanismTools) {
    super(tools, 1);
    this.counters = new PauseCounters(tools.tables);
  }

  rulesGroup(port: PortRow): boolean {
    return this.specAt(port) !== null;
  }

  admitted(port: PortRow, _group: number): void {
    this.initiator.decideXoff(port, PORT_GROUP);
  }

  released(port: PortRow, _group: number): void {
    this.initiator.decideXon(port, PORT_GROUP);
  }

  compose(port: PortRow, txEnd: number, octets: Uint8Array): number {
    const { initiator } = this;
    const spec = this.specs[port];
    const quanta = pauseQuanta(initiator.off[port], spec.pausing!.quanta);
    initiator.takeReleases(port);
    initiator.stated(port, txEnd);
    this.counters.sent[port]++;
    this.frame.source = spec.mac;
    this.frame.quanta = quanta;
    return encodePause(octets, 0, this.frame);
  }

  receiveControl(port: PortRow, octets: Uint8Array, length: number): boolean {
    const { decoded } = this;
    if (macControlOpcode(octets, length) !== OPCODE_PAUSE) return false;
    if (decodePause(octets, 0, decoded) !== 'ok') return false;
    const spec = this.specs[port];
    if (decoded.destination !== MAC_CONTROL_GROUP && decoded.destination !== spec.mac) return false;
    this.counters.received[port]++;
    // A port that runs PFC ignores PAUSE (802.1Q clause 36).
    if (this.rulesGroup(port)) this.responder.load(port, PORT_TIMER, decoded.quanta);
    return true;
  }

  stopsSent(port: PortRow): number {
    return this.counters.sent[port];
  }

  stopsReceived(port: PortRow): number {
    return this.counters.received[port];
  }

  managedValues(port: PortRow, now: number): ManagedValue[] {
    if (!this.rulesGroup(port)) return [];
    return pauseManagedValues(port, this.counters, this.responder, now);
  }
}
