import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { RunPage } from '../report/page/page-data.js';
import { useTheme } from './colours.js';
import { Differences } from './differences.js';
import { DiscoveryCard } from './discovery-card.js';
import { Distributions } from './distributions.js';
import { FabricMapView, isLarge } from './fabric-map.js';
import { Card, Expectations, Reproduce } from './panels.js';
import { PortPlots } from './port-plots.js';
import { Legend } from './run-page.js';
import type { RunView } from './run-view.js';
import { interestingPorts, momentAt } from './run-view.js';
import { SharesCard } from './shares-card.js';
import { Timeline } from './timeline.js';
import { TreeCard } from './tree-card.js';

/** By run: ports of a tree that are pointed out in its fabric. */
type Marked = Readonly<Record<number, ReadonlySet<number> | null>>;

/** Several runs, side by side at one time. */
export function ComparePage({ views }: { readonly views: readonly RunView[] }): JSX.Element {
  const [theme, toggleTheme] = useTheme();
  const [timePs, setTime] = useState<number | null>(null);
  const order = useMemo(() => portOrder(views), [views]);
  const [port, choose] = useState(order[0] ?? '');
  const [marked, mark] = useState<Marked>({});
  const hasSeries = views.some(({ moments }) => moments.length > 0);
  const chooseOf =
    ({ ports }: RunPage) =>
    (place: number): void => {
      choose(ports[place]!.name);
    };
  return (
    <main class="compare">
      <header>
        <div class="name">
          <span class="brand">selvage</span>
          <h1>{views.length} runs side by side</h1>
          <button type="button" class="theme" aria-label="light or dark" onClick={toggleTheme}>
            ◐
          </button>
        </div>
      </header>
      <Differences runs={views.map(({ run }) => run)} />
      <Card title="Fabric" note="all at the same virtual time" wide>
        <div class="maps">
          {views.map((view, i) => (
            <div key={i}>
              <h3>{view.run.title}</h3>
              <FabricMapView
                {...{ view, theme, moment: momentAt(view, timePs), marked: marked[i] ?? null }}
                chosen={view.run.ports.findIndex(({ name }) => name === port)}
                choose={chooseOf(view.run)}
              />
            </div>
          ))}
        </div>
        <Legend isLarge={views.some(isLarge)} />
        {hasSeries && <Timeline {...{ views, timePs, setTime }} />}
      </Card>
      {port !== '' && <PortPlots {...{ views, theme, port, order, choose, timePs, setTime }} />}
      {views.map(({ run }, i) => (
        <TreeCard
          key={i}
          {...{ run, of: run.title, choose: chooseOf(run) }}
          mark={(ports) => {
            mark((before) => ({ ...before, [i]: ports }));
          }}
        />
      ))}
      <div class="columns">
        <Distributions {...{ views, theme }} />
        {views.map(({ run }, i) => (
          <SharesCard key={i} {...{ run, of: run.title, theme, choose: chooseOf(run) }} />
        ))}
      </div>
      {views.map(({ run }, i) => (
        <DiscoveryCard key={i} {...{ run, of: run.title, choose: chooseOf(run) }} />
      ))}
      <div class="columns">
        {views.map(({ run }, i) => (
          <div key={i} class="run">
            <h3>{run.title}</h3>
            <Expectations run={run} />
          </div>
        ))}
      </div>
      {views.map(({ run }, i) => (
        <div key={i}>
          <h3>{run.title}</h3>
          <Reproduce run={run} />
        </div>
      ))}
    </main>
  );
}

/** Names of ports that tell most in any of the runs, in turn. */
function portOrder(views: readonly RunView[]): string[] {
  const orders = views.map((view) =>
    interestingPorts(view).map((place) => view.run.ports[place]!.name),
  );
  const longest = Math.max(...orders.map(({ length }) => length));
  const mixed = Array.from({ length: longest }, (_, i) =>
    orders.flatMap((order) => order[i] ?? []),
  );
  return [...new Set(mixed.flat())];
}
