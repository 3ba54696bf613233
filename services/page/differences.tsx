import type { JSX } from 'preact';
import type { RunPage } from '../report/page/page-data.js';
import {
  formatCount,
  formatOctets,
  formatRate,
  formatRatio,
  formatTime,
} from '../report/format.js';
import { Card, Table } from './panels.js';

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
    ...{ label: 'frame-time lost to congestion', format: formatTime, less: true },
    value: ({ trees }) => trees && sum(trees.trees.map((tree) => tree.frameTimePs)),
  },
  {
    ...{ label: 'flows held that do not pass the worst root', format: formatCount, less: true },
    value: ({ trees }) => trees && (trees.trees[0]?.victimCount ?? 0),
  },
  {
    ...{ label: 'frame-hops', format: formatCount, less: null },
    value: (run) => run.frameHops,
  },
];

/** What runs came to, and by how much that differs from the first of them. */
export function Differences({ runs }: { readonly runs: readonly RunPage[] }): JSX.Element {
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
