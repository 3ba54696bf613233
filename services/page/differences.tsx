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
  readonly value: (run: RunPage) => Quantity | number | null;
  readonly format: (value: number) => string;
  /** Whether less is better; null where neither is. */
  readonly less: boolean | null;
}

/** A value that is only known to be more than `value` is open. */
interface Quantity {
  readonly value: number;
  readonly isOpen: boolean;
}

/** A percentile of the priority where it is longest. */
function worst(
  run: RunPage,
  of: 'completionPs' | 'slowdown',
  rank: 'p50' | 'p99',
): Quantity | null {
  const all = run.priorities.flatMap((priority) => priority[of] ?? []);
  if (all.length === 0) return null;
  const value = Math.max(...all.map(({ atLeast }) => atLeast[rank]));
  return { value, isOpen: all.some((percentiles) => percentiles[rank] === null) };
}
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
    ...{ label: 'goodput', format: formatRate, less: false },
    value: (run) => run.goodputBps,
  },
  {
    ...{ label: 'flows that did not finish', format: formatCount, less: true },
    value: ({ finished }) => finished.total - finished.done,
  },
  {
    ...{ label: 'FCT p50', format: formatTime, less: true },
    value: (run) => worst(run, 'completionPs', 'p50'),
  },
  {
    ...{ label: 'FCT p99', format: formatTime, less: true },
    value: (run) => worst(run, 'completionPs', 'p99'),
  },
  {
    ...{ label: 'slowdown p99', format: formatRatio, less: true },
    value: (run) => worst(run, 'slowdown', 'p99'),
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
    ...{ label: 'longest blocked time of a port', format: formatTime, less: true },
    value: (run) => Math.max(0, ...run.ports.map((p) => p.blockedPs)),
  },
  {
    ...{ label: 'ports paused or blocked', format: formatCount, less: true },
    value: (run) => run.ports.filter((p) => p.blockedPs > 0).length,
  },
  {
    ...{ label: 'longest queue', format: formatOctets, less: true },
    value: (run) => Math.max(0, ...run.ports.map((p) => p.peakQueueOctets)),
  },
  {
    ...{ label: 'fullest ingress buffer', format: formatOctets, less: true },
    value: (run) => Math.max(0, ...run.ports.map((p) => p.peakIngressOctets)),
  },
  {
    ...{ label: 'aggregate blocked time', format: formatTime, less: true },
    value: ({ trees }) => trees && sum(trees.trees.map((tree) => tree.frameTimePs)),
  },
  {
    ...{ label: 'victim flows of the worst tree', format: formatCount, less: true },
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
          ...MEASURES.filter((measure) => differs(measure, runs)).map((measure) => [
            measure.label,
            ...runs.map((run, i) => (
              <Value
                measure={measure}
                quantity={quantityOf(measure, run)}
                first={i === 0 ? null : quantityOf(measure, runs[0]!)}
              />
            )),
          ]),
          ['digest', ...runs.map((run) => <code>{run.digest.slice(0, 12)}</code>)],
        ]}
      />
    </Card>
  );
}

/** What is equal, or unknown, in all of them is no difference. */
function differs(measure: Measure, runs: readonly RunPage[]): boolean {
  const values = runs.map((run) => quantityOf(measure, run));
  return new Set(values.map((quantity) => quantity && JSON.stringify(quantity))).size > 1;
}

function quantityOf(measure: Measure, run: RunPage): Quantity | null {
  const value = measure.value(run);
  return typeof value === 'number' ? { value, isOpen: false } : value;
}

function Value(props: {
  readonly measure: Measure;
  readonly quantity: Quantity | null;
  readonly first: Quantity | null;
}): JSX.Element {
  const { measure, quantity } = props;
  if (quantity === null) return <>–</>;
  const { value, isOpen } = quantity;
  const shown = `${isOpen ? '> ' : ''}${value === 0 ? '0' : measure.format(value)}`;
  // A value that is only known to be larger has no difference to another.
  if (props.first === null || isOpen || props.first.isOpen) return <>{shown}</>;
  const first = props.first.value;
  if (value === first) return <>{shown}</>;
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
