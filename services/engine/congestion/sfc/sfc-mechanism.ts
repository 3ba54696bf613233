import type {
  HoldReason,
  ManagedValue,
  Mechanism,
  MechanismHost,
  NeighbourClient,
  NeighbourStopper,
} from '../../contract/flow-control.js';
import type { SfcHostSpec, SfcSwitchSpec } from '../../contract/spec.js';
import type { FramePool } from '../../frame/frame-pool.js';
import type { Tables } from '../../kernel/tables.js';
import type { Ports } from '../../port/ports.js';
import { EXPIRY_TIMER, StopObeyer } from '../../quanta/stop-obeyer.js';
import type { SfcBridge, SfcEdges, SfcStation, SfcTimers } from './sfc-carrier.js';
import { CLEANUP_TIMER, PROCESS_TIMER } from './sfc-carrier.js';
import { actsForStation } from './sfc-machine.js';
import { SfcCounters, sfcManagedValues } from './sfc-managed.js';
import type { SfcPoint } from './sfc-point.js';
import { SfcProxyReceiver } from './sfc-proxy.js';
import type { SfcPlace } from './sfc-sender.js';
import { SfcSender } from './sfc-sender.js';
import { SfcStationReceiver } from './sfc-station.js';

/**
 * P802.1Qdw: a congested queue tells the sources of its frames to stop for a time. Stations obey
 * by themselves, or the bridge that they hang on stops them by PFC.
 */
export class SfcMechanism implements Mechanism, NeighbourClient, SfcTimers, SfcEdges {
  readonly name = 'sfc';
  readonly clock: { readonly now: number };
  /** Stops of a station's own sending. */
  private readonly obeyer: StopObeyer;
  /** By port. */
  private readonly points: (SfcPoint | null)[] = [];
  /** By port: 1 where the bridge acts for the station. */
  private readonly proxied: Uint8Array;

  constructor(
    tables: Tables,
    private readonly host: MechanismHost,
    private readonly slot: number,
    ports: Ports,
    private readonly pool: FramePool,
    private readonly pfc: NeighbourStopper,
  ) {
    this.clock = host.clock;
    this.proxied = tables.uint8('port', 1);
    this.obeyer = new StopObeyer(tables, host, slot, 8, ports);
  }

  configureBridge(
    place: SfcPlace,
    spec: SfcSwitchSpec | null,
    carrier: SfcBridge,
  ): SfcPoint | null {
    if (spec === null) return this.install(place, null);
    const { pool, pfc } = this;
    const counters = new SfcCounters();
    const sender = new SfcSender(spec, place, carrier, this, this, pfc, pool, counters);
    const proxy = new SfcProxyReceiver(place.firstPort, spec, this, this, counters, pfc);
    const point = this.install(place, { counters, sender, proxy, station: null });
    spec.ports.forEach(({ obeys }, p) => {
      this.neighbourTakesPart(place.firstPort + p, obeys);
    });
    return point;
  }

  configureStation(
    place: SfcPlace,
    spec: SfcHostSpec | null,
    carrier: SfcStation,
  ): SfcPoint | null {
    if (spec === null) return this.install(place, null);
    const counters = new SfcCounters();
    const { firstPort } = place;
    const station = new SfcStationReceiver(firstPort, spec, this, counters, carrier, this.obeyer);
    return this.install(place, { counters, sender: null, proxy: null, station });
  }

  /** From now on a station obeys messages itself, or the bridge acts for it if it may. */
  neighbourTakesPart(port: number, obeys: boolean): void {
    const sender = this.points[port]?.sender ?? null;
    if (sender === null) return;
    this.proxied[port] = actsForStation(sender.portSpec(port).proxy, obeys) ? 1 : 0;
  }

  actsFor(port: number): boolean {
    return this.proxied[port] !== 0;
  }

  arm(port: number, timer: number, timePs: number): void {
    this.host.arm(this.slot, port, timer, timePs);
  }

  onTimer(port: number, timer: number): void {
    if (timer < PROCESS_TIMER) {
      this.obeyer.onTimer(port, timer - EXPIRY_TIMER);
      return;
    }
    const point = this.points[port];
    if (timer === CLEANUP_TIMER) point?.sender?.periodicTableCleanup();
    else (point?.station ?? point?.proxy)?.onTimer();
  }

  holdReason(port: number, priority: number): HoldReason | null {
    return this.obeyer.reason(port, priority, this.name);
  }

  heldPs(port: number, priority: number, now: number): number {
    return this.obeyer.heldPs(port, priority, now);
  }

  holdCount(port: number, priority: number): number {
    return this.obeyer.holdCount(port, priority);
  }

  managedValues(port: number): ManagedValue[] {
    const point = this.points[port];
    return point === null ? [] : sfcManagedValues(point.counters);
  }

  private install({ firstPort, macs }: SfcPlace, point: SfcPoint | null): SfcPoint | null {
    macs.forEach((_, p) => {
      this.points[firstPort + p] = point;
    });
    return point;
  }

  // Messages are frames and the neighbour is never asked, so the data path has nothing to tell.

  configurePort(): void {}
  admitted(): void {}
  released(): void {}
  compose(): number {
    return 0;
  }
  receiveControl(): boolean {
    return false;
  }
  stopsSent(): number {
    return 0;
  }
}
