import { DROP_REASONS, NullProbe } from '../../../engine/contract/probe.js';
import type { Engine } from '../../../engine/device/engine.js';
import type { FramePool } from '../../../engine/frame/frame-pool.js';
import {
  CARRIES_FLAG,
  CLASS,
  CONNECTION,
  DEI_FLAG,
  dscpOf,
  ECN_MASK,
  ECN_SHIFT,
  GROUP_FLAG,
  HASH,
  ISOLATED_FLAG,
  KIND_ACK,
  KIND_CUT,
  KIND_CUT_LAST,
  KIND_DATA,
  KIND_MASK,
  KIND_NAK,
  KIND_RAW,
  LENGTH,
  POISONED_FLAG,
  PRIORITY_MASK,
  REMAINING,
  SEQUENCE,
  SOURCE,
  TARGET,
  VLAN,
} from '../../../engine/frame/frame-pool.js';
import type { FrameKind, WireEvent, WireFrame } from '../../../oracle/record.js';

const KINDS: ReadonlyMap<number, FrameKind> = new Map([
  [KIND_RAW, 'raw'],
  [KIND_DATA, 'data'],
  [KIND_ACK, 'ack'],
  [KIND_NAK, 'nak'],
  [KIND_CUT, 'cut'],
  [KIND_CUT_LAST, 'cut'],
]);

/** Collects what is on the wires for the oracle: between two windows, by device in order. */
export class WireRecord extends NullProbe {
  private events: WireEvent[] = [];

  constructor(private readonly engine: Engine) {
    super();
  }

  /** What has happened since; of all devices by time, and of each in its order. */
  take(): readonly WireEvent[] {
    const { events } = this;
    this.events = [];
    // The sort is stable, and events of one device are in order.
    return events.sort((a, b) => a.atPs - b.atPs);
  }

  override frameSent(
    device: number,
    port: number,
    atPs: number,
    pool: FramePool,
    frame: number,
    trafficClass: number,
    eligible: number,
  ): void {
    const own = this.frameOf(pool, frame);
    this.events.push({ kind: 'start', device, port, atPs, frame: own, trafficClass, eligible });
  }

  override frameSentAgain(
    device: number,
    port: number,
    atPs: number,
    pool: FramePool,
    frame: number,
    number: number,
  ): void {
    const own = this.frameOf(pool, frame);
    this.events.push({ kind: 'again', device, port, atPs, frame: own, number });
  }

  override frameReceived(
    device: number,
    port: number,
    atPs: number,
    pool: FramePool,
    frame: number,
  ): void {
    this.events.push({ kind: 'arrival', device, port, atPs, frame: this.frameOf(pool, frame) });
  }

  override frameRejected(
    device: number,
    port: number,
    atPs: number,
    pool: FramePool,
    frame: number,
    why: number,
  ): void {
    const own = this.frameOf(pool, frame);
    const reason = DROP_REASONS[why]!;
    this.events.push({ kind: 'rejected', device, port, atPs, frame: own, reason });
  }

  override frameQueued(
    device: number,
    ingress: number,
    port: number,
    atPs: number,
    pool: FramePool,
    frame: number,
  ): void {
    const own = this.frameOf(pool, frame);
    this.events.push({ kind: 'queued', device, port, atPs, ingress, frame: own });
  }

  override frameDropped(
    device: number,
    port: number,
    atPs: number,
    pool: FramePool,
    frame: number,
    why: number,
  ): void {
    const own = this.frameOf(pool, frame);
    const reason = DROP_REASONS[why]!;
    this.events.push({ kind: 'dropped', device, port, atPs, frame: own, reason });
  }

  override frameDiscarded(
    device: number,
    port: number,
    atPs: number,
    pool: FramePool,
    frame: number,
  ): void {
    this.events.push({ kind: 'discarded', device, port, atPs, frame: this.frameOf(pool, frame) });
  }

  override controlSent(device: number, port: number, atPs: number, octets: Uint8Array): void {
    this.events.push({ kind: 'control', device, port, atPs, octets: octets.slice() });
  }

  override tagSent(device: number, port: number, atPs: number, octets: Uint8Array): void {
    this.events.push({ kind: 'tag', device, port, atPs, octets: octets.slice() });
  }

  override controlReceived(device: number, port: number, atPs: number, octets: Uint8Array): void {
    this.events.push({ kind: 'effect', device, port, atPs, octets: octets.slice() });
  }

  override watchdogActed(
    device: number,
    port: number,
    atPs: number,
    priority: number,
    isOn: boolean,
  ): void {
    this.events.push({ kind: 'watchdog', device, port, atPs, priority, isOn });
  }

  private frameOf(pool: FramePool, frame: number): WireFrame {
    const { words, ends } = pool;
    const frameClass = words[frame + CLASS]!;
    const carries = (frameClass & CARRIES_FLAG) !== 0 && pool.carried(frame) >= 0;
    return {
      kind: KINDS.get(frameClass & KIND_MASK) ?? 'notice',
      octets: words[frame + LENGTH]!,
      priority: frameClass & PRIORITY_MASK,
      dei: (frameClass & DEI_FLAG) !== 0,
      dscp: dscpOf(frameClass),
      ecn: (frameClass & ECN_MASK) >> ECN_SHIFT,
      isGroup: (frameClass & GROUP_FLAG) !== 0,
      isIsolated: (frameClass & ISOLATED_FLAG) !== 0,
      isPoisoned: (frameClass & POISONED_FLAG) !== 0,
      hash: words[frame + HASH]!,
      target: words[frame + TARGET]!,
      source: ends[frame + SOURCE]!,
      connection: ends[frame + CONNECTION]!,
      sequence: words[frame + SEQUENCE]!,
      remaining: ends[frame + REMAINING]!,
      vlan: ends[frame + VLAN]!,
      flowId: pool.flowId(frame),
      bornPs: pool.released(frame),
      payload: carries ? this.engine.controlPayloads.octets(frame).slice() : null,
    };
  }
}
