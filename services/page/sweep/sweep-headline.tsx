import type { JSX } from 'preact';
import type { SweepMeasure, SweepPage, SweepValue } from '../../report/page/page-data.js';
import { Card } from '../panels.js';
import { capital, ranked, runCount } from './sweep-runs.js';

/** Values this close to the best are as good. */
const TIE = 0.02;

/** Which point of a sweep comes first, and which is best at what. */
export function SweepHeadline({ sweep }: { readonly sweep: SweepPage }): JSX.Element | null {
  const { measures } = sweep;
  if (measures.length === 0) return null;
  const best = measures.map(bestOf);
  return (
    <Card title={sweep.verdict} wide>
      <ul class="wins">
        {measures.map((measure, i) => (
          <li key={measure.label}>
            <span>{capital(measure.label)}</span>
            <b>{namesOf(sweep, best[i]!)}</b>
            <span>
              {measure.texts[best[i]![0]!]}{' '}
              <small>against {measure.texts[ranked(measure).at(-1)!]}</small>
            </span>
          </li>
        ))}
      </ul>
      {sweep.notes.map((note) => (
        <p key={note}>{capital(note)}.</p>
      ))}
    </Card>
  );
}

function bestOf(measure: SweepMeasure): number[] {
  const { values } = measure;
  const best = values[ranked(measure)[0]!] as number;
  const isTie = (value: SweepValue): boolean =>
    typeof value === 'number' && Math.abs(value - best) <= TIE * Math.abs(best);
  return values.flatMap((value, run) => (isTie(value) ? [run] : []));
}

/** What the runs have in common of the axes; where that is nothing, how many they are. */
function namesOf({ axes }: SweepPage, runs: readonly number[]): string {
  const all = runCount({ axes });
  if (runs.length === all) return 'all alike';
  const common = axes.flatMap(({ name, values }, i) => {
    const stride = axes.slice(i + 1).reduce((product, axis) => product * axis.values.length, 1);
    const seen = new Set(runs.map((run) => values[Math.floor(run / stride) % values.length]!));
    return seen.size === 1 ? [`${name}=${[...seen][0]!}`] : [];
  });
  if (common.length === 0) return `${runs.length} of ${all} runs`;
  const of = axes.reduce((product, { name, values }) => {
    return common.some((one) => one.startsWith(`${name}=`)) ? product : product * values.length;
  }, 1);
  const names = common.join(', ');
  return runs.length === of ? names : `${names} (${runs.length} of ${of})`;
}
