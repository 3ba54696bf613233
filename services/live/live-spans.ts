import { LENSES } from '../measures/port-measures.js';
import type { LivePriority, LiveSpan } from '../report/page/live-data.js';
import { octetsOf, sharesOctet } from '../report/page/page-series.js';
import type { PortColumn, PortColumns, PortSample } from '../runtime/port-sample.js';
import { blankColumns, withPriorities } from '../runtime/port-sample.js';

/** Activity of ports between two samples. */
interface Metrics {
  /** Shares of the span, as octets. */
  readonly busy: Uint8Array;
  readonly blocked: Uint8Array;
  readonly queueOctets: Float32Array;
}

/** Their activity of one priority. */
interface PriorityMetrics extends Metrics {
  readonly ingressOctets: Float32Array;
  readonly grantedUnits: Float32Array;
  /** In the span. */
  readonly drops: Float32Array;
}

interface Span extends Metrics {
  readonly fromPs: number;
  readonly timePs: number;
  /** In all ports, so far. */
  readonly drops: number;
  readonly byPriority: ReadonlyMap<number, PriorityMetrics>;
}

/** Octets of all spans together, which are stored for later viewers. */
const KEPT_OCTETS = 24e6;
const SPANS = { min: 32, max: 512 };
/** With two priorities, as most runs have. */
const OCTETS_OF_PORT = 6 + 2 * 18;

/**
 * The history of a run so far, from samples of its ports. However long the run is, it takes the
 * same memory: when it is full, adjacent spans are merged.
 */
export class LiveSpans {
  private readonly most: number;
  private spans: Span[] = [];
  private lastPs = 0;
  private last: PortColumns;
  /** Spans that were sent before are no longer valid. */
  private isAnew = false;

  constructor(private readonly ratesBps: readonly number[]) {
    const ports = ratesBps.length;
    const fitting = Math.floor(KEPT_OCTETS / (OCTETS_OF_PORT * Math.max(1, ports)));
    this.most = Math.min(SPANS.max, Math.max(SPANS.min, fitting));
    this.last = blankColumns(ports, []);
  }

  /** Takes a sample; null if no time has passed since the last one. */
  take({ timePs, columns }: PortSample): LiveSpan | null {
    if (timePs < this.lastPs) this.goBack(timePs, columns);
    if (timePs <= this.lastPs) return null;
    const span = this.spanTo(timePs, columns);
    this.last = columns;
    this.lastPs = timePs;
    this.spans.push(span);
    if (this.spans.length > this.most) {
      this.spans = halved(this.spans);
      this.isAnew = true;
    }
    return spoken(span);
  }

  /** Whether everything has to be sent again; reset by the call. */
  takeAnew(): boolean {
    const { isAnew } = this;
    this.isAnew = false;
    return isAnew;
  }

  /** All stored spans, the oldest first. */
  all(): LiveSpan[] {
    return this.spans.map(spoken);
  }

  /** A run that lost a service continues from a checkpoint; later spans are repeated. */
  private goBack(timePs: number, columns: PortColumns): void {
    this.spans = this.spans.filter((span) => span.timePs <= timePs);
    this.lastPs = timePs;
    this.last = columns;
    this.isAnew = true;
  }

  private spanTo(timePs: number, columns: PortColumns): Span {
    const { ratesBps, lastPs: fromPs } = this;
    const { priorities } = columns;
    const last = withPriorities(this.last, ratesBps.length, priorities);
    const places = [...priorities.keys()];
    const cell = (port: number, place: number): number => port * places.length + place;
    const change = (name: PortColumn, port: number, place: number): number =>
      columns[name][cell(port, place)]! - last[name][cell(port, place)]!;
    const shares = (share: (port: number) => number): Uint8Array =>
      Uint8Array.from(ratesBps, (_, port) => sharesOctet(share(port)));
    const floats = (value: (port: number) => number): Float32Array =>
      Float32Array.from(ratesBps, (_, port) => value(port));
    const spanPs = timePs - fromPs;
    const busyShare = (port: number, place: number): number =>
      (change('wireOctets', port, place) * 8e12) / (ratesBps[port]! * spanPs);
    const byPriority = places.map((place): [number, PriorityMetrics] => {
      const level = (name: PortColumn): Float32Array =>
        floats((port) => columns[name][cell(port, place)]!);
      return [
        priorities[place]!,
        {
          busy: shares((port) => busyShare(port, place)),
          blocked: shares((port) => change(LENSES.blocked, port, place) / spanPs),
          queueOctets: level('queueOctets'),
          ingressOctets: level('ingressOctets'),
          grantedUnits: level('grantedUnits'),
          drops: floats((port) => change('drops', port, place)),
        },
      ];
    });
    const sum = (value: (place: number) => number): number =>
      places.reduce((total, place) => total + value(place), 0);
    // Priorities that are blocked at the same time are blocked once.
    const blockedOf = (of: PortColumns, port: number): number =>
      Math.max(0, ...places.map((place) => of[LENSES.blocked][cell(port, place)]!));
    return {
      ...{ fromPs, timePs, byPriority: new Map(byPriority) },
      busy: shares((port) => sum((place) => busyShare(port, place))),
      blocked: shares((port) => (blockedOf(columns, port) - blockedOf(last, port)) / spanPs),
      queueOctets: floats((port) => sum((place) => columns.queueOctets[cell(port, place)]!)),
      drops: columns.drops.reduce((total, drops) => total + drops, 0),
    };
  }
}

function spoken(span: Span): LiveSpan {
  const { fromPs, timePs, busy, blocked, queueOctets, drops, byPriority } = span;
  const queueMax = queueOctets.reduce((a, b) => Math.max(a, b), 0);
  const queue = Uint8Array.from(queueOctets, (octets) =>
    queueMax === 0 ? 0 : sharesOctet(octets / queueMax),
  );
  return {
    ...{ fromPs, timePs, queueMax, drops },
    ...{ busy: octetsOf(busy), blocked: octetsOf(blocked), queue: octetsOf(queue) },
    priorities: [...byPriority].map(([priority, metrics]) => spokenPriority(priority, metrics)),
  };
}

function spokenPriority(priority: number, metrics: PriorityMetrics): LivePriority {
  const { busy, blocked, queueOctets, ingressOctets, grantedUnits, drops } = metrics;
  return {
    ...{ priority, busy: unlessZero(busy), blocked: unlessZero(blocked) },
    ...{ queueOctets: unlessZero(queueOctets), ingressOctets: unlessZero(ingressOctets) },
    ...{ grantedUnits: unlessZero(grantedUnits), drops: unlessZero(drops) },
  };
}

function unlessZero(values: Uint8Array | Float32Array): string {
  if (!values.some((value) => value !== 0)) return '';
  return octetsOf(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}

function halved(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (let i = 0; i + 1 < spans.length; i += 2) merged.push(together(spans[i]!, spans[i + 1]!));
  return spans.length % 2 === 0 ? merged : [...merged, spans.at(-1)!];
}

function together(a: Span, b: Span): Span {
  const weight = (a.timePs - a.fromPs) / (b.timePs - a.fromPs);
  // A priority with activity once is in all later spans: the later span has all priorities.
  const byPriority = [...b.byPriority].map(([priority, later]): [number, PriorityMetrics] => {
    const earlier = a.byPriority.get(priority);
    if (earlier === undefined) return [priority, later];
    return [
      priority,
      {
        ...metricsTogether(earlier, later, weight),
        ingressOctets: most(earlier.ingressOctets, later.ingressOctets),
        grantedUnits: later.grantedUnits,
        drops: later.drops.map((drops, port) => drops + earlier.drops[port]!),
      },
    ];
  });
  return {
    ...{ fromPs: a.fromPs, timePs: b.timePs, drops: b.drops },
    ...metricsTogether(a, b, weight),
    byPriority: new Map(byPriority),
  };
}

/** `weight`: the share that the first has of both. */
function metricsTogether(a: Metrics, b: Metrics, weight: number): Metrics {
  const mean = (x: Uint8Array, y: Uint8Array): Uint8Array =>
    x.map((value, port) => Math.ceil(value * weight + y[port]! * (1 - weight)));
  return {
    busy: mean(a.busy, b.busy),
    blocked: mean(a.blocked, b.blocked),
    queueOctets: most(a.queueOctets, b.queueOctets),
  };
}

function most(a: Float32Array, b: Float32Array): Float32Array {
  return a.map((value, port) => Math.max(value, b[port]!));
}
