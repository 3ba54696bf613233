import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { formatRate, formatTime } from '../report/format.js';
import { Chart } from './charts/chart.js';
import type { Theme } from './colours.js';
import { SERIES_COLOURS } from './colours.js';
import { Card } from './panels.js';
import type { RunView } from './run-view.js';

/** What rate controls let connections send; where there is no line, at line rate. */
export function RatesCard(props: {
  readonly view: RunView;
  readonly theme: Theme;
  readonly timePs: number | null;
  readonly setTime: (timePs: number) => void;
}): JSX.Element | null {
  const { view, theme, timePs, setTime } = props;
  const lines = useMemo(() => {
    const colours = SERIES_COLOURS[theme];
    return view.run.rates.map(({ flow, rateBps }, i) => ({
      ...{ label: flow, colour: colours[i % colours.length]!, values: rateBps },
      gaps: true,
    }));
  }, [view, theme]);
  const x = useMemo(() => view.moments.map((moment) => moment.timePs), [view]);
  if (lines.length === 0) return null;
  return (
    <Card title="Rates of limited connections" note="a gap: at line rate" wide>
      <Chart
        title=""
        name="rates of limited connections"
        {...{ theme, x, lines, mark: timePs, onPick: setTime, overTime: true, height: 250 }}
        yTitle="rate"
        formatX={(ps) => formatTime(Math.round(ps))}
        formatY={formatRate}
      />
    </Card>
  );
}
