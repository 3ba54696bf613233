import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { RunPage } from '../report/page/page-data.js';
import {
  formatCount,
  formatOctets,
  formatRate,
  formatRatio,
  formatTime,
} from '../report/format.js';
import { useTheme } from './colours.js';
import { Distributions } from './distributions.js';
import { FabricMapView, isLarge } from './fabric-map.js';
import { Card, Expectations, Reproduce, Table } from './panels.js';
import { PortPlots } from './port-plots.js';
import { Legend } from './run-page.js';
import type { RunView } from './run-view.js';
import { interestingPorts, momentAt } from './run-view.js';
import { Timeline } from './timeline.js';

/** Several runs, side by side at one time. */
export function ComparePage({ views }: { readonly views: readonly RunView[] }): JSX.Element {
  const [theme, toggleTheme] = useTheme();
  const [timePs, setTime] = useState<number | null>(null);
  const order = useMemo(() => portOrder(views), [views]);
  const [port, choose] = useState(order[0] ?? '');
  const hasSeries = views.some(({ moments }) => moments.length > 0);
  return (
    <main class="compare">
      <header>
        <div class="name">
          <span class="brand">selvage</span>
          <h1>{views.length} runs side by side</h1>
          <button type="button" class="theme" aria-label="light or dark" onClick={toggleTheme}>
            ◐
          </button>
        </div>
      </header>
      <Differences runs={views.map(({ run }) => run)} />
      <Card title="Fabric" note="all at the same virtual time" wide>
        <div class="maps">
          {views.map((view, i) => (
            <div key={i}>
              <h3>{view.run.title}</h3>
              <FabricMapView
                {...{ view, theme, moment: momentAt(view, timePs) }}
                chosen={view.run.ports.findIndex(({ name }) => name === port)}
                choose={(place) => {
                  choose(view.run.ports[place]!.name);
                }}
              />
            </div>
          ))}
        </div>
        <Legend isLarge={views.some(isLarge)} />
        {hasSeries && <Timeline {...{ views, timePs, setTime }} />}
      </Card>
      {port !== '' && <PortPlots {...{ views, theme, port, order, choose, timePs, setTime }} />}
      <div class="columns">
        <Distributions {...{ views, theme }} />
      </div>
      <div class="columns">
        {views.map(({ run }, i) => (
          <div key={i} class="run">
            <h3>{run.title}</h3>
            <Expectations run={run} />
          </div>
        ))}
      </div>
      {views.map(({ run }, i) => (
        <div key={i}>
          <h3>{run.title}</h3>
          <Reproduce run={run} />
        </div>
      ))}
    </main>
  );
}

/** Names of ports that tell most in any of the runs, in turn. */
function portOrder(views: readonly RunView[]): string[] {
  const orders = views.map((view) =>
    interestingPorts(view).map((place) => view.run.ports[place]!.name),
  );
  const longest = Math.max(...orders.map(({ length }) => length));
  const mixed = Array.from({ length: longest }, (_, i) =>
    orders.flatMap((order) => order[i] ?? []),
  );
  return [...new Set(mixed.flat())];
}

interface Measure {
  readonly label: string;
  readonly value: (run: RunPage) => number | null;
  readonly format: (value: number) => string;
  /** Whether less is better; null where neither is. */
  readonly less: boolean | null;
}

const worst = (run: RunPage, value: (priority: RunPage['priorities'][number]) => number | null) => {
  const values = run.priorities.flatMap((priority) => value(priority) ?? []);
  return values.length === 0 ? null : Math.max(...values);
};
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

const MEASURES: readonly Measure[] = [
  {
    ...{ label: 'expectations failed', format: formatCount, less: true },
    value: (run) => run.expectations.filter(({ ok }) => !ok).length,
  },
  {
    ...{ label: 'virtual time', format: formatTime, less: null },
    value: (run) => run.virtualPs,
  },
  {
    ...{ label: 'throughput', format: formatRate, less: false },
    value: (run) => sum(run.priorities.map((p) => p.throughputBps)),
  },
  {
    ...{ label: 'completion, median', format: formatTime, less: true },
    value: (run) => worst(run, (p) => p.completionP50Ps),
  },
  {
    ...{ label: 'completion, 99 %', format: formatTime, less: true },
    value: (run) => worst(run, (p) => p.completionP99Ps),
  },
  {
    ...{ label: 'slowdown, 99 %', format: formatRatio, less: true },
    value: (run) => worst(run, (p) => p.slowdownP99),
  },
  {
    ...{ label: 'frames dropped', format: formatCount, less: true },
    value: (run) => sum(run.priorities.map((p) => p.drops)),
  },
  {
    ...{ label: 'frames marked', format: formatCount, less: null },
    value: (run) => sum(run.priorities.map((p) => p.marks)),
  },
  {
    ...{ label: 'held, worst port', format: formatTime, less: true },
    value: (run) => Math.max(0, ...run.ports.map((p) => p.heldPs)),
  },
  {
    ...{ label: 'ports that were held', format: formatCount, less: true },
    value: (run) => run.ports.filter((p) => p.heldPs > 0).length,
  },
  {
    ...{ label: 'longest queue', format: formatOctets, less: true },
    value: (run) => Math.max(0, ...run.ports.map((p) => p.peakQueueOctets)),
  },
  {
    ...{ label: 'fullest ingress account', format: formatOctets, less: true },
    value: (run) => Math.max(0, ...run.ports.map((p) => p.peakIngressOctets)),
  },
  {
    ...{ label: 'frame-hops', format: formatCount, less: null },
    value: (run) => run.frameHops,
  },
];

function Differences({ runs }: { readonly runs: readonly RunPage[] }): JSX.Element {
  return (
    <Card title="Differences" note="against the first" wide>
      <Table
        head={['', ...runs.map((run) => run.title)]}
        rows={[
          ['status', ...runs.map((run) => <span class={`pill ${run.status}`}>{run.status}</span>)],
          ...MEASURES.map((measure) => [
            measure.label,
            ...runs.map((run, i) => (
              <Value
                measure={measure}
                value={measure.value(run)}
                first={i === 0 ? null : measure.value(runs[0]!)}
              />
            )),
          ]),
          ['digest', ...runs.map((run) => <code>{run.digest.slice(0, 12)}</code>)],
        ]}
      />
    </Card>
  );
}

function Value(props: {
  readonly measure: Measure;
  readonly value: number | null;
  readonly first: number | null;
}): JSX.Element {
  const { measure, value, first } = props;
  if (value === null) return <>–</>;
  const shown = value === 0 ? '0' : measure.format(value);
  if (first === null || value === first) return <>{shown}</>;
  const better = measure.less === null ? '' : value < first === measure.less ? 'good' : 'bad';
  const change = first === 0 ? 'new' : changeText(value / first);
  return (
    <>
      {shown} <small class={better}>{value === 0 ? 'none' : change}</small>
    </>
  );
}

function changeText(ratio: number): string {
  if (ratio >= 2) return `×${ratio.toPrecision(2)}`;
  const percent = (ratio - 1) * 100;
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(Math.abs(percent) < 10 ? 1 : 0)} %`;
}
