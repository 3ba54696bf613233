import type { Device } from '../../device/device.js';
import type { Engine } from '../../device/engine.js';
import { forEachQueuedAt } from '../../device/queued-frames.js';
import { CLASS, PORT, PRIORITY_MASK, STORED } from '../../frame/frame-pool.js';

const GROUPS = 8;

// How well the octets of an egress are known.

/** They are read from its queues whenever somebody asks. */
const UNKNOWN = 0;
/** They are read once more when a frame is next told of, and counted from then on. */
const WANTED = 1;
const COUNTED = 2;

/** Frames that are rather read again and again than counted as they come and go. */
const SHORT_QUEUE = 8;
const LONG_QUEUE = 32;

/**
 * Octets of a switch by where they came in and where they wait: for each priority group a square
 * of its ports. An egress that nobody asks about costs nothing; what passes a long queue that
 * somebody asked about, or one that he has to be told of anyway, is counted. What is said is the
 * same either way, so it is no state.
 */
export class Backlog {
  private readonly ports: number;
  private readonly squares: (Int32Array | null)[] = Array.from({ length: GROUPS }, () => null);
  /** By egress. */
  private readonly state: Uint8Array;
  private readonly frames: Int32Array;
  /** By egress: told of whatever its length. */
  private readonly isKept: Uint8Array;

  constructor(
    private readonly engine: Engine,
    private readonly device: Device,
  ) {
    this.ports = device.spec.ports.length;
    this.state = new Uint8Array(this.ports);
    this.frames = new Int32Array(this.ports);
    this.isKept = new Uint8Array(this.ports);
  }

  /** Whether frames of an egress are told of. */
  isFollowed(egress: number): boolean {
    return this.state[egress] !== UNKNOWN;
  }

  /** An egress is told of from now on, until it is let go. */
  keep(egress: number): void {
    this.isKept[egress] = 1;
    this.follow(egress);
  }

  letGo(egress: number): void {
    this.isKept[egress] = 0;
    if (this.frames[egress] < SHORT_QUEUE) this.cease(egress);
  }

  /** Nothing is told of any more. */
  close(): void {
    for (let egress = 0; egress < this.ports; egress++) this.cease(egress);
  }

  /** A frame has joined an egress, or (-1) left it. */
  pass(egress: number, frame: number, sign: 1 | -1): void {
    if (this.state[egress] === COUNTED) this.add(egress, frame, sign);
    else this.read(egress);
    this.state[egress] = COUNTED;
    if (this.frames[egress] < SHORT_QUEUE && this.isKept[egress] === 0) this.cease(egress);
  }

  /** Frames are taken out of an egress that will not be sent. */
  disturb(egress: number): void {
    if (this.state[egress] === COUNTED) this.state[egress] = WANTED;
  }

  get(group: number, ingress: number, egress: number): number {
    this.refresh(egress);
    return this.at(group, ingress, egress);
  }

  /** Of an account: all that it holds. */
  total(group: number, ingress: number): number {
    let sum = 0;
    for (let e = 0; e < this.ports; e++) sum += this.get(group, ingress, e);
    return sum;
  }

  /** The egress where most of an account's octets stand, -1 if none do; it may be asked again. */
  fullest(group: number, ingress: number): number {
    let best = -1;
    let most = 0;
    for (let e = 0; e < this.ports; e++) {
      const octets = this.get(group, ingress, e);
      if (this.frames[e] >= LONG_QUEUE) this.follow(e);
      if (octets <= most) continue;
      most = octets;
      best = e;
    }
    return best;
  }

  /** How many ports have octets of a group at an egress. */
  inputs(group: number, egress: number): number {
    this.refresh(egress);
    let count = 0;
    for (let i = 0; i < this.ports; i++) if (this.at(group, i, egress) > 0) count++;
    return count;
  }

  private follow(egress: number): void {
    if (this.state[egress] !== UNKNOWN) return;
    this.state[egress] = WANTED;
    this.engine.follow(this.device.place, egress, true);
  }

  private cease(egress: number): void {
    if (this.state[egress] === UNKNOWN) return;
    this.state[egress] = UNKNOWN;
    this.engine.follow(this.device.place, egress, false);
  }

  private refresh(egress: number): void {
    if (this.state[egress] !== COUNTED) this.read(egress);
  }

  private read(egress: number): void {
    const { ports } = this;
    for (const square of this.squares) {
      for (let i = 0; square !== null && i < ports; i++) square[i * ports + egress] = 0;
    }
    this.frames[egress] = 0;
    forEachQueuedAt(this.engine.shared, this.device, egress, (frame) => {
      this.add(egress, frame, 1);
    });
  }

  private add(egress: number, frame: number, sign: 1 | -1): void {
    const { pool, ports } = this.engine.shared;
    const from = pool.words[frame + PORT];
    const group = ports.groupOf(from, pool.words[frame + CLASS] & PRIORITY_MASK);
    const square = this.squares[group] ?? this.open(group);
    const ingress = from - this.device.firstPort;
    square[ingress * this.ports + egress] += sign * pool.words[frame + STORED];
    this.frames[egress] += sign;
  }

  private at(group: number, ingress: number, egress: number): number {
    return this.squares[group]?.[ingress * this.ports + egress] ?? 0;
  }

  private open(group: number): Int32Array {
    const square = new Int32Array(this.ports * this.ports);
    this.squares[group] = square;
    return square;
  }
}
