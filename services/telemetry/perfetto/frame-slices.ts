import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { FrameTrace, PartKind, TracePart, TraceStep } from '../traces/frame-trace.js';
import type { Details } from './packets.js';
import { portTrack } from './port-track.js';
import type { Slice, SliceSpec, Timeline, Track } from './timeline.js';

/** Of which port a part is, and the track there. */
const PLACES: Readonly<Record<PartKind, readonly ['egress' | 'ingress' | 'peer', string]>> = {
  source: ['egress', 'queued frames'],
  wait: ['egress', 'queued frames'],
  blocked: ['egress', 'queued frames'],
  serialise: ['egress', 'transmit'],
  propagate: ['egress', 'link'],
  process: ['peer', 'pipeline'],
  complete: ['ingress', 'reception'],
  receive: ['ingress', 'reception'],
};

/** Adds frames to a timeline: a slice wherever one is, and arrows along its path. */
export class FrameSlices {
  private readonly root: Track;
  /** By port, the one at the other end of its link. */
  private readonly peers: ReadonlyMap<string, string>;

  constructor(
    private readonly timeline: Timeline,
    private readonly episodes: ReadonlyMap<string, Slice>,
    { linkEnds }: Fabric,
  ) {
    this.root = timeline.root;
    this.peers = new Map(
      linkEnds
        .flat()
        .map(({ name, peerDevice, peerPort }) => [name, linkEnds[peerDevice]![peerPort]!.name]),
    );
  }

  add(frame: FrameTrace): void {
    /** By step, the last slice of it. */
    const lasts: (Slice | null)[] = [];
    for (const step of frame.steps) {
      let last = lasts[step.before] ?? null;
      for (const parts of stays(step.parts)) {
        const slice = this.addStay(frame, step, parts);
        if (last !== null) this.timeline.arrow(last, slice);
        last = slice;
      }
      if (step.end === 'dropped') {
        const drop = this.addDrop(frame, step);
        if (last !== null) this.timeline.arrow(last, drop);
      }
      lasts.push(last);
    }
  }

  /** What a frame does in one place, with its waits and pauses inside. */
  private addStay(frame: FrameTrace, step: TraceStep, parts: readonly TracePart[]): Slice {
    const [first, last] = [parts[0]!, parts.at(-1)!];
    const stay = this.timeline.slice(this.trackOf(step, first.kind, frame.priority), {
      ...this.specOf(frame, first.startPs, last.endPs),
      details: { ...detailsOf(frame), part: first.kind, ...times(first.startPs, last.endPs) },
    });
    if (!isQueued(first)) return stay;
    for (const { kind, startPs, endPs, hold } of parts) {
      const inside = this.timeline.slice(stay, {
        name: hold === null ? kind : `blocked by ${hold.mechanism}`,
        category: kind,
        startPs,
        endPs,
        details: {
          ...times(startPs, endPs),
          ...(hold === null ? {} : { link_partner: hold.linkPartner, episode: hold.episode }),
        },
      });
      const episode = this.episodes.get(hold?.episode ?? '');
      if (episode !== undefined) this.timeline.arrow(episode, inside);
    }
    return stay;
  }

  private addDrop(frame: FrameTrace, { device, ingress, egress, endPs, reason }: TraceStep): Slice {
    const place = this.placeOf(device, ingress === '' ? egress : ingress);
    return this.timeline.slice(place.child('drops'), {
      ...this.specOf(frame, endPs, endPs),
      category: 'drop',
      details: { ...detailsOf(frame), reason, time_ps: endPs },
    });
  }

  private specOf(frame: FrameTrace, startPs: number, endPs: number): Omit<SliceSpec, 'details'> {
    const { flow, sequence } = frame;
    const name = `${flow === '' ? 'no flow' : flow} #${sequence}`;
    return { name, category: 'frame', startPs, endPs };
  }

  private trackOf({ device, ...step }: TraceStep, kind: PartKind, priority: number): Track {
    const { ingress, egress } = step;
    const [end, name] = PLACES[kind];
    const port = end === 'ingress' ? ingress : end === 'egress' ? egress : this.peers.get(egress)!;
    // Frames of one priority stand in one queue.
    return this.placeOf(device, port).child(name === QUEUE ? `p${priority} ${name}` : name);
  }

  /** A frame that is dropped before it has a port is at its device. */
  private placeOf(device: string, port: string): Track {
    return port === '' ? this.root.child(device) : portTrack(this.root, port);
  }
}

const QUEUE = PLACES.wait[1];

function isQueued({ kind }: TracePart): boolean {
  return PLACES[kind][1] === QUEUE;
}

/** Parts by their places, in the order of time. */
function stays(parts: readonly TracePart[]): TracePart[][] {
  const all: TracePart[][] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last !== undefined && isQueued(last[0]!) && isQueued(part)) last.push(part);
    else all.push([part]);
  }
  return all;
}

function detailsOf({ frame, attempt, flow, priority, sequence, octets }: FrameTrace): Details {
  return { frame: `${frame} ${attempt}`, flow, priority, sequence, bytes: octets };
}

function times(startPs: number, endPs: number): Details {
  return { start_ps: startPs, end_ps: endPs };
}
