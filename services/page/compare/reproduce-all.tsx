import type { JSX } from 'preact';
import type { RunPage } from '../../report/page/page-data.js';
import { Card } from '../panels.js';

/** How to have each run again; a scenario that several share is shown once. */
export function ReproduceAll({ runs }: { readonly runs: readonly RunPage[] }): JSX.Element {
  const scenarios = new Map<string, string[]>();
  for (const { title, reproduce } of runs) {
    scenarios.set(reproduce.scenario, [...(scenarios.get(reproduce.scenario) ?? []), title]);
  }
  return (
    <Card title="How to reproduce" wide>
      <pre class="command">
        {[...new Set(runs.map(({ reproduce }) => reproduce.command))].join('\n')}
      </pre>
      <p class="facts">
        The same scenario and seed give the same digest anywhere: in one thread, in several, or in a
        process per device.
      </p>
      {[...scenarios].map(([scenario, titles]) => (
        <details key={titles[0]}>
          <summary>
            the scenario of {titles.join(', ')}, with base files and settings merged
          </summary>
          <pre>{scenario}</pre>
        </details>
      ))}
    </Card>
  );
}
