import type { Engine } from '../../device/engine.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, KIND_ACK, KIND_MASK, KIND_NAK } from '../../frame/frame-pool.js';
import type { Passing } from '../../frame/heed.js';
import { QUEUED, RECEIVED, SENT } from '../../frame/heed.js';
import type { Plain } from '../../kernel/snapshot.js';
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
 * Follows sampled frames from device to device, each of which writes down its own part. Frames are
 * told apart by dice where they come in or are made; from there on a device is told only while one
 * is inside, and by the ports where one waits.
 */
export class HopRecorder extends LogRecorder<DeviceHops> {
  private readonly sampler: FrameSampler;
  private readonly isHost: readonly boolean[];
  private readonly firstPort: Int32Array;
  /** By port of the service: followed frames that wait there. */
  private readonly waiting: Uint32Array;

  constructor(
    engine: Engine,
    private readonly spec: SamplingSpec,
  ) {
    super(engine, () => new DeviceHops());
    if (spec.slowest > 0) followHosts(engine);
    this.sampler = new FrameSampler(spec);
    this.isHost = engine.devices.map((device) => device.spec.kind === 'host');
    this.firstPort = Int32Array.from(engine.devices, (device) => device.firstPort);
    this.waiting = new Uint32Array(engine.shared.ports.count);
    this.isHost.forEach((isHost, device) => {
      this.sample(device, RECEIVED, true);
      if (isHost) this.sample(device, QUEUED, true);
    });
  }

  /** Goes on from what was saved, with those that are inside by it. */
  override restore(device: number, saved: Plain | null): void {
    super.restore(device, saved);
    const first = this.firstPort[device];
    const { hops } = this.log(device);
    this.waiting.fill(0, first, first + this.engine.devices[device].spec.ports.length);
    this.sample(device, SENT, false);
    if (!this.isHost[device]) this.sample(device, QUEUED, hops.insideCount > 0);
    for (const egress of hops.egresses()) this.awaitAt(device, egress);
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
    const row = this.begin(device, port, now, pool, frame);
    if (row !== NONE && isHere) this.log(device).hops.leave(row, HOP_END.DELIVERED, now);
  }

  override frameKept(device: number, now: number, pool: FramePool, frame: number): void {
    if (!this.sampler.takes(pool, frame)) return;
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
    const { hops } = this.log(device);
    // What a switch has came in before; what a host sends was made there.
    if (!this.isHost[device] && hops.insideCount === 0) return;
    if (!this.sampler.takes(pool, frame)) return;
    const from = this.isHost[device] ? NONE : ingress;
    // A copy beyond the first one came in together with it.
    const known = hops.findUnqueued(from, pool, frame);
    const row = known === NONE ? this.begin(device, from, now, pool, frame) : known;
    if (row === NONE) return;
    hops.queue(row, egress, now);
    this.awaitAt(device, egress);
  }

  override frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const number = this.firstPort[device] + port;
    if (this.waiting[number] === 0 || !this.sampler.takes(pool, frame)) return;
    const row = this.log(device).hops.findQueued(port, pool, frame);
    if (row === NONE) return;
    this.leave(device, row, HOP_END.SENT, now);
    if (--this.waiting[number] === 0) this.engine.sample(device, port, SENT, 0);
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
    const ended = this.isHost[device] ? own.hops.justEnded(now, pool, frame) : NONE;
    const row = ended === NONE ? own.hops.findUnqueued(port, pool, frame) : ended;
    if (row === NONE) return;
    if (ended === NONE) this.leave(device, row, HOP_END.DROPPED, now);
    own.hops.setDropped(row, reason);
  }

  private begin(
    device: number,
    ingress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): number {
    const own = this.log(device);
    if (own.hops.count >= MOST_HOPS) {
      own.omitted++;
      return NONE;
    }
    const isFirst = own.hops.insideCount === 0;
    if (isFirst && !this.isHost[device]) this.sample(device, QUEUED, true);
    return own.hops.begin(ingress, now, pool, frame);
  }

  private leave(device: number, row: number, end: number, now: number): void {
    const { hops } = this.log(device);
    hops.leave(row, end, now);
    if (hops.insideCount === 0 && !this.isHost[device]) this.sample(device, QUEUED, false);
  }

  /** A followed frame waits at a port. */
  private awaitAt(device: number, egress: number): void {
    if (this.waiting[this.firstPort[device] + egress]++ > 0) return;
    this.engine.sample(device, egress, SENT, this.sampler.share);
  }

  private sample(device: number, passing: Passing, isWanted: boolean): void {
    const share = isWanted ? this.sampler.share : 0;
    this.engine.devices[device].spec.ports.forEach((_, port) => {
      this.engine.sample(device, port, passing, share);
    });
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

/** Whoever notes the slowest frames has to see all that arrive. */
function followHosts(engine: Engine): void {
  engine.devices.forEach(({ spec }, device) => {
    if (spec.kind !== 'host') return;
    spec.ports.forEach((_, port) => {
      engine.follow(device, port, RECEIVED, true);
    });
  });
}
