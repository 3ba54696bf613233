import type { TransmitGate } from '../../engine/contract/flow-control.js';
import { isGate } from '../../engine/contract/flow-control.js';
import { markedFrameIsCe } from '../../mechanisms/ecn/invariants.js';
import { DeafProbe } from '../../engine/contract/probe.js';
import type { Engine } from '../../engine/device/engine.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { CLASS, ISOLATED_FLAG, PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import type { Breach } from './breach.js';
import { unbalancedOwn } from './books.js';
import { nextLookPs } from './look-times.js';
import { OrderCheck } from './order-check.js';
import { PauseCheck } from './pause-check.js';
import { ShareCheck } from './share-check.js';

/**
 * Sees every frame that starts, and asks whether it was allowed to: the mechanisms that hold
 * priorities (credit holds frames and not priorities, and its books are balanced instead; isolation
 * holds a queue for the frame behind the one that goes, and order is looked at instead), and a book
 * of what neighbours asked for. Sees whether classes get their shares. Sees every frame that
 * comes, and whether it comes in its order.
 */
export class HoldCheck extends DeafProbe {
  /** The first that should not have been. */
  breach: Breach | null = null;
  private readonly gates: readonly TransmitGate[];
  private readonly pauses: PauseCheck;
  private readonly order: OrderCheck;
  private readonly shares: ShareCheck;
  /** By device: when it last did anything. */
  private readonly lastPs: Float64Array;
  private booksDueAt = 0;

  /** `isWhole`: no device of the fabric is elsewhere. */
  constructor(
    private readonly engine: Engine,
    isWhole = false,
  ) {
    super();
    const { credit } = engine;
    const gates = engine.mechanisms.filter(isGate);
    this.gates = gates.filter((gate) => gate !== credit && gate.holdsQueues !== true);
    this.pauses = new PauseCheck(engine);
    this.order = new OrderCheck(engine, isWhole);
    this.shares = new ShareCheck(engine);
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
    const priority = this.stoppedBy(device, pool.words[frame + CLASS]!);
    const number = this.engine.devices[device]!.firstPort + port;
    this.checkTime(device, port, now, priority);
    if (this.gates.some((gate) => gate.holdReason(number, priority) !== null)) {
      this.note('a frame started while its priority was paused', device, port, now, priority);
    } else if (this.pauses.forbids(number, priority, now)) {
      this.note('a frame started before its pause was over', device, port, now, priority);
    }
    const { shares } = this;
    const unfair = shares.sent(device, number, pool, frame, trafficClass, eligible);
    if (unfair !== null) this.note(unfair, device, port, now, priority);
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

  /** The priority whose stop holds a frame: a congesting queue has one of its own. */
  private stoppedBy(device: number, frameClass: number): number {
    if ((frameClass & ISOLATED_FLAG) === 0) return frameClass & PRIORITY_MASK;
    return this.engine.switching.isolationOf(device)!.priority;
  }

  override controlReceived(device: number, port: number, now: number, octets: Uint8Array): void {
    this.pauses.heard(this.engine.devices[device]!.firstPort + port, now, octets);
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
    if (markedFrameIsCe(frameClass)) return;
    this.note('ecn: markedFrameIsCe', device, port, now, frameClass & PRIORITY_MASK);
  }

  override frameDiscarded(device: number, port: number): void {
    this.shares.discarded(this.engine.devices[device]!.firstPort + port);
  }

  override creditShort(
    device: number,
    port: number,
    _now: number,
    priority: number,
    channel: number,
    short: boolean,
  ): void {
    if (!short) return;
    this.shares.lacksCredit(this.engine.devices[device]!.firstPort + port, priority, channel);
  }

  override frameDropped(): void {
    this.order.lost();
  }

  /** Between two windows: what belongs to the first devices alone, of a run in parts. */
  lookAtBooks(nowPs: number, devices: number): void {
    if (nowPs < this.booksDueAt) return;
    this.booksDueAt = nextLookPs(nowPs);
    this.breach ??= unbalancedOwn(this.engine, devices, nowPs);
  }

  /** The run goes on from a saved state, and nobody says what was lost before. */
  restored(): void {
    this.order.lost();
    this.shares.restored();
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
