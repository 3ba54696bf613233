import type { TimeWindow } from './address.js';
import { octetsFrom } from './base64.js';
import type { LiveNews, LiveSpan } from '../report/page/live-data.js';
import type { Heat, PortPlot, RunPage } from '../report/page/page-data.js';

const OCTET_MAX = 255;

/** All ports at one time; shares are octets. */
export interface Moment {
  readonly timePs: number;
  readonly busy: Uint8Array;
  readonly blocked: Uint8Array;
  readonly queueOctets: Float32Array;
  /** Of a run that goes on: the same by priority. */
  readonly priorities?: readonly MomentPriority[];
}

/** Null: zero at all ports. */
interface MomentPriority {
  readonly priority: number;
  readonly busy: Uint8Array | null;
  readonly blocked: Uint8Array | null;
  readonly queueOctets: Float32Array | null;
  readonly ingressOctets: Float32Array | null;
  readonly grantedUnits: Float32Array | null;
  readonly drops: Float32Array | null;
}

/** A run, ready to be drawn. */
export interface RunView {
  readonly run: RunPage;
  readonly moments: readonly Moment[];
  readonly queueMax: number;
  /** Of a port, by priority; none where only the map knows it. */
  readonly plotsOf: (port: number) => readonly PortPlot[];
}

/** What a port does: at a moment, or over the whole run. */
export interface PortNow {
  readonly busy: number;
  readonly blocked: number;
  readonly queueOctets: number;
}

/** Of all ports at a moment, in octets. */
export function longestQueue({ queueOctets }: Moment): number {
  return queueOctets.reduce((most, octets) => Math.max(most, octets), 0);
}

export function viewOf(run: RunPage): RunView {
  const plotsOf = new Map<number, PortPlot[]>();
  for (const plot of run.plots) plotsOf.set(plot.port, [...(plotsOf.get(plot.port) ?? []), plot]);
  const moments = run.heat === null ? [] : momentsOf(run.heat, run.ports.length);
  const queueMax = run.heat?.queueMax ?? 0;
  return { run, moments, queueMax, plotsOf: (port) => plotsOf.get(port) ?? [] };
}

function momentsOf({ timesPs, busy, blocked, queue, queueMax }: Heat, ports: number): Moment[] {
  const [busyOctets, blockedOctets, queueShares] = [busy, blocked, queue].map(octetsFrom) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  return timesPs.map((timePs, i) => {
    const [from, to] = [i * ports, (i + 1) * ports];
    const shares = queueShares.subarray(from, to);
    return {
      timePs,
      busy: busyOctets.subarray(from, to),
      blocked: blockedOctets.subarray(from, to),
      queueOctets: scaled(shares, queueMax / OCTET_MAX),
    };
  });
}

function scaled(shares: Uint8Array, by: number): Float32Array {
  const values = new Float32Array(shares.length);
  for (let i = 0; i < shares.length; i++) values[i] = shares[i]! * by;
  return values;
}

/** The view with what was received of a run that goes on. */
export function grown(view: RunView, { spans, isAnew }: LiveNews): RunView {
  if (spans.length === 0 && !isAnew) return view;
  const moments = [...(isAnew ? [] : view.moments), ...spans.map(momentOf)];
  const queueMax = spans.reduce((most, span) => Math.max(most, span.queueMax), view.queueMax);
  return { ...view, moments, queueMax, plotsOf: (port) => plotsAt(view.run, moments, port) };
}

/** A port by priority, from what was received so far. */
function plotsAt(run: RunPage, moments: readonly Moment[], port: number): PortPlot[] {
  const known = new Set(moments.at(-1)?.priorities?.map(({ priority }) => priority));
  const { rateBps } = run.ports[port]!;
  return [...known].map((priority) => {
    const rows = moments.map(({ priorities }) =>
      priorities?.find((metrics) => metrics.priority === priority),
    );
    const column = (
      name: Exclude<keyof MomentPriority, 'priority'>,
      scale: number,
    ): number[] | null => {
      const values = rows.map((metrics) => (metrics?.[name]?.[port] ?? 0) * scale);
      return values.some((value) => value !== 0) ? values : null;
    };
    return {
      ...{ port, priority, rateBps: column('busy', rateBps / OCTET_MAX) },
      ...{ blocked: column('blocked', 1 / OCTET_MAX), queueOctets: column('queueOctets', 1) },
      ...{ ingressOctets: column('ingressOctets', 1), grantedUnits: column('grantedUnits', 1) },
      ...{ drops: column('drops', 1), limits: [] },
    };
  });
}

function momentOf(span: LiveSpan): Moment {
  const { timePs, busy, blocked, queue, queueMax, priorities } = span;
  return {
    timePs,
    busy: octetsFrom(busy),
    blocked: octetsFrom(blocked),
    queueOctets: scaled(octetsFrom(queue), queueMax / OCTET_MAX),
    priorities: priorities.map((metrics) => ({
      priority: metrics.priority,
      busy: unlessEmpty(metrics.busy, octetsFrom),
      blocked: unlessEmpty(metrics.blocked, octetsFrom),
      queueOctets: unlessEmpty(metrics.queueOctets, floatsFrom),
      ingressOctets: unlessEmpty(metrics.ingressOctets, floatsFrom),
      grantedUnits: unlessEmpty(metrics.grantedUnits, floatsFrom),
      drops: unlessEmpty(metrics.drops, floatsFrom),
    })),
  };
}

function unlessEmpty<Values>(base64: string, read: (base64: string) => Values): Values | null {
  return base64 === '' ? null : read(base64);
}

function floatsFrom(base64: string): Float32Array {
  return new Float32Array(octetsFrom(base64).buffer);
}

/** `moment` is null for the whole run. */
export function portNow(view: RunView, moment: Moment | null, port: number): PortNow {
  if (moment === null) {
    const { busy, blocked, longest } = view.run.ports[port]!;
    return { busy, blocked, queueOctets: longest.queue };
  }
  return {
    busy: moment.busy[port]! / OCTET_MAX,
    blocked: moment.blocked[port]! / OCTET_MAX,
    queueOctets: moment.queueOctets[port]!,
  };
}

/** The worst of several ports. */
export function worstOf(view: RunView, moment: Moment | null, ports: readonly number[]): PortNow {
  let [busy, blocked, queueOctets] = [0, 0, 0];
  for (const port of ports) {
    const now = portNow(view, moment, port);
    busy = Math.max(busy, now.busy);
    blocked = Math.max(blocked, now.blocked);
    queueOctets = Math.max(queueOctets, now.queueOctets);
  }
  return { busy, blocked, queueOctets };
}

/** What a run was doing at a time; null before its first moment or where it has none. */
function momentAt({ moments }: RunView, timePs: number | null): Moment | null {
  if (timePs === null || moments.length === 0) return null;
  const found = moments.findIndex((moment) => moment.timePs >= timePs);
  return moments[found < 0 ? moments.length - 1 : found]!;
}

/** All ports over a span of time: means, and the longest queue; null where it has no moment. */
function momentOver({ moments, run }: RunView, [fromPs, toPs]: TimeWindow): Moment | null {
  const inside = moments.filter(({ timePs }) => timePs > fromPs && timePs <= toPs);
  if (inside.length === 0) return null;
  const ports = run.ports.length;
  const [busy, blocked] = [new Uint8Array(ports), new Uint8Array(ports)];
  const queueOctets = new Float32Array(ports);
  for (let port = 0; port < ports; port++) {
    let [busySum, blockedSum] = [0, 0];
    for (const moment of inside) {
      busySum += moment.busy[port]!;
      blockedSum += moment.blocked[port]!;
      queueOctets[port] = Math.max(queueOctets[port]!, moment.queueOctets[port]!);
    }
    busy[port] = Math.round(busySum / inside.length);
    blocked[port] = Math.round(blockedSum / inside.length);
  }
  return { timePs: inside.at(-1)!.timePs, busy, blocked, queueOctets };
}

/** What the map shows: the chosen time, else what charts are zoomed to; null: the whole run. */
export function shownMoment(
  view: RunView,
  timePs: number | null,
  window: TimeWindow | null,
): Moment | null {
  if (timePs !== null || window === null) return momentAt(view, timePs);
  // A span shorter than the distance of moments lies between two of them.
  return momentOver(view, window) ?? momentAt(view, window[1]);
}

/** Ports that tell most: blocked longest first, then by their queues. */
export function interestingPorts({ run }: RunView): number[] {
  const { ports } = run;
  return [...ports.keys()].sort(
    (a, b) =>
      ports[b]!.longest.blocked - ports[a]!.longest.blocked ||
      ports[b]!.longest.queue - ports[a]!.longest.queue ||
      ports[b]!.busy - ports[a]!.busy,
  );
}
