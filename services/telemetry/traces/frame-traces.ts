import type { HopRecord } from '../../engine/analysis/trace/hop-log.js';
import { isSameFrame, nameOfHop } from '../../engine/analysis/trace/hop-log.js';
import type { DeviceHops } from '../../engine/analysis/trace/hop-recorder.js';
import { DROP_REASONS } from '../../engine/contract/probe.js';
import { KIND_MASK, PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import { CE_TAG_OCTETS } from '../../engine/wire/ce-tag.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import type { Stretch } from './held-times.js';
import { HeldTimes } from './held-times.js';
import type { Episode } from '../congestion/congestion.js';

/** What a frame did for a stretch of its time at a device and on the cable behind it. */
export type PartKind =
  /** At its source, before it had its place in the NIC. */
  | 'source'
  /** For its last bit, since it could not cut through. */
  | 'complete'
  | 'wait'
  | 'held'
  | 'serialise'
  | 'propagate'
  /** Through the pipeline of the next device. */
  | 'process'
  /** In the NIC of its receiver, until software took it. */
  | 'receive';

export interface TracePart extends Stretch {
  readonly kind: PartKind;
}

/** A frame at one device, up to when the next one can deal with it. */
export interface TraceStep {
  readonly device: string;
  /** Names of ports; empty where it was made, and where it ended. */
  readonly ingress: string;
  readonly egress: string;
  readonly startPs: number;
  readonly endPs: number;
  readonly end: HopRecord['end'];
  readonly reason: string;
  /** They fill the step without a gap. */
  readonly parts: readonly TracePart[];
  /** The step before, by its place in the trace; -1: the first. */
  readonly before: number;
}

/** One journey of a frame (a packet that is sent again makes another), from its source on. */
export interface FrameTrace {
  readonly frame: string;
  /** Empty for what is no part of a flow, such as an acknowledgement. */
  readonly flow: string;
  /** Which journey of the frame this is, from 0. */
  readonly attempt: number;
  readonly kind: number;
  readonly priority: number;
  readonly sequence: number;
  readonly octets: number;
  readonly bornPs: number;
  readonly steps: readonly TraceStep[];
}

const PREAMBLE_OCTETS = 8;
/** By so much a frame's length may change in a device. */
const MOST_TAG_OCTETS = 8;

interface Place {
  readonly device: number;
  readonly hop: HopRecord;
}

/**
 * Joins what devices saw of frames: who sent one, and who had it when it arrived. What is not over
 * is told up to `nowPs`.
 */
export function frameTraces(
  fabric: Fabric,
  devices: readonly DeviceHops[],
  episodes: readonly Episode[],
  nowPs: number,
): FrameTrace[] {
  const held = new HeldTimes(episodes);
  const flows = flowNames(fabric);
  const traces: FrameTrace[] = [];
  for (const places of byFrame(devices)) {
    traces.push(...new Journeys(fabric, held, flows, nowPs, places).all());
  }
  return traces.sort(
    (a, b) => a.bornPs - b.bornPs || (a.frame < b.frame ? -1 : Number(a.frame > b.frame)),
  );
}

/** The places where each frame has been. Only those of one frame are objects at a time. */
function* byFrame(devices: readonly DeviceHops[]): Generator<Place[]> {
  const count = devices.reduce((sum, { hops }) => sum + hops.count, 0);
  const dice = new Float64Array(count);
  const from = new Uint32Array(count);
  const rows = new Uint32Array(count);
  let at = 0;
  devices.forEach(({ hops }, device) => {
    for (let row = 0; row < hops.count; row++) {
      dice[at] = hops.diceAt(row);
      from[at] = device;
      rows[at++] = row;
    }
  });
  const order = rows.map((_, i) => i).sort((a, b) => dice[a]! - dice[b]! || a - b);
  for (let first = 0; first < count;) {
    const places: Place[] = [];
    let end = first;
    for (; end < count && dice[order[end]!] === dice[order[first]!]; end++) {
      const device = from[order[end]!]!;
      places.push({ device, hop: devices[device]!.hops.read(rows[order[end]!]!) });
    }
    first = end;
    if (places.every(({ hop }) => isSameFrame(hop, places[0]!.hop))) yield places;
    else yield* byName(places);
  }
}

/** Of frames that happen to have the same dice. */
function byName(places: readonly Place[]): Iterable<Place[]> {
  const named = new Map<string, Place[]>();
  for (const place of places) {
    const name = nameOfHop(place.hop);
    named.set(name, [...(named.get(name) ?? []), place]);
  }
  return named.values();
}

/** From release to arrival (the last of several); null where it never arrived. */
export function latencyOf({ steps, bornPs }: FrameTrace): number | null {
  const arrivals = steps.filter(({ end }) => end === 'delivered').map(({ endPs }) => endPs);
  return arrivals.length === 0 ? null : Math.max(...arrivals) - bornPs;
}

/** By what a flow's frames have in common: source, target, connection and kind. */
function flowNames({ flows, flowEnds, specs }: Fabric): Map<string, string> {
  const names = new Map<string, string>();
  flows.forEach(({ name }, flow) => {
    const { device, connection } = flowEnds[flow]!.send;
    const spec = specs[device]!;
    if (spec.kind !== 'host') return;
    const { target, remote, frameClass } = spec.sends[connection]!;
    names.set(`${spec.position} ${target} ${remote} ${frameClass & KIND_MASK}`, name);
  });
  return names;
}

/** All journeys of one frame. */
class Journeys {
  private readonly unused: Place[];

  constructor(
    private readonly fabric: Fabric,
    private readonly held: HeldTimes,
    private readonly flows: ReadonlyMap<string, string>,
    private readonly nowPs: number,
    places: Place[],
  ) {
    this.unused = places.sort((a, b) => a.hop.arrivedPs - b.hop.arrivedPs);
  }

  all(): FrameTrace[] {
    const starts = this.unused.filter(({ hop }) => hop.ingress < 0);
    return starts.map((start, attempt) => {
      const { source, target, connection, frameClass, sequence, octets, bornPs } = start.hop;
      const steps: TraceStep[] = [];
      this.follow(start, -1, steps);
      const kind = frameClass & KIND_MASK;
      return {
        frame: nameOfHop(start.hop),
        flow: this.flows.get(`${source} ${target} ${connection} ${kind}`) ?? '',
        attempt,
        kind,
        priority: frameClass & PRIORITY_MASK,
        sequence,
        octets,
        bornPs,
        steps,
      };
    });
  }

  private follow(place: Place, before: number, steps: TraceStep[]): void {
    const { device, hop } = place;
    const end = this.endOf(device, hop.egress);
    const next = hop.end === 'sent' ? this.arrivals(end!, hop) : [];
    const at = steps.length;
    steps.push(this.step(place, next[0] ?? null, before));
    for (const arrival of next) this.follow(arrival, at, steps);
  }

  /** Where a frame that was sent came in; several places if a switch there made copies at once. */
  private arrivals(from: LinkEnd, sent: HopRecord): Place[] {
    const { peerDevice, peerPort } = from;
    const earliest = sent.endPs + from.latencyPs;
    const longest = PREAMBLE_OCTETS + sent.octets + CE_TAG_OCTETS + MOST_TAG_OCTETS;
    const latest = earliest + longest * from.octetPs + this.pipelinePs(peerDevice);
    const isThere = ({ device, hop }: Place): boolean =>
      device === peerDevice &&
      hop.ingress === peerPort &&
      hop.arrivedPs > earliest &&
      hop.arrivedPs <= latest;
    const first = this.unused.find(isThere);
    if (first === undefined) return [];
    const all = this.unused.filter((p) => isThere(p) && p.hop.arrivedPs === first.hop.arrivedPs);
    for (const place of all) this.unused.splice(this.unused.indexOf(place), 1);
    return all;
  }

  private step({ device, hop }: Place, next: Place | null, before: number): TraceStep {
    const ingress = this.endOf(device, hop.ingress);
    const egress = this.endOf(device, hop.egress);
    const isFirst = before < 0;
    const startPs = isFirst ? hop.bornPs : hop.arrivedPs;
    const parts: TracePart[] = [];
    const port = egress?.name ?? '';
    const priority = hop.frameClass & PRIORITY_MASK;
    const leftPs = Math.max(startPs, Math.min(hop.endPs, this.nowPs));
    const queuedPs = hop.egress < 0 ? leftPs : hop.queuedPs;
    const isHost = this.fabric.specs[device]!.kind === 'host';
    let free: PartKind = isFirst ? 'source' : isHost ? 'receive' : 'complete';
    const waited = (from: number, to: number, episode: Episode | null): void => {
      parts.push({ kind: episode === null ? free : 'held', startPs: from, endPs: to, episode });
    };
    if (isFirst) this.held.cut(port, priority, startPs, queuedPs, waited);
    else if (queuedPs > startPs) waited(startPs, queuedPs, null);
    free = 'wait';
    if (hop.egress >= 0) this.held.cut(port, priority, queuedPs, leftPs, waited);
    if (next !== null) this.addTheWay(parts, egress!, hop, next);
    return {
      device: this.fabric.topology.devices[device]!.name,
      ingress: ingress?.name ?? '',
      egress: port,
      startPs,
      endPs: next === null ? leftPs : next.hop.arrivedPs,
      end: hop.end,
      reason: hop.reason < 0 ? '' : DROP_REASONS[hop.reason]!,
      parts,
      before,
    };
  }

  private addTheWay(parts: TracePart[], egress: LinkEnd, sent: HopRecord, next: Place): void {
    const endPs = next.hop.arrivedPs;
    const came = endPs - this.pipelinePs(next.device);
    add(parts, 'serialise', sent.endPs, came - egress.latencyPs);
    add(parts, 'propagate', came - egress.latencyPs, came);
    add(parts, 'process', came, endPs);
  }

  private pipelinePs(device: number): number {
    const spec = this.fabric.specs[device]!;
    return spec.kind === 'switch' ? spec.pipelinePs : 0;
  }

  private endOf(device: number, port: number): LinkEnd | null {
    return port < 0 ? null : this.fabric.linkEnds[device]![port]!;
  }
}

/** Nothing where it takes no time. */
function add(parts: TracePart[], kind: PartKind, startPs: number, endPs: number): void {
  if (endPs > startPs) parts.push({ kind, startPs, endPs, episode: null });
}
