import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { SweepMeasure, SweepPage } from '../../report/page/page-data.js';
import type { Theme } from '../colours.js';
import { lossColour, useTheme } from '../colours.js';
import { goToSweepRun, measureId, useAddress } from '../address.js';
import { Card } from '../panels.js';
import { SearchBox } from '../search/search-box.js';
import { SweepHeadline } from './sweep-headline.js';
import { SweepRunCard } from './sweep-run-card.js';
import { badness, capital, nameOfRun, ranked, sweepFinds } from './sweep-runs.js';
import './sweep.css';

type Axis = SweepPage['axes'][number];

/** A sweep: for every measure a heat map over its last two axes, for each value before them. */
export function SweepPageView({ sweep }: { readonly sweep: SweepPage }): JSX.Element {
  const [theme, toggleTheme] = useTheme();
  const finds = useMemo(() => () => sweepFinds(sweep), [sweep]);
  return (
    <main class="sweep">
      <header>
        <div class="name">
          <span class="brand">selvage</span>
          <h1>{sweep.title}</h1>
          <SearchBox finds={finds} kinds="run or measure" />
          <button type="button" class="theme" aria-label="light or dark" onClick={toggleTheme}>
            ◐
          </button>
        </div>
        {sweep.description !== '' && <p>{sweep.description}</p>}
      </header>
      <SweepHeadline sweep={sweep} />
      <SweepRunCard sweep={sweep} />
      <div class="measures">
        {sweep.measures.map((measure, place) => (
          <Card
            key={measure.label}
            id={measureId(place)}
            title={capital(measure.label)}
            note={measure.moreIsBetter ? 'more is better' : 'less is better'}
            wide
          >
            <HeatMaps {...{ axes: sweep.axes, measure, theme }} />
            <Scale {...{ measure, theme }} />
          </Card>
        ))}
      </div>
      <Card title="How to reproduce" wide>
        <pre>{sweep.command}</pre>
      </Card>
    </main>
  );
}

function HeatMaps(props: {
  readonly axes: readonly Axis[];
  readonly measure: SweepMeasure;
  readonly theme: Theme;
}): JSX.Element {
  const { axes, measure, theme } = props;
  const columns = axes[axes.length - 1]!;
  const rows = axes[axes.length - 2] ?? { name: '', values: [''] };
  const cells = rows.values.length * columns.values.length;
  const maps = Math.max(1, measure.values.length / cells);
  return (
    <div class="heat-maps">
      {Array.from({ length: maps }, (_, map) => (
        <figure key={map}>
          {axes.length > 2 && (
            <figcaption>{nameOfRun({ axes: axes.slice(0, -2) }, map)}</figcaption>
          )}
          <HeatMap {...{ rows, columns, measure, theme, from: map * cells }} />
        </figure>
      ))}
    </div>
  );
}

/** What the colours stand for: one scale for all maps of a measure. */
function Scale(props: { readonly measure: SweepMeasure; readonly theme: Theme }): JSX.Element {
  const { measure, theme } = props;
  const order = ranked(measure);
  const [best, worst] = [order[0]!, order.at(-1)!];
  const ramp = `linear-gradient(90deg, ${lossColour(theme, 0)}, ${lossColour(theme, 1)})`;
  return (
    <p class="legend">
      <span>
        best: {measure.texts[best]} <i class="ramp" style={{ background: ramp }} /> worst:{' '}
        {measure.texts[worst]}
      </span>
    </p>
  );
}

function HeatMap(props: {
  readonly rows: Axis;
  readonly columns: Axis;
  readonly measure: SweepMeasure;
  readonly theme: Theme;
  readonly from: number;
}): JSX.Element {
  const { rows, columns, measure, theme, from } = props;
  const { run: chosen } = useAddress();
  return (
    <table class="heat">
      <thead>
        <tr>
          <th class="axis" rowSpan={2}>
            {rows.name}
          </th>
          <th class="axis" colSpan={columns.values.length}>
            {columns.name}
          </th>
        </tr>
        <tr>
          {columns.values.map((value) => (
            <th key={value}>{value}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.values.map((value, row) => (
          <tr key={value}>
            <th>{value}</th>
            {columns.values.map((column, at) => {
              const run = from + row * columns.values.length + at;
              const bad = badness(measure, run);
              const background = bad === null ? undefined : lossColour(theme, bad);
              return (
                <td key={column} class={run === chosen ? 'on' : ''} style={{ background }}>
                  <button
                    type="button"
                    aria-label={`${value} ${column}: ${measure.texts[run]!}`}
                    onClick={() => {
                      goToSweepRun(run);
                    }}
                  >
                    {measure.texts[run]}
                  </button>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
