import type { JSX } from 'preact';
import {
  formatCount,
  formatOctets,
  formatRate,
  formatRatio,
  formatTime,
} from '../../report/format.js';
import type { ContestView, RunPage } from '../../report/page/page-data.js';
import { Card } from '../panels.js';
import type { Contest, Win } from './headline.js';
import { measured, winOf } from './headline.js';

const worst = (values: readonly (number | null | undefined)[]): number | null => {
  const known = values.filter((value) => value !== null && value !== undefined);
  return known.length === 0 ? null : Math.max(...known);
};

const CONTESTS: readonly Contest[] = [
  {
    ...{ label: 'goodput', format: formatRate, lessIsBetter: false },
    value: (run) => run.goodputBps,
  },
  {
    ...{ label: 'FCT p99', format: formatTime, lessIsBetter: true },
    value: (run) => worst(run.priorities.map(({ completionPs }) => completionPs?.p99)),
  },
  {
    ...{ label: 'slowdown p99', format: formatRatio, lessIsBetter: true },
    value: (run) => worst(run.priorities.map(({ slowdown }) => slowdown?.p99)),
  },
  {
    ...{ label: 'frames dropped', format: formatCount, lessIsBetter: true },
    value: (run) => run.priorities.reduce((sum, { drops }) => sum + drops, 0),
  },
  {
    ...{ label: 'longest pause of a port', format: formatTime, lessIsBetter: true },
    value: (run) => Math.round(Math.max(0, ...run.ports.map(({ blockedPs }) => blockedPs))),
  },
  {
    ...{ label: 'longest queue', format: formatOctets, lessIsBetter: true },
    value: (run) => Math.max(0, ...run.ports.map(({ peakQueueOctets }) => peakQueueOctets)),
  },
];

/** Measures of one run in the headline; of more, how many they are. */
const NAMED_MOST = 3;

/** Which run is best at what, and what that costs elsewhere. */
export function HeadlineCard(props: {
  readonly runs: readonly RunPage[];
  readonly contests: readonly ContestView[];
}): JSX.Element {
  const { runs, contests } = props;
  const wins = [...CONTESTS.map((contest) => measured(contest, runs)), ...contests].flatMap(
    (contest) => winOf(contest) ?? [],
  );
  return (
    <Card title={headline(wins, runs)} wide>
      {wins.length > 0 && (
        <ul class="wins">
          {wins.map(({ label, best, value, worst: last, worstRun }) => (
            <li key={label}>
              <span>{label}</span>
              <b>{best.map((run) => runs[run]!.title).join(', ')}</b>
              <span>
                {value}{' '}
                <small>
                  against {last} of {runs[worstRun]!.title}
                </small>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function headline(wins: readonly Win[], runs: readonly RunPage[]): string {
  if (wins.length === 0) return 'No run is better than another by more than 2 %';
  const labels = runs.map((_, run) =>
    wins.flatMap(({ best, label }) => (best.includes(run) ? [label] : [])),
  );
  const order = [...runs.keys()].sort((a, b) => labels[b]!.length - labels[a]!.length);
  const parts = order.flatMap((run) => {
    const own = labels[run]!;
    if (own.length === 0) return [];
    const what =
      own.length <= NAMED_MOST ? own.join(', ') : `${own.length} of ${wins.length} measures`;
    return [`${runs[run]!.title} is best at ${what}`];
  });
  return parts.join('; ');
}
