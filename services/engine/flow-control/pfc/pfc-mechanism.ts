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
import { blankPfcFrame, decodePfc, encodePfc } from '../../wire/mac-control/pfc-frame.js';
import { applyPfc, fillPfc, groupPriorities } from './pfc-machine.js';
import { PfcCounters, pfcManagedValues } from './pfc-managed.js';

/** 802.1Qbb: each receiver stops its neighbour priority by priority, for a time. */
export class PfcMechanism extends QuantaMechanism implements Mechanism {
  readonly name = 'pfc';
  readonly counters: PfcCounters;
  private readonly frame = blankPfcFrame();
  /** What came in, whatever it is. */
  private readonly heard = blankPfcFrame();
  /** By port and group: the priorities that a stop of the group names. */
  private readonly prioritiesOf: Uint8Array[] = [];

  constructor(
    tables: Tables,
    host: MechanismHost,
    accounts: IngressAccounts,
    slot: number,
    ports: Ports,
  ) {
    super(tables, host, accounts, slot, 8, ports);
    this.counters = new PfcCounters(tables);
  }

  configurePort(port: number, spec: PortSpec): void {
    this.specs[port] = spec;
    this.prioritiesOf[port] = groupPriorities(spec);
    if (spec.pfc !== null) this.asker.configure(port, spec.pfc, spec.octetPs);
  }

  admitted(port: number, group: number): void {
    this.asker.admitted(port, group);
  }

  released(port: number, group: number): void {
    this.asker.released(port, group);
  }

  compose(port: number, txEnd: number, octets: Uint8Array): number {
    const { frame, asker } = this;
    const spec = this.specs[port];
    const releases = asker.takeReleases(port);
    fillPfc(frame, this.prioritiesOf[port], asker.off[port], releases, spec.pfc!.quanta);
    asker.stated(port, txEnd);
    this.counters.sent(port, frame.enableVector);
    frame.source = spec.mac;
    return encodePfc(octets, 0, frame);
  }

  receiveControl(port: number, octets: Uint8Array, length: number): boolean {
    if (decodePfc(octets.subarray(0, length), 0, this.heard) !== 'ok') return false;
    const operational = this.specs[port].pfc?.priorities ?? 0;
    this.counters.received(port, this.heard.enableVector);
    applyPfc(this.heard, operational, port, this.obeyer);
    return true;
  }

  stopsSent(port: number, priority: number): number {
    return this.counters.requestsOf(port, priority);
  }

  managedValues(port: number, now: number): ManagedValue[] {
    return pfcManagedValues(port, this.specs[port], this.counters, this.obeyer, now);
  }
}
