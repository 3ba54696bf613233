import type {
  DeviceWaits,
  HoldRecord,
  StopCause,
  StopRecord,
} from '../../engine/analysis/waits/wait-records.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import type { Episode, RootReason } from './congestion.js';

/** Credit that was sent is under way for so many times the distance before it is missed. */
const ROUND_TRIPS = 2;

interface Cause {
  readonly parent: string | null;
  readonly reason: RootReason | null;
}

/** An egress queue that accounts were stopped for. */
interface Backlog {
  readonly id: string;
  readonly end: LinkEnd;
  readonly priority: number;
  readonly sincePs: number;
  isShared: boolean;
  slower: boolean;
  endPs: number;
}

/**
 * Joins what devices wrote down, each for itself, to episodes with causes. A hold goes back to the
 * stop that the neighbour asked for; a stop to the hold, or else the queue, in which its frames
 * stand. Every cause began before what it causes, so there are no circles.
 */
export class EpisodeJoin {
  private readonly backlogs = new Map<string, Backlog>();
  /** By device, port and group (stops), or priority (holds): in the order of their starts. */
  private readonly stops = new Map<number, StopRecord[]>();
  private readonly holds = new Map<number, HoldRecord[]>();
  /** By device. */
  private readonly merged: readonly (readonly HoldRecord[])[];

  constructor(
    private readonly fabric: Fabric,
    private readonly waits: readonly DeviceWaits[],
  ) {
    this.merged = waits.map(({ holds }) => merged(holds));
    waits.forEach(({ stops }, device) => {
      for (const stop of stops) push(this.stops, keyOf(device, stop.port, stop.group), stop);
      for (const hold of this.merged[device]!) {
        push(this.holds, keyOf(device, hold.port, hold.priority), hold);
      }
    });
  }

  episodes(): Episode[] {
    const episodes = this.waits.flatMap(({ stops }, device) => [
      ...stops.map((stop) => this.stopped(device, stop)),
      ...this.merged[device]!.map((hold) => this.held(device, hold)),
    ]);
    const queues = [...this.backlogs.values()].map(queueEpisode);
    return [...queues, ...episodes].sort(
      (a, b) => a.startPs - b.startPs || (a.id < b.id ? -1 : Number(a.id > b.id)),
    );
  }

  private stopped(device: number, stop: StopRecord): Episode {
    const { port, group, mechanism, startPs } = stop;
    const end = this.fabric.linkEnds[device]![port]!;
    const { parent, reason } = this.causeOfStop(end, stop);
    return {
      id: stopId(end, stop),
      kind: 'stopped',
      device: this.nameOf(device),
      port: end.name,
      priority: mechanism === 'pause' ? null : this.priorityOf(end, group),
      mechanism,
      startPs,
      endPs: finite(stop.endPs),
      parent,
      reason,
      frameTimePs: 0,
    };
  }

  private held(device: number, hold: HoldRecord): Episode {
    const { port, priority, mechanism, startPs, frameTimePs } = hold;
    const end = this.fabric.linkEnds[device]![port]!;
    const { parent, reason } = this.causeOfHold(end, hold);
    return {
      id: holdId(end, hold),
      kind: 'held',
      device: this.nameOf(device),
      port: end.name,
      priority: mechanism === 'pause' ? null : priority,
      mechanism,
      startPs,
      endPs: finite(hold.endPs),
      parent,
      reason,
      frameTimePs,
    };
  }

  private causeOfHold(end: LinkEnd, { priority, startPs, mechanism }: HoldRecord): Cause {
    const { peerDevice, peerPort } = end;
    const group = this.fabric.specs[peerDevice]!.ports[peerPort]!.groupOf[priority]!;
    const stops = this.stops.get(keyOf(peerDevice, peerPort, group)) ?? [];
    const stop = lastBefore(stops, startPs);
    const peer = this.fabric.linkEnds[peerDevice]![peerPort]!;
    if (mechanism === 'credit') {
      const late = startPs - ROUND_TRIPS * (end.latencyPs + peer.latencyPs);
      const isShort = stop !== null && stop.endPs >= late;
      return isShort ? caused(stopId(peer, stop)) : root('credit-loop');
    }
    return stop === null ? root('mechanism') : caused(stopId(peer, stop));
  }

  private causeOfStop(end: LinkEnd, stop: StopRecord): Cause {
    const { cause, startPs } = stop;
    if (cause === null) {
      const isHost = this.fabric.specs[end.device]!.kind === 'host';
      return root(isHost ? 'slow-receiver' : 'memory-taken');
    }
    const egress = this.fabric.linkEnds[end.device]![cause.egress]!;
    if (cause.isHeld) {
      const hold = this.holdBefore(egress, cause.priority, startPs);
      if (hold !== null) return caused(holdId(egress, hold));
    }
    return caused(this.noteBacklog(end, egress, cause, stop.endPs));
  }

  /** A PAUSE is noted once for all priorities, under the lowest. */
  private holdBefore(egress: LinkEnd, priority: number, startPs: number): HoldRecord | null {
    const find = (p: number): HoldRecord | null =>
      lastBefore(this.holds.get(keyOf(egress.device, egress.port, p)) ?? [], startPs);
    const isPaused = this.fabric.specs[egress.device]!.ports[egress.port]!.pause !== null;
    return find(isPaused ? 0 : priority);
  }

  private noteBacklog(end: LinkEnd, egress: LinkEnd, cause: StopCause, endPs: number): string {
    const { trafficClass, priority, sincePs, isShared } = cause;
    const id = `${egress.name}/${trafficClass}@${sincePs} queue`;
    const known = this.backlogs.get(id);
    const slower = egress.octetPs > end.octetPs;
    if (known === undefined) {
      this.backlogs.set(id, { id, end: egress, priority, sincePs, isShared, slower, endPs });
    } else {
      known.isShared ||= isShared;
      known.endPs = Math.max(known.endPs, endPs);
    }
    return id;
  }

  private priorityOf(end: LinkEnd, group: number): number {
    return this.fabric.specs[end.device]!.ports[end.port]!.groupOf.indexOf(group);
  }

  private nameOf(device: number): string {
    return this.fabric.topology.devices[device]!.name;
  }
}

function queueEpisode({ id, end, priority, sincePs, isShared, slower, endPs }: Backlog): Episode {
  const [device] = end.name.split(':') as [string];
  return {
    id,
    kind: 'queue',
    device,
    port: end.name,
    priority,
    mechanism: '',
    startPs: sincePs,
    endPs: finite(endPs),
    ...root(!isShared && slower ? 'slower-wire' : 'contended'),
    frameTimePs: 0,
  };
}

/** A PAUSE holds every priority of a port: one episode, and the frames of all. */
function merged(holds: readonly HoldRecord[]): readonly HoldRecord[] {
  if (holds.every(({ mechanism }) => mechanism !== 'pause')) return holds;
  const frameTimes = new Map<string, number>();
  const keyOfPause = ({ port, startPs }: HoldRecord): string => `${port}@${startPs}`;
  const first = holds.filter((hold) => {
    if (hold.mechanism !== 'pause') return true;
    const before = frameTimes.get(keyOfPause(hold));
    frameTimes.set(keyOfPause(hold), (before ?? 0) + hold.frameTimePs);
    return before === undefined;
  });
  return first.map((hold) => ({
    ...hold,
    frameTimePs: frameTimes.get(keyOfPause(hold)) ?? hold.frameTimePs,
  }));
}

function keyOf(device: number, port: number, eighth: number): number {
  return (device * 4096 + port) * 8 + eighth;
}

function stopId({ name }: LinkEnd, { group, startPs }: StopRecord): string {
  return `${name}/${group}@${startPs} stopped`;
}

function holdId({ name }: LinkEnd, { priority, channel, startPs }: HoldRecord): string {
  const who = channel > 0 ? `${priority}.${channel}` : `${priority}`;
  return `${name}/${who}@${startPs} held`;
}

function caused(parent: string): Cause {
  return { parent, reason: null };
}

function root(reason: RootReason): Cause {
  return { parent: null, reason };
}

function finite(timePs: number): number | null {
  return timePs === Infinity ? null : timePs;
}

function push<Item>(lists: Map<number, Item[]>, key: number, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** The last that began at a time or before it. */
function lastBefore<Item extends { readonly startPs: number }>(
  items: readonly Item[],
  timePs: number,
): Item | null {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.startPs <= timePs) low = middle + 1;
    else high = middle;
  }
  return items[low - 1] ?? null;
}
