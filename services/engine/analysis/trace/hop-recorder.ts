import type { Engine } from '../../device/engine.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, FOLLOWED_FLAG, KIND_ACK, KIND_MASK, KIND_NAK } from '../../frame/frame-pool.js';
import { RECEIVED } from '../../frame/heed.js';
import { LogRecorder } from '../log-recorder.js';
import type { SamplingSpec } from './frame-sampler.js';
import { FrameSampler, nameOf } from './frame-sampler.js';
import { HOP_END, HopLog } from './hop-log.js';

/** A frame that took long, as its receiver saw it. */
export interface SlowFrame {
  readonly frame: string;
  readonly latencyPs: number;
}

/** What one device has seen of the frames that are followed. */
export class DeviceHops {
  readonly hops = new HopLog();
  /** The slowest that came to this host, the slowest first. */
  readonly slowest: SlowFrame[] = [];
  readonly dropped: string[] = [];
  omitted = 0;
}

/** Enough for a person, and for a collector. */
const MOST_HOPS = 200_000;
const MOST_DROPPED = 1000;

const NONE = -1;

/**
 * Follows sampled frames from device to device, each of which writes down its own part. They are
 * chosen where they are made, and marked: a port tells of what is marked, and nobody else is asked.
 */
export class HopRecorder extends LogRecorder<DeviceHops> {
  private readonly sampler: FrameSampler;
  private readonly isHost: readonly boolean[];

  constructor(
    engine: Engine,
    private readonly spec: SamplingSpec,
  ) {
    super(engine, () => new DeviceHops());
    this.sampler = new FrameSampler(spec);
    this.isHost = engine.devices.map((device) => device.spec.kind === 'host');
    engine.sample(this.sampler.share);
    if (spec.slowest > 0) followHosts(engine);
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
    if (!isFollowed(pool, frame)) return;
    const row = this.begin(device, port, now, pool, frame);
    if (row !== NONE && isHere) this.log(device).hops.leave(row, HOP_END.DELIVERED, now);
  }

  override frameKept(device: number, now: number, pool: FramePool, frame: number): void {
    if (!isFollowed(pool, frame)) return;
    const { hops } = this.log(device);
    const row = hops.justEnded(now, pool, frame);
    if (row !== NONE) hops.keep(row);
  }

  override frameTaken(device: number, now: number, pool: FramePool, frame: number): void {
    const { hops } = this.log(device);
    const row = hops.findKept(pool, frame);
    if (row !== NONE) hops.leave(row, HOP_END.DELIVERED, now);
  }

  override frameQueued(
    device: number,
    ingress: number,
    egress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if (this.isHost[device]) this.choose(device, egress, now, pool, frame);
    if (this.isHost[device] || !isFollowed(pool, frame)) return;
    const { hops } = this.log(device);
    // A copy beyond the first one came in together with it.
    const known = hops.findUnqueued(ingress, pool, frame);
    const row = known === NONE ? this.begin(device, ingress, now, pool, frame) : known;
    if (row !== NONE) hops.queue(row, egress, now);
  }

  override frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if (!isFollowed(pool, frame)) return;
    const { hops } = this.log(device);
    const row = hops.findQueued(port, pool, frame);
    if (row !== NONE) hops.leave(row, HOP_END.SENT, now);
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
    if (!isFollowed(pool, frame)) return;
    // A host takes everything in, and then finds that it is not the one.
    const ended = this.isHost[device] ? own.hops.justEnded(now, pool, frame) : NONE;
    const row = ended === NONE ? own.hops.findUnqueued(port, pool, frame) : ended;
    if (row === NONE) return;
    if (ended === NONE) own.hops.leave(row, HOP_END.DROPPED, now);
    own.hops.setDropped(row, reason);
  }

  /** Whether what a host has made is followed. */
  private choose(
    device: number,
    egress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if (!this.sampler.takes(pool, frame)) return;
    const row = this.begin(device, NONE, now, pool, frame);
    if (row === NONE) return;
    this.engine.followFrame(frame);
    this.log(device).hops.queue(row, egress, now);
  }

  private begin(
    device: number,
    ingress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): number {
    const own = this.log(device);
    if (own.hops.count < MOST_HOPS) return own.hops.begin(ingress, now, pool, frame);
    own.omitted++;
    return NONE;
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

function isFollowed({ words }: FramePool, frame: number): boolean {
  return (words[frame + CLASS] & FOLLOWED_FLAG) !== 0;
}

/** Whoever notes the slowest frames has to see all that arrive. */
function followHosts(engine: Engine): void {
  engine.devices.forEach(({ spec }, device) => {
    if (spec.kind !== 'host') return;
    spec.ports.forEach((_, port) => {
      engine.follow(device, port, RECEIVED, true);
    });
  });
}
