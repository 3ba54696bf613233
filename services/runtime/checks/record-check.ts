import { EVENTS } from '../../engine/analysis/events/event-recorder.js';
import type { EventLog } from '../../engine/analysis/events/event-recorder.js';
import {
  ARRIVED,
  BORN,
  DEVICE,
  END_PS,
  HOP_TIMES,
  HOP_WORDS,
  QUEUED,
} from '../../engine/analysis/trace/hop-log.js';
import type { SeenHops } from '../../engine/analysis/trace/hop-recorder.js';
import type { DeviceWaits, HoldRecord } from '../../engine/analysis/waits/wait-records.js';
import { WHOLE } from '../../engine/analysis/waits/wait-records.js';
import { DROP_REASONS } from '../../engine/contract/probe.js';
import type { Engine } from '../../engine/device/engine.js';
import { PRIORITIES } from '../../engine/units/ethernet.js';
import type { Breach } from './breach.js';

/** What observers recorded, by device; null where they did not. */
interface Seen {
  readonly waits: readonly DeviceWaits[] | null;
  readonly events: readonly EventLog[] | null;
  readonly hops: SeenHops | null;
}

type Place = Pick<Breach, 'device' | 'port' | 'priority'>;

/**
 * What recorders wrote down by the end of a run against what devices counted, and against each
 * other. It costs nothing until then, so every run that records is checked.
 */
export function disagreeingRecords(engine: Engine, seen: Seen, nowPs: number): Breach | null {
  const check = new RecordCheck(engine, nowPs);
  seen.waits?.forEach((waits, device) => {
    if (waits.omitted === 0) check.waits(device, waits);
  });
  seen.events?.forEach((log, device) => {
    if (log.omitted === 0) check.events(device, log);
  });
  if (seen.hops !== null) check.hops(seen.hops);
  return check.breach;
}

interface Span {
  readonly startPs: number;
  readonly endPs: number;
}

class RecordCheck {
  /** The first violation. */
  breach: Breach | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly nowPs: number,
  ) {}

  waits(device: number, { holds, stops, jams }: DeviceWaits): void {
    const spans: readonly (Span & { readonly port: number })[] = [...holds, ...stops, ...jams];
    for (const { startPs, endPs, port } of spans) {
      const isSound = startPs >= 0 && startPs <= endPs && startPs <= this.nowPs;
      this.expect(isSound, { device, port, priority: null }, 'a wait begins before it ends');
    }
    const byPriority = groupedBy(holds, ({ port, priority }) => keyOf(port, priority));
    const held = linesOf(byPriority);
    const stopped = linesOf(groupedBy(stops, ({ port, group }) => keyOf(port, group)));
    for (const jam of jams) {
      const { port, group, egress, priority } = jam;
      const isStopped = stopped.get(keyOf(port, group))?.hasOneOver(jam) ?? false;
      this.expect(isStopped, { device, port, priority }, 'only who pauses is jammed');
      const isHeld = held.get(keyOf(egress, priority))?.covers(jam) ?? jam.startPs >= jam.endPs;
      const place = { device, port: egress, priority };
      this.expect(isHeld, place, 'a buffer waits for an egress that is blocked');
    }
    const { firstPort, spec } = this.engine.devices[device]!;
    for (let port = 0; port < spec.ports.length; port++) {
      const blocked = this.engine.shared.ports.blocked(firstPort + port);
      for (let priority = 0; priority < PRIORITIES; priority++) {
        const own = byPriority.get(keyOf(port, priority)) ?? [];
        const place = { device, port, priority };
        const isBlocked = (blocked & (1 << priority)) !== 0;
        this.expect(
          own.some(({ channel, endPs }) => channel === WHOLE && endPs === Infinity) === isBlocked,
          place,
          'a priority is recorded as blocked while it is',
        );
        this.blockedTime(place, own);
      }
    }
  }

  /** By the records, and by what the mechanisms measured themselves. */
  private blockedTime(place: Place, holds: readonly HoldRecord[]): void {
    const { engine, nowPs } = this;
    const row = engine.devices[place.device]!.firstPort + place.port;
    const recordedPs = unionPs(holds, nowPs);
    const measuredPs = engine.blockedPs(row, place.priority!, nowPs);
    this.expect(measuredPs <= recordedPs, place, 'blocked times are recorded');
    const measuring = engine.mechanisms.filter(({ blockedPs }) => blockedPs !== undefined);
    // Accounts of grants of one priority are blocked one by one.
    const isMeasured = holds.every(
      ({ channel, mechanism }) =>
        channel === WHOLE && measuring.some(({ name }) => name === mechanism),
    );
    if (!isMeasured) return;
    const mostPs = measuring.reduce(
      (sum, mechanism) => sum + mechanism.blockedPs!(row, place.priority!, nowPs),
      0,
    );
    this.expect(recordedPs <= mostPs, place, 'recorded blocked times are measured');
  }

  events(device: number, log: EventLog): void {
    const { counters } = this.engine.shared;
    const { firstPort, spec } = this.engine.devices[device]!;
    const counted = new Map<number, number>();
    const isDropOrMark = (event: number): boolean => event === DROP || event === MARK;
    for (const { event, port, priority, detail } of log.rows()) {
      if (!isDropOrMark(event)) continue;
      const key = eventKey(port, priority, event === DROP ? detail : MARKED);
      counted.set(key, (counted.get(key) ?? 0) + 1);
    }
    for (let port = 0; port < spec.ports.length; port++) {
      const row = firstPort + port;
      for (let priority = 0; priority < PRIORITIES; priority++) {
        const place = { device, port, priority };
        const recorded = (what: number): number => counted.get(eventKey(port, priority, what)) ?? 0;
        DROP_REASONS.forEach((_, reason) => {
          const drops = counters.drops(row, priority, reason);
          this.expect(recorded(reason) === drops, place, 'each drop is an event');
        });
        const marks = counters.marksOf(row, priority);
        this.expect(recorded(MARKED) === marks, place, 'each mark is an event');
      }
    }
  }

  hops({ hops: { count, words, times } }: SeenHops): void {
    for (let hop = 0; hop < count; hop++) {
      const device = words[hop * HOP_WORDS + DEVICE]!;
      if (device < 0) continue;
      const at = hop * HOP_TIMES;
      const isInOrder =
        times[at + BORN]! <= times[at + ARRIVED]! &&
        times[at + ARRIVED]! <= times[at + QUEUED]! &&
        times[at + QUEUED]! <= times[at + END_PS]!;
      this.expect(isInOrder, { device, port: -1, priority: null }, 'a frame passes in time');
    }
  }

  private expect(holds: boolean, place: Place, what: string): void {
    if (holds) return;
    this.breach ??= { reason: `records disagree: ${what}`, timePs: this.nowPs, ...place };
  }
}

const DROP = EVENTS.indexOf('drop');
const MARK = EVENTS.indexOf('mark');
/** Behind all reasons of drops. */
const MARKED = DROP_REASONS.length;

function eventKey(port: number, priority: number, what: number): number {
  return keyOf(port, priority) * (MARKED + 1) + what;
}

function keyOf(port: number, of: number): number {
  return (port << 3) | of;
}

function groupedBy<Item>(items: readonly Item[], key: (item: Item) => number): Map<number, Item[]> {
  const groups = new Map<number, Item[]>();
  for (const item of items) {
    const own = groups.get(key(item)) ?? [];
    groups.set(key(item), own);
    own.push(item);
  }
  return groups;
}

/** How long any of these lasted until a time. */
function unionPs(spans: readonly Span[], nowPs: number): number {
  let [sumPs, reachedPs] = [0, 0];
  for (const { startPs, endPs } of [...spans].sort((a, b) => a.startPs - b.startPs)) {
    const untilPs = Math.min(endPs, nowPs);
    if (untilPs <= reachedPs) continue;
    sumPs += untilPs - Math.max(startPs, reachedPs);
    reachedPs = untilPs;
  }
  return sumPs;
}

/** Spans in the order in which they begin: a run may have very many, and each jam asks for one. */
class TimeLine {
  private readonly startsPs: readonly number[];
  /** By span: the latest end of those that begin no later. */
  private readonly latestPs: number[] = [];
  /** Spans that follow each other without a gap, as one. */
  private readonly whole: Span[] = [];

  constructor(spans: readonly Span[]) {
    const sorted = [...spans].sort((a, b) => a.startPs - b.startPs);
    this.startsPs = sorted.map(({ startPs }) => startPs);
    let latestPs = -Infinity;
    for (const { startPs, endPs } of sorted) {
      const last = this.whole.at(-1);
      const follows = last !== undefined && startPs <= last.endPs;
      if (follows) {
        const { startPs: fromPs, endPs: toPs } = last;
        this.whole[this.whole.length - 1] = { startPs: fromPs, endPs: Math.max(toPs, endPs) };
      } else this.whole.push({ startPs, endPs });
      latestPs = Math.max(latestPs, endPs);
      this.latestPs.push(latestPs);
    }
  }

  /** Whether one span has all of another. */
  hasOneOver({ startPs, endPs }: Span): boolean {
    const at = lastUpTo(this.startsPs.length, (i) => this.startsPs[i]!, startPs);
    return at >= 0 && this.latestPs[at]! >= endPs;
  }

  /** Whether spans that follow each other without a gap have all of another. */
  covers({ startPs, endPs }: Span): boolean {
    const at = lastUpTo(this.whole.length, (i) => this.whole[i]!.startPs, startPs);
    return startPs >= endPs || (at >= 0 && this.whole[at]!.endPs >= endPs);
  }
}

function linesOf(groups: ReadonlyMap<number, readonly Span[]>): Map<number, TimeLine> {
  return new Map([...groups].map(([key, spans]) => [key, new TimeLine(spans)]));
}

/** The last of so many ascending numbers that is at most `most`; -1: none is. */
function lastUpTo(count: number, numberAt: (i: number) => number, most: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numberAt(middle) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
