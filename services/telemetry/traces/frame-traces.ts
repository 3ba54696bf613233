import * as hop from '../../engine/analysis/trace/hop-log.js';
import type { DeviceHops } from '../../engine/analysis/trace/hop-recorder.js';
import { DROP_REASONS } from '../../engine/contract/probe.js';
import { KIND_MASK, PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import { CE_TAG_OCTETS } from '../../engine/wire/ce-tag.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import type { Episode } from '../congestion/congestion.js';
import type { FrameTrace, PartKind, TracePart, TraceStep } from './frame-trace.js';
import { HeldTimes } from './held-times.js';
import { HopList } from './hop-list.js';

const PREAMBLE_OCTETS = 8;
/** By so much a frame's length may change in a device. */
const MOST_TAG_OCTETS = 8;

/**
 * Joins what devices saw of frames: who sent one, and who had it when it arrived. What is not over
 * is told up to `nowPs`. A trace is made when its turn comes: all at once they are millions of
 * objects, and it would be their memory that takes the time.
 */
export function frameTraces(
  fabric: Fabric,
  devices: readonly DeviceHops[],
  episodes: readonly Episode[],
  nowPs: number,
): FrameTraces {
  return new FrameTraces(fabric, new HopList(devices), new HeldTimes(episodes), nowPs);
}

/** Journeys of frames, in the order in which their payload was ready. */
export class FrameTraces implements Iterable<FrameTrace> {
  private readonly flows: ReadonlyMap<string, string>;

  constructor(
    private readonly fabric: Fabric,
    private readonly hops: HopList,
    private readonly held: HeldTimes,
    private readonly nowPs: number,
  ) {
    this.flows = flowNames(fabric);
  }

  /** Of all frames that have a journey. */
  names(): Set<string> {
    return new Set(this.hops.starts.map((start) => this.hops.name(start)));
  }

  *[Symbol.iterator](): Generator<FrameTrace> {
    const { fabric, hops, held, nowPs } = this;
    const journeys = new Journeys(fabric, hops, held, nowPs);
    for (const start of hops.starts) {
      const [source, target, connection] = hops.ends(start);
      const frameClass = hops.get(start, hop.FRAME_CLASS);
      const kind = frameClass & KIND_MASK;
      yield {
        frame: hops.name(start),
        flow: this.flows.get(`${source} ${target} ${connection} ${kind}`) ?? '',
        attempt: hops.attempt(start),
        kind,
        priority: frameClass & PRIORITY_MASK,
        sequence: hops.get(start, hop.NUMBER),
        octets: hops.get(start, hop.OCTETS),
        bornPs: hops.get(start, hop.BORN),
        steps: journeys.from(start),
      };
    }
  }
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

/** Follows frames from their sources; of the journeys of one frame, the first one first. */
class Journeys {
  /** By hop: it belongs to a journey, and not as its start. */
  private readonly isTaken: Uint8Array;

  constructor(
    private readonly fabric: Fabric,
    private readonly hops: HopList,
    private readonly held: HeldTimes,
    private readonly nowPs: number,
  ) {
    this.isTaken = new Uint8Array(hops.count);
  }

  from(start: number): TraceStep[] {
    const steps: TraceStep[] = [];
    this.follow(start, NONE, steps);
    return steps;
  }

  private follow(here: number, before: number, steps: TraceStep[]): void {
    const at = steps.length;
    const egress = this.endOf(here, hop.EGRESS);
    const isSent = this.hops.get(here, hop.END) === hop.HOP_END.SENT;
    const next = isSent ? this.arrivals(here, egress!) : NOWHERE;
    steps.push(this.step(here, egress, next[0] ?? NONE, before));
    for (const arrival of next) this.follow(arrival, at, steps);
  }

  /** Where a frame that was sent came in; several places if a switch there made copies at once. */
  private arrivals(sent: number, from: LinkEnd): readonly number[] {
    const { hops, isTaken } = this;
    const { peerDevice, peerPort } = from;
    const earliest = hops.get(sent, hop.END_PS) + from.latencyPs;
    const longest =
      PREAMBLE_OCTETS + hops.get(sent, hop.OCTETS) + CE_TAG_OCTETS + MOST_TAG_OCTETS;
    const latest = earliest + longest * from.octetPs + this.pipelinePs(peerDevice);
    const found: number[] = [];
    let arrivedPs = latest;
    for (let other = hops.firstLike(sent); other >= 0; other = hops.nextLike(other)) {
      if (hops.device[other] !== peerDevice || isTaken[other] !== 0) continue;
      const atPs = hops.get(other, hop.ARRIVED);
      if (atPs <= earliest || atPs > arrivedPs) continue;
      if (hops.get(other, hop.INGRESS) !== peerPort || !hops.isSame(other, sent)) continue;
      // Those of a device are in the order of their times.
      arrivedPs = atPs;
      isTaken[other] = 1;
      found.push(other);
    }
    return found;
  }

  private step(here: number, egress: LinkEnd | null, next: number, before: number): TraceStep {
    const { hops, held, nowPs } = this;
    const device = hops.device[here]!;
    const isFirst = before < 0;
    const startPs = hops.get(here, isFirst ? hop.BORN : hop.ARRIVED);
    const priority = hops.get(here, hop.FRAME_CLASS) & PRIORITY_MASK;
    const reason = hops.get(here, hop.REASON);
    const leftPs = Math.max(startPs, Math.min(hops.get(here, hop.END_PS), nowPs));
    const queuedPs = egress === null ? leftPs : hops.get(here, hop.QUEUED);
    const port = egress?.name ?? '';
    const parts: TracePart[] = [];
    if (isFirst) held.cut(parts, 'source', port, priority, startPs, queuedPs);
    else add(parts, this.isHost(device) ? 'receive' : 'complete', startPs, queuedPs);
    if (egress !== null) held.cut(parts, 'wait', port, priority, queuedPs, leftPs);
    if (next >= 0) this.addTheWay(parts, egress!, here, next);
    return {
      device: this.fabric.topology.devices[device]!.name,
      ingress: this.endOf(here, hop.INGRESS)?.name ?? '',
      egress: port,
      startPs,
      endPs: next < 0 ? leftPs : hops.get(next, hop.ARRIVED),
      end: hop.HOP_ENDS[hops.get(here, hop.END)]!,
      reason: reason < 0 ? '' : DROP_REASONS[reason]!,
      parts,
      before,
    };
  }

  private addTheWay(parts: TracePart[], egress: LinkEnd, sent: number, next: number): void {
    const { hops } = this;
    const endPs = hops.get(next, hop.ARRIVED);
    const came = endPs - this.pipelinePs(hops.device[next]!);
    add(parts, 'serialise', hops.get(sent, hop.END_PS), came - egress.latencyPs);
    add(parts, 'propagate', came - egress.latencyPs, came);
    add(parts, 'process', came, endPs);
  }

  private isHost(device: number): boolean {
    return this.fabric.specs[device]!.kind === 'host';
  }

  private pipelinePs(device: number): number {
    const spec = this.fabric.specs[device]!;
    return spec.kind === 'switch' ? spec.pipelinePs : 0;
  }

  /** The port that a number of a hop tells. */
  private endOf(here: number, number: number): LinkEnd | null {
    const port = this.hops.get(here, number);
    return port < 0 ? null : this.fabric.linkEnds[this.hops.device[here]!]![port]!;
  }
}

const NONE = -1;
const NOWHERE: readonly number[] = [];

/** Nothing where it takes no time. */
function add(parts: TracePart[], kind: PartKind, startPs: number, endPs: number): void {
  if (endPs > startPs) parts.push({ kind, startPs, endPs, episode: null });
}
