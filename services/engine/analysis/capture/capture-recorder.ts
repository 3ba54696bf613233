import type { Engine } from '../../device/engine.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, isMarked, KIND_MASK, KIND_NOTICE } from '../../frame/frame-pool.js';
import { RECEIVED, SENT } from '../../frame/trace-mask.js';
import { LogRecorder } from '../log-recorder.js';
import { nameOf } from '../trace/frame-sampler.js';
import { CE_TAG_OCTETS, isCeTagged } from '../../wire/ce-tag.js';
import type { CaptureSpec } from './capture-filter.js';
import { isOrderedSet, passesControl, passesFrame } from './capture-filter.js';
import { CaptureLog, SEEN_IN, SEEN_INSIDE, SEEN_OUT } from './capture-log.js';
import { ETHERTYPE_AT } from '../../wire/ethernet.js';

const NONE = -1;

interface RidingTag {
  readonly timePs: number;
  /** Its row, if it was recorded as a frame; -1: it was not. */
  readonly row: number;
  readonly octets: Uint8Array;
}

/**
 * Records frames that pass captured ports, as fields: headers are composed when the run is over.
 * Devices without such a port have no probe.
 */
export class CaptureRecorder extends LogRecorder<CaptureLog> {
  /** By port of the service. */
  private readonly isWanted: Uint8Array;
  private readonly firstPort: Int32Array;
  /** The last received frame: if it is dropped in the same event, its row says so. */
  private cameIn = { device: NONE, port: NONE, timePs: NONE, row: NONE };
  /** The row of the last frame that was sent. */
  private wentOut = NONE;
  /** By port of the service: the last CE-Tag received, just before the frame that carries it. */
  private readonly tags: (RidingTag | undefined)[] = [];

  constructor(
    engine: Engine,
    private readonly spec: CaptureSpec,
  ) {
    super(engine, (ports) => new CaptureLog(ports));
    this.isWanted = new Uint8Array(engine.shared.ports.count);
    this.firstPort = Int32Array.from(engine.devices, (device) => device.firstPort);
    spec.ports.forEach((ports, d) => {
      for (const port of ports) {
        this.isWanted[this.firstPort[d] + port] = 1;
        engine.follow(d, port, RECEIVED, true);
        engine.follow(d, port, SENT, true);
      }
    });
  }

  /** Devices with captured ports. */
  capturedDevices(): number[] {
    return [...this.spec.ports.keys()].filter((d) => this.spec.ports[d].length > 0);
  }

  override frameReceived(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    const number = this.firstPort[device] + port;
    if (this.isWanted[number] === 0) return;
    const { cameIn } = this;
    const tag = this.tags[number];
    const isTagged = tag?.timePs === now;
    const own = isTagged ? tag.row : NONE;
    const isWanted = this.passes(pool, frame);
    const row = isWanted ? this.addFrame(device, port, now, SEEN_IN, pool, frame, own) : NONE;
    if (isTagged && row !== NONE) this.putTag(device, row, tag.octets);
    cameIn.device = device;
    cameIn.port = port;
    cameIn.timePs = now;
    cameIn.row = row;
  }

  override frameSent(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if (this.isWanted[this.firstPort[device] + port] === 0) return;
    const isWanted = this.passes(pool, frame);
    const row = isWanted ? this.addFrame(device, port, now, SEEN_OUT, pool, frame) : NONE;
    this.wentOut = row;
    if (this.wasMarked(device, port, pool, frame) && row !== NONE) this.log(device).setMarked(row);
  }

  override frameSentAgain(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
    number: number,
  ): void {
    if (this.isWanted[this.firstPort[device] + port] === 0) return;
    if (!this.passes(pool, frame)) return;
    const row = this.addFrame(device, port, now, SEEN_OUT, pool, frame);
    if (row !== NONE) this.log(device).setSentAgain(row, number);
  }

  override frameRejected(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
    reason: number,
  ): void {
    if (this.isWanted[this.firstPort[device] + port] === 0) return;
    if (!this.passes(pool, frame)) return;
    const row = this.addFrame(device, port, now, SEEN_IN, pool, frame);
    if (row !== NONE) this.log(device).setDropped(row, reason);
  }

  override frameMarked(
    device: number,
    port: number,
    _now: number,
    pool: FramePool,
    frame: number,
  ): void {
    if (this.isWanted[this.firstPort[device] + port] === 0) return;
    this.log(device).marked.push(markName(port, pool, frame));
  }

  override frameDropped(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
    reason: number,
  ): void {
    if (this.isWanted[this.firstPort[device] + port] === 0) return;
    const { cameIn } = this;
    const log = this.log(device);
    const isJustIn = cameIn.device === device && cameIn.port === port && cameIn.timePs === now;
    const row = isJustIn
      ? cameIn.row
      : this.passes(pool, frame)
        ? this.addFrame(device, port, now, SEEN_INSIDE, pool, frame)
        : NONE;
    if (row !== NONE) log.setDropped(row, reason);
    this.wasMarked(device, port, pool, frame);
  }

  override controlSent(device: number, port: number, now: number, octets: Uint8Array): void {
    this.addControl(device, port, now, SEEN_OUT, octets);
  }

  override tagSent(device: number, port: number, now: number, octets: Uint8Array): void {
    if (this.isWanted[this.firstPort[device] + port] === 0) return;
    if (this.wentOut === NONE) this.addControl(device, port, now, SEEN_OUT, octets);
    else
      this.putTag(
        device,
        this.wentOut,
        octets.subarray(ETHERTYPE_AT, ETHERTYPE_AT + CE_TAG_OCTETS),
      );
  }

  override controlReceived(device: number, port: number, now: number, octets: Uint8Array): void {
    if (this.isWanted[this.firstPort[device] + port] === 0) return;
    const row = this.addControl(device, port, now, SEEN_IN, octets);
    if (!isCeTagged(octets, octets.length)) return;
    const tag = octets.slice(ETHERTYPE_AT, ETHERTYPE_AT + CE_TAG_OCTETS);
    this.tags[this.firstPort[device] + port] = { timePs: now, row, octets: tag };
  }

  /** The row; -1 where it does not match, or there are too many. */
  private addControl(
    device: number,
    port: number,
    now: number,
    seen: number,
    octets: Uint8Array,
  ): number {
    if (this.isWanted[this.firstPort[device] + port] === 0) return NONE;
    if (!passesControl(this.spec.filters, octets)) return NONE;
    const log = this.log(device);
    // Ordered sets are frequent, and leave frames their room.
    if (!this.hasRoom(log, isOrderedSet(octets) ? log.setCounts : log.counts, port)) return NONE;
    return log.addControl(now, port, seen, octets);
  }

  private passes(pool: FramePool, frame: number): boolean {
    const octets = (): Uint8Array => this.engine.controlPayloads.octets(frame);
    return passesFrame(this.spec.filters, pool, frame, octets);
  }

  /** A tag follows the addresses of its frame, whose other octets are known for a notice. */
  private putTag(device: number, row: number, tag: Uint8Array): void {
    const log = this.log(device);
    const { octets } = log.read(row);
    const whole = new Uint8Array(octets.length + tag.length);
    whole.set(octets.subarray(0, ETHERTYPE_AT));
    whole.set(tag, Math.min(ETHERTYPE_AT, octets.length));
    whole.set(
      octets.subarray(ETHERTYPE_AT),
      whole.length - Math.max(0, octets.length - ETHERTYPE_AT),
    );
    log.setOctets(row, whole);
  }

  /** The row (`own`: one that it has already); -1 where there are too many. */
  private addFrame(
    device: number,
    port: number,
    now: number,
    seen: number,
    pool: FramePool,
    frame: number,
    own = NONE,
  ): number {
    const log = this.log(device);
    if (own !== NONE) log.becomeFrame(own, pool, frame);
    else if (!this.hasRoom(log, log.counts, port)) return NONE;
    const row = own === NONE ? log.addFrame(now, port, seen, pool, frame) : own;
    if ((pool.words[frame + CLASS] & KIND_MASK) === KIND_NOTICE) {
      log.setOctets(row, this.engine.controlPayloads.octets(frame));
    }
    return row;
  }

  private hasRoom(log: CaptureLog, counts: readonly number[], port: number): boolean {
    if (counts[port] < this.spec.frames) return true;
    log.omitted++;
    return false;
  }

  /** Whether this device marked the frame; it leaves now. */
  private wasMarked(device: number, port: number, pool: FramePool, frame: number): boolean {
    const { marked } = this.log(device);
    if (marked.length === 0 || !isMarked(pool.words[frame + CLASS])) return false;
    const at = marked.indexOf(markName(port, pool, frame));
    if (at >= 0) marked.splice(at, 1);
    return at >= 0;
  }
}

/** Copies of one frame wait at several ports. */
function markName(port: number, pool: FramePool, frame: number): string {
  return `${port} ${nameOf(pool, frame)}`;
}
