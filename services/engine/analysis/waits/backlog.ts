import { USED } from '../../buffer/shared-buffer.js';
import { hasSharedBuffer, type SwitchSpec } from '../../contract/spec.js';
import type { Device } from '../../device/device.js';
import type { Engine } from '../../device/engine.js';
import { forEachQueuedAt } from '../../device/queued-frames.js';
import { NEXT, PORT, STORED } from '../../frame/frame-pool.js';
import { QUEUED, SENT } from '../../frame/trace-mask.js';
import { QUEUE_FRAMES, QUEUE_OCTETS } from '../../port/queues.js';
import { ChargedGroups } from './charged-group.js';

const GROUPS = 8;

// State of the counts of an egress.

/** Read from its queues on each request. */
const UNKNOWN = 0;
/** So too, although frames are traced: there was no request since. */
const UNASKED = 1;
/** Read once more when a frame is next traced, and counted from then on. */
const WANTED = 2;
const COUNTED = 3;

/** Where octets of an account wait, and whether those of other ports in its group do, too. */
interface Standing {
  readonly egress: number;
  readonly isShared: boolean;
}

/** No frame takes more buffer; one that was just charged is not in its queue yet. */
const MOST_FRAME_OCTETS = 2 ** 14;

/** Tracing a frame in and out costs about as much as reading so many frames. */
const READS_PER_PASS = 16;

/** Usual size of frames on the wire. */
const USUAL_OCTETS = 1500;

/**
 * Octets of a switch by ingress and egress: for each priority group a square of its ports. An
 * egress without requests costs nothing; where fewer frames pass between two requests than would
 * have to be read for each, and where frames are traced anyway, they are counted. The results are
 * equal either way, so it is no state.
 */
export class Backlog {
  private readonly ports: number;
  private readonly groups: ChargedGroups;
  private readonly hasAccounts: boolean;
  /**
   * Whatever an account has in queues is charged to it, under the group of the frames' priority.
   */
  private readonly isBooked: boolean;
  /** By egress: it has accounts of grants. */
  private readonly isAccounted: Uint8Array;
  /** By egress: octets in its queues when they were last compared. */
  private readonly lengths: Int32Array;
  /** Of those, all but at the longest, and the most of them. */
  private elsewhere = 0;
  private second = 0;
  private readonly squares: (Int32Array | null)[] = Array.from({ length: GROUPS }, () => null);
  /** By egress. */
  private readonly frames: Int32Array;
  /** By egress: traced whether there are requests or not. */
  private readonly isKept: Uint8Array;
  /** By egress: time of the last request for the egress with most octets. */
  private readonly askedPs: Float64Array;
  /** By counted egress: frames that it may send before the next request. */
  private readonly patience: Int32Array;
  /** Number of frames that were read for the last request. */
  private reads = 0;

  /** `state`: by egress, state of its counts; not 0 where frames are traced. */
  constructor(
    private readonly engine: Engine,
    private readonly device: Device,
    private readonly state: Uint8Array = new Uint8Array(device.spec.ports.length),
  ) {
    const { spec, place } = device;
    this.ports = spec.ports.length;
    this.groups = new ChargedGroups(engine, device);
    this.isAccounted = Uint8Array.from(spec.ports, ({ grants }) => (grants === null ? 0 : 1));
    this.hasAccounts = hasSharedBuffer(spec);
    const isPlain =
      spec.kind === 'switch' &&
      engine.switching.isolationOf(place) === null &&
      !this.isAccounted.includes(1);
    this.isBooked = this.hasAccounts && isPlain && !sendsCopies(spec);
    this.lengths = new Int32Array(this.ports);
    this.frames = new Int32Array(this.ports);
    this.isKept = new Uint8Array(this.ports);
    this.askedPs = new Float64Array(this.ports);
    this.patience = new Int32Array(this.ports);
  }

  /** An egress is traced from now on, until `letGo`. */
  keep(egress: number): void {
    this.isKept[egress] = 1;
    this.follow(egress, UNASKED);
  }

  letGo(egress: number): void {
    this.isKept[egress] = 0;
    if (this.patience[egress] <= 0) this.cease(egress);
  }

  /** Ends all tracing. */
  close(): void {
    for (let egress = 0; egress < this.ports; egress++) this.cease(egress);
  }

  /** A frame has joined an egress, or (-1) left it. */
  pass(egress: number, frame: number, sign: 1 | -1): void {
    if (this.state[egress] < WANTED) return;
    if (this.state[egress] === COUNTED) this.add(egress, frame, sign);
    else this.read(egress);
    this.state[egress] = COUNTED;
    if (sign < 0) this.patience[egress]--;
    if (this.patience[egress] <= 0 && this.isKept[egress] === 0) this.cease(egress);
  }

  /** Frames are removed from an egress without being sent. */
  disturb(egress: number): void {
    if (this.state[egress] === COUNTED) this.state[egress] = WANTED;
  }

  get(group: number, ingress: number, egress: number): number {
    this.refresh(egress);
    return this.at(group, ingress, egress);
  }

  /** All octets of an account at an egress, or a number that is more than enough. */
  upTo(group: number, ingress: number, egress: number, enough: number): number {
    if (this.state[egress] !== COUNTED && this.isAccounted[egress] === 0) {
      return this.search(group, ingress, egress, enough);
    }
    const octets = this.get(group, ingress, egress);
    this.reads = this.frames[egress];
    return octets;
  }

  /** All octets of an account. */
  total(group: number, ingress: number): number {
    let sum = 0;
    for (let e = 0; e < this.ports; e++) sum += this.get(group, ingress, e);
    return sum;
  }

  /**
   * The egress with most octets of an account, null if none has any; further requests are likely.
   */
  fullest(group: number, ingress: number): Standing | null {
    const longest = this.compare();
    const used = this.usedBy(group, ingress);
    let best = longest;
    // If more of it must be at the longest than there is elsewhere, no frame has to be read.
    if (used - MOST_FRAME_OCTETS - this.elsewhere <= this.second) {
      // So much of it may be at egresses that were not read.
      let rest = this.isBooked ? used : Infinity;
      let most = this.askFor(group, ingress, longest, rest / 2);
      rest -= most;
      for (let e = 0; e < this.ports; e++) {
        // There are no more of one account than of all.
        const limit = e === longest ? 0 : Math.min(this.lengths[e], rest);
        if (limit < most || limit === 0 || (limit === most && e > best)) continue;
        const octets = this.askFor(group, ingress, e, Math.max(most, rest / 2));
        rest -= octets;
        if (octets < most || (octets === most && e > best)) continue;
        most = octets;
        best = e;
      }
      if (most === 0) return null;
    }
    return { egress: best, isShared: this.isShared(group, ingress, best) };
  }

  /** Octets charged to an account, where that is known. */
  private usedBy(group: number, ingress: number): number {
    if (!this.hasAccounts) return 0;
    return this.engine.shared.buffer.get(this.device.firstPort + ingress, group, USED);
  }

  /** Whether frames of a group from other ports wait at an egress. */
  isShared(group: number, ingress: number, egress: number): boolean {
    if (this.state[egress] === COUNTED || this.isAccounted[egress] !== 0) {
      this.refresh(egress);
      return this.inputsAt(group, egress) > (this.at(group, ingress, egress) > 0 ? 1 : 0);
    }
    const { pool, queues } = this.engine.shared;
    const { words } = pool;
    const port = this.device.firstPort + egress;
    const own = this.device.firstPort + ingress;
    for (let classes = queues.ready(port); classes !== 0; classes &= classes - 1) {
      for (let f = queues.head(port, lowest(classes)); f >= 0; f = words[f + NEXT]) {
        const from = words[f + PORT];
        if (from === own) continue;
        if (this.groups.of(f) === group) return true;
      }
    }
    return false;
  }

  /** Compares the egresses, and returns the one with most octets. */
  private compare(): number {
    let best = 0;
    let most = 0;
    let second = 0;
    let sum = 0;
    for (let e = 0; e < this.ports; e++) {
      const octets = this.standing(e, QUEUE_OCTETS);
      this.lengths[e] = octets;
      sum += octets;
      if (octets > most) {
        second = most;
        most = octets;
        best = e;
      } else if (octets > second) second = octets;
    }
    this.elsewhere = sum - most;
    this.second = second;
    return best;
  }

  private askFor(group: number, ingress: number, egress: number, enough: number): number {
    const octets = this.upTo(group, ingress, egress, enough);
    this.weigh(egress);
    return octets;
  }

  /** The same, read from the queues as far as necessary. */
  private search(group: number, ingress: number, egress: number, enough: number): number {
    const { pool, queues } = this.engine.shared;
    const { words } = pool;
    const port = this.device.firstPort + egress;
    const own = this.device.firstPort + ingress;
    let octets = 0;
    this.reads = 0;
    for (let classes = queues.ready(port); classes !== 0; classes &= classes - 1) {
      for (let f = queues.head(port, lowest(classes)); f >= 0; f = words[f + NEXT]) {
        this.reads++;
        if (words[f + PORT] !== own) continue;
        if (this.groups.of(f) !== group) continue;
        octets += words[f + STORED];
        if (octets > enough) return octets;
      }
    }
    return octets;
  }

  /** How many ports have octets of a group at an egress. */
  private inputsAt(group: number, egress: number): number {
    let count = 0;
    for (let i = 0; i < this.ports; i++) if (this.at(group, i, egress) > 0) count++;
    return count;
  }

  /** Whether counting until the next request is cheaper, if that comes as soon as this one. */
  private weigh(egress: number): void {
    const { clock, ports } = this.engine.shared;
    const { now } = clock;
    const framePs = USUAL_OCTETS * ports.octetPs(this.device.firstPort + egress);
    const enough = Math.floor(this.reads / READS_PER_PASS);
    const isCounted = now - this.askedPs[egress] < enough * framePs;
    this.askedPs[egress] = now;
    this.patience[egress] = isCounted ? enough : 0;
    if (isCounted) this.follow(egress, WANTED);
    else if (this.isKept[egress] === 0) this.cease(egress);
  }

  private follow(egress: number, state: number): void {
    const before = this.state[egress];
    if (before < state) this.state[egress] = state;
    if (before === UNKNOWN) this.announce(egress, true);
  }

  private cease(egress: number): void {
    if (this.state[egress] === UNKNOWN) return;
    this.state[egress] = UNKNOWN;
    this.announce(egress, false);
  }

  private announce(egress: number, follows: boolean): void {
    this.engine.follow(this.device.place, egress, QUEUED, follows);
    this.engine.follow(this.device.place, egress, SENT, follows);
  }

  private refresh(egress: number): void {
    if (this.state[egress] === COUNTED) {
      if (this.frames[egress] === this.standing(egress, QUEUE_FRAMES)) return;
      // A frame is just leaving, and will be traced in a moment.
    }
    if (this.state[egress] !== UNKNOWN) this.state[egress] = WANTED;
    this.read(egress);
  }

  /** Frames, or octets, in all queues of an egress. */
  private standing(egress: number, word: number): number {
    const { queues } = this.engine.shared;
    const port = this.device.firstPort + egress;
    let sum = 0;
    // Classes that wait for a grant are not ready.
    let classes = this.isAccounted[egress] !== 0 ? 0xff : queues.ready(port);
    for (; classes !== 0; classes &= classes - 1) {
      sum += queues.get(port, lowest(classes), word);
    }
    return sum;
  }

  private read(egress: number): void {
    const { ports } = this;
    for (const square of this.squares) {
      for (let i = 0; square !== null && i < ports; i++) square[i * ports + egress] = 0;
    }
    this.frames[egress] = 0;
    if (this.isAccounted[egress] !== 0) {
      forEachQueuedAt(this.engine.shared, this.device, egress, (frame) => {
        this.add(egress, frame, 1);
      });
    } else this.readQueues(egress);
  }

  /** The same without lines before the queues: a thousand frames may wait there. */
  private readQueues(egress: number): void {
    const { pool, queues } = this.engine.shared;
    const { words } = pool;
    const { squares } = this;
    const { firstPort } = this.device;
    let frames = 0;
    for (let tc = 0; tc < 8; tc++) {
      for (let f = queues.head(firstPort + egress, tc); f >= 0; f = words[f + NEXT]) {
        const from = words[f + PORT];
        const group = this.groups.of(f);
        const square = squares[group] ?? this.open(group);
        square[(from - firstPort) * this.ports + egress] += words[f + STORED];
        frames++;
      }
    }
    this.frames[egress] = frames;
  }

  private add(egress: number, frame: number, sign: 1 | -1): void {
    const { pool } = this.engine.shared;
    const from = pool.words[frame + PORT];
    const group = this.groups.of(frame);
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

/** Of classes, one bit each. */
function lowest(classes: number): number {
  return 31 - Math.clz32(classes & -classes);
}

/** Whether one frame may wait at several egresses of a switch, charged once. */
function sendsCopies(spec: SwitchSpec): boolean {
  const { forwarding } = spec;
  return forwarding.kind === 'bridged' || forwarding.routes.groupPorts.some((to) => to.length > 1);
}
