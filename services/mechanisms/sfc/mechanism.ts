import { field } from '../../engine/kernel/fields.js';
import { SHAPE } from '../../engine/kernel/kinds.js';
import type { OperatingPort } from '../../engine/contract/discovery.js';
import type { HoldReason, ManagedValue } from '../../engine/contract/flow-control.js';
import type {
  DevicePlace,
  HostCarrier,
  MechanismTools,
  SliceMechanism,
  SwitchCarrier,
} from '../../engine/contract/slice.js';
import { EXPIRY_TIMER, PauseResponder } from '../../engine/quanta/pause-responder.js';
import type { SfcEdges, SfcTimers } from './carrier.js';
import { CLEANUP_TIMER, PROCESS_TIMER } from './carrier.js';
import { actsForStation } from './machine.js';
import { SfcCounters, sfcManagedValues } from './managed.js';
import type { SfcPoint } from './point.js';
import { SfcProxyReceiver } from './proxy.js';
import { SfcBridgePoint, SfcStationPoint } from './roles.js';
import { SfcSender } from './sender.js';
import type { SfcHostSpec, SfcSwitchSpec } from './spec.js';
import { SfcStationReceiver } from './station.js';
import type { PortRow, Priority, TrafficClass } from '../../engine/units/indices.js';

/**
 * P802.1Qdw: a congested queue requests the sources of its frames to pause for a time. Stations
 * pause by themselves, or the bridge at their link pauses them by PFC.
 */
export class SfcMechanism
  implements SliceMechanism<SfcSwitchSpec, SfcHostSpec>, SfcTimers, SfcEdges
{
  readonly name = 'sfc';
  readonly holdsForTimes = true;
  readonly clock: { readonly now: number };
  /** Pauses of a station's own sending. */
  private readonly responder: PauseResponder;
  /** By port. */
  private readonly points: (SfcPoint | null)[] = [];
  /** By port: 1 where the bridge is a proxy for the station. */
  private readonly proxied: Uint8Array;

  constructor(private readonly tools: MechanismTools) {
    const { tables, host, slot, ports } = tools;
    this.clock = host.clock;
    this.proxied = tables.uint8('port', field('proxied', SHAPE));
    this.responder = new PauseResponder(tables, host, slot, 8, ports);
  }

  atSwitch(
    place: DevicePlace,
    spec: SfcSwitchSpec | undefined,
    carrier: SwitchCarrier,
  ): SfcBridgePoint | null {
    if (spec === undefined) return this.install(place, null);
    const { pool } = this.tools;
    const counters = new SfcCounters();
    const parts = { carrier, timers: this, edges: this, pool, counters };
    const sender = new SfcSender(spec, place, parts);
    const proxy = new SfcProxyReceiver(place.firstPort, spec, parts);
    const point = this.install(place, new SfcBridgePoint(counters, sender, proxy));
    spec.ports.forEach(({ responds }, p) => {
      this.stationPauses(place.firstPort + p, responds);
    });
    return point;
  }

  atHost(
    place: DevicePlace,
    spec: SfcHostSpec | undefined,
    carrier: HostCarrier,
  ): SfcStationPoint | null {
    if (spec === undefined) return this.install(place, null);
    const counters = new SfcCounters();
    const parts = { carrier, timers: this, responder: this.responder, counters };
    const station = new SfcStationReceiver(place.firstPort, spec, parts);
    return this.install(place, new SfcStationPoint(counters, station));
  }

  operate(port: PortRow, { advertised }: OperatingPort): void {
    this.stationPauses(port, advertised.sourceFlowControl?.responds === true);
  }

  /** From now on a station pauses itself, or the bridge is its proxy if it may. */
  stationPauses(port: PortRow, byItself: boolean): void {
    const sender = this.points[port]?.sender ?? null;
    if (sender === null) return;
    this.proxied[port] = actsForStation(sender.portSpec(port).proxy, byItself) ? 1 : 0;
  }

  actsFor(port: PortRow): boolean {
    return this.proxied[port] !== 0;
  }

  arm(port: PortRow, timer: number, timePs: number): void {
    const { host, slot } = this.tools;
    host.arm(slot, port, timer, timePs);
  }

  announce(port: PortRow, priority: Priority, queueMac: number): void {
    const { host } = this.tools;
    if (host.hasListeners[0] !== 0) host.announceNotice(port, priority, queueMac);
  }

  announceQueue(port: PortRow, trafficClass: TrafficClass, priority: Priority): void {
    const { host } = this.tools;
    if (host.hasListeners[0] !== 0) host.announceQueue(port, trafficClass, priority);
  }

  onTimer(port: PortRow, timer: number): void {
    if (timer < PROCESS_TIMER) {
      this.responder.onTimer(port, timer - EXPIRY_TIMER);
      return;
    }
    const point = this.points[port];
    if (timer === CLEANUP_TIMER) point?.sender?.periodicTableCleanup();
    else (point?.station ?? point?.proxy)?.onTimer();
  }

  holdReason(port: PortRow, priority: Priority): HoldReason | null {
    return this.responder.reason(port, priority, this.name);
  }

  blockedPs(port: PortRow, priority: Priority, now: number): number {
    return this.responder.blockedPs(port, priority, now);
  }

  holdCount(port: PortRow, priority: Priority): number {
    return this.responder.holdCount(port, priority);
  }

  managedValues(port: PortRow): ManagedValue[] {
    const point = this.points[port];
    return point === null ? [] : sfcManagedValues(point.counters);
  }

  private install<Point extends SfcPoint | null>({ firstPort, ports }: DevicePlace, point: Point) {
    ports.forEach((_, p) => {
      this.points[firstPort + p] = point;
    });
    return point;
  }
}
