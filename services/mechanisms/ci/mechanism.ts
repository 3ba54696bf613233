import { field } from '../../engine/kernel/fields.js';
import { SHAPE } from '../../engine/kernel/kinds.js';
import type { OperatingPort } from '../../engine/contract/discovery.js';
import type { HoldReason, ManagedValue } from '../../engine/contract/flow-control.js';
import type {
  DevicePlace,
  MechanismTools,
  SliceMechanism,
  SwitchCarrier,
} from '../../engine/contract/slice.js';
import type { CiGate } from './carrier.js';
import { blockedAlong } from './machine.js';
import { ciManagedValues } from './managed.js';
import { CiPoint } from './point.js';
import type { CiSwitchSpec } from './spec.js';
import type { PortRow, Priority } from '../../engine/units/indices.js';

const CLEANUP_TIMER = 0;

/** 802.1Qcz: congesting flows wait in a queue of their own, here and at the upstream bridge. */
export class CiMechanism implements SliceMechanism<CiSwitchSpec>, CiGate {
  readonly name = 'ci';
  readonly holdsQueues = true;
  /** By port. */
  private readonly points: (CiPoint | null)[] = [];
  /** By port: the congesting priority if it is blocked to keep the order of frames, one bit. */
  private readonly blocked: Uint8Array;
  /** By port: 1 where the link partner is known to process CIMs. */
  private readonly peers: Uint8Array;

  constructor(private readonly tools: MechanismTools) {
    this.blocked = tools.tables.uint8('port', field('blocked classes', SHAPE));
    this.peers = tools.tables.uint8('port', field('peers', SHAPE));
  }

  atSwitch(
    place: DevicePlace,
    spec: CiSwitchSpec | undefined,
    carrier: SwitchCarrier,
  ): CiPoint | null {
    const { pool, ports } = this.tools;
    const point = spec === undefined ? null : new CiPoint(spec, place, carrier, this, pool);
    place.ports.forEach(({ classOf }, p) => {
      const port = place.firstPort + p;
      this.points[port] = point;
      this.peers[port] = spec?.ports[p].isPeer === true ? 1 : 0;
      if (spec !== undefined) ports.holdAlong(port, ...blockedAlong(classOf, spec, p));
    });
    return point;
  }

  operate(port: PortRow, { advertised }: OperatingPort): void {
    const queueMap = advertised.congestionIsolation?.queueMap ?? [];
    this.peerIsolates(
      port,
      queueMap.some((entry) => entry > 0),
    );
  }

  /** Where it does not, isolated flows remain so until they are uncongested; none is added. */
  peerIsolates(port: PortRow, isolatesFlows: boolean): void {
    this.peers[port] = isolatesFlows ? 1 : 0;
  }

  holdCongesting(port: PortRow, priority: Priority, blocked: boolean): void {
    const mask = blocked ? 1 << priority : 0;
    if (mask === this.blocked[port]) return;
    this.blocked[port] = mask;
    const { host, slot } = this.tools;
    host.hold(slot, port, mask);
  }

  isHolding(port: PortRow, priority: Priority): boolean {
    return (this.blocked[port] & (1 << priority)) !== 0;
  }

  isPeer(port: PortRow): boolean {
    return this.peers[port] !== 0;
  }

  armCleanup(port: PortRow, timePs: number): void {
    const { host, slot } = this.tools;
    host.arm(slot, port, CLEANUP_TIMER, timePs);
  }

  onTimer(port: PortRow): void {
    this.points[port]?.periodicTableCleanup();
  }

  /**
   * A hold that keeps the order is short, and not caused by the link partner: it is not counted.
   */
  holdReason(port: PortRow, priority: Priority): HoldReason | null {
    if ((this.blocked[port] & (1 << priority)) === 0) return null;
    return { mechanism: this.name, untilPs: Infinity, sincePs: null };
  }

  managedValues(port: PortRow): ManagedValue[] {
    const point = this.points[port] ?? null;
    return point === null ? [] : ciManagedValues(point.counters);
  }
}
