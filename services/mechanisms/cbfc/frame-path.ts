import { PRIORITIES } from '../../engine/units/ethernet.js';
import type { Charges } from '../../engine/buffer/charges.js';
import {
  CHARGE_MASK,
  CHARGE_SHIFT,
  CLASS,
  COPY_FLAG,
  LENGTH,
  PRIORITY_MASK,
} from '../../engine/frame/frame-pool.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import type { Clock } from '../../engine/kernel/clock.js';
import type { ChannelRows } from './machine.js';
import {
  addToPort,
  consume,
  costBySize,
  free,
  inUseAt,
  NO_POOL,
  OPEN,
  RX_FULL_FROM,
  RX_LIMIT,
  RX_SIZE,
  RX_STEP,
  RX_STORED,
  take,
  TX_LIMIT,
  TX_POOL,
  TX_SIZE,
  TX_STATE,
  unreportedAt,
} from './machine.js';
import type { FrameRef, PortRow, TrafficClass } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

/** What the path of frames works on. */
interface FrameTables {
  readonly pool: FramePool;
  readonly clock: Clock;
  readonly rows: ChannelRows;
  /** By port and class: priorities of it that may not start their first frame. */
  readonly blockedOf: Uint8Array;
  /** By channel and port: since when nothing is stored. */
  readonly emptySince: Float64Array;
}

/** What the path of frames leaves to the mechanism. */
export interface FramePathEvents {
  /** Of a channel with a part in a pool. */
  mayStart(port: PortRow, row: number, credits: number): boolean;
  spend(port: PortRow, row: number, credits: number): void;
  /** A class holds other priorities. */
  holdChanged(port: PortRow, trafficClass: TrafficClass, blocked: number): void;
  /** A channel fills its buffer, or no longer, or copies came in. */
  storedChanged(port: PortRow, row: number): void;
  copied(port: PortRow): void;
  /** So much is freed that it is worth an update. */
  freedEnough(port: PortRow): void;
}

/**
 * What frames do to the rows of their channels. Like the event loop these are functions over
 * tables: a frame touches one line of memory at either end of a link.
 */
export interface FramePath extends Charges {
  readonly configure: (port: PortRow, channelOf: readonly number[]) => void;
  /** The first frame of a metered class is another now, or none (-1). */
  readonly observe: (port: PortRow, trafficClass: TrafficClass, first: number) => void;
  readonly started: (port: PortRow, frame: FrameRef) => void;
  /** Whether the link partner may have started a frame that has come in. */
  readonly wasAllowed: (port: PortRow, frame: FrameRef) => boolean;
}

export function makeFramePath(tables: FrameTables, events: FramePathEvents): FramePath {
  const { pool, clock, rows, blockedOf, emptySince } = tables;
  const { words: frames } = pool;
  const { words, ports, sums } = rows;
  /** By priority and port: the row of its channel, counted in rows. */
  const rowOf = new Int32Array(PRIORITIES * ports).fill(-1);

  function configure(port: PortRow, channelOf: readonly number[]): void {
    channelOf.forEach((channel, priority) => {
      rowOf[priority * ports + port] = channel * ports + port;
    });
  }

  /** Place of the row of a frame's channel. */
  function placeOf(port: PortRow, frame: FrameRef): number {
    const row = rowOf[(frames[frame + CLASS] & PRIORITY_MASK) * ports + port];
    assert(row >= 0, 'cbfc.priority-has-a-channel');
    return row << 4;
  }

  function mayStart(port: PortRow, frame: FrameRef): boolean {
    const at = placeOf(port, frame);
    if (words[at + TX_STATE] !== OPEN) return false;
    const credits = costBySize(frames[frame + LENGTH], words[at + TX_SIZE]);
    if (inUseAt(words, at) + credits > words[at + TX_LIMIT]) return false;
    return words[at + TX_POOL] === NO_POOL || events.mayStart(port, at, credits);
  }

  function observe(port: PortRow, trafficClass: TrafficClass, first: number): void {
    const isFree = first < 0 || mayStart(port, first);
    const blocked = isFree ? 0 : 1 << (frames[first + CLASS] & PRIORITY_MASK);
    if (blocked !== blockedOf[(port << 3) | trafficClass])
      events.holdChanged(port, trafficClass, blocked);
  }

  function started(port: PortRow, frame: FrameRef): void {
    const at = placeOf(port, frame);
    const credits = costBySize(frames[frame + LENGTH], words[at + TX_SIZE]);
    if (words[at + TX_POOL] === NO_POOL) {
      consume(words, at, credits);
      const isWithin = inUseAt(words, at) <= words[at + TX_LIMIT];
      assert(isWithin || words[at + TX_STATE] !== OPEN, 'cbfc.within-limit');
      addToPort(sums, port, credits);
    } else events.spend(port, at, credits);
  }

  function wasAllowed(port: PortRow, frame: FrameRef): boolean {
    const at = placeOf(port, frame);
    const credits = costBySize(frames[frame + LENGTH], words[at + RX_SIZE]);
    return words[at + RX_STORED] + credits <= words[at + RX_LIMIT];
  }

  function store(port: PortRow, at: number, credits: number, isCopy: boolean): void {
    if (isCopy) {
      events.copied(port);
      words[at + RX_STORED] += credits;
    } else take(words, at, credits);
    const from = words[at + RX_FULL_FROM];
    if (from > 0 && words[at + RX_STORED] >= from) events.storedChanged(port, at);
  }

  function remove(port: PortRow, at: number, credits: number): void {
    free(words, at, credits);
    if (words[at + RX_STORED] === 0) emptySince[at >> 4] = clock.now;
    const from = words[at + RX_FULL_FROM];
    if (from < 0 && words[at + RX_STORED] < -from) events.storedChanged(port, at);
    if (unreportedAt(words, at) >= words[at + RX_STEP]) events.freedEnough(port);
  }

  function admitted(port: PortRow, _group: number, frame: FrameRef, octets: number): void {
    const at = placeOf(port, frame);
    const credits = costBySize(octets, words[at + RX_SIZE]);
    const frameClass = frames[frame + CLASS];
    assert((frameClass & CHARGE_MASK) === 0, 'cbfc.charged-once');
    assert(credits <= CHARGE_MASK >>> CHARGE_SHIFT, 'cbfc.charge-of-frame');
    frames[frame + CLASS] = (frameClass & ~COPY_FLAG) | (credits << CHARGE_SHIFT);
    store(port, at, credits, (frameClass & COPY_FLAG) !== 0);
  }

  function released(port: PortRow, _group: number, frame: FrameRef): void {
    const at = placeOf(port, frame);
    const frameClass = frames[frame + CLASS];
    assert((frameClass & CHARGE_MASK) !== 0, 'cbfc.released-was-charged');
    frames[frame + CLASS] = frameClass & ~CHARGE_MASK;
    remove(port, at, (frameClass & CHARGE_MASK) >>> CHARGE_SHIFT);
  }

  function passed(port: PortRow, frame: FrameRef): void {
    const at = placeOf(port, frame);
    const credits = costBySize(frames[frame + LENGTH], words[at + RX_SIZE]);
    const isCopy = (frames[frame + CLASS] & COPY_FLAG) !== 0;
    frames[frame + CLASS] &= ~COPY_FLAG;
    store(port, at, credits, isCopy);
    remove(port, at, credits);
  }

  return { configure, observe, started, wasAllowed, admitted, released, passed };
}
