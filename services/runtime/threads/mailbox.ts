import type { FramePool } from '../../engine/frame/frame-pool.js';
import { NEXT, RECORD_WORDS } from '../../engine/frame/frame-pool.js';
import type { PartitionPlan } from '../../fabric/placement/partition-plan.js';
import type { Actors } from '../partition/actors.js';
import { WIRE_OCTETS_MIN } from '../../engine/units/ethernet.js';

/** A control frame that begins in a window may end behind it; link-state updates take no wire. */
const LONGEST_CONTROL_OCTETS = 131_072;
const CONTROL_HEADER_OCTETS = 16;

/** Memory of a mailbox; both threads make their views of it. */
export interface MailboxMemory {
  readonly records: SharedArrayBuffer;
  readonly control: SharedArrayBuffer;
  /** Number of frames, and octets of control frames, in it. */
  readonly counts: SharedArrayBuffer;
}

/**
 * Room for all that one channel can carry in a window: a link starts no more than so many frames in
 * a time, so it never overflows. Memory that is not touched costs nothing.
 */
export function makeMailboxMemory(
  plan: PartitionPlan,
  channel: number,
  windowPs: number,
): MailboxMemory {
  const { outPorts } = plan.channels[channel]!;
  const octetsPs = outPorts.map(
    ({ place, port }) => plan.proxyDevices[place - plan.specs.length]!.ports[port]!.octetPs,
  );
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  const frames = sum(octetsPs.map((ps) => Math.ceil(windowPs / (WIRE_OCTETS_MIN * ps)) + 2));
  const control = sum(
    octetsPs.map((ps) => Math.ceil((2 * windowPs) / ps) + LONGEST_CONTROL_OCTETS),
  );
  return {
    records: new SharedArrayBuffer(frames * RECORD_WORDS * 4),
    control: new SharedArrayBuffer(control),
    counts: new SharedArrayBuffer(8),
  };
}

/** Frames from a thread to another in one window: filled by one, then emptied by the other. */
export class Mailbox {
  private readonly records: Int32Array;
  private readonly control: Uint8Array;
  private readonly header: DataView;
  private readonly counts: Int32Array;

  constructor(memory: MailboxMemory) {
    this.records = new Int32Array(memory.records);
    this.control = new Uint8Array(memory.control);
    this.header = new DataView(memory.control);
    this.counts = new Int32Array(memory.counts);
  }

  addFrame(inFlightQueue: number, pool: FramePool, frame: number): void {
    const at = this.counts[0]! * RECORD_WORDS;
    if (at === this.records.length) throw new Error('more frames in a window than a wire carries');
    pool.readInto(frame, this.records, at);
    this.records[at + NEXT] = inFlightQueue;
    this.counts[0]!++;
  }

  addControl(inFlightQueue: number, atPs: number, octets: Uint8Array): void {
    const at = this.counts[1]!;
    const next = at + CONTROL_HEADER_OCTETS + octets.length;
    if (next > this.control.length) throw new Error('more control frames than a wire carries');
    this.header.setFloat64(at, atPs);
    this.header.setUint32(at + 8, inFlightQueue);
    this.header.setUint32(at + 12, octets.length);
    this.control.set(octets, at + CONTROL_HEADER_OCTETS);
    this.counts[1] = next;
  }

  /** Whether there is room for one more frame, and for control frames of so many octets. */
  hasRoom(controlOctets: number): boolean {
    const end = this.counts[1]! + CONTROL_HEADER_OCTETS + controlOctets;
    return this.counts[0]! * RECORD_WORDS < this.records.length && end <= this.control.length;
  }

  /** Discards everything. */
  clear(): void {
    this.counts.fill(0);
  }

  /** Puts everything into a part; the mailbox is then empty. */
  empty(part: Pick<Actors, 'putFrame' | 'putControl'>, channel: number): void {
    const frames = this.counts[0]! * RECORD_WORDS;
    for (let at = 0; at < frames; at += RECORD_WORDS) {
      part.putFrame(channel, this.records[at + NEXT]!, this.records, at);
    }
    const end = this.counts[1]!;
    for (let at = 0; at < end;) {
      const from = at + CONTROL_HEADER_OCTETS;
      const to = from + this.header.getUint32(at + 12);
      const octets = this.control.slice(from, to);
      part.putControl(channel, this.header.getUint32(at + 8), this.header.getFloat64(at), octets);
      at = to;
    }
    this.clear();
  }
}
