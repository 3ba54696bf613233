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
import { decodePause, encodePause } from '../../wire/mac-control/pause.js';
import { PORT_GROUP, PORT_TIMER, pauseQuanta } from './pause-machine.js';
import { PauseCounters, pauseManagedValues } from './pause-managed.js';

/** 802.3 Annex 31B: a receiver stops its neighbour altogether, for a time. */
export class PauseMechanism implements Mechanism {
  readonly name = 'pause';
  readonly asker: StopAsker;
  readonly obeyer: StopObeyer;
  readonly counters: PauseCounters;

  static readonly wiring = ['ports', 'frame'];

  private readonly frame = { quanta: 0 };

  constructor(
    host: MechanismHost,
    accounts: IngressAccounts | null,
    slot: number,
    private readonly ports: readonly PortSpec[],
  ) {
    const octetPs = ports.map((port) => port.octetPs);
    const specs = ports.map((port) => port.pause);
    this.asker = new StopAsker(host, accounts, slot, specs, octetPs);
    this.obeyer = new StopObeyer(host, slot, 1, octetPs);
    this.counters = new PauseCounters(ports.length);
  }

  admitted(port: number, _group: number, now: number): void {
    this.asker.admitted(port, PORT_GROUP, now);
  }

  released(port: number, _group: number, now: number): void {
    this.asker.released(port, PORT_GROUP, now);
  }

  compose(port: number, _now: number, txEnd: number, octets: Uint8Array): number {
    const spec = this.ports[port];
    const quanta = pauseQuanta(this.asker.off[port], spec.pause!.quanta);
    this.asker.takeReleases(port);
    this.asker.stated(port, txEnd);
    this.counters.sent[port]++;
    return encodePause(octets, spec.mac, quanta);
  }

  receiveControl(port: number, octets: Uint8Array, length: number, now: number): boolean {
    if (decodePause(octets, length, this.frame) !== 'ok') return false;
    this.counters.received[port]++;
    // A port that runs PFC ignores PAUSE (802.1Q clause 36).
    if (this.ports[port].pause !== null) this.obeyer.load(port, PORT_TIMER, this.frame.quanta, now);
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
    return pauseManagedValues(this.ports, this.counters, this.obeyer, now);
  }
}
