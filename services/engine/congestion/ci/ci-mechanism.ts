import type {
  HoldReason,
  ManagedValue,
  Mechanism,
  MechanismHost,
  NeighbourClient,
} from '../../contract/flow-control.js';
import type { CiSwitchSpec } from '../../contract/spec.js';
import type { FramePool } from '../../frame/frame-pool.js';
import type { Tables } from '../../kernel/tables.js';
import type { CiBridge, CiGate } from './ci-carrier.js';
import { ciManagedValues } from './ci-managed.js';
import type { CiPlace } from './ci-point.js';
import { CiPoint } from './ci-point.js';

const CLEANUP_TIMER = 0;

/** 802.1Qcz: congesting flows wait in a queue of their own, here and at the neighbour before. */
export class CiMechanism implements Mechanism, NeighbourClient, CiGate {
  readonly name = 'ci';
  /** By port. */
  private readonly points: (CiPoint | null)[] = [];
  /** By port: the congesting priority if it is held for the order of frames, one bit. */
  private readonly held: Uint8Array;
  /** By port: 1 where the neighbour is known to take CIMs. */
  private readonly peers: Uint8Array;

  constructor(
    tables: Tables,
    private readonly host: MechanismHost,
    private readonly slot: number,
    private readonly pool: FramePool,
  ) {
    this.held = tables.uint8('port', 1);
    this.peers = tables.uint8('port', 1);
  }

  configureBridge(place: CiPlace, spec: CiSwitchSpec | null, carrier: CiBridge): CiPoint | null {
    const point = spec === null ? null : new CiPoint(spec, place, carrier, this, this.pool);
    place.macs.forEach((_, p) => {
      this.points[place.firstPort + p] = point;
      this.peers[place.firstPort + p] = spec?.ports[p].isPeer === true ? 1 : 0;
    });
    return point;
  }

  holdCongesting(port: number, priority: number, held: boolean): void {
    const mask = held ? 1 << priority : 0;
    if (mask === this.held[port]) return;
    this.held[port] = mask;
    this.host.hold(this.slot, port, mask);
  }

  /** What is isolated stays so until it congests no longer; nothing is added for a stranger. */
  neighbourTakesPart(port: number, takesCims: boolean): void {
    this.peers[port] = takesCims ? 1 : 0;
  }

  isPeer(port: number): boolean {
    return this.peers[port] !== 0;
  }

  armCleanup(port: number, timePs: number): void {
    this.host.arm(this.slot, port, CLEANUP_TIMER, timePs);
  }

  onTimer(port: number): void {
    this.points[port]?.periodicTableCleanup();
  }

  holdReason(port: number, priority: number): HoldReason | null {
    if ((this.held[port] & (1 << priority)) === 0) return null;
    return { mechanism: this.name, untilPs: Infinity, sincePs: null };
  }

  managedValues(port: number): ManagedValue[] {
    const point = this.points[port] ?? null;
    return point === null ? [] : ciManagedValues(point.counters);
  }

  // A hold for the sake of order is short and nobody's fault; messages are frames like others.

  heldPs(): number {
    return 0;
  }
  holdCount(): number {
    return 0;
  }
  stopsSent(): number {
    return 0;
  }
  configurePort(): void {}
  admitted(): void {}
  released(): void {}
  compose(): number {
    return 0;
  }
  receiveControl(): boolean {
    return false;
  }
}
