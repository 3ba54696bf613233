import type { FramePool } from '../../frame/frame-pool.js';
import type { Rows, Tables } from '../../kernel/tables.js';
import { QUEUES } from '../../nic-82599/register-map.js';
import type { FrameLists } from '../../port/frame-lists.js';
import { makeFrameLists } from '../../port/frame-lists.js';
import type { FrameRef, TrafficClass } from '../../units/indices.js';

// Lists of an 82599: acknowledgements of software by descriptor queue, then these.

/** Frames that are read from host memory, in order of their completion. */
const READING = QUEUES;
/** The receive buffers, by class. */
const RECEIVED = READING + 1;
/** Frames that are being written into host memory. */
const WRITING = RECEIVED + 8;
/** Frames in host memory that software has not yet read, by receive queue. */
const SOFTWARE = WRITING + 1;
/** Frames for virtual machines of the same host that wait for their receive buffer, by class. */
const LOOPING = SOFTWARE + QUEUES;
const LISTS = LOOPING + 8;

/** The frames of adapters that are in no queue of their port. */
export interface NicFrames {
  readonly lists: FrameLists;
  /** By device: frames that the application of a plain NIC has not yet read. */
  readonly unread: FrameLists;
  answers(row: number, queue: number): number;
  reading(row: number): number;
  received(row: number, trafficClass: TrafficClass): number;
  writing(row: number): number;
  software(row: number, queue: number): number;
  looping(row: number, trafficClass: TrafficClass): number;
}

export function makeNicFrames(tables: Tables, pool: FramePool): NicFrames {
  return {
    lists: makeFrameLists(tables, pool, 'nic', LISTS),
    unread: makeFrameLists(tables, pool, 'device', 1),
    answers: (row, queue) => row * LISTS + queue,
    reading: (row) => row * LISTS + READING,
    received: (row, trafficClass) => row * LISTS + RECEIVED + trafficClass,
    writing: (row) => row * LISTS + WRITING,
    software: (row, queue) => row * LISTS + SOFTWARE + queue,
    looping: (row, trafficClass) => row * LISTS + LOOPING + trafficClass,
  };
}

/** Numbers of all lists of an actor. */
export function listsOf({ nic: { first, count } }: Rows): number[] {
  return Array.from({ length: count * LISTS }, (_, i) => first * LISTS + i);
}

/** Frames that were received and are not yet read by software. */
export function forEachReceived(
  frames: NicFrames,
  { device, nic: { first, count } }: Rows,
  visit: (frame: FrameRef) => void,
): void {
  frames.unread.forEach(device.first, visit);
  if (count === 0) return;
  for (let tc = 0; tc < 8; tc++) frames.lists.forEach(frames.received(first, tc), visit);
  frames.lists.forEach(frames.writing(first), visit);
  for (let queue = 0; queue < QUEUES; queue++) {
    frames.lists.forEach(frames.software(first, queue), visit);
  }
}
