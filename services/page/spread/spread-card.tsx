import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatCount } from '../../report/format.js';
import { Chart } from '../charts/chart.js';
import type { Theme } from '../colours.js';
import { SERIES_COLOURS } from '../colours.js';
import { Card } from '../panels.js';
import type { RunView } from '../run-view.js';
import { chartsOf, sharedAxes } from './spread-charts.js';
import './spread.css';

interface Props {
  /** One run, or several that are compared. */
  readonly views: readonly RunView[];
  readonly theme: Theme;
  readonly timePs: number | null;
  readonly setTime: (timePs: number) => void;
}

/** Percentiles over time, and how long queues and pauses were. */
export function SpreadCard({ views, theme, timePs, setTime }: Props): JSX.Element | null {
  const rows = useMemo(
    () => sharedAxes(views.map(({ run }) => chartsOf(run, SERIES_COLOURS[theme]))),
    [views, theme],
  );
  if (rows.length === 0) return null;
  const isOne = views.length === 1;
  const [queues] = views.map(({ run }) => run.spread.queues);
  const note = isOne
    ? queues && `of ${formatCount(queues.ports)} ports that had a queue`
    : 'each row with the same axes';
  return (
    <Card title="Queues and pauses" {...(note == null ? {} : { note })} wide>
      <div
        class={isOne ? 'charts' : 'multiples'}
        style={isOne ? {} : { '--runs': String(views.length) }}
      >
        {rows.map((row) =>
          row.map((chart, i) =>
            chart === null ? (
              <p key={i} class="none blank">
                {views[i]!.run.title}: none
              </p>
            ) : (
              <Chart
                key={`${chart.title} ${i}`}
                {...chart}
                {...{ theme, mark: chart.overTime ? timePs : null, height: isOne ? 226 : 186 }}
                {...(chart.overTime ? { onPick: setTime } : {})}
                title={isOne ? chart.title : `${views[i]!.run.title}: ${chart.title}`}
              />
            ),
          ),
        )}
      </div>
    </Card>
  );
}
