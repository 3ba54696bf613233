import { DROP_REASONS } from '../../engine/contract/probe.js';
import type { Engine } from '../../engine/device/engine.js';
import { forEachQueued } from '../../engine/device/queued-frames.js';
import { CLASS, PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import { TX_FRAMES, TX_OCTETS } from '../../engine/port/counters.js';
import { PRIORITIES } from '../../engine/units/ethernet.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import { MECHANISMS } from '../../mechanisms/registry.js';
import { prioritiesByDevice } from './carried-priorities.js';
import type { CauseWord, FlowCause } from './flow-cause.js';
import type { EndedRun, FlowProgress, FlowWait, Path } from './flow-progress.js';
import type { FlowResult, StallResult } from './results.js';
import { FLOW_CAUSES } from './flow-cause.js';

/** They are sent again. */
const NO_LOSS = 'out-of-sequence';

type Place = Pick<FlowCause, 'at' | 'by'>;
const NOWHERE: Place = { at: null, by: null };

/** What became of the flows of a run. */
interface Causes {
  /** By flow; null where it is finished. */
  readonly causes: readonly (FlowCause | null)[];
  readonly stalls: readonly StallResult[];
}

/** The cause of every flow that is not finished, each proven by the state of the fabric. */
export function causesOf(
  run: EndedRun,
  flows: readonly FlowResult[],
  progress: FlowProgress,
): Causes {
  const judge = new CauseJudge(run, progress);
  const stalls: StallResult[] = [];
  const causes = flows.map((flow, index) => {
    if (judge.isFinished(flow)) return null;
    const wait = progress.wait(index, flow.unreachableAt);
    const cause = wait === null ? judge.withoutData(flow) : judge.ofWait(flow, wait);
    if (wait !== null && cause.standsStill && FLOW_CAUSES[cause.word].status !== 'starved') {
      const { sincePs, port, peer, unreachableAt } = wait;
      stalls.push({
        ...{ flow: index, name: flow.name, sincePs, port, peer, unreachableAt },
        cause: cause.word,
      });
    }
    return cause;
  });
  return { causes, stalls };
}

class CauseJudge {
  /** Priorities of frames that wait at ports, as `port * PRIORITIES + priority`. */
  private readonly waiting = new Set<number>();
  /** The same of frames on the link to a port. */
  private readonly coming = new Set<number>();

  private readonly fabric: Fabric;
  private readonly engine: Engine;
  private readonly nowPs: number;

  constructor(
    { fabric, engine, nowPs }: EndedRun,
    private readonly progress: FlowProgress,
  ) {
    this.fabric = fabric;
    this.engine = engine;
    this.nowPs = nowPs;
    const { pool, inFlightQueues } = engine.shared;
    const { words } = pool;
    for (const device of engine.devices) {
      device.spec.ports.forEach((_, p) => {
        const port = device.firstPort + p;
        inFlightQueues.forEach(port, (frame) => {
          this.coming.add(port * PRIORITIES + (words[frame + CLASS]! & PRIORITY_MASK));
        });
      });
      forEachQueued(engine.shared, device, (frame, port) => {
        this.waiting.add(port * PRIORITIES + (words[frame + CLASS]! & PRIORITY_MASK));
      });
    }
  }

  /** It has its volume, or was a stream to a time that has passed, and all of it has arrived. */
  isFinished(flow: FlowResult): boolean {
    if (flow.completionPs !== null) return true;
    if (
      this.nowPs < this.fabric.flows[flow.flow]!.endPs ||
      this.progress.wait(flow.flow, flow.unreachableAt) !== null
    ) {
      return false;
    }
    return flow.transport !== 'raw' || flow.frames >= this.expectedFrames(flow);
  }

  /** Nothing of it waits to be sent or delivered, and yet it is not finished. */
  withoutData(flow: FlowResult): FlowCause {
    const { endPs, after } = this.fabric.flows[flow.flow]!;
    const { senders } = this.engine;
    const hasMore = senders.remaining(this.progress.sender(flow.flow)) > 0 && this.nowPs < endPs;
    const isGone =
      !hasMore &&
      flow.transport === 'raw' &&
      flow.frames < this.expectedFrames(flow) &&
      !this.progress.hasFrames(flow.flow);
    if (isGone)
      return moving('dropped', this.lossOn(this.progress.pathOf(flow.flow), flow) ?? NOWHERE);
    const isDue = flow.sentFrames > 0 && !(hasMore && after.length > 0);
    return moving(isDue ? 'sending' : 'not-due', NOWHERE);
  }

  ofWait(flow: FlowResult, wait: FlowWait): FlowCause {
    const [word, place] = this.wordOf(flow, wait);
    return { word, standsStill: wait.standsStill, ...place };
  }

  private wordOf(flow: FlowResult, wait: FlowWait): readonly [CauseWord, Place] {
    const { path, port, peer, mechanism } = wait;
    if (wait.isInRing) return ['deadlocked', { at: port, by: peer }];
    if (wait.unreachableAt !== null) return ['unreachable', { at: wait.unreachableAt, by: null }];
    if (wait.isExplained) return ['sending', NOWHERE];
    const { priority } = flow;
    if (path.ends.some((end) => this.progress.awaitsAgreement(end, priority))) {
      return ['refused', { at: port, by: peer }];
    }
    const starved = this.starvation(path, priority, wait.standsStill);
    if (starved !== null) return ['starved', starved];
    const blocks = MECHANISMS.find(({ name }) => name === mechanism)?.blocks;
    if (blocks !== undefined && (wait.isBlocked || wait.standsStill))
      return [blocks, { at: port, by: peer }];
    if (wait.isDraining) return ['sending', NOWHERE];
    if (this.progress.isPausedForTime(path, priority)) return ['paused', NOWHERE];
    if (wait.isWithinGap || this.progress.isPaced(flow.flow))
      return ['rate-limited', { at: null, by: this.rateOf(flow) }];
    const loss = this.lossOn(path, flow);
    if (loss !== null && flow.transport === 'raw') return ['dropped', loss];
    if (loss !== null && flow.timeouts > 0) return ['retrying', loss];
    return [wait.standsStill ? 'stalled' : 'sending', { at: port, by: peer }];
  }

  private expectedFrames({ flow, sentFrames }: FlowResult): number {
    return sentFrames * this.fabric.flowEnds[flow]!.receives.length;
  }

  private rateOf({ flow }: FlowResult): string {
    const { congestion } = this.fabric.scenario.load[this.fabric.flows[flow]!.load]!;
    return congestion === 'none' ? 'rate' : congestion;
  }

  /** The port nearest to the destination at which its class waits for one that outranks it. */
  private starvation({ ends }: Path, priority: number, standsStill: boolean): Place | null {
    const priorities = prioritiesByDevice(this.fabric, ends, priority);
    for (const end of ends.toReversed()) {
      // What an arbiter of a plugin serves first is known by what does not move.
      const { arbiter } = this.engine.devices[end.device]!.spec.ports[end.port]!;
      if (arbiter.kind === 'outside' && !standsStill) continue;
      for (const own of priorities.get(end.device) ?? []) {
        const by = this.outrankedBy(end, own);
        if (by !== null) return { at: end.name, by };
      }
    }
    return null;
  }

  private outrankedBy(end: LinkEnd, priority: number): string | null {
    const { devices, shared } = this.engine;
    const { counters, ports, queues } = shared;
    const port = this.progress.numberOf(end);
    const tc = ports.classOf(port, priority);
    const isEligible = (queues.eligible(port) & (1 << tc)) !== 0;
    if (!isEligible || !this.waiting.has(port * PRIORITIES + priority)) return null;
    const outranking = devices[end.device]!.arbiters[end.port]!.outranking(tc);
    const peer = this.progress.numberOf(this.fabric.linkEnds[end.peerDevice]![end.peerPort]!);
    let [winner, most] = [-1, 0];
    for (let other = 0; other < PRIORITIES; other++) {
      const octets = counters.get(port, other, TX_OCTETS);
      const isOutranking = (outranking & (1 << ports.classOf(port, other))) !== 0;
      if (!isOutranking || octets <= most || !this.isPresent(port, peer, other)) continue;
      [winner, most] = [other, octets];
    }
    if (winner < 0) return null;
    // A port that has been idle for a frame of those has none of them to send.
    const framePs = (most / counters.get(port, winner, TX_FRAMES)) * end.octetPs;
    if (ports.freeAt(port) + 2 * framePs < this.nowPs) return null;
    return `priority ${winner} (class ${ports.classOf(port, winner)})`;
  }

  /** Frames of a priority wait at a port, or have just left it. */
  private isPresent(port: number, peer: number, priority: number): boolean {
    return (
      this.waiting.has(port * PRIORITIES + priority) ||
      this.coming.has(peer * PRIORITIES + priority)
    );
  }

  /** Where on its path, and why, most frames of its priorities were lost; null: none was. */
  private lossOn({ ends }: Path, { flow, priority }: FlowResult): Place | null {
    const { transport } = this.fabric.flows[flow]!;
    const priorities = new Set([priority]);
    for (const own of prioritiesByDevice(this.fabric, ends, priority).values()) {
      for (const one of own) priorities.add(one);
    }
    if (transport.kind === 'reliable') priorities.add(transport.ackPriority);
    let [place, most]: [Place | null, number] = [null, 0];
    const { counters } = this.engine.shared;
    for (const end of ends) {
      const peer = this.fabric.linkEnds[end.peerDevice]![end.peerPort]!;
      for (const { name, ...one } of [end, peer]) {
        const port = this.engine.devices[one.device]!.firstPort + one.port;
        DROP_REASONS.forEach((reason, number) => {
          for (const own of priorities) {
            const drops = reason === NO_LOSS ? 0 : counters.drops(port, own, number);
            if (drops > most) [place, most] = [{ at: name, by: reason }, drops];
          }
        });
      }
    }
    return place;
  }
}

function moving(word: CauseWord, place: Place): FlowCause {
  return { word, standsStill: false, ...place };
}
