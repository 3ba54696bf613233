import { WIRE_OVERHEAD_OCTETS } from '../../engine/units/ethernet.js';
import {
  ARRIVED,
  AT_CONNECTION,
  BORN,
  DEVICE,
  EGRESS,
  END,
  END_PS,
  FRAME_CLASS,
  FROM,
  HOP_END,
  HOP_ENDS,
  HOP_TIMES,
  HOP_WORDS,
  INGRESS,
  NUMBER,
  OCTETS,
  QUEUED,
  REASON,
  TO,
  nameOfHop,
} from '../../engine/analysis/trace/hop-log.js';
import type { SeenHops } from '../../engine/analysis/trace/hop-recorder.js';
import { DROP_REASONS } from '../../engine/contract/probe.js';
import { KIND_MASK, PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import { CE_TAG_OCTETS } from '../../engine/wire/ce-tag.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import type { FrameTrace, PartKind, TracePart, TraceStep } from './frame-trace.js';
import { BlockedTimes } from './blocked-times.js';
import { HopList } from './hop-list.js';

/** A frame's length may change by so much in a device. */
const MOST_TAG_OCTETS = 8;

/**
 * Joins the hops of frames: the sender of one, and the device where it arrived. Journeys that have
 * not ended are shown up to `nowPs`. A trace is created when it is read: all at once they are
 * millions of objects, and allocating them would dominate.
 */
export function frameTraces(fabric: Fabric, { hops, holds }: SeenHops, nowPs: number): FrameTraces {
  return new FrameTraces(fabric, new HopList(hops), new BlockedTimes(fabric, holds), nowPs);
}

/** Journeys of frames, in the order in which their payload was ready. */
class FrameTraces implements Iterable<FrameTrace> {
  private readonly flows: FlowNames;
  /** By device, the delay of its pipeline. */
  private readonly pipelines: readonly number[];
  private readonly longestOctets: number;

  constructor(
    private readonly fabric: Fabric,
    private readonly hops: HopList,
    /** When ports on their paths were blocked. */
    readonly blocked: BlockedTimes,
    private readonly nowPs: number,
  ) {
    this.flows = flowNames(fabric);
    this.longestOctets = Math.max(...fabric.longestFrameOctets) + MOST_TAG_OCTETS + CE_TAG_OCTETS;
    this.pipelines = fabric.specs.map((spec) => (spec.kind === 'switch' ? spec.pipelinePs : 0));
  }

  /** Of all frames that have a journey. */
  names(): Set<string> {
    const { starts, words } = this.hops;
    return new Set(starts.map((hop) => nameOfHop(words, hop * HOP_WORDS)));
  }

  *[Symbol.iterator](): Generator<FrameTrace> {
    this.hops.giveBack();
    for (const start of this.hops.starts) yield this.trace(start);
  }

  private trace(hop: number): FrameTrace {
    const { words } = this.hops;
    const at = hop * HOP_WORDS;
    const kind = words[at + FRAME_CLASS]! & KIND_MASK;
    const ends = endsKey(words[at + FROM]!, words[at + TO]!);
    const rest = restKey(words[at + AT_CONNECTION]!, kind);
    const steps: TraceStep[] = [];
    this.follow(hop, NONE, steps);
    return {
      frame: nameOfHop(words, at),
      flow: this.flows.get(ends)?.get(rest) ?? '',
      attempt: this.hops.attempt(hop),
      kind,
      priority: words[at + FRAME_CLASS]! & PRIORITY_MASK,
      sequence: words[at + NUMBER]!,
      octets: words[at + OCTETS]!,
      bornPs: this.hops.bornPs(hop),
      steps,
    };
  }

  /** Adds a step, and all that come behind it. */
  private follow(hop: number, before: number, steps: TraceStep[]): void {
    const { words } = this.hops;
    const from = hop * HOP_WORDS;
    const port = words[from + EGRESS]!;
    const egress = port < 0 ? null : this.fabric.linkEnds[words[from + DEVICE]!]![port]!;
    const isSent = words[from + END] === HOP_END.SENT;
    const next = isSent ? this.arrivals(hop, egress!) : NOWHERE;
    const at = steps.length;
    steps.push(this.step(hop, egress, next.length === 0 ? NONE : next[0]!, before));
    for (const arrival of next) this.follow(arrival, at, steps);
  }

  /** Where a frame that was sent arrived; several places if a switch there made copies at once. */
  private arrivals(sent: number, egress: LinkEnd): number[] {
    const { words, times } = this.hops;
    const { device, port, peerDevice, peerPort, latencyPs } = egress;
    const at = sent * HOP_WORDS;
    const longest = WIRE_OVERHEAD_OCTETS + words[at + OCTETS]! + CE_TAG_OCTETS + MOST_TAG_OCTETS;
    const afterPs = times[sent * HOP_TIMES + END_PS]! + latencyPs;
    const ofFrame = longest * egress.octetPs + this.pipelines[peerDevice]!;
    const untilPs = afterPs + ofFrame + this.latestPs(device, port, longest);
    return this.hops.take(sent, peerDevice, peerPort, afterPs, untilPs);
  }

  /**
   * By how much faults of a port delay a frame at most. A frame waits for the one before, which may
   * be longer, and so more delayed by a slow link.
   */
  private latestPs(device: number, port: number, octets: number): number {
    const { octetPs, faults } = this.fabric.specs[device]!.ports[port]!;
    let [slowestPs, delayPs, cablePs] = [octetPs, 0, 0];
    for (const { effect } of faults) {
      if (effect.kind === 'link') {
        slowestPs = Math.max(slowestPs, effect.octetPs ?? 0);
        cablePs = Math.max(cablePs, effect.delayPs ?? 0);
      }
      if (effect.kind === 'slow') slowestPs = Math.max(slowestPs, effect.octetPs);
      if (effect.kind === 'delay') delayPs += effect.delayPs + effect.jitterPs;
    }
    return (slowestPs - octetPs) * Math.max(octets, this.longestOctets) + delayPs + cablePs;
  }

  private step(hop: number, egress: LinkEnd | null, next: number, before: number): TraceStep {
    const { blocked, fabric } = this;
    const { words, times } = this.hops;
    const at = hop * HOP_WORDS;
    const device = words[at + DEVICE]!;
    const isFirst = before < 0;
    const startPs = isFirst ? times[hop * HOP_TIMES + BORN]! : times[hop * HOP_TIMES + ARRIVED]!;
    const leftPs = Math.max(startPs, Math.min(times[hop * HOP_TIMES + END_PS]!, this.nowPs));
    const queuedPs = egress === null ? leftPs : times[hop * HOP_TIMES + QUEUED]!;
    const priority = words[at + FRAME_CLASS]! & PRIORITY_MASK;
    const port = egress === null ? '' : egress.name;
    const parts: TracePart[] = [];
    if (isFirst) blocked.cut(parts, 'source', { port, priority, startPs, endPs: queuedPs });
    else {
      const isHost = fabric.specs[device]!.kind === 'host';
      add(parts, isHost ? 'receive' : 'complete', startPs, queuedPs);
    }
    if (egress !== null)
      blocked.cut(parts, 'wait', { port, priority, startPs: queuedPs, endPs: leftPs });
    const ingress = words[at + INGRESS]!;
    const reason = words[at + REASON]!;
    return {
      device: fabric.topology.devices[device]!.name,
      ingress: ingress < 0 ? '' : fabric.linkEnds[device]![ingress]!.name,
      egress: port,
      startPs,
      endPs: next < 0 ? leftPs : this.addTransmission(parts, egress!, hop, next),
      end: HOP_ENDS[words[at + END]!]!,
      reason: reason < 0 ? '' : DROP_REASONS[reason]!,
      parts,
      before,
    };
  }

  /** Returns when it ends. */
  private addTransmission(parts: TracePart[], egress: LinkEnd, sent: number, next: number): number {
    const { words, times } = this.hops;
    const endPs = times[next * HOP_TIMES + ARRIVED]!;
    const came = endPs - this.pipelines[words[next * HOP_WORDS + DEVICE]!]!;
    add(parts, 'serialise', times[sent * HOP_TIMES + END_PS]!, came - egress.latencyPs);
    add(parts, 'propagate', came - egress.latencyPs, came);
    add(parts, 'process', came, endPs);
    return endPs;
  }
}

const NONE = -1;
const NOWHERE: readonly number[] = [];

/** By source and target, then by connection and kind: see `endsKey`, `restKey`. */
type FlowNames = ReadonlyMap<number, ReadonlyMap<number, string>>;

/** More than there are. */
const STATIONS = 2 ** 26;

function endsKey(from: number, to: number): number {
  return from * STATIONS + to;
}

function restKey(connection: number, kind: number): number {
  return connection * (KIND_MASK + 1) + kind;
}

/** By the common fields of a flow's frames: source, target, connection and kind. */
function flowNames({ flows, flowEnds, specs }: Fabric): FlowNames {
  const names = new Map<number, Map<number, string>>();
  flows.forEach(({ name }, flow) => {
    const { device, connection } = flowEnds[flow]!.send;
    const spec = specs[device]!;
    if (spec.kind !== 'host') return;
    const { target, remote, frameClass } = spec.sends[connection]!;
    const ends = endsKey(spec.position, target);
    const own = names.get(ends) ?? new Map<number, string>();
    names.set(ends, own.set(restKey(remote, frameClass & KIND_MASK), name));
  });
  return names;
}

/** Nothing where it takes no time. */
function add(parts: TracePart[], kind: PartKind, startPs: number, endPs: number): void {
  if (endPs > startPs) parts.push({ kind, startPs, endPs, hold: null });
}
