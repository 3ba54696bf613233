import type {
  HoldReason,
  IngressAccounts,
  ManagedValue,
  Mechanism,
  MechanismHost,
} from '../../contract/flow-control.js';
import type { PortSpec } from '../../contract/spec.js';
import { StopAsker } from '../../quanta/stop-asker.js';
import { EXPIRY_ID_BASE, StopObeyer } from '../../quanta/stop-obeyer.js';
import { applyPfc, fillPfc, groupPriorities } from './pfc-machine.js';
import { PfcCounters, pfcManagedValues } from './pfc-managed.js';
import { decodePfc, encodePfc, makePfcFrame } from '../../wire/mac-control/pfc.js';

/** 802.1Qbb: each receiver stops its neighbour priority by priority, for a time. */
export class PfcMechanism implements Mechanism {
  readonly name = 'pfc';
  readonly asker: StopAsker;
  readonly obeyer: StopObeyer;
  readonly counters: PfcCounters;
  private readonly prioritiesOf: readonly Uint8Array[];

  static readonly wiring = ['prioritiesOf', 'ports', 'frame'];

  private readonly frame = makePfcFrame();

  constructor(
    host: MechanismHost,
    accounts: IngressAccounts | null,
    slot: number,
    private readonly ports: readonly PortSpec[],
  ) {
    const octetPs = ports.map((port) => port.octetPs);
    const specs = ports.map((port) => port.pfc);
    this.asker = new StopAsker(host, accounts, slot, specs, octetPs);
    this.obeyer = new StopObeyer(host, slot, 8, octetPs);
    this.counters = new PfcCounters(ports.length);
    this.prioritiesOf = ports.map(groupPriorities);
  }

  admitted(port: number, group: number, now: number): void {
    this.asker.admitted(port, group, now);
  }

  released(port: number, group: number, now: number): void {
    this.asker.released(port, group, now);
  }

  compose(port: number, _now: number, txEnd: number, octets: Uint8Array): number {
    const { frame } = this;
    const spec = this.ports[port];
    fillPfc(
      frame,
      this.prioritiesOf[port],
      this.asker.off[port],
      this.asker.takeReleases(port),
      spec.pfc!.quanta,
    );
    this.asker.stated(port, txEnd);
    this.counters.sent(port, frame.enable);
    return encodePfc(octets, spec.mac, frame);
  }

  receiveControl(port: number, octets: Uint8Array, length: number, now: number): boolean {
    if (decodePfc(octets, length, this.frame) !== 'ok') return false;
    const operational = this.ports[port].pfc?.priorities ?? 0;
    this.counters.received(port, this.frame.enable);
    applyPfc(this.frame, operational, port, now, this.obeyer);
    return true;
  }

  onTimer(id: number, now: number): void {
    if (id >= EXPIRY_ID_BASE) this.obeyer.onTimer(id, now);
    else this.asker.onTimer(id, now);
  }

  holdReason(port: number, priority: number): HoldReason | null {
    return this.obeyer.reason(port, priority, this.name);
  }

  managedValues(now: number): ManagedValue[] {
    return pfcManagedValues(this.ports, this.counters, this.obeyer, now);
  }
}
