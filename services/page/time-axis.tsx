import type { JSX } from 'preact';
import { formatTime } from '../report/format.js';
import { axisLabels } from './charts/axis-labels.js';
import { evenTicks } from './charts/even-ticks.js';

const MARKS = 5;
/** Of the axis: so near to its ends there is no room for another mark. */
const NEAR = 0.12;

/** Below bars over time: both ends, and round times between them. */
export function TimeAxis(props: { readonly fromPs: number; readonly toPs: number }): JSX.Element {
  const { fromPs, toPs } = props;
  const shareOf = (ps: number): number => (ps - fromPs) / (toPs - fromPs || 1);
  const between = evenTicks(fromPs, toPs, { most: MARKS }).filter(
    (ps) => shareOf(ps) > NEAR && shareOf(ps) < 1 - NEAR,
  );
  const marks = [fromPs, ...between, toPs];
  const labels = axisLabels(marks, (ps) => formatTime(Math.round(ps)));
  return (
    <div class="time-axis">
      {marks.map((ps, i) => (
        <span key={i} style={{ left: `${100 * shareOf(ps)}%` }}>
          {labels[i]}
        </span>
      ))}
    </div>
  );
}
