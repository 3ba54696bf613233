import type { Engine } from '../../device/engine.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, KIND_ACK, KIND_MASK, KIND_NAK, LENGTH } from '../../frame/frame-pool.js';
import { LogRecorder } from '../log-recorder.js';
import type { SamplingSpec } from './frame-sampler.js';
import { FrameSampler, nameOf, placeOf } from './frame-sampler.js';

/** How a frame's stay at a device ended, or that it has not. */
export type HopEnd = 'inside' | 'sent' | 'delivered' | 'dropped';

/** A followed frame at one device. Ports are as the device counts them, -1 for none; times ps. */
export interface HopRecord {
  readonly frame: string;
  /** When its payload was ready to be sent. */
  readonly bornPs: number;
  readonly octets: number;
  readonly frameClass: number;
  readonly ingress: number;
  /** When it could be dealt with here; where it was made, when it joined the queue. */
  readonly arrivedPs: number;
  queuedPs: number;
  egress: number;
  end: HopEnd;
  /** When it started on the wire, was delivered or was dropped. */
  endPs: number;
  reason: number;
}

/** A frame that took long, as its receiver saw it. */
export interface SlowFrame {
  readonly frame: string;
  readonly latencyPs: number;
}

/** What one device has seen of the frames that are followed. */
export class DeviceHops {
  readonly hops: HopRecord[] = [];
  /** Places in `hops` of frames that are inside, the oldest first. */
  inside: number[] = [];
  /** The slowest that came to this host, the slowest first. */
  slowest: SlowFrame[] = [];
  readonly dropped: string[] = [];
  omitted = 0;
}

/** Enough for a person, and for a collector. */
const MOST_HOPS = 200_000;
const MOST_DROPPED = 1000;

/** Follows sampled frames from device to device, each of which writes down its own part. */
export class HopRecorder extends LogRecorder<DeviceHops> {
  private readonly sampler: FrameSampler;
  private readonly isHost: readonly boolean[];

  constructor(
    engine: Engine,
    private readonly spec: SamplingSpec,
  ) {
    super(engine, () => new DeviceHops());
    if (spec.slowest > 0) followHosts(engine);
    this.sampler = new FrameSampler(spec);
    this.isHost = engine.devices.map((device) => device.spec.kind === 'host');
  }

  /** No frame beyond this share by dice is followed. */
  get share(): number {
    return this.sampler.share;
  }

  override frameReceived(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const isHere = this.isHost[device];
    if (isHere && this.spec.slowest > 0) this.noteSlow(device, now, pool, frame);
    if (!this.sampler.takes(pool, frame)) return;
    const hop = this.begin(device, port, now, pool, frame);
    if (hop === null || !isHere) return;
    hop.end = 'delivered';
    hop.endPs = now;
    this.log(device).inside.pop();
  }

  override frameKept(device: number, now: number, pool: FramePool, frame: number): void {
    if (!this.sampler.takes(pool, frame)) return;
    const own = this.log(device);
    const hop = justTaken(own, now, pool, frame);
    if (hop === null) return;
    hop.end = 'inside';
    hop.endPs = Infinity;
    own.inside.push(own.hops.length - 1);
  }

  override frameTaken(device: number, now: number, pool: FramePool, frame: number): void {
    const { hops, inside } = this.log(device);
    if (inside.length === 0) return;
    const place = ` ${placeOf(pool, frame)}`;
    const at = inside.find((i) => hops[i].ingress >= 0 && hops[i].frame.endsWith(place));
    if (at !== undefined) this.leave(device, hops[at], 'delivered', now);
  }

  override frameQueued(
    device: number,
    ingress: number,
    egress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    // What a switch has came in before; what a host sends was made there.
    if (!this.isHost[device] && this.log(device).inside.length === 0) return;
    if (!this.sampler.takes(pool, frame)) return;
    const from = this.isHost[device] ? -1 : ingress;
    // A copy beyond the first one came in together with it.
    const hop =
      this.find(device, pool, frame, (h) => h.egress < 0 && h.ingress === from) ??
      this.begin(device, from, now, pool, frame);
    if (hop === null) return;
    hop.queuedPs = now;
    hop.egress = egress;
  }

  override frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if (this.log(device).inside.length === 0 || !this.sampler.takes(pool, frame)) return;
    const hop = this.find(device, pool, frame, (h) => h.egress === port);
    if (hop !== null) this.leave(device, hop, 'sent', now);
  }

  override frameDropped(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
    reason: number,
  ): void {
    const own = this.log(device);
    if (this.spec.dropped && own.dropped.length < MOST_DROPPED) {
      own.dropped.push(nameOf(pool, frame));
    }
    if (!this.sampler.takes(pool, frame)) return;
    // A host takes everything in, and then finds that it is not the one.
    const taken = this.isHost[device] ? justTaken(own, now, pool, frame) : null;
    const hop = taken ?? this.find(device, pool, frame, (h) => h.egress < 0 && h.ingress === port);
    if (hop === null) return;
    hop.reason = reason;
    this.leave(device, hop, 'dropped', now);
  }

  private begin(
    device: number,
    ingress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): HopRecord | null {
    const own = this.log(device);
    if (own.hops.length >= MOST_HOPS) {
      own.omitted++;
      return null;
    }
    const hop: HopRecord = {
      frame: nameOf(pool, frame),
      bornPs: pool.born(frame),
      octets: pool.words[frame + LENGTH],
      frameClass: pool.words[frame + CLASS],
      ingress,
      arrivedPs: now,
      queuedPs: now,
      egress: -1,
      end: 'inside',
      endPs: Infinity,
      reason: -1,
    };
    own.inside.push(own.hops.length);
    own.hops.push(hop);
    return hop;
  }

  private find(
    device: number,
    pool: FramePool,
    frame: number,
    fits: (hop: HopRecord) => boolean,
  ): HopRecord | null {
    const { hops, inside } = this.log(device);
    if (inside.length === 0) return null;
    const name = nameOf(pool, frame);
    const at = inside.find((i) => fits(hops[i]) && hops[i].frame === name);
    return at === undefined ? null : hops[at];
  }

  private leave(device: number, hop: HopRecord, end: HopEnd, now: number): void {
    const own = this.log(device);
    hop.end = end;
    hop.endPs = now;
    own.inside = own.inside.filter((i) => own.hops[i] !== hop);
  }

  private noteSlow(device: number, now: number, pool: FramePool, frame: number): void {
    const kind = pool.words[frame + CLASS] & KIND_MASK;
    if (kind === KIND_ACK || kind === KIND_NAK) return;
    const latencyPs = now - pool.born(frame);
    const { slowest } = this.log(device);
    const { length } = slowest;
    if (length === this.spec.slowest && latencyPs <= slowest[length - 1].latencyPs) return;
    let at = length;
    while (at > 0 && slowest[at - 1].latencyPs < latencyPs) at--;
    slowest.splice(at, 0, { frame: nameOf(pool, frame), latencyPs });
    if (slowest.length > this.spec.slowest) slowest.pop();
  }
}

function justTaken(
  { hops }: DeviceHops,
  now: number,
  pool: FramePool,
  frame: number,
): HopRecord | null {
  const last = hops[hops.length - 1];
  return last?.endPs === now && last.frame === nameOf(pool, frame) ? last : null;
}

/** Whoever notes the slowest frames has to see all that arrive. */
function followHosts(engine: Engine): void {
  engine.devices.forEach(({ spec }, device) => {
    if (spec.kind !== 'host') return;
    spec.ports.forEach((_, port) => {
      engine.follow(device, port, true);
    });
  });
}
