import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import {
  formatCount,
  formatOctets,
  formatRate,
  formatShare,
  formatTime,
} from '../report/format.js';
import type { PortPlot, PortView } from '../report/page/page-data.js';
import type { LimitView } from '../report/page/page-flow-data.js';
import type { ChartLimit, ChartLine } from './charts/chart-data.js';
import { Chart } from './charts/chart.js';
import type { Theme } from './colours.js';
import { SERIES_COLOURS } from './colours.js';
import { Card } from './panels.js';
import type { RunView } from './run-view.js';
import { blockedWord } from './blocked-word.js';

const CHIPS = 10;
/** Names that are offered while a user types. */
const FOUND_MAX = 60;
const OCTET_MAX = 255;

interface PortPlotsProps {
  /** One run, or several that have a port of this name. */
  readonly views: readonly RunView[];
  readonly theme: Theme;
  readonly port: string;
  readonly order: readonly string[];
  readonly choose: (port: string) => void;
  readonly timePs: number | null;
  readonly setTime: (timePs: number) => void;
}

/** What one port did over time: rates, holds, queues and accounts. */
export function PortPlots(props: PortPlotsProps): JSX.Element {
  const { views, theme, port, order, choose, timePs, setTime } = props;
  const charts = useMemo(() => chartsOf(views, port, theme), [views, port, theme]);
  const known = views[0]!.run.ports.find(({ name }) => name === port);
  const chips = order.slice(0, CHIPS);
  const [wanted, setWanted] = useState('');
  const found = useMemo(
    () => order.filter((name) => name.includes(wanted)).slice(0, FOUND_MAX),
    [order, wanted],
  );
  return (
    <Card title={`Port ${port}`} note={noteOf(known)} id="port" wide>
      <div class="chips">
        {[...chips, ...(chips.includes(port) ? [] : [port])].map((name) => (
          <button
            key={name}
            type="button"
            class={name === port ? 'chip on' : 'chip'}
            onClick={() => {
              choose(name);
            }}
          >
            {name}
          </button>
        ))}
        <input
          list="ports"
          aria-label="another port"
          placeholder="another port …"
          onInput={(event) => {
            setWanted(event.currentTarget.value);
          }}
          onChange={(event) => {
            if (order.includes(event.currentTarget.value)) choose(event.currentTarget.value);
            event.currentTarget.value = '';
          }}
        />
        <datalist id="ports">
          {found.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </div>
      <div class="charts">
        {charts.map(({ title, yTitle, x, lines, limits = [], format, maxY, wholeY }) => (
          <Chart
            key={title}
            {...{ title, yTitle, theme, x, lines, limits, mark: timePs, onPick: setTime }}
            overTime
            {...(maxY === undefined ? {} : { maxY })}
            {...(wholeY === undefined ? {} : { wholeY })}
            formatX={(ps) => formatTime(Math.round(ps))}
            formatY={format}
          />
        ))}
      </div>
      {views.every(({ moments }) => moments.length === 0) && <NoSeries />}
    </Card>
  );
}

function noteOf(port: PortView | undefined): string {
  return port === undefined ? '' : `link partner ${port.peer}, ${formatRate(port.rateBps)}`;
}

export function NoSeries(): JSX.Element {
  return (
    <p class="none">
      No series was recorded. <code>observe: {'{ series: 10us }'}</code> in the scenario, or{' '}
      <code>--set observe.series=10us</code>, shows the fabric over time.
    </p>
  );
}

interface ChartData {
  readonly title: string;
  readonly yTitle: string;
  readonly x: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly limits?: readonly ChartLimit[];
  readonly format: (value: number) => string;
  readonly maxY?: number;
  readonly wholeY?: boolean;
}

function chartsOf(views: readonly RunView[], port: string, theme: Theme): ChartData[] {
  const [only] = views;
  if (views.every(({ moments }) => moments.length === 0)) return [];
  const place = only!.run.ports.findIndex(({ name }) => name === port);
  const plots = views.length === 1 ? only!.plotsOf(place) : [];
  if (plots.length > 0) return byPriority(only!, plots, theme);
  return byRun(views, port, theme);
}

function byPriority(view: RunView, plots: readonly PortPlot[], theme: Theme): ChartData[] {
  const x = view.moments.map(({ timePs }) => timePs);
  const colours = SERIES_COLOURS[theme];
  const lines = (
    values: (plot: PortPlot) => readonly number[] | null,
    what: string,
    kind: ChartLine['kind'],
  ): ChartLine[] =>
    plots.flatMap((plot) => {
      const found = values(plot);
      const label = `${what} ${plot.priority}`.trim();
      const colour = colours[plot.priority % colours.length]!;
      return found === null ? [] : [{ label, colour, values: found, ...(kind && { kind }) }];
    });
  const limits = (of: LimitView['of']): ChartLimit[] => limitsOf(plots, of);
  const charts: ChartData[] = [
    {
      ...{ title: 'rate by priority', yTitle: 'rate', x, format: formatRate },
      lines: lines((plot) => plot.rateBps, 'priority', 'area'),
    },
    {
      ...{
        title: `${blockedWord([view.run])} by the link partner`,
        yTitle: 'share of time',
        x,
        format: formatShare,
        maxY: 1.02,
      },
      lines: lines((plot) => plot.blocked, 'priority', 'area'),
    },
    {
      ...{
        title: 'egress queue',
        yTitle: 'bytes',
        x,
        format: formatOctets,
        limits: limits('egress'),
      },
      lines: lines((plot) => plot.queueOctets, 'priority', 'area'),
    },
    {
      ...{
        title: 'ingress buffer',
        yTitle: 'bytes',
        x,
        format: formatOctets,
        limits: limits('ingress'),
      },
      lines: lines((plot) => plot.ingressOctets, 'priority', 'area'),
    },
    {
      ...{
        title: 'credit in hand, in units',
        yTitle: 'units',
        x,
        format: formatCount,
        limits: limits('granted'),
      },
      lines: lines((plot) => plot.grantedUnits, 'priority', 'steps'),
    },
    ...sharesChart(view, plots, x, colours),
    {
      ...{ title: 'drops', yTitle: 'frames', x, format: formatCount, wholeY: true },
      lines: lines((plot) => plot.drops, 'priority', 'steps'),
    },
  ];
  return charts.filter((chart) => chart.lines.length > 0);
}

/** Levels of priorities that share them are one line; of several, each says of which it is. */
function limitsOf(plots: readonly PortPlot[], wanted: LimitView['of']): ChartLimit[] {
  const found = new Map<string, ChartLimit>();
  const own = plots.filter(({ queueOctets, ingressOctets }) => queueOctets ?? ingressOctets);
  for (const { limits } of own) {
    for (const { of, label, value } of limits) {
      if (of === wanted) found.set(`${label} ${value}`, { label, value });
    }
  }
  return [...found.values()];
}

/** What each class got of the port over time; dashed: what it is to get. */
function sharesChart(
  { run }: RunView,
  plots: readonly PortPlot[],
  x: readonly number[],
  colours: readonly string[],
): ChartData[] {
  const shares = run.shares.find(({ port }) => port === plots[0]?.port);
  if (shares === undefined) return [];
  const sharing = shares.classes.filter(({ wanted }) => wanted !== null);
  const sent = sharing.map(({ priorities }) =>
    x.map((_, i) => {
      const own = plots.filter(({ priority }) => priorities.includes(priority));
      return own.reduce((sum, { rateBps }) => sum + (rateBps?.[i] ?? 0), 0);
    }),
  );
  const all = x.map((_, i) => sent.reduce((sum, values) => sum + values[i]!, 0));
  const lines = sharing.flatMap(({ trafficClass, wanted }, k): ChartLine[] => {
    const colour = colours[trafficClass]!;
    const got = x.map((_, i) => (all[i] === 0 ? null : sent[k]![i]! / all[i]!));
    const due = x.map(() => wanted! / 100);
    return [
      { label: `class ${trafficClass}`, colour, values: got },
      { label: `of ${wanted!.toFixed(0)} %`, colour, values: due, kind: 'dashed' },
    ];
  });
  return [
    { title: 'shares of classes', yTitle: 'share', x, lines, format: formatShare, maxY: 1.02 },
  ];
}

/** Without metrics by priority there is still what the map knows. */
function byRun(views: readonly RunView[], port: string, theme: Theme): ChartData[] {
  const colours = SERIES_COLOURS[theme];
  const x = [...new Set(views.flatMap(({ moments }) => moments.map(({ timePs }) => timePs)))].sort(
    (a, b) => a - b,
  );
  const lines = (value: (view: RunView, moment: number, place: number) => number): ChartLine[] =>
    views.flatMap((view, i) => {
      const place = view.run.ports.findIndex(({ name }) => name === port);
      if (place < 0) return [];
      const at = new Map(view.moments.map(({ timePs }, m) => [timePs, value(view, m, place)]));
      const label = views.length > 1 ? view.run.title : port;
      const values = x.map((timePs) => at.get(timePs) ?? null);
      return [{ label, colour: colours[i % colours.length]!, values, kind: 'area' }];
    });
  /** Of ports that have metrics by priority; all priorities together. */
  const sums = (column: (plot: PortPlot) => readonly number[] | null): ChartLine[] => {
    const columns = new Map(
      views.map((view) => {
        const place = view.run.ports.findIndex(({ name }) => name === port);
        return [view, view.plotsOf(place).flatMap((plot) => [column(plot) ?? []])];
      }),
    );
    const isBlank = [...columns.values()].flat().every(({ length }) => length === 0);
    if (isBlank) return [];
    return lines((view, m) =>
      columns.get(view)!.reduce((sum, values) => sum + (values[m] ?? 0), 0),
    );
  };
  const charts: ChartData[] = [
    {
      ...{ title: 'link utilisation', yTitle: 'share of time', x, format: formatShare, maxY: 1.02 },
      lines: lines((view, m, place) => view.moments[m]!.busy[place]! / OCTET_MAX),
    },
    {
      ...{
        title: `${blockedWord(views.map(({ run }) => run))} by the link partner`,
        yTitle: 'share of time',
        x,
        format: formatShare,
        maxY: 1.02,
      },
      lines: lines((view, m, place) => view.moments[m]!.blocked[place]! / OCTET_MAX),
    },
    {
      ...{ title: 'egress queue', yTitle: 'length', x, format: formatOctets },
      lines: lines((view, m, place) => view.moments[m]!.queueOctets[place]!),
    },
    {
      ...{ title: 'ingress buffer', yTitle: 'occupancy', x, format: formatOctets },
      lines: sums((plot) => plot.ingressOctets),
    },
    {
      ...{ title: 'credit in hand, in units', yTitle: 'units', x, format: formatCount },
      lines: sums((plot) => plot.grantedUnits),
    },
    {
      ...{ title: 'drops', yTitle: 'frames', x, format: formatCount, wholeY: true },
      lines: sums((plot) => plot.drops),
    },
  ];
  return charts.filter((chart) => chart.lines.length > 0);
}
