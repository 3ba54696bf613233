/** What a duel tells that results do not: control octets, and how fast a source reacts. */

import { DeafProbe } from '../engine/contract/probe.js';
import type { Engine } from '../engine/device/engine.js';
import {
  CARRIES_FLAG,
  CLASS,
  type FramePool,
  KIND_MASK,
  KIND_NOTICE,
  LENGTH,
  PRIORITY_MASK,
} from '../engine/frame/frame-pool.js';
import { QUEUE_OCTETS } from '../engine/port/queues.js';
import { FRAME_OCTETS_MIN } from '../engine/units/octets.js';
import { TELEMETRY_OCTETS } from '../engine/wire/telemetry.js';

/** From here on a queue of a switch is congested, whatever the contenders think of it. */
export const CONGESTED_OCTETS = 30_000;
const FCS_OCTETS = 4;

/** Listens to a run; it changes nothing. */
export class DuelWatch extends DeafProbe {
  /** Of control frames and messages on every wire that they cross, and of telemetry. */
  controlOctets = 0;
  private congestedPs = Infinity;
  private reactedPs = Infinity;

  constructor(private readonly engine: Engine) {
    super();
    engine.listen(this);
  }

  /**
   * From when a queue was congested until a source was stopped, or told to be slower; null if none
   * ever was.
   */
  get reactionPs(): number | null {
    const { congestedPs, reactedPs } = this;
    return reactedPs === Infinity ? null : Math.max(0, reactedPs - congestedPs);
  }

  override controlSent(_device: number, _port: number, _now: number, octets: Uint8Array): void {
    this.controlOctets += Math.max(FRAME_OCTETS_MIN, octets.length + FCS_OCTETS);
  }

  override frameSent(
    _d: number,
    _port: number,
    _now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const frameClass = pool.words[frame + CLASS]!;
    if ((frameClass & CARRIES_FLAG) === 0) return;
    const isNotice = (frameClass & KIND_MASK) === KIND_NOTICE;
    this.controlOctets += isNotice ? pool.words[frame + LENGTH]! : TELEMETRY_OCTETS;
  }

  override frameQueued(
    device: number,
    _ingress: number,
    egress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if (this.congestedPs !== Infinity || this.isHost(device)) return;
    const { ports, queues } = this.engine.shared;
    const port = this.engine.devices[device]!.firstPort + egress;
    const trafficClass = ports.classOf(port, pool.words[frame + CLASS]! & PRIORITY_MASK);
    const octets = queues.get(port, trafficClass, QUEUE_OCTETS);
    if (octets >= CONGESTED_OCTETS) this.congestedPs = now;
  }

  override heldChanged(device: number, _port: number, now: number, priorities: number): void {
    if (priorities !== 0) this.react(device, now);
  }

  override creditShort(
    device: number,
    _port: number,
    now: number,
    _priority: number,
    _channel: number,
    short: boolean,
  ): void {
    if (short) this.react(device, now);
  }

  override frameReceived(
    device: number,
    _port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if ((pool.words[frame + CLASS]! & KIND_MASK) === KIND_NOTICE) this.react(device, now);
  }

  private react(device: number, now: number): void {
    if (this.reactedPs === Infinity && this.isHost(device)) this.reactedPs = now;
  }

  private isHost(device: number): boolean {
    return this.engine.devices[device]!.spec.kind === 'host';
  }
}
