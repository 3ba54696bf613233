import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import {
  formatCount,
  formatOctets,
  formatPercentile,
  formatRatio,
  formatShare,
  formatTally,
  formatTime,
} from '../report/format.js';
import type { Curve } from '../report/page/page-data.js';
import type { ChartLine } from './charts/chart-data.js';
import { Chart } from './charts/chart.js';
import type { Theme } from './colours.js';
import { SERIES_COLOURS } from './colours.js';
import { Card, Table } from './panels.js';
import type { RunView } from './run-view.js';

/** So few sizes are listed rather than drawn. */
const POINTS_OF_TABLE = 2;

const COMPLETIONS = 'Flow completion time (FCT)';

interface Props {
  readonly views: readonly RunView[];
  readonly theme: Theme;
}

/** How long flows took, of one run or of several. */
export function Completions({ views, theme }: Props): JSX.Element | null {
  const colours = SERIES_COLOURS[theme];
  const curves = views.flatMap(({ run }) =>
    run.completions.map((curve) => ({
      ...curve,
      label: labelOf(views.length > 1 ? `${run.title}: ${curve.label}` : curve.label, curve),
    })),
  );
  const { x, lines } = useMemo(() => stepsOf(curves, colours), [views, theme]);
  const count = curves.reduce((sum, curve) => sum + curve.count, 0);
  const total = curves.reduce((sum, curve) => sum + curve.total, 0);
  if (total === 0) return null;
  if (count === 0) {
    return (
      <Card title={COMPLETIONS}>
        <p class="none">0 of {formatCount(total)} flows are done</p>
      </Card>
    );
  }
  return (
    <Card
      title={COMPLETIONS}
      note={`share of all flows done by then; ${formatTally({ done: count, total })} are done`}
    >
      <Chart
        title=""
        name="flow completion time"
        {...{ theme, x, lines, logX: isWide(x), maxY: 1.02, height: 266 }}
        xTitle="flow completion time"
        yTitle="share of flows"
        formatX={(ps) => formatTime(Number(ps.toPrecision(3)))}
        formatY={formatShare}
      />
    </Card>
  );
}

/** Where some flows did not finish, how many did. */
function labelOf(label: string, { count, total }: Curve): string {
  return count === total ? label : `${label} (${formatTally({ done: count, total })})`;
}

/** Values that differ little stand on a plain axis. */
function isWide(x: readonly number[]): boolean {
  return x.at(-1)! > 5 * x[0]!;
}

/** Curves on one axis: each keeps its share until its next value. */
function stepsOf(
  curves: readonly Curve[],
  colours: readonly string[],
): { x: number[]; lines: ChartLine[] } {
  const x = [...new Set(curves.flatMap(({ values }) => values))].sort((a, b) => a - b);
  if (x.length > 0) {
    // A curve rises from zero, and ends with its last flow.
    x.unshift(x[0]! * 0.98);
  }
  const lines = curves.map(({ label, values, shares }, i): ChartLine => {
    let next = 0;
    const steps = x.map((at) => {
      while (next < values.length && values[next]! <= at) next++;
      if (at > (values.at(-1) ?? 0)) return null;
      return next === 0 ? 0 : shares[next - 1]!;
    });
    return { label, colour: colours[i % colours.length]!, values: steps, kind: 'steps' };
  });
  return { x, lines };
}

/** How much longer flows took than alone. */
export function Slowdowns({ views, theme }: Props): JSX.Element | null {
  const { x, lines } = useMemo(() => slowdownLines(views, theme), [views, theme]);
  if (x.length === 0) return null;
  const note = 'FCT over that on an idle fabric';
  const bins = views.map(({ run }) => run.slowdown.bins);
  if (bins.every(({ length }) => length <= POINTS_OF_TABLE)) {
    return (
      <Card title="Slowdown by size" note={note}>
        <Table
          head={['', 'flows of', 'done', 'p50', 'p99']}
          rows={views.flatMap(({ run }) =>
            run.slowdown.bins.map(({ octets, slowdown }) => [
              views.length > 1 ? run.title : 'all',
              formatOctets(octets),
              formatTally({ done: slowdown.count, total: slowdown.total }),
              formatPercentile(slowdown, 'p50', formatRatio),
              formatPercentile(slowdown, 'p99', formatRatio),
            ]),
          )}
        />
      </Card>
    );
  }
  return (
    <Card title="Slowdown by size" note={note}>
      <Chart
        title=""
        name="slowdown by size"
        {...{ theme, x, lines, logX: isWide(x), height: 266, minY: 0 }}
        xTitle="flow size"
        yTitle="slowdown"
        formatX={(octets) => formatOctets(Number(octets.toPrecision(3)))}
        formatY={(slowdown) => `${Number(slowdown.toPrecision(3))}x`}
      />
    </Card>
  );
}

function slowdownLines(
  views: readonly RunView[],
  theme: Theme,
): { x: number[]; lines: ChartLine[] } {
  const colours = SERIES_COLOURS[theme];
  const bins = views.flatMap(({ run }) => run.slowdown.bins.map(({ octets }) => octets));
  const single = views.length === 1 ? views[0]!.run.slowdown.points : [];
  const x = [...bins, ...single.map(([octets]) => octets)].sort((a, b) => a - b);
  const lines = views.flatMap(({ run }, i): ChartLine[] => {
    const prefix = views.length > 1 ? `${run.title} ` : '';
    const at = (value: 'p50' | 'p99'): (number | null)[] => {
      const of = new Map(run.slowdown.bins.map((bin) => [bin.octets, bin.slowdown[value]]));
      return x.map((octets) => of.get(octets) ?? null);
    };
    const colour = colours[i % colours.length]!;
    return [
      { label: `${prefix}p50`, colour, values: at('p50') },
      { label: `${prefix}p99`, colour, values: at('p99'), kind: 'dashed' },
    ];
  });
  if (single.length > 0) {
    const left = [...single];
    const values = x.map((octets) => (left[0]?.[0] === octets ? left.shift()![1] : null));
    lines.unshift({ label: 'flow', colour: colours[6]!, values, kind: 'dots' });
  }
  return { x, lines };
}
