import type { TransmitGate } from '../../engine/contract/flow-control.js';
import { isGate } from '../../engine/contract/flow-control.js';
import { MARKINGS } from '../../mechanisms/registry.js';
import { NullProbe } from '../../engine/contract/probe.js';
import type { Engine } from '../../engine/device/engine.js';
import { PRIORITIES } from '../../engine/units/ethernet.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { CLASS, ISOLATED_FLAG, LENGTH, PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import type { Breach } from './breach.js';
import { unbalancedOwn } from './books.js';
import { nextCheckPs } from './check-times.js';
import { LineCheck } from './line-check.js';
import { OrderCheck } from './order-check.js';
import { PauseCheck } from './pause-check.js';
import { ShareCheck } from './share-check.js';

const BUSY_LINE = 'a frame started while the line was busy with another';

/**
 * Checks every frame that starts against the mechanisms that hold priorities (grants hold frames
 * and not priorities, and its ledger is checked instead; isolation holds a queue for the frame
 * behind the one that leaves, and order is checked instead), and against a separate record of
 * received pauses. Checks the shares of classes, and the order of every frame that arrives.
 */
export class HoldCheck extends NullProbe {
  /** The first violation. */
  breach: Breach | null = null;
  private readonly gates: readonly TransmitGate[];
  private readonly pauses: PauseCheck;
  private readonly order: OrderCheck;
  private readonly shares: ShareCheck;
  private readonly lines: LineCheck;
  /** By device: time of its last event. */
  private readonly lastPs: Float64Array;
  private booksDueAt = 0;

  /** `isWhole`: no device of the fabric is in another partition. */
  constructor(
    private readonly engine: Engine,
    isWhole = false,
  ) {
    super();
    const gates = engine.mechanisms.filter(isGate);
    this.gates = gates.filter((gate) => gate.books === undefined && gate.holdsQueues !== true);
    this.pauses = new PauseCheck(engine);
    this.order = new OrderCheck(engine, isWhole);
    this.shares = new ShareCheck(engine);
    this.lines = new LineCheck(engine);
    this.lastPs = new Float64Array(engine.devices.length);
  }

  override frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
    trafficClass: number,
    eligible: number,
  ): void {
    const priority = this.pausedBy(device, pool.words[frame + CLASS]!);
    const number = this.engine.devices[device]!.firstPort + port;
    this.checkTime(device, port, now, priority);
    if (!this.lines.frameStarts(number, now, pool.words[frame + LENGTH]!)) {
      this.note(BUSY_LINE, device, port, now, priority);
    }
    const stoppers = this.stoppersOf(device, priority, trafficClass);
    for (let rest = stoppers; rest !== 0; rest &= rest - 1) {
      const stopper = 31 - Math.clz32(rest & -rest);
      if (this.gates.some((gate) => gate.holdReason(number, stopper) !== null)) {
        this.note('a frame started while its priority was paused', device, port, now, priority);
      } else if (this.pauses.forbids(number, stopper, now)) {
        this.note('a frame started before its pause was over', device, port, now, priority);
      }
    }
    const { shares } = this;
    const unfair = shares.sent(device, number, pool, frame, trafficClass, eligible);
    if (unfair !== null) this.note(unfair, device, port, now, priority);
  }

  override frameSentAgain(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const number = this.engine.devices[device]!.firstPort + port;
    if (this.lines.frameStarts(number, now, pool.words[frame + LENGTH]!)) return;
    this.note(BUSY_LINE, device, port, now, pool.words[frame + CLASS]! & PRIORITY_MASK);
  }

  override controlSent(device: number, port: number, now: number, octets: Uint8Array): void {
    const number = this.engine.devices[device]!.firstPort + port;
    if (this.lines.controlStarts(number, now, octets.length)) return;
    this.note(BUSY_LINE, device, port, now, null);
  }

  override nicGranted(
    device: number,
    now: number,
    arbiter: number,
    party: number,
    octets: number,
    eligible: number,
  ): void {
    const unfair = this.shares.granted(device, arbiter, party, octets, eligible);
    if (unfair !== null) this.note(unfair, device, 0, now, null);
  }

  /**
   * Priorities whose pause holds a frame, one bit each: its own, or where a fault has changed the
   * table of a NIC those that its class is stopped for there.
   */
  private stoppersOf(device: number, priority: number, trafficClass: number): number {
    const table = this.engine.hosting.wrongMap(device);
    if (table === null) return 1 << priority;
    let stoppers = 0;
    for (let up = 0; up < PRIORITIES; up++) {
      if (((table >> (3 * up)) & 7) === trafficClass) stoppers |= 1 << up;
    }
    return stoppers;
  }

  /** The priority whose pause holds a frame: a congesting queue has one of its own. */
  private pausedBy(device: number, frameClass: number): number {
    if ((frameClass & ISOLATED_FLAG) === 0) return frameClass & PRIORITY_MASK;
    return this.engine.switching.isolationOf(device)!.priority;
  }

  override controlReceived(device: number, port: number, now: number, octets: Uint8Array): void {
    const { firstPort, spec } = this.engine.devices[device]!;
    // Behind a wire a pause is for the real host, which obeys it or not.
    if (spec.ports[port]!.live?.isWire === true) return;
    this.pauses.received(firstPort + port, now, octets);
  }

  override frameReceived(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const priority = pool.words[frame + CLASS]! & PRIORITY_MASK;
    this.checkTime(device, port, now, priority);
    if (this.order.isOvertaken(device, pool, frame)) {
      this.note('a frame was overtaken by a later one of its flow', device, port, now, priority);
    }
  }

  override frameMarked(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const frameClass = pool.words[frame + CLASS]!;
    for (const { marking } of MARKINGS) {
      const broken = marking.brokenOf(frameClass);
      if (broken !== null) this.note(broken, device, port, now, frameClass & PRIORITY_MASK);
    }
  }

  override frameDiscarded(device: number, port: number): void {
    this.shares.discarded(this.engine.devices[device]!.firstPort + port);
  }

  override grantShort(
    device: number,
    port: number,
    _now: number,
    priority: number,
    channel: number,
    short: boolean,
  ): void {
    if (!short) return;
    this.shares.lacksGrants(this.engine.devices[device]!.firstPort + port, priority, channel);
  }

  override frameDropped(): void {
    this.order.lost();
  }

  /** Between two windows: ledgers of the first devices alone, of a run in parts. */
  lookAtBooks(nowPs: number, devices: number): void {
    if (nowPs < this.booksDueAt) return;
    this.booksDueAt = nextCheckPs(nowPs);
    this.breach ??= unbalancedOwn(this.engine, devices, nowPs);
  }

  /** The run continues from a saved state, without a record of earlier losses. */
  restored(): void {
    this.order.lost();
    this.shares.restored();
    this.lines.restored();
  }

  private checkTime(device: number, port: number, now: number, priority: number): void {
    if (now < this.lastPs[device]!) {
      this.note('virtual time ran back', device, port, now, priority);
    }
    this.lastPs[device] = now;
  }

  private note(
    reason: string,
    device: number,
    port: number,
    timePs: number,
    priority: number | null,
  ): void {
    this.breach ??= { reason, timePs, device, port, priority };
  }
}
