import { MECHANISMS } from '../../mechanisms/registry.js';
import type { SliceWaits } from '../../mechanisms/mechanism-slice.js';
import type {
  DeviceWaits,
  HoldRecord,
  NoticeRecord,
  StopRecord,
} from '../../engine/analysis/waits/wait-records.js';
import { ALONG, WHOLE } from '../../engine/analysis/waits/wait-records.js';
import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import type { Episode, EpisodeKind, QueueShare, RootReason } from './congestion.js';
import { holdId } from './hold-id.js';
import { lastBefore } from './last-before.js';
import { QueueEpisodes } from './queue-episodes.js';
import { RootFaults } from './root-faults.js';

/** Mechanisms of an engine that no slice has. */
const DISCOVERY = 'discovery';
const FAULT = 'fault';

/** A grant, or a pause, is under way behind so many frames of the greatest length. */
const FRAMES = 2;
/** A pause takes effect so long after it has arrived, at most. */
const RESPONSE_PS = 5e6;

interface Cause {
  readonly parent: string | null;
  readonly reason: RootReason | null;
  readonly fault: string | null;
}

/** Records of one place, in the order of their starts, and the names of their episodes. */
interface Line<Item> {
  /** Prefix of the names of its episodes. */
  readonly name: string;
  readonly items: Item[];
  readonly ids: string[];
}

type Waits = SliceWaits<unknown>;

/**
 * Joins the records of all devices to episodes with causes. A hold is caused by what its mechanism
 * declares (`SliceWaits`): the buffer at the other end of the link, which is full, or a queue that
 * sent a message; a full buffer by the hold, or else the queue, in which its frames wait. Every
 * cause began before its effect, so there are no cycles.
 */
export class EpisodeJoin {
  private readonly queues: QueueEpisodes;
  private readonly faults: RootFaults;
  /** By device, port, group (stops) or priority (holds, notices), and channel. */
  private readonly stops = new Map<number, Line<StopRecord>>();
  private readonly holds = new Map<number, Line<HoldRecord>>();
  private readonly notices = new Map<number, Line<NoticeRecord & { readonly startPs: number }>>();
  /** By device. */
  private readonly merged: readonly (readonly HoldRecord[])[];
  private readonly full: readonly (readonly StopRecord[])[];
  /** Names of the episodes of its records. */
  private readonly stopIds: readonly (readonly string[])[];
  private readonly holdIds: readonly (readonly string[])[];
  private readonly portOfMac: ReadonlyMap<number, LinkEnd>;
  private readonly longestOctets: number;

  constructor(
    private readonly fabric: Fabric,
    waits: readonly DeviceWaits[],
    nowPs: number,
  ) {
    this.queues = new QueueEpisodes(fabric, waits, nowPs);
    this.faults = new RootFaults(fabric, nowPs);
    this.longestOctets = Math.max(...fabric.longestFrameOctets);
    const ends = fabric.linkEnds.flat();
    this.portOfMac = new Map(ends.map((end) => [this.specOf(end).mac, end]));
    this.merged = waits.map(({ holds }) => merged(holds));
    // Of accounts of grants it is not told that they pause anybody: they are crowded.
    this.full = waits.map(({ stops, crowds, kept }) =>
      [...stops.filter(({ mechanism }) => !GRANTS_AHEAD.has(mechanism)), ...crowds, ...kept].sort(
        (a, b) => a.startPs - b.startPs,
      ),
    );
    this.stopIds = this.full.map((stops, device) =>
      stops.map((stop) => {
        const { port, group, channel, startPs, mechanism } = stop;
        const line = lineOf(this.stops, fabric.linkEnds[device]![port]!, group, channel);
        return push(line, stop, `${line.name}@${startPs} ${mechanism === '' ? 'kept' : 'paused'}`);
      }),
    );
    this.holdIds = this.merged.map((holds, device) =>
      holds.map((hold) => {
        const { port, priority, channel, startPs } = hold;
        const line = lineOf(this.holds, fabric.linkEnds[device]![port]!, priority, WHOLE);
        return push(line, hold, holdId(line.name, channel, startPs));
      }),
    );
    waits.forEach(({ notices }, device) => {
      for (const notice of notices) {
        const { port, priority, timePs } = notice;
        const line = lineOf(this.notices, fabric.linkEnds[device]![port]!, priority, WHOLE);
        push(line, { ...notice, startPs: timePs }, '');
      }
    });
  }

  episodes(): Episode[] {
    const episodes = this.full.flatMap((stops, device) => [
      ...stops.map((stop, i) => this.paused(device, stop, this.stopIds[device]![i]!)),
      ...this.merged[device]!.map((hold, i) =>
        this.blocked(device, hold, this.holdIds[device]![i]!),
      ),
    ]);
    const parents = new Map(episodes.map(({ id, parent }) => [id, parent]));
    const queues = this.fedBy(
      this.queues.episodes().map((queue) => {
        const own = this.waiting(queue, parents);
        parents.set(own.id, own.parent);
        return own;
      }),
      episodes,
    );
    return [...queues, ...episodes].sort(
      (a, b) => a.startPs - b.startPs || (a.id < b.id ? -1 : Number(a.id > b.id)),
    );
  }

  shares(): QueueShare[] {
    return this.queues.shares();
  }

  private waiting(
    queue: ReturnType<QueueEpisodes['episodes']>[number],
    parents: ReadonlyMap<string, string | null>,
  ): Episode {
    const { isShared, isSlower, isNamed, isBlocked, isCrowdedOut, isOverfed, end } =
      this.queues.kindOf(queue.id);
    const rootAs = (reason: RootReason): Episode => {
      const isOwn = this.queues.isLongAnyway(queue.id);
      return { ...queue, ...this.root('queue', end, { ...queue, isOwn }, reason) };
    };
    const hold = this.holdDuring(end, queue.priority!, queue);
    // Where something waits for the queue, the hold may wait for that.
    const isLeft = hold !== null && !(isNamed && isBehind(hold.id, queue.id, parents));
    const asLeft = (): Episode => {
      return { ...queue, startPs: Math.max(queue.startPs, hold!.startPs), ...caused(hold!.id) };
    };
    if (isBlocked && isLeft && !(isShared && isOverfed === true)) return asLeft();
    if (isCrowdedOut) return rootAs('other-classes');
    if (isShared) return rootAs('contended');
    if (isSlower) return rootAs('slower-wire');
    if (hold === null) return rootAs('other-classes');
    return isLeft ? asLeft() : rootAs('left-over');
  }

  /** What a fault has held back comes all at once: the next queue on its way waits for it, too. */
  private fedBy(queues: readonly Episode[], others: readonly Episode[]): Episode[] {
    const byId = new Map([...queues, ...others].map((episode) => [episode.id, episode]));
    const byPort = new Map<string, Episode[]>();
    for (const episode of byId.values()) {
      const there = byPort.get(episode.port);
      if (there === undefined) byPort.set(episode.port, [episode]);
      else there.push(episode);
    }
    for (const queue of [...queues].sort((a, b) => a.startPs - b.startPs)) {
      if (queue.reason !== 'slower-wire') continue;
      const feeder = this.queues.feederOf(queue.id);
      if (feeder === null) continue;
      const { end, fromPs, toPs } = feeder;
      const there = (byPort.get(end.name) ?? []).filter(({ startPs }) => startPs <= toPs);
      const faultOf = (id: string): string | null => faultHolding(id, queue.id, byId);
      // Where a queue never empties, a fault that comes again has no episode of its own each time.
      const again = this.faults.holding(end, fromPs, toPs);
      const above =
        there.find(({ id, endPs }) => (endPs ?? Infinity) >= fromPs && faultOf(id) !== null) ??
        there.findLast(({ id }) => again !== null && faultOf(id) === again);
      if (above !== undefined) byId.set(queue.id, { ...queue, ...caused(above.id) });
    }
    return queues.map(({ id }) => byId.get(id)!);
  }

  /** The first hold of a port that has kept a queue from sending. */
  private holdDuring(
    end: LinkEnd,
    priority: number,
    { startPs, endPs }: Pick<Episode, 'startPs' | 'endPs'>,
  ): { readonly id: string; readonly startPs: number } | null {
    const { items, ids } = this.holdsAt(end, priority);
    const first = Math.max(0, lastBefore(items, startPs));
    const place = items.findIndex((hold, i) => i >= first && hold.endPs > startPs);
    const found = items[place];
    if (found === undefined || found.startPs >= (endPs ?? Infinity)) return null;
    return { id: ids[place]!, startPs: found.startPs };
  }

  private paused(device: number, stop: StopRecord, id: string): Episode {
    const { port, group, mechanism, startPs } = stop;
    const end = this.fabric.linkEnds[device]![port]!;
    return {
      id,
      kind: 'full',
      device: this.nameOf(device),
      port: end.name,
      priority: mechanism === 'pause' ? null : this.priorityOf(end, group),
      mechanism,
      startPs,
      endPs: finite(stop.endPs),
      ...this.causeOfStop(end, stop),
      frameTimePs: stop.frameTimePs,
    };
  }

  private blocked(device: number, hold: HoldRecord, id: string): Episode {
    const { port, priority, mechanism, startPs, frameTimePs } = hold;
    const end = this.fabric.linkEnds[device]![port]!;
    return {
      id,
      kind: 'blocked',
      device: this.nameOf(device),
      port: end.name,
      priority: mechanism === 'pause' ? null : priority,
      mechanism,
      startPs,
      endPs: finite(hold.endPs),
      ...this.causeOfHold(end, hold),
      frameTimePs,
    };
  }

  private causeOfHold(end: LinkEnd, hold: HoldRecord): Cause {
    const { mechanism, priority, startPs } = hold;
    if (mechanism === DISCOVERY) return this.rootOfHold(end, hold, 'no-agreement');
    if (mechanism === FAULT) return this.rootOfHold(end, hold, 'fault');
    if (mechanism === ALONG) return this.causeAlong(end, hold);
    const found = WAITS.get(mechanism);
    switch (found?.waits.on) {
      case 'buffer':
      case 'grants':
        return this.causeAtPartner(end, hold, found);
      case 'queue':
        return (
          this.causeOfNotice(end, priority, startPs) ?? this.rootOfHold(end, hold, 'mechanism')
        );
      case 'order': {
        const queue = this.queues.besides(end, priority, startPs);
        return queue === null ? this.rootOfHold(end, hold, 'order') : caused(queue);
      }
      case 'retry':
        return this.rootOfHold(end, hold, 'retry');
      default:
        return this.rootOfHold(end, hold, 'mechanism');
    }
  }

  /** The buffer at the other end of the link, if it was full while word of that was under way. */
  private causeAtPartner(end: LinkEnd, hold: HoldRecord, { waits, plan }: Declared): Cause {
    const { priority, startPs, channel } = hold;
    const { peerDevice, peerPort } = end;
    const peer = this.fabric.linkEnds[peerDevice]![peerPort]!;
    const group = this.specOf(peer).groupOf[priority]!;
    const isAccount = channel !== WHOLE;
    const stops =
      this.stops.get(keyOf(peerDevice, peerPort, group, isAccount ? channel : WHOLE)) ?? NONE;
    const last = lastBefore(stops.items, startPs);
    const framesPs = FRAMES * this.longestOctets * Math.max(end.octetPs, peer.octetPs);
    const responsePs = waits.on === 'buffer' ? RESPONSE_PS : 0;
    const late = startPs - peer.latencyPs - framesPs - responsePs;
    if (last >= 0 && stops.items[last]!.endPs >= late) return caused(stops.ids[last]!);
    const proxied = this.causeOfNotice(peer, priority, startPs);
    if (proxied !== null) return proxied;
    if (waits.on === 'buffer') return this.rootOfHold(end, hold, 'mechanism');
    if (startPs <= end.latencyPs + peer.latencyPs) {
      return this.rootOfHold(end, hold, 'no-grant-yet');
    }
    const spec = this.specOf(peer);
    const wanted = { spec, priority, channel };
    const kind = waits.shortage?.(this.planOf(plan), peerDevice, peerPort, wanted).kind;
    return this.rootOfHold(end, hold, kind ?? 'under-way');
  }

  /** The hold of another priority that it is held along with. */
  private causeAlong(end: LinkEnd, hold: HoldRecord): Cause {
    const others = PRIORITY_NUMBERS.flatMap((priority) => {
      const { items, ids } = this.holdsAt(end, priority);
      const last = lastBefore(items, hold.startPs);
      const found = items[last];
      const isOver = found === undefined || found.endPs <= hold.startPs;
      return isOver || found.mechanism === ALONG ? [] : { startPs: found.startPs, id: ids[last]! };
    });
    const latest = others.reduce<(typeof others)[number] | null>(
      (best, other) => (best === null || other.startPs > best.startPs ? other : best),
      null,
    );
    return latest === null ? this.rootOfHold(end, hold, 'mechanism') : caused(latest.id);
  }

  /** The queue whose message paused a priority of a port by a time; null: there was none. */
  private causeOfNotice({ device, port }: LinkEnd, priority: number, timePs: number): Cause | null {
    const { items } = this.notices.get(keyOf(device, port, priority, WHOLE)) ?? NONE;
    const last = lastBefore(items, timePs);
    const egress = last < 0 ? undefined : this.portOfMac.get(items[last]!.queueMac);
    if (egress === undefined) return null;
    const { id, isBlocked } = this.queues.ofNotice(egress, priority, items[last]!.timePs);
    const hold = isBlocked ? this.holdBefore(egress, priority, timePs) : null;
    return caused(hold?.id ?? id);
  }

  private causeOfStop(end: LinkEnd, stop: StopRecord): Cause {
    const { cause, startPs } = stop;
    if (cause === null) {
      const isHost = this.fabric.specs[end.device]!.kind === 'host';
      return this.root('full', end, stop, isHost ? 'slow-receiver' : 'memory-taken');
    }
    const egress = this.fabric.linkEnds[end.device]![cause.egress]!;
    if (cause.isBlocked) {
      const hold = this.holdBefore(egress, cause.priority, startPs);
      // What is fed by more than it sends is long whatever has held it before.
      const isOver = hold !== null && hold.endPs < startPs && this.queues.isOverfed(egress, cause);
      if (hold !== null && !isOver) return caused(hold.id);
    }
    return caused(this.queues.ofStop(end, egress, cause, stop.endPs));
  }

  private holdBefore(
    egress: LinkEnd,
    priority: number,
    startPs: number,
  ): { readonly id: string; readonly endPs: number } | null {
    const { items, ids } = this.holdsAt(egress, priority);
    const last = lastBefore(items, startPs);
    return last < 0 ? null : { id: ids[last]!, endPs: items[last]!.endPs };
  }

  /** A PAUSE is recorded once for all priorities, under the lowest. */
  private holdsAt(end: LinkEnd, priority: number): Line<HoldRecord> {
    const { pausing } = this.specOf(end);
    const of = pausing?.wholePort === true ? 0 : priority;
    return this.holds.get(keyOf(end.device, end.port, of, WHOLE)) ?? NONE;
  }

  private rootOfHold(end: LinkEnd, hold: HoldRecord, reason: RootReason): Cause {
    return this.root('blocked', end, hold, reason);
  }

  private root(
    kind: EpisodeKind,
    end: LinkEnd,
    {
      startPs,
      endPs,
      isOwn = false,
    }: { readonly startPs: number; readonly endPs: number | null; readonly isOwn?: boolean },
    reason: RootReason,
  ): Cause {
    const until = endPs ?? Infinity;
    const found = this.faults.explain({ kind, end, reason, startPs, endPs: until, isOwn });
    return { parent: null, ...found };
  }

  private specOf({ device, port }: LinkEnd): Fabric['specs'][number]['ports'][number] {
    return this.fabric.specs[device]!.ports[port]!;
  }

  private planOf(name: string): unknown {
    return this.fabric.mechanisms.find(({ slice }) => slice.name === name)?.plan;
  }

  private priorityOf(end: LinkEnd, group: number): number {
    return this.specOf(end).groupOf.indexOf(group);
  }

  private nameOf(device: number): string {
    return this.fabric.topology.devices[device]!.name;
  }
}

/** The fault that is the root of an episode, and not behind another one; null: none is. */
function faultHolding(
  id: string,
  other: string,
  byId: ReadonlyMap<string, Episode>,
): string | null {
  let at = byId.get(id);
  while (at !== undefined && at.id !== other && at.parent !== null) at = byId.get(at.parent);
  return at !== undefined && at.id !== other && at.reason === 'fault' ? at.fault : null;
}

/** Whether one episode is caused by another. */
function isBehind(id: string, other: string, parents: ReadonlyMap<string, string | null>): boolean {
  for (let at: string | null = id; at !== null; at = parents.get(at) ?? null) {
    if (at === other) return true;
  }
  return false;
}

/** What a mechanism declares of its waits. */
interface Declared {
  readonly waits: Waits;
  readonly plan: string;
}

const WAITS: ReadonlyMap<string, Declared> = new Map(
  MECHANISMS.flatMap(({ name, waits }) =>
    waits === undefined ? [] : [[name, { waits, plan: name }]],
  ),
);

/** Mechanisms that keep accounts of what they grant. */
const GRANTS_AHEAD: ReadonlySet<string> = new Set(
  MECHANISMS.filter(({ granting }) => granting !== undefined).map(({ name }) => name),
);

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

function keyOf(device: number, port: number, eighth: number, channel: number): number {
  return (((channel + 1) * 2 ** 20 + device) * 4096 + port) * 8 + eighth;
}

function caused(parent: string): Cause {
  return { parent, reason: null, fault: null };
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
  channel: number,
): Line<Item> {
  const key = keyOf(device, port, eighth, channel);
  let line = lines.get(key);
  if (line === undefined) {
    const place = channel > 0 ? `${eighth}.${channel}` : `${eighth}`;
    line = { name: `${name}/${place}`, items: [], ids: [] };
    lines.set(key, line);
  }
  return line;
}

function push<Item>({ items, ids }: Line<Item>, item: Item, id: string): string {
  items.push(item);
  ids.push(id);
  return id;
}
