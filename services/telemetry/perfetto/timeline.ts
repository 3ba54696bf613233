import type { Details } from './packets.js';
import { PacketWriter } from './packets.js';

/** Packets that are encoded before they are handed on. */
const PACKETS_PER_PIECE = 4096;

/** Something on a track from one time to another; times are ps. */
export interface SliceSpec {
  readonly name: string;
  readonly category: string;
  readonly startPs: number;
  readonly endPs: number;
  readonly details: Details;
}

/** A slice that was added, so that arrows can be drawn from it and to it. */
export interface Slice extends SliceSpec {
  /** Slices are added after what they are caused by, and after what they lie in. */
  readonly order: number;
  readonly flowsOut: number[];
  readonly flowsIn: number[];
  /** Slices that lie inside it, on the same track. */
  readonly inside: Slice[];
}

/** Where slices or values are shown; those of one parent are in the order of their making. */
export class Track {
  readonly children: Track[] = [];
  readonly slices: Slice[] = [];
  readonly values: { readonly timePs: number; readonly value: number }[] = [];
  private readonly byName = new Map<string, Track>();

  constructor(
    readonly name: string,
    readonly counter: string | null,
  ) {}

  /** The track of that name below this one; it is made where there is none. */
  child(name: string, counter: string | null = null): Track {
    let child = this.byName.get(name);
    if (child === undefined) {
      child = new Track(name, counter);
      this.byName.set(name, child);
      this.children.push(child);
    }
    return child;
  }

  count(timePs: number, value: number): void {
    this.values.push({ timePs, value });
  }
}

/** What is known of a timeline that was written. */
interface TimelineCounts {
  tracks: number;
  slices: number;
  instants: number;
  arrows: number;
  values: number;
}

interface Moment {
  readonly timePs: number;
  readonly phase: number;
  /** Among those of one time and phase. */
  readonly order: number;
  readonly write: (writer: PacketWriter) => void;
}

// At one time, slices end before others begin.
const ENDS = 0;
const BEGINS = 1;

/** Tracks with slices, arrows between these, and counters: a trace of Perfetto. */
export class Timeline {
  readonly root: Track;
  readonly counts: TimelineCounts = { tracks: 0, slices: 0, instants: 0, arrows: 0, values: 0 };
  private readonly moments: Moment[] = [];
  private readonly writer = new PacketWriter();
  private added = 0;

  constructor(name: string) {
    this.root = new Track(name, null);
  }

  /** `where`: a track, or a slice around it. */
  slice(where: Track | Slice, spec: SliceSpec): Slice {
    const slice = { ...spec, order: ++this.added, flowsOut: [], flowsIn: [], inside: [] };
    if (where instanceof Track) where.slices.push(slice);
    else where.inside.push(slice);
    return slice;
  }

  /** From the cause to its effect, or from a frame in one place to the same in the next. */
  arrow(from: Slice, to: Slice): void {
    const flow = ++this.counts.arrows;
    from.flowsOut.push(flow);
    to.flowsIn.push(flow);
  }

  /** The file, piece by piece; a timeline is written once. */
  *octets(): Generator<Uint8Array> {
    this.place(this.root, 0, 0);
    this.moments.sort((a, b) => a.timePs - b.timePs || a.phase - b.phase || a.order - b.order);
    for (const [i, { write }] of this.moments.entries()) {
      if (i % PACKETS_PER_PIECE === 0) yield this.writer.take();
      write(this.writer);
    }
    yield this.writer.take();
  }

  /** Slices that overlap without nesting need tracks of their own; one name draws them as one. */
  private place({ name, counter, children, slices, values }: Track, parent: number, rank: number) {
    const own = this.declare({ name, counter, parent, rank });
    for (const { timePs, value } of values) {
      this.counts.values++;
      this.at({ timePs, phase: BEGINS, order: 0 }, (writer) => {
        writer.count({ track: own, timePs }, value);
      });
    }
    const rows: { readonly track: number; last: Slice }[] = [];
    for (const slice of [...slices].sort((a, b) => a.startPs - b.startPs)) {
      let row = rows.find(({ last }) => isOver(last, slice.startPs));
      if (row === undefined) {
        const track = rows.length === 0 ? own : this.declare({ name, counter, parent, rank });
        row = { track, last: slice };
        rows.push(row);
      }
      row.last = slice;
      this.draw(slice, row.track);
    }
    children.forEach((child, i) => {
      this.place(child, own, i);
    });
  }

  private draw(slice: Slice, track: number): void {
    const { startPs, endPs, order, inside } = slice;
    const packet = { ...slice, track, timePs: startPs };
    const isInstant = startPs === endPs;
    this.counts[isInstant ? 'instants' : 'slices']++;
    this.at({ timePs: startPs, phase: BEGINS, order }, (writer) => {
      if (isInstant) writer.instant(packet);
      else writer.begin(packet);
    });
    for (const own of inside) this.draw(own, track);
    if (isInstant) return;
    this.at({ timePs: endPs, phase: ENDS, order: -order }, (writer) => {
      writer.end({ track, timePs: endPs });
    });
  }

  private declare(track: Pick<Track, 'name' | 'counter'> & { parent: number; rank: number }) {
    const number = ++this.counts.tracks;
    this.writer.track({ ...track, track: number });
    return number;
  }

  private at(when: Omit<Moment, 'write'>, write: Moment['write']): void {
    this.moments.push({ ...when, write });
  }
}

function isOver({ startPs, endPs }: Slice, timePs: number): boolean {
  return endPs < timePs || (endPs === timePs && startPs < endPs);
}
