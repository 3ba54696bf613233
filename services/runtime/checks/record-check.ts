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
    const held = groupedBy(holds, ({ port, priority }) => keyOf(port, priority));
    const stopped = groupedBy(stops, ({ port, group }) => keyOf(port, group));
    for (const { port, group, egress, priority, startPs, endPs } of jams) {
      const during = (of: readonly Span[] | undefined): boolean =>
        (of ?? []).some((span) => span.startPs <= startPs && span.endPs >= endPs);
      const place = { device, port, priority };
      this.expect(during(stopped.get(keyOf(port, group))), place, 'only who pauses is jammed');
      this.expect(
        covers(held.get(keyOf(egress, priority)) ?? [], { startPs, endPs }),
        { device, port: egress, priority },
        'a buffer waits for an egress that is blocked',
      );
    }
    const { firstPort, spec } = this.engine.devices[device]!;
    const byPriority = groupedBy(holds, ({ port, priority }) => keyOf(port, priority));
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

/** Whether a span lies in others that follow each other without a gap. */
function covers(spans: readonly Span[], { startPs, endPs }: Span): boolean {
  let reachedPs = startPs;
  for (const span of [...spans].sort((a, b) => a.startPs - b.startPs)) {
    if (span.startPs <= reachedPs) reachedPs = Math.max(reachedPs, span.endPs);
  }
  return reachedPs >= endPs;
}
