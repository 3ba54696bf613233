import type { Engine } from '../../device/engine.js';
import type { Device } from '../../device/device.js';
import {
  CLASS,
  CONNECTION,
  type FramePool,
  KIND_ACK,
  KIND_MASK,
  KIND_NAK,
  LENGTH,
  NEXT,
  PORT as FRAME_PORT,
  PRIORITY_MASK,
  SOURCE,
  TARGET,
} from '../../frame/frame-pool.js';
import { TX_FRAMES, TX_OCTETS } from '../../port/counters.js';
import { QUEUE_FRAMES, QUEUE_OCTETS } from '../../port/queues.js';
import { PRIORITIES, WIRE_OVERHEAD_OCTETS } from '../../units/ethernet.js';
import type { PortRow } from '../../units/indices.js';
import { RecordTable } from '../record-table.js';
import type { HoldBook } from './hold-book.js';
import { priorityOfQueue } from './slot-waits.js';
import type { FlowShare, QueueRecord } from './wait-records.js';
import { assert } from '../../kernel/assert.js';

/** From so much of its link's time on a queue is congested: 30 kB at 100 Gb/s. */
export const CONGESTED_PS = 2.4e6;

/** A queue that is so much shorter than it has been, two frames or so, has ceased to grow. */
const FALLS_OCTETS = 2500;

/** Some frames, however slow the link is. */
export const LEAST_OCTETS = 5000;

// Numbers of a record.

const PORT = 0;
const QUEUE = 1;
const PRIORITY = 2;
const START = 3;
const END = 4;
const FRAME_TIME = 5;
const BLOCKED = 6;
const INGRESS = 7;
const IS_SHARED = 8;
/** Octets of the frames that were sampled. */
const SAMPLED = 9;
/** When it became long, for how long it grew from then on, and was blocked in that time. */
const LONG = 10;
const GREW = 11;
const GREW_BLOCKED = 12;
/** Octets that joined it in that time, and that its port sent of other classes. */
const JOINED = 13;
const OTHERS_SENT = 14;
const WIDTH = 15;

// Numbers of a share of a record: where it is among records, and what its frames have in common.

const OF = 0;
const FROM = 1;
const TO = 2;
const AT = 3;
const IS_ANSWER = 4;
const OCTETS = 5;
/** Of these, those of flows whose place it took. */
const OTHERS = 6;
const SHARE_WIDTH = 7;

/** Flows that are kept of a queue; see `sample`. */
const MOST_FLOWS = 16;

/** One frame in 8 to 23 is looked at, so that flows that take turns are sampled alike. */
const LEAST_STEP = 8;
const STEP_MASK = 15;
/** While it grows one in 2 to 5 is: that is over soon, and tells what it comes of. */
const GROWTH_MASK = 3;
const MULTIPLIER = 1103515245;
const INCREMENT = 12345;

/** A queue that is long now. */
class Standing {
  row = -1;
  priority = 0;
  /** Classes of its frames by their priorities, one bit each. */
  classes = 0;
  lastPs = 0;
  lastFrames = 0;
  lastOctets = 0;
  /** Time for which its priority had been blocked when it began, and at the last frame. */
  blockedBefore = 0;
  blockedUntil = 0;
  random = 1;
  /** Frames to pass over before the next one is looked at, when it was saved. */
  left = 0;
  /** It has not become shorter yet. */
  grows = false;
  peakOctets = 0;
  /** For how long it had been blocked when it became long, and what its port had sent of others. */
  blockedLong = 0;
  othersSent = 0;
  /** What has joined it, and all this was at the last look. */
  joined = 0;
  grownPs = 0;
  grownOctets = 0;
  blockedGrown = 0;
  ownSent = 0;
  flows = 0;
  readonly shares = new Float64Array(MOST_FLOWS * SHARE_WIDTH);
}

/**
 * Egress queues that delay their frames: from when a queue began to fill to when it is empty, and
 * whose frames fill it. Some frames that join it are looked at, and all between two of them are
 * taken to be alike: so a long queue costs little more than a short one, for which each frame pays
 * one comparison.
 */
export class QueueBook {
  readonly #engine: Engine;
  readonly #device: Device;
  readonly #holds: HoldBook;
  readonly table = new RecordTable(WIDTH);
  /** Shares of queues that have ended. */
  readonly shares = new RecordTable(SHARE_WIDTH);
  /** By port and traffic class; null: it was never long. */
  private readonly standing: (Standing | null)[];

  constructor(engine: Engine, device: Device, holds: HoldBook) {
    this.#engine = engine;
    this.#device = device;
    this.#holds = holds;
    this.standing = Array.from({ length: device.spec.ports.length * 8 }, () => null);
  }

  /** Has queues reported: as they are saved, or as they begin. */
  watch(): void {
    const { queueWatch } = this.#engine.shared;
    this.standing.forEach((standing, at) => {
      const [port, trafficClass] = [at >> 3, at & 7];
      this.watchFrom(port, trafficClass, standing !== null && standing.row >= 0);
      queueWatch.skip(this.#device.firstPort + port, trafficClass, standing?.left ?? 0);
    });
  }

  /** Takes down what the watch counts, to be saved. */
  settle(): void {
    const { queueWatch } = this.#engine.shared;
    this.standing.forEach((standing, at) => {
      if (standing !== null) {
        standing.left = queueWatch.left(this.#device.firstPort + (at >> 3), at & 7);
      }
    });
  }

  /** A frame has joined a queue that is long, or was. */
  long(port: number, trafficClass: number, now: number, pool: FramePool, frame: number): void {
    const { queues } = this.#engine.shared;
    const number = this.#device.firstPort + port;
    const at = (port << 3) | trafficClass;
    const standing = (this.standing[at] ??= new Standing());
    const since = queues.since(number, trafficClass);
    const isOver = standing.row >= 0 && this.table.values[standing.row + START] !== since;
    if (isOver) {
      this.end(standing, since);
      this.watchFrom(port, trafficClass, false);
      if (!this.#engine.shared.queueWatch.isLong(number, trafficClass)) return;
    }
    if (standing.row < 0) {
      const ofFrame = pool.words[frame + CLASS] & PRIORITY_MASK;
      const queue = { port, trafficClass, priority: ofFrame };
      const priority = priorityOfQueue(this.#engine, this.#device, queue);
      if (!this.begin(standing, port, trafficClass, priority, now)) return;
    } else this.grow(standing, now, queues.get(number, trafficClass, QUEUE_FRAMES));
    standing.lastOctets = queues.get(number, trafficClass, QUEUE_OCTETS);
    if (standing.grows) this.noteGrowth(standing, number, now);
    this.noteIngress(standing.row, pool.words[frame + FRAME_PORT]);
    standing.random = (Math.imul(standing.random, MULTIPLIER) + INCREMENT) | 0;
    const random = standing.random >>> 16;
    const step = standing.grows ? 1 + (random & GROWTH_MASK) : LEAST_STEP + (random & STEP_MASK);
    this.#engine.shared.queueWatch.skip(number, trafficClass, step);
    this.sample(standing, pool, frame);
  }

  /** A queue keeps a link partner from sending, however short it is. */
  observe(port: number, trafficClass: number, priority: number, now: number): void {
    const at = (port << 3) | trafficClass;
    const standing = (this.standing[at] ??= new Standing());
    const since = this.#engine.shared.queues.since(this.#device.firstPort + port, trafficClass);
    if (standing.row >= 0 && this.table.values[standing.row + START] !== since) {
      this.end(standing, since);
    }
    const { pool, queues } = this.#engine.shared;
    const number = this.#device.firstPort + port;
    if (standing.row >= 0) {
      this.grow(standing, now, queues.get(number, trafficClass, QUEUE_FRAMES));
      standing.lastOctets = queues.get(number, trafficClass, QUEUE_OCTETS);
      return;
    }
    if (!this.begin(standing, port, trafficClass, priority, now)) return;
    for (
      let frame = queues.head(number, trafficClass);
      frame >= 0;
      frame = pool.words[frame + NEXT]
    ) {
      this.sample(standing, pool, frame);
    }
  }

  /** Records, also of queues that stand, as of `now`. */
  records(now: number): QueueRecord[] {
    const shares = new Map<number, FlowShare[]>();
    this.shares.map((row) => {
      const { values } = this.shares;
      const of = values[row + OF];
      const own = shares.get(of) ?? [];
      shares.set(of, [...own, shareAt(values, row)]);
    });
    const last = new Map<number, Float64Array>();
    this.standing.forEach((standing) => {
      if (standing === null || standing.row < 0) return;
      const { row, flows } = standing;
      const own = Array.from({ length: flows }, (_, i) =>
        shareAt(standing.shares, i * SHARE_WIDTH),
      );
      shares.set(row, own);
      last.set(row, this.asOf(standing, now));
    });
    const { values } = this.table;
    return this.table.map((row): QueueRecord => {
      const now = last.get(row);
      const get = (field: number): number => now?.[field] ?? values[row + field];
      return {
        ...{ port: get(PORT) | 0, trafficClass: get(QUEUE) | 0, priority: get(PRIORITY) | 0 },
        ...{ startPs: get(START), endPs: get(END), frameTimePs: get(FRAME_TIME) },
        ...{ blockedPs: get(BLOCKED), ingress: get(INGRESS) | 0 },
        ...{ longPs: get(LONG), grewPs: get(GREW), grewBlockedPs: get(GREW_BLOCKED) },
        ...{ joinedOctets: get(JOINED), othersOctets: get(OTHERS_SENT) },
        isShared: get(IS_SHARED) !== 0,
        sampledOctets: get(SAMPLED),
        flows: shares.get(row) ?? [],
      };
    });
  }

  private begin(
    standing: Standing,
    port: number,
    trafficClass: number,
    priority: number,
    now: number,
  ): boolean {
    const { queues } = this.#engine.shared;
    const number = this.#device.firstPort + port;
    const row = this.table.begin();
    if (row < 0) return false;
    const { values } = this.table;
    const since = queues.since(number, trafficClass);
    const frames = queues.get(number, trafficClass, QUEUE_FRAMES);
    values[row + PORT] = port;
    values[row + QUEUE] = trafficClass;
    values[row + PRIORITY] = priority;
    values[row + START] = since;
    values[row + END] = Infinity;
    // It has grown from nothing.
    values[row + FRAME_TIME] = ((now - since) * frames) / 2;
    values[row + BLOCKED] = 0;
    values[row + INGRESS] = -1;
    values[row + IS_SHARED] = 0;
    standing.classes = 1 << trafficClass;
    this.noteFrames(standing, row, number, trafficClass);
    values[row + SAMPLED] = 0;
    standing.row = row;
    standing.priority = priority;
    standing.lastPs = now;
    standing.lastFrames = frames;
    standing.blockedBefore = this.#holds.blockedPs(port, priority, since);
    standing.blockedUntil = this.#holds.blockedPs(port, priority, now);
    standing.lastOctets = queues.get(number, trafficClass, QUEUE_OCTETS);
    standing.flows = 0;
    this.beginGrowth(standing, number, now);
    this.watchFrom(port, trafficClass, true);
    return true;
  }

  private beginGrowth(standing: Standing, number: PortRow, now: number): void {
    const { values } = this.table;
    const { row, lastOctets, blockedUntil } = standing;
    values[row + LONG] = now;
    values.fill(0, row + GREW, row + WIDTH);
    standing.grows = true;
    standing.peakOctets = lastOctets;
    standing.grownOctets = lastOctets;
    standing.blockedLong = blockedUntil;
    standing.blockedGrown = blockedUntil;
    standing.grownPs = now;
    standing.joined = 0;
    standing.ownSent = this.sentOctets(number, standing.classes, true);
    standing.othersSent = this.sentOctets(number, standing.classes, false);
  }

  /** Until it first becomes shorter: what joins it later may be held back already. */
  private noteGrowth(standing: Standing, number: PortRow, now: number): void {
    const { values } = this.table;
    const { row, classes, lastOctets, peakOctets, blockedUntil } = standing;
    const own = this.sentOctets(number, classes, true);
    // What a port sends of its frames while it is blocked was in another queue.
    const wasBlocked = blockedUntil - standing.blockedGrown >= now - standing.grownPs;
    standing.joined +=
      lastOctets - standing.grownOctets + (wasBlocked ? 0 : own - standing.ownSent);
    standing.ownSent = own;
    standing.grownOctets = lastOctets;
    standing.blockedGrown = blockedUntil;
    standing.grownPs = now;
    standing.grows = lastOctets > peakOctets - FALLS_OCTETS;
    if (lastOctets <= peakOctets) return;
    standing.peakOctets = lastOctets;
    values[row + GREW] = now - values[row + LONG];
    values[row + GREW_BLOCKED] = blockedUntil - standing.blockedLong;
    values[row + JOINED] = standing.joined;
    values[row + OTHERS_SENT] = this.sentOctets(number, classes, false) - standing.othersSent;
  }

  /**
   * Of some classes, or of all others, with what frames take on the wire. Queues of a chip with
   * slots are not told apart by priorities.
   */
  private sentOctets(number: PortRow, classes: number, isOwn: boolean): number {
    const { ports, counters, chips } = this.#engine.shared;
    const isOneQueue = chips[this.#device.place] !== undefined;
    let octets = 0;
    for (let priority = 0; priority < PRIORITIES; priority++) {
      const isAlike = isOneQueue || (classes & (1 << ports.classOf(number, priority))) !== 0;
      if (isAlike !== isOwn) continue;
      const frames = counters.get(number, priority, TX_FRAMES);
      octets += counters.get(number, priority, TX_OCTETS) + frames * WIRE_OVERHEAD_OCTETS;
    }
    return octets;
  }

  /** Of the frames with which it became long. */
  private noteFrames(standing: Standing, row: number, number: PortRow, trafficClass: number): void {
    const { pool, ports, queues } = this.#engine.shared;
    const { words } = pool;
    for (let f = queues.head(number, trafficClass); f >= 0; f = words[f + NEXT]) {
      this.noteIngress(row, words[f + FRAME_PORT]);
      standing.classes |= 1 << ports.classOf(number, words[f + CLASS] & PRIORITY_MASK);
    }
  }

  private noteIngress(row: number, from: number): void {
    const { values } = this.table;
    const ingress = from - this.#device.firstPort;
    if (values[row + INGRESS] < 0) values[row + INGRESS] = ingress;
    else if (values[row + INGRESS] !== ingress) values[row + IS_SHARED] = 1;
  }

  /**
   * Between two frames that join it a queue loses frames evenly. While its port is blocked the hold
   * has their time.
   */
  private grow(standing: Standing, now: number, frames: number): void {
    const { values } = this.table;
    const { row, priority } = standing;
    const blocked = this.#holds.blockedPs(values[row + PORT], priority, now);
    const passedPs = now - standing.lastPs - (blocked - standing.blockedUntil);
    assert(passedPs >= 0, 'queue-book.forward');
    values[row + FRAME_TIME] += ((standing.lastFrames + frames - 1) / 2) * passedPs;
    standing.lastPs = now;
    standing.lastFrames = frames;
    standing.blockedUntil = blocked;
  }

  /** It has been empty, at `untilPs` at the latest. */
  private end(standing: Standing, untilPs: number): void {
    const { row, flows, shares } = standing;
    const { values } = this.table;
    const ended = this.over(standing, untilPs);
    values.set(ended, row);
    for (let i = 0; i < flows; i++) {
      const at = this.shares.begin();
      if (at < 0) break;
      this.shares.values.set(shares.subarray(i * SHARE_WIDTH, (i + 1) * SHARE_WIDTH), at);
      this.shares.values[at + OF] = row;
      this.shares.close(at);
    }
    this.table.close(row);
    standing.row = -1;
  }

  /** The numbers of a record that has ended, as far as is known from the frames that joined. */
  private over(standing: Standing, untilPs: number): Float64Array {
    const { row, priority, lastPs, lastOctets, lastFrames } = standing;
    const ended = this.table.values.slice(row, row + WIDTH);
    const { ports } = this.#engine.shared;
    const port = ended[PORT];
    const octetPs = ports.octetPs(this.#device.firstPort + port);
    const blockedPs = this.#holds.blockedPs(port, priority, untilPs) - standing.blockedUntil;
    const endPs = Math.min(untilPs, lastPs + lastOctets * octetPs + Math.max(0, blockedPs));
    ended[END] = endPs;
    const sentPs = endPs - lastPs - Math.max(0, blockedPs);
    ended[FRAME_TIME] += (lastFrames / 2) * Math.max(0, sentPs);
    ended[BLOCKED] = this.#holds.blockedPs(port, priority, endPs) - standing.blockedBefore;
    return ended;
  }

  /** The numbers of a record at a time up to which no more frames have joined. */
  private asOf(standing: Standing, now: number): Float64Array {
    const { row, priority, lastPs, lastFrames } = standing;
    const { queues } = this.#engine.shared;
    const { values } = this.table;
    const port = values[row + PORT];
    const number = this.#device.firstPort + port;
    const frames = queues.get(number, values[row + QUEUE], QUEUE_FRAMES);
    if (frames === 0 || queues.since(number, values[row + QUEUE]) !== values[row + START]) {
      return this.over(standing, now);
    }
    const sofar = values.slice(row, row + WIDTH);
    const blocked = this.#holds.blockedPs(port, priority, now);
    const passedPs = now - lastPs - (blocked - standing.blockedUntil);
    sofar[FRAME_TIME] += ((lastFrames + frames) / 2) * passedPs;
    sofar[BLOCKED] = blocked - standing.blockedBefore;
    return sofar;
  }

  /**
   * Adds a frame to the share of its flow. Where there are more flows than room, one that is new
   * takes the place of the smallest, with its octets: so none that is large is ever missed.
   */
  private sample(standing: Standing, pool: FramePool, frame: number): void {
    const { shares } = standing;
    const kind = pool.words[frame + CLASS] & KIND_MASK;
    if (kind > KIND_NAK) return;
    const octets = pool.words[frame + LENGTH];
    const from = pool.ends[frame + SOURCE];
    const to = pool.words[frame + TARGET];
    const connection = pool.ends[frame + CONNECTION];
    const isAnswer = kind === KIND_ACK || kind === KIND_NAK ? 1 : 0;
    this.table.values[standing.row + SAMPLED] += octets;
    let least = 0;
    for (let i = 0; i < standing.flows; i++) {
      const at = i * SHARE_WIDTH;
      if (
        shares[at + FROM] === from &&
        shares[at + TO] === to &&
        shares[at + AT] === connection &&
        shares[at + IS_ANSWER] === isAnswer
      ) {
        shares[at + OCTETS] += octets;
        return;
      }
      if (shares[at + OCTETS] < shares[least * SHARE_WIDTH + OCTETS]) least = i;
    }
    const isFull = standing.flows === MOST_FLOWS;
    const at = (isFull ? least : standing.flows++) * SHARE_WIDTH;
    shares[at + FROM] = from;
    shares[at + TO] = to;
    shares[at + AT] = connection;
    shares[at + IS_ANSWER] = isAnswer;
    shares[at + OTHERS] = isFull ? shares[at + OCTETS] : 0;
    shares[at + OCTETS] = shares[at + OTHERS] + octets;
  }

  private watchFrom(port: number, trafficClass: number, isLong: boolean): void {
    const number = this.#device.firstPort + port;
    const { queueWatch } = this.#engine.shared;
    let { octetPs } = this.#device.spec.ports[port];
    let most = Infinity;
    for (const { effect } of this.#device.spec.ports[port].faults) {
      if (effect.kind === 'slow') octetPs = Math.max(octetPs, effect.octetPs);
      else if (effect.kind === 'link') octetPs = Math.max(octetPs, effect.octetPs ?? 0);
      // While it is stopped, a queue of some frames is congested, however fast its link is.
      else if (effect.kind === 'down' || effect.kind === 'freeze') most = LEAST_OCTETS;
    }
    const octets = Math.max(LEAST_OCTETS, Math.ceil(CONGESTED_PS / octetPs));
    queueWatch.from(number, trafficClass, isLong ? 0 : Math.min(octets, most));
  }
}

function shareAt(values: Float64Array, at: number): FlowShare {
  return {
    ...{ source: values[at + FROM], target: values[at + TO], connection: values[at + AT] },
    isAnswer: values[at + IS_ANSWER] !== 0,
    octets: values[at + OCTETS] - values[at + OTHERS],
    othersOctets: values[at + OTHERS],
  };
}
