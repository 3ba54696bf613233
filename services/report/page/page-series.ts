import { LENSES } from '../../measures/port-measures.js';
import { GRANTING } from '../../mechanisms/registry.js';
import { WIRE_OVERHEAD_OCTETS } from '../../engine/units/ethernet.js';
import type { PortSpec } from '../../engine/contract/spec.js';
import type { PortResult } from '../../runtime/results/results.js';
import type { SeriesRow } from '../../runtime/series-rows.js';
import { isRateRow } from '../../runtime/series-rows.js';
import type { LimitView } from './page-flow-data.js';
import { queueSpread } from './page-spread.js';
import type { QueueSpread } from './page-spread-data.js';
import type { Heat, PortPlot, RateCurve } from './page-data.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';

/** Points of all ports together, so that the page of a large fabric stays small. */
const HEAT_POINTS = 900_000;
const TIMES = { min: 60, max: 600 };
/** Ports with plots of their own, by priority. */
const PLOTTED_PORTS = 40;
const OCTET_MAX = 255;

/** Connections whose rates are drawn. */
const RATES_SHOWN = 12;

/** A port and priority over time, without the levels that are drawn with it. */
type PortSeries = Omit<PortPlot, 'limits'>;

interface PageSeries {
  readonly heat: Heat | null;
  readonly plots: readonly PortSeries[];
  readonly queues: QueueSpread | null;
  readonly rates: readonly RateCurve[];
}

interface Grid {
  /** Samples in a span; fewer in the last one, if the run ends within it. */
  readonly merged: number;
  readonly intervalPs: number;
  /** Ends of the spans, rising. */
  readonly timesPs: readonly number[];
}

/** The columns of a row that matter here, by their place in the series. */
interface Sample {
  readonly span: number;
  readonly timePs: number;
  readonly port: number;
  readonly priority: number;
  readonly wireOctets: number;
  readonly drops: number;
  readonly blocked: number;
  readonly queueOctets: number;
  readonly ingressOctets: number;
  readonly grantedUnits: number;
}

/** Brings the series to at most so many spans of time: what a screen can show. */
export function seriesOf(
  rows: Iterable<SeriesRow>,
  intervalPs: number | null,
  virtualPs: number,
  ports: readonly PortResult[],
): PageSeries {
  if (intervalPs === null || virtualPs < intervalPs) {
    return { heat: null, plots: [], queues: null, rates: [] };
  }
  const all = [...rows];
  const grid = gridOf(all, virtualPs, intervalPs, ports.length);
  const endPs = grid.timesPs.length * grid.merged * intervalPs;
  const placeOf = new Map(ports.map(({ port }, place) => [port, place]));
  const heat = new HeatGrid(grid, ports);
  const plots = new Plots(grid, interesting(ports), ports);
  const rates = new Rates(grid);
  for (const row of all) {
    // What links still exchange when the run is over belongs to no span.
    if ((row[0] as number) > endPs) continue;
    if (isRateRow(row)) {
      rates.add(row);
      continue;
    }
    const sample = sampleOf(row, grid, placeOf);
    heat.add(sample);
    plots.add(sample);
  }
  return {
    ...{ heat: heat.finish(), queues: heat.queues() },
    ...{ plots: plots.finish(), rates: rates.finish() },
  };
}

/**
 * The sample that is due after the end of a run covers the part of an interval before it: that part
 * is a span of its own length.
 */
function gridOf(
  rows: readonly SeriesRow[],
  virtualPs: number,
  intervalPs: number,
  ports: number,
): Grid {
  const whole = Math.floor(virtualPs / intervalPs);
  const endsWithin = rows.some(([timePs]) => (timePs as number) > whole * intervalPs);
  const samples = endsWithin ? Math.ceil(virtualPs / intervalPs) : whole;
  const most = Math.min(TIMES.max, Math.max(TIMES.min, Math.floor(HEAT_POINTS / ports)));
  const merged = Math.ceil(samples / most);
  const spans = Math.ceil(samples / merged);
  const endPs = Math.min(samples * intervalPs, virtualPs);
  const timesPs = Array.from({ length: spans }, (_, span) =>
    Math.min((span + 1) * merged * intervalPs, endPs),
  );
  return { merged, intervalPs, timesPs };
}

function lengthOf({ timesPs }: Grid, span: number): number {
  return timesPs[span]! - (timesPs[span - 1] ?? 0);
}

/**
 * A port counts a frame when it starts. What a span's link rate does not carry was transmitted in
 * the next one: moves it there, from the priority with the most octets.
 */
function carryOver(grid: Grid, rateBps: number, priorities: readonly Float64Array[]): void {
  for (let span = 0; span < grid.timesPs.length; span++) {
    let octets = priorities.reduce((sum, column) => sum + column[span]!, 0);
    let excess = octets - (rateBps * lengthOf(grid, span)) / OCTET_BITS_PS;
    while (excess > 0 && octets > 0) {
      const fullest = priorities.reduce((a, b) => (b[span]! > a[span]! ? b : a));
      const moved = Math.min(excess, fullest[span]!);
      fullest[span]! -= moved;
      // A typed array ignores what is written beyond its end, as the run is over there.
      fullest[span + 1]! += moved;
      excess -= moved;
      octets -= moved;
    }
  }
}

function sampleOf(row: SeriesRow, grid: Grid, placeOf: ReadonlyMap<string, number>): Sample {
  const [timePs, port, priority, frames, octets, drops, blocked, ...levels] = row as [
    ...[number, string, number, number, number, number, number],
    ...number[],
  ];
  // A run of an earlier version has written no grants.
  const [queueOctets = 0, ingressOctets = 0, grantedUnits = 0] = levels;
  return {
    ...{ span: spanOf(timePs, grid), timePs, port: placeOf.get(port)!, priority, drops },
    ...{ blocked, queueOctets, ingressOctets, grantedUnits },
    wireOctets: octets + frames * WIRE_OVERHEAD_OCTETS,
  };
}

function spanOf(timePs: number, { intervalPs, merged }: Grid): number {
  return Math.floor((Math.round(timePs / intervalPs) - 1) / merged);
}

/** Blocked longest, or with the longest queues: half the places each. */
function interesting(ports: readonly PortResult[]): Set<number> {
  const places = [...ports.keys()];
  const most = (value: (p: PortResult['priorities'][number]) => number): number[] => {
    const score = ports.map(({ priorities }) => Math.max(0, ...priorities.map(value)));
    return [...places].sort((a, b) => score[b]! - score[a]!).slice(0, PLOTTED_PORTS / 2);
  };
  if (ports.length <= PLOTTED_PORTS) return new Set(places);
  return new Set([...most((p) => p[LENSES.blocked]), ...most((p) => p[LENSES.queue])]);
}

/** All ports, all priorities together. */
class HeatGrid {
  private readonly wireOctets: Float64Array;
  private readonly blocked: Float64Array;
  private readonly queue: Float64Array;
  /** Priorities of one port at one time follow each other: queues add up, holds do not. */
  private current = { timePs: -1, port: -1, queueOctets: 0, blocked: 0 };

  constructor(
    private readonly grid: Grid,
    private readonly ports: readonly PortResult[],
  ) {
    const cells = grid.timesPs.length * ports.length;
    this.wireOctets = new Float64Array(cells);
    this.blocked = new Float64Array(cells);
    this.queue = new Float64Array(cells);
  }

  add(sample: Sample): void {
    const { current } = this;
    const { timePs, port } = sample;
    const goesOn = timePs === current.timePs && port === current.port;
    const queueOctets = sample.queueOctets + (goesOn ? current.queueOctets : 0);
    const countedPs = goesOn ? current.blocked : 0;
    const blocked = Math.max(countedPs, sample.blocked);
    this.current = { timePs, port, queueOctets, blocked };
    const cell = sample.span * this.ports.length + port;
    this.wireOctets[cell]! += sample.wireOctets;
    this.blocked[cell]! += blocked - countedPs;
    this.queue[cell] = Math.max(this.queue[cell]!, queueOctets);
  }

  finish(): Heat {
    const { grid, ports } = this;
    const queueMax = this.queue.reduce((a, b) => Math.max(a, b), 0);
    const spanPs = (cell: number): number => lengthOf(grid, Math.floor(cell / ports.length));
    const sent = this.carried();
    const busyOf = (cell: number): number => {
      const { rateBps } = ports[cell % ports.length]!;
      return (sent[cell]! * OCTET_BITS_PS) / (rateBps * spanPs(cell));
    };
    const encode = (share: (cell: number) => number): string =>
      octetsOf(Uint8Array.from(this.blocked, (_, cell) => sharesOctet(share(cell))));
    return {
      timesPs: grid.timesPs,
      busy: encode(busyOf),
      blocked: encode((cell) => this.blocked[cell]! / spanPs(cell)),
      queue: encode((cell) => (queueMax === 0 ? 0 : this.queue[cell]! / queueMax)),
      queueMax,
    };
  }

  queues(): QueueSpread | null {
    return queueSpread(this.queue, this.ports.length);
  }

  /** Wire octets by when they were transmitted. */
  private carried(): Float64Array {
    const { grid, ports } = this;
    const sent = this.wireOctets.slice();
    ports.forEach(({ rateBps }, place) => {
      const column = Float64Array.from(grid.timesPs, (_, s) => sent[s * ports.length + place]!);
      carryOver(grid, rateBps, [column]);
      column.forEach((octets, span) => (sent[span * ports.length + place] = octets));
    });
    return sent;
  }
}

interface PlotColumns {
  readonly port: number;
  readonly priority: number;
  readonly wireOctets: Float64Array;
  readonly blocked: Float64Array;
  readonly queueOctets: Float64Array;
  readonly ingressOctets: Float64Array;
  readonly drops: Float64Array;
  /** Without a sample, the value of the last one. */
  readonly grantedUnits: Float64Array;
}

/** Ports of interest, by priority. */
class Plots {
  private readonly columns = new Map<number, PlotColumns>();

  constructor(
    private readonly grid: Grid,
    private readonly wanted: ReadonlySet<number>,
    private readonly ports: readonly PortResult[],
  ) {}

  add(sample: Sample): void {
    const { span, port, priority } = sample;
    if (!this.wanted.has(port)) return;
    const columns = this.columnsOf(port, priority);
    columns.wireOctets[span]! += sample.wireOctets;
    columns.blocked[span]! += sample.blocked;
    columns.drops[span]! += sample.drops;
    if (columns.grantedUnits[span] !== sample.grantedUnits) {
      columns.grantedUnits.fill(sample.grantedUnits, span);
    }
    columns.queueOctets[span] = Math.max(columns.queueOctets[span]!, sample.queueOctets);
    columns.ingressOctets[span] = Math.max(columns.ingressOctets[span]!, sample.ingressOctets);
  }

  finish(): PortSeries[] {
    const { grid, ports } = this;
    for (const place of this.wanted) {
      const own = [...this.columns.values()].filter(({ port }) => port === place);
      const sent = own.map(({ wireOctets }) => wireOctets);
      carryOver(grid, ports[place]!.rateBps, sent);
    }
    return [...this.columns.keys()]
      .sort((a, b) => a - b)
      .map((key) => {
        const { port, priority, ...c } = this.columns.get(key)!;
        return {
          ...{ port, priority },
          rateBps: numbers(c.wireOctets, (octets, span) =>
            Math.round((octets * OCTET_BITS_PS) / lengthOf(grid, span)),
          ),
          blocked: numbers(c.blocked, (ps, span) => {
            // A hold is counted up to the sample, which may be due after the end.
            return Math.min(1, Math.round((1000 * ps) / lengthOf(grid, span)) / 1000);
          }),
          queueOctets: numbers(c.queueOctets, Math.round),
          ingressOctets: numbers(c.ingressOctets, Math.round),
          drops: numbers(c.drops, Math.round),
          grantedUnits: numbers(c.grantedUnits, Math.round),
        };
      });
  }

  private columnsOf(port: number, priority: number): PlotColumns {
    const key = port * 8 + priority;
    const known = this.columns.get(key);
    if (known !== undefined) return known;
    const column = (): Float64Array => new Float64Array(this.grid.timesPs.length);
    const made = {
      ...{ port, priority, wireOctets: column(), blocked: column(), queueOctets: column() },
      ...{ ingressOctets: column(), drops: column(), grantedUnits: column() },
    };
    this.columns.set(key, made);
    return made;
  }
}

/** Of connections, as far as they were below line rate. */
class Rates {
  private readonly curves = new Map<string, { notified: number; rateBps: (number | null)[] }>();

  constructor(private readonly grid: Grid) {}

  add(row: SeriesRow): void {
    const [timePs, flow, rateBps] = row as [number, string, number];
    const { curves, grid } = this;
    let curve = curves.get(flow);
    if (curve === undefined) {
      curve = { notified: 0, rateBps: new Array<number | null>(grid.timesPs.length).fill(null) };
      curves.set(flow, curve);
    }
    const span = spanOf(timePs, grid);
    curve.notified++;
    curve.rateBps[span] = Math.min(rateBps, curve.rateBps[span] ?? Infinity);
  }

  finish(): RateCurve[] {
    return [...this.curves]
      .sort(([, a], [, b]) => b.notified - a.notified)
      .slice(0, RATES_SHOWN)
      .map(([flow, { rateBps }]) => ({ flow, rateBps }));
  }
}

function numbers(
  values: Float64Array,
  each: (value: number, at: number) => number,
): number[] | null {
  return values.some((value) => value !== 0) ? Array.from(values, each) : null;
}

/** A share as an octet: a little is not nothing. */
export function sharesOctet(share: number): number {
  return Math.min(OCTET_MAX, Math.ceil(Math.max(0, share) * OCTET_MAX));
}

export function octetsOf(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('base64');
}

/** No sender has more grants than its link partner has buffer. */
export function grantedLimits(port: PortSpec, priority: number): LimitView[] {
  const limit = GRANTING?.limitOf(port, priority) ?? null;
  return limit === null ? [] : [{ of: 'granted', label: 'limit', value: limit }];
}
