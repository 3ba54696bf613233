import { EXCHANGE, GRANTING_CONTROLS } from '../../mechanisms/registry.js';
import type {
  DeviceWaits,
  HoldRecord,
  StopCause,
  StopRecord,
} from '../../engine/analysis/waits/wait-records.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import { type Episode, GRANT_LOOP, type RootReason } from './congestion.js';
import { holdId } from './hold-id.js';

/** Mechanisms that hold frames for want of grants, without a message that stops a sender. */
const WAITS_FOR_GRANTS: readonly string[] = [EXCHANGE, ...GRANTING_CONTROLS];

/** The mechanism that holds frames until link partners agree over LLDP. */
const DISCOVERY = 'discovery';

/** A grant that was sent is under way for so many times the distance before it is missed. */
const ROUND_TRIPS = 2;

interface Cause {
  readonly parent: string | null;
  readonly reason: RootReason | null;
}

/** An egress queue because of which accounts were paused. */
interface Backlog {
  readonly id: string;
  readonly end: LinkEnd;
  readonly priority: number;
  readonly sincePs: number;
  isShared: boolean;
  slower: boolean;
  endPs: number;
}

/** Records of one place, in the order of their starts, and the names of their episodes. */
interface Line<Item> {
  /** Prefix of the names of its episodes. */
  readonly name: string;
  readonly items: Item[];
  readonly ids: string[];
}

/**
 * Joins the records of all devices to episodes with causes. A hold is caused by the pause that the
 * link partner sent; a pause by the hold, or else the queue, in which its frames wait. Every cause
 * began before its effect, so there are no cycles.
 */
export class EpisodeJoin {
  private readonly backlogs = new Map<string, Backlog>();
  /** By device, port and group (stops), or priority (holds): in the order of their starts. */
  private readonly stops = new Map<number, Line<StopRecord>>();
  private readonly holds = new Map<number, Line<HoldRecord>>();
  /** By device. */
  private readonly merged: readonly (readonly HoldRecord[])[];
  /** Names of the episodes of its records. */
  private readonly stopIds: readonly (readonly string[])[];
  private readonly holdIds: readonly (readonly string[])[];

  constructor(
    private readonly fabric: Fabric,
    private readonly waits: readonly DeviceWaits[],
  ) {
    this.merged = waits.map(({ holds }) => merged(holds));
    this.stopIds = waits.map(({ stops }, device) =>
      stops.map((stop) => {
        const { port, group, startPs } = stop;
        const line = lineOf(this.stops, fabric.linkEnds[device]![port]!, group);
        return push(line, stop, `${line.name}@${startPs} paused`);
      }),
    );
    this.holdIds = this.merged.map((holds, device) =>
      holds.map((hold) => {
        const { port, priority, channel, startPs } = hold;
        const line = lineOf(this.holds, fabric.linkEnds[device]![port]!, priority);
        return push(line, hold, holdId(line.name, channel, startPs));
      }),
    );
  }

  episodes(): Episode[] {
    const episodes = this.waits.flatMap(({ stops }, device) => [
      ...stops.map((stop, i) => this.paused(device, stop, this.stopIds[device]![i]!)),
      ...this.merged[device]!.map((hold, i) =>
        this.blocked(device, hold, this.holdIds[device]![i]!),
      ),
    ]);
    const queues = [...this.backlogs.values()].map(queueEpisode);
    return [...queues, ...episodes].sort(
      (a, b) => a.startPs - b.startPs || (a.id < b.id ? -1 : Number(a.id > b.id)),
    );
  }

  private paused(device: number, stop: StopRecord, id: string): Episode {
    const { port, group, mechanism, startPs } = stop;
    const end = this.fabric.linkEnds[device]![port]!;
    const { parent, reason } = this.causeOfStop(end, stop);
    return {
      id,
      kind: 'full',
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

  private blocked(device: number, hold: HoldRecord, id: string): Episode {
    const { port, priority, mechanism, startPs, frameTimePs } = hold;
    const end = this.fabric.linkEnds[device]![port]!;
    const { parent, reason } = this.causeOfHold(end, hold);
    return {
      id,
      kind: 'blocked',
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
    const stops = this.stops.get(keyOf(peerDevice, peerPort, group)) ?? NONE;
    const last = lastBefore(stops.items, startPs);
    if (mechanism === DISCOVERY) return root('no-agreement');
    if (WAITS_FOR_GRANTS.includes(mechanism)) {
      const peer = this.fabric.linkEnds[peerDevice]![peerPort]!;
      const late = startPs - ROUND_TRIPS * (end.latencyPs + peer.latencyPs);
      const isShort = last >= 0 && stops.items[last]!.endPs >= late;
      return isShort ? caused(stops.ids[last]!) : root(GRANT_LOOP);
    }
    return last < 0 ? root('mechanism') : caused(stops.ids[last]!);
  }

  private causeOfStop(end: LinkEnd, stop: StopRecord): Cause {
    const { cause, startPs } = stop;
    if (cause === null) {
      const isHost = this.fabric.specs[end.device]!.kind === 'host';
      return root(isHost ? 'slow-receiver' : 'memory-taken');
    }
    const egress = this.fabric.linkEnds[end.device]![cause.egress]!;
    if (cause.isBlocked) {
      const hold = this.holdBefore(egress, cause.priority, startPs);
      if (hold !== null) return caused(hold);
    }
    return caused(this.noteBacklog(end, egress, cause, stop.endPs));
  }

  /** A PAUSE is recorded once for all priorities, under the lowest. */
  private holdBefore(egress: LinkEnd, priority: number, startPs: number): string | null {
    const { pausing } = this.fabric.specs[egress.device]!.ports[egress.port]!;
    const key = keyOf(egress.device, egress.port, pausing?.wholePort === true ? 0 : priority);
    const { items, ids } = this.holds.get(key) ?? NONE;
    return ids[lastBefore(items, startPs)] ?? null;
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

function caused(parent: string): Cause {
  return { parent, reason: null };
}

function root(reason: RootReason): Cause {
  return { parent: null, reason };
}

function finite(timePs: number): number | null {
  return timePs === Infinity ? null : timePs;
}

const NONE: Line<never> = { name: '', items: [], ids: [] };

/** `eighth`: a group, or a priority. */
function lineOf<Item>(
  lines: Map<number, Line<Item>>,
  { device, port, name }: LinkEnd,
  eighth: number,
): Line<Item> {
  const key = keyOf(device, port, eighth);
  let line = lines.get(key);
  if (line === undefined) {
    line = { name: `${name}/${eighth}`, items: [], ids: [] };
    lines.set(key, line);
  }
  return line;
}

function push<Item>({ items, ids }: Line<Item>, item: Item, id: string): string {
  items.push(item);
  ids.push(id);
  return id;
}

/** The index of the last that began at a time or before it; -1: none did. */
function lastBefore(items: readonly { readonly startPs: number }[], timePs: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle]!.startPs <= timePs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
