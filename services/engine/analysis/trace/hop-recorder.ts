import { NullProbe } from '../../contract/probe.js';
import type { Engine } from '../../device/engine.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, FOLLOWED_FLAG, KIND_ACK, KIND_MASK, KIND_NAK } from '../../frame/frame-pool.js';
import { RECEIVED } from '../../frame/trace-mask.js';
import type { Plain } from '../../kernel/snapshot.js';
import { restore, save } from '../../kernel/snapshot.js';
import { HoldLog } from '../waits/hold-log.js';
import type { WaitRecorder } from '../waits/wait-recorder.js';
import type { HoldTime } from '../waits/wait-records.js';
import type { SamplingSpec } from './frame-sampler.js';
import { FrameSampler, nameOf } from './frame-sampler.js';
import type { Hops } from './hop-log.js';
import { HOP_END, HopLog } from './hop-log.js';

/** A frame with a long flight time, as its receiver saw it. */
export interface SlowFrame {
  readonly frame: string;
  readonly latencyPs: number;
}

/** Hops of traced frames at devices. */
export interface SeenHops {
  readonly hops: Hops;
  /** By device: holds that may have delayed them. */
  readonly holds: readonly (readonly HoldTime[])[];
  /** The slowest frames that a host received, the slowest first. */
  readonly slowest: readonly SlowFrame[];
  readonly dropped: readonly string[];
  /** Hops beyond the limit. */
  readonly omitted: number;
}

const NO_ROWS: Hops = { count: 0, words: new Int32Array(0), times: new Float64Array(0) };

export const NO_HOPS: SeenHops = {
  hops: NO_ROWS,
  holds: [],
  slowest: [],
  dropped: [],
  omitted: 0,
};

/** Rare records, by device. */
class Notes {
  slowest: SlowFrame[] = [];
  dropped: string[] = [];
  omitted = 0;
}

/** Enough for a report, and for a collector. */
export const MOST_HOPS = 200_000;
const MOST_DROPPED = 1000;

const NONE = -1;

/**
 * Traces sampled frames from device to device, each of which records its own hops. Frames are
 * sampled and marked where they are created: ports report marked frames only.
 */
export class HopRecorder extends NullProbe {
  private readonly sampler: FrameSampler;
  private readonly isHost: readonly boolean[];
  private readonly hops: HopLog;
  /** By device, unless another recorder stores holds anyway. */
  private readonly holds: HoldLog[];
  private readonly notes: Notes[];

  constructor(
    private readonly engine: Engine,
    private readonly spec: SamplingSpec,
    /** Has all holds; null: none does. */
    private readonly waits: WaitRecorder | null,
  ) {
    super();
    this.sampler = new FrameSampler(spec, engine.shared.pool);
    this.hops = new HopLog(engine.devices.length);
    this.holds = waits === null ? engine.devices.map((device) => new HoldLog(engine, device)) : [];
    this.notes = engine.devices.map(() => new Notes());
    this.isHost = engine.devices.map((device) => device.spec.kind === 'host');
    engine.sample(this.sampler.share);
    if (spec.slowest > 0) followHosts(engine);
  }

  seen(): SeenHops {
    const { engine, notes, holds, waits } = this;
    const omitted = [...notes, ...holds.map(({ table }) => table)];
    return {
      hops: this.hops.all(),
      holds: engine.devices.map((_, d) => waits?.holdTimes(d) ?? holds[d].all()),
      slowest: notes.flatMap(({ slowest }) => slowest),
      dropped: notes.flatMap(({ dropped }) => dropped),
      omitted: omitted.reduce((sum, { omitted: more }) => sum + more, 0),
    };
  }

  save(device: number): Plain {
    const { hops, holds, notes } = this;
    const inside = hops.insideOf(device);
    const own = { holds: holds[device] ?? null, notes: notes[device] };
    return save({ hops: hops.hopsOf(device), inside, ...own });
  }

  /** Continues from saved records; null: from none. */
  restore(device: number, saved: Plain | null): void {
    const notes = new Notes();
    const { engine, waits } = this;
    const holds = waits === null ? new HoldLog(engine, engine.devices[device]) : null;
    const seen = { hops: { ...NO_ROWS }, inside: [], holds, notes };
    if (saved !== null) restore(seen, saved);
    this.hops.replace(device, seen.hops, seen.inside);
    if (holds !== null) this.holds[device] = seen.holds ?? holds;
    this.notes[device] = notes;
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
    if (!isFollowed(pool, frame) || this.isFull(device)) return;
    const row = this.hops.begin(device, port, now, pool, frame);
    if (isHere) this.hops.leave(device, row, HOP_END.DELIVERED, now);
  }

  override frameKept(device: number, now: number, pool: FramePool, frame: number): void {
    if (!isFollowed(pool, frame)) return;
    const row = this.hops.justEnded(device, now, pool, frame);
    if (row !== NONE) this.hops.keep(device, row);
  }

  override frameTaken(device: number, now: number, pool: FramePool, frame: number): void {
    const row = this.hops.findKept(device, pool, frame);
    if (row !== NONE) this.hops.leave(device, row, HOP_END.DELIVERED, now);
  }

  override frameQueued(
    device: number,
    ingress: number,
    egress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if (!isFollowed(pool, frame)) return;
    if (this.isHost[device]) {
      this.choose(device, egress, now, pool, frame);
      return;
    }
    let row = this.hops.findUnqueued(device, ingress, pool, frame);
    if (row === NONE) {
      // A copy beyond the first one was received together with it.
      if (this.isFull(device)) return;
      row = this.hops.begin(device, ingress, now, pool, frame);
    }
    this.hops.queue(row, egress, now);
  }

  override frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if (!isFollowed(pool, frame)) return;
    const row = this.hops.findQueued(device, port, pool, frame);
    if (row !== NONE) this.hops.leave(device, row, HOP_END.SENT, now);
  }

  override frameDropped(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
    reason: number,
  ): void {
    const { dropped } = this.notes[device];
    if (this.spec.dropped && dropped.length < MOST_DROPPED) dropped.push(nameOf(pool, frame));
    if (!isFollowed(pool, frame)) return;
    const { hops } = this;
    // A host receives everything, and then drops frames that are not addressed to it.
    const ended = this.isHost[device] ? hops.justEnded(device, now, pool, frame) : NONE;
    const row = ended === NONE ? hops.findUnqueued(device, port, pool, frame) : ended;
    if (row === NONE) return;
    if (ended === NONE) hops.leave(device, row, HOP_END.DROPPED, now);
    hops.setDropped(row, reason);
  }

  override blockedChanged(device: number, port: number, now: number, priorities: number): void {
    if (this.waits === null) this.holds[device].change(port, now, priorities);
  }

  override grantShort(
    device: number,
    port: number,
    now: number,
    priority: number,
    channel: number,
    short: boolean,
  ): void {
    if (this.waits !== null) return;
    this.holds[device].changeAccount(port, now, priority, channel, short);
  }

  /** Whether a sampled frame of a host continues to be traced. */
  private choose(
    device: number,
    egress: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if (!this.sampler.takes(frame) || this.isFull(device)) {
      this.engine.forgetFrame(frame);
      return;
    }
    this.hops.queue(this.hops.begin(device, NONE, now, pool, frame), egress, now);
  }

  /** There is no room for one more hop of a device; this is counted. */
  private isFull(device: number): boolean {
    if (this.hops.countOf(device) < MOST_HOPS) return false;
    this.notes[device].omitted++;
    return true;
  }

  private noteSlow(device: number, now: number, pool: FramePool, frame: number): void {
    const kind = pool.words[frame + CLASS] & KIND_MASK;
    if (kind === KIND_ACK || kind === KIND_NAK) return;
    const latencyPs = now - pool.born(frame);
    const { slowest } = this.notes[device];
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

/** To record the slowest frames, all that arrive have to be traced. */
function followHosts(engine: Engine): void {
  engine.devices.forEach(({ spec }, device) => {
    if (spec.kind !== 'host') return;
    spec.ports.forEach((_, port) => {
      engine.follow(device, port, RECEIVED, true);
    });
  });
}
