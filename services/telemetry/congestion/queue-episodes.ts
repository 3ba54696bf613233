import { CONGESTED_PS } from '../../engine/analysis/waits/queue-book.js';
import type {
  DeviceWaits,
  FlowShare,
  QueueRecord,
  StopCause,
} from '../../engine/analysis/waits/wait-records.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import { FlowsByFrame } from '../../fabric/assembly/flows-by-frame.js';
import type { Episode, QueueShare } from './congestion.js';
import { lastBefore } from './last-before.js';

/** An egress queue that delayed frames, or kept link partners from sending. */
interface Backlog {
  readonly id: string;
  /** Of its port and class. */
  readonly place: string;
  readonly end: LinkEnd;
  readonly priority: number;
  readonly startPs: number;
  endPs: number;
  isShared: boolean;
  /** The link that feeds it is faster than its own. */
  isSlower: boolean;
  readonly frameTimePs: number;
  /** Its port was blocked for at least half of the time. */
  readonly isBlocked: boolean;
  /** What joins it would fit on its link, but for other classes. */
  readonly isCrowdedOut: boolean;
  /** More joined it than its link carries; null: it was not seen to grow. */
  readonly isOverfed: boolean | null;
  /** When it became long. */
  readonly longPs: number;
  /** Something waits for it. */
  isNamed: boolean;
  readonly flows: readonly FlowShare[];
  /** A port by which its frames came. */
  readonly ingress: LinkEnd | null;
}

/** The queues of a run, by where and since when. */
export class QueueEpisodes {
  private readonly byId = new Map<string, Backlog>();
  /** By device, port and class, in the order of their starts. */
  private readonly lines = new Map<string, Backlog[]>();
  /** Where more joined a queue than its link carries, at any time. */
  private readonly overfed = new Set<string>();

  constructor(
    private readonly fabric: Fabric,
    waits: readonly DeviceWaits[],
    private readonly nowPs: number,
  ) {
    waits.forEach(({ queues }, device) => {
      for (const record of queues) this.put(record, fabric.linkEnds[device]![record.port]!);
    });
  }

  /** The queue in which frames of an account wait; the account kept its sender until `endPs`. */
  ofStop(end: LinkEnd, egress: LinkEnd, cause: StopCause, endPs: number): string {
    const { trafficClass, priority, sincePs, isShared } = cause;
    const isSlower = egress.octetPs > end.octetPs;
    const id = idOf(egress, trafficClass, sincePs);
    const known = this.byId.get(id) ?? this.add(egress, { trafficClass, priority, sincePs, endPs });
    known.isShared ||= isShared;
    known.isSlower ||= isSlower;
    known.endPs = Math.max(known.endPs, endPs);
    known.isNamed = true;
    return id;
  }

  /** The queue of a priority that sent a message by a time. */
  ofNotice(egress: LinkEnd, priority: number, timePs: number): { id: string; isBlocked: boolean } {
    const { classOf } = this.fabric.specs[egress.device]!.ports[egress.port]!;
    const trafficClass = classOf[priority]!;
    const line = this.lines.get(lineOf(egress, trafficClass)) ?? [];
    const queue =
      line[lastBefore(line, timePs)] ??
      this.add(egress, { trafficClass, priority, sincePs: timePs, endPs: timePs });
    queue.isNamed = true;
    return queue;
  }

  /** A queue of another class that stands at a port at a time; null: there is none. */
  besides(end: LinkEnd, priority: number, timePs: number): string | null {
    const { classOf } = this.fabric.specs[end.device]!.ports[end.port]!;
    const classes = new Set(classOf);
    classes.delete(classOf[priority]!);
    for (const trafficClass of classes) {
      const line = this.lines.get(lineOf(end, trafficClass)) ?? [];
      const queue = line[lastBefore(line, timePs)];
      if (queue === undefined || queue.endPs < timePs) continue;
      queue.isNamed = true;
      return queue.id;
    }
    return null;
  }

  /** Those that are congested themselves, or that something waits for. */
  episodes(): Omit<Episode, 'parent' | 'reason' | 'fault'>[] {
    return this.roots().map(({ id, end, priority, startPs, endPs, frameTimePs }) => ({
      ...{ id, kind: 'queue', device: end.name.split(':')[0]!, port: end.name, priority },
      ...{ mechanism: '', startPs, endPs: endPs === Infinity ? null : endPs, frameTimePs },
    }));
  }

  /** More joined the queue of an account than its link carries. */
  isOverfed(egress: LinkEnd, { trafficClass, sincePs }: StopCause): boolean {
    return this.byId.get(idOf(egress, trafficClass, sincePs))?.isOverfed === true;
  }

  /** Whether several ports feed a queue, and what else is known of it. */
  kindOf(id: string): Readonly<Backlog> {
    return this.byId.get(id)!;
  }

  /**
   * It would be long without a fault of its port: more joined it than its link carries at its full
   * rate, or else a queue at its place; where none was seen to grow, several ports feed it.
   */
  isLongAnyway(id: string): boolean {
    const { place, isOverfed, isShared } = this.byId.get(id)!;
    return this.overfed.has(place) || (isOverfed === null && isShared);
  }

  /** The port at the other end of the link that feeds a queue, and when what came of it left. */
  feederOf(
    id: string,
  ): { readonly end: LinkEnd; readonly fromPs: number; readonly toPs: number } | null {
    const { ingress, longPs } = this.byId.get(id)!;
    if (ingress === null) return null;
    const { peerDevice, peerPort, latencyPs } = ingress;
    const end = this.fabric.linkEnds[peerDevice]![peerPort]!;
    return { end, fromPs: longPs - latencyPs - FILLS_PS, toPs: longPs };
  }

  shares(): QueueShare[] {
    const flows = new FlowsByFrame(this.fabric);
    return this.roots().flatMap((queue) =>
      queue.flows.flatMap(({ source, target, connection, isAnswer, octets, othersOctets }) => {
        const found = isAnswer
          ? flows.ofAnswer(target, connection)
          : flows.ofData(source, target, connection);
        return found === undefined
          ? []
          : { episode: queue.id, flow: found.flow, octets, othersOctets };
      }),
    );
  }

  private roots(): Backlog[] {
    return [...this.byId.values()].filter(({ isBlocked, isNamed }) => isNamed || !isBlocked);
  }

  private put(record: QueueRecord, end: LinkEnd): void {
    const { trafficClass, priority, startPs, endPs, ingress, isShared } = record;
    const id = idOf(end, trafficClass, startPs);
    const from = this.fabric.linkEnds[end.device]![ingress];
    const queue: Backlog = {
      ...{ id, place: lineOf(end, trafficClass), end, priority, startPs, endPs },
      ...{ isShared, isNamed: false },
      isSlower: from !== undefined && from.octetPs < end.octetPs,
      frameTimePs: record.frameTimePs,
      isBlocked:
        record.blockedPs > 0 && startPs + 2 * record.blockedPs >= Math.min(endPs, this.nowPs),
      isCrowdedOut: isCrowdedOut(record, end),
      isOverfed:
        record.grewPs > 0 ? record.joinedOctets * end.octetPs > LINE_RATE * record.grewPs : null,
      longPs: record.longPs,
      flows: record.flows,
      ingress: from ?? null,
    };
    this.file(queue);
  }

  private add(
    end: LinkEnd,
    {
      trafficClass,
      priority,
      sincePs,
      endPs,
    }: Pick<StopCause, 'trafficClass' | 'priority' | 'sincePs'> & { readonly endPs: number },
  ): Backlog {
    const queue: Backlog = {
      ...{ id: idOf(end, trafficClass, sincePs), end, priority, startPs: sincePs, endPs },
      ...{ isShared: false, isSlower: false, isBlocked: false, isNamed: true },
      ...{
        place: lineOf(end, trafficClass),
        isCrowdedOut: false,
        isOverfed: null,
        longPs: sincePs,
      },
      ...{ frameTimePs: 0, flows: [], ingress: null },
    };
    this.file(queue);
    return queue;
  }

  private file(queue: Backlog): void {
    this.byId.set(queue.id, queue);
    if (queue.isOverfed === true) this.overfed.add(queue.place);
    const line = this.lines.get(queue.place);
    if (line === undefined) this.lines.set(queue.place, [queue]);
    else line.splice(lastBefore(line, queue.startPs) + 1, 0, queue);
  }
}

/** What came of an upstream queue is a long queue so soon after that is empty. */
const FILLS_PS = 2 * CONGESTED_PS;

/** A queue that is fed at line rate grows by no more. */
const LINE_RATE = 1.05;
/** Other classes that send less than this part of the time are of no account. */
const LEAST_OTHERS = 0.05;

function isCrowdedOut(record: QueueRecord, { octetPs }: LinkEnd): boolean {
  const { grewPs, grewBlockedPs, joinedOctets, othersOctets } = record;
  return (
    joinedOctets * octetPs <= LINE_RATE * grewPs &&
    othersOctets * octetPs > LEAST_OTHERS * grewPs &&
    2 * grewBlockedPs < grewPs
  );
}

function idOf({ name }: LinkEnd, trafficClass: number, sincePs: number): string {
  return `${name}/${trafficClass}@${sincePs} queue`;
}

function lineOf({ name }: LinkEnd, trafficClass: number): string {
  return `${name}/${trafficClass}`;
}
