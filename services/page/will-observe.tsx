import type { JSX } from 'preact';
import type { RunPage } from '../report/page/page-data.js';

/** The keys of `observe` that a page shows something of, and what. */
const SHOWN: readonly (readonly [string, string])[] = [
  ['series', 'ports over time, by priority'],
  ['episodes', 'congestion with its causes, as trees and over time'],
  ['traces', 'frames from end to end, as waterfalls'],
  ['captures', 'frames at ports, for Wireshark'],
];

/** Before a run starts: what of it will be recorded, as its scenario says. */
export function WillObserve({ run }: { readonly run: RunPage }): JSX.Element {
  const { observe = {} } = JSON.parse(run.reproduce.scenario) as {
    readonly observe?: Readonly<Record<string, unknown>>;
  };
  return (
    <div class="none">
      <p class="none">Nothing has been measured yet. The report will have:</p>
      <ul>
        {SHOWN.map(([key, what]) => (
          <li key={key}>
            {isOn(observe[key]) ? '✓' : '–'} {what}{' '}
            {isOn(observe[key]) ? '' : <code>observe.{key}</code>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function isOn(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
