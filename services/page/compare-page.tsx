import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Comparison } from '../report/comparison/comparison-data.js';
import type { RunPage } from '../report/page/page-data.js';
import { useTheme } from './colours.js';
import { DiscoveryCard } from './discovery-card.js';
import { Completions, Slowdowns } from './distributions.js';
import { FabricMapView, isWoven } from './fabric-map.js';
import { HeadlineCard } from './compare/headline-card.js';
import { FlowCompared } from './compare/flow-compared.js';
import { Columns } from './columns.js';
import { DeviceCard } from './device-card.js';
import { findablesOfAll } from './search/find.js';
import { SearchBox } from './search/search-box.js';
import { ReproduceAll } from './compare/reproduce-all.js';
import { goTo, useAddress, useTimeWindow } from './address.js';
import { ExpectationsCompared } from './compare/expectations-compared.js';
import { Card } from './panels.js';
import { PortPlots } from './port-plots.js';
import { choosePort, Legend, setTime } from './run-page.js';
import type { RunView } from './run-view.js';
import { interestingPorts, shownMoment } from './run-view.js';
import { SpreadCard } from './spread/spread-card.js';
import { SharesCard } from './shares-card.js';
import { Timeline } from './timeline.js';
import { TreeCard } from './tree-card.js';
import { blockedWord } from './blocked-word.js';

/** By run: ports of a tree that are pointed out in its fabric. */
type Marked = Readonly<Record<number, ReadonlySet<number> | null>>;

/** Several runs, side by side at one time. */
export function ComparePage(props: {
  readonly views: readonly RunView[];
  readonly comparison: Comparison;
}): JSX.Element {
  const { views, comparison } = props;
  const [theme, toggleTheme] = useTheme();
  const { at: timePs, port: wanted, device, pods } = useAddress();
  const order = useMemo(() => portOrder(views), [views]);
  const port = wanted ?? order[0] ?? '';
  const window = useTimeWindow();
  const runs = useMemo(() => views.map(({ run }) => run), [views]);
  const finds = useMemo(() => () => findablesOfAll(runs), [runs]);
  const [marked, mark] = useState<Marked>({});
  const hasSeries = views.some(({ moments }) => moments.length > 0);
  const chooseOf =
    ({ ports }: RunPage) =>
    (place: number): void => {
      choosePort(ports[place]!.name);
    };
  return (
    <main class="compare">
      <header>
        <div class="name">
          <span class="brand">selvage</span>
          <h1>{views.length} runs side by side</h1>
          <SearchBox finds={finds} />
          <button type="button" class="theme" aria-label="light or dark" onClick={toggleTheme}>
            ◐
          </button>
        </div>
      </header>
      <HeadlineCard comparison={comparison} />
      <FlowCompared runs={runs} />
      {device !== null && (
        <div id="device" class="stacked">
          {runs.map((run) => (
            <DeviceCard key={run.title} run={run} of={run.title} />
          ))}
        </div>
      )}
      <Card title="Fabric" note="all at the same virtual time" wide>
        <div class="maps">
          {views.map((view, i) => (
            <div key={i}>
              <h3>{view.run.title}</h3>
              <FabricMapView
                {...{ view, theme, marked: marked[i] ?? null }}
                moment={shownMoment(view, timePs, window)}
                openDevice={(device, worst) => {
                  goTo({ device, port: view.run.ports[worst]!.name });
                }}
                chosen={view.run.ports.findIndex(({ name }) => name === port)}
                choose={chooseOf(view.run)}
              />
            </div>
          ))}
        </div>
        <Legend blocked={blockedWord(runs)} isLarge={views.some((view) => isWoven(view, pods))} />
        {hasSeries && <Timeline {...{ views, timePs, setTime }} />}
      </Card>
      {port !== '' && (
        <PortPlots {...{ views, theme, port, order, choose: choosePort, timePs, setTime }} />
      )}
      <SpreadCard {...{ views, theme, timePs, setTime }} />
      {views.map(({ run }, i) =>
        hasNoCongestion(run) ? null : (
          <TreeCard
            key={i}
            {...{ run, of: run.title, index: i, choose: chooseOf(run) }}
            mark={(ports) => {
              mark((before) => ({ ...before, [i]: ports }));
            }}
          />
        ),
      )}
      <Columns>
        <Completions {...{ views, theme }} />
        <Slowdowns {...{ views, theme }} />
        {views.map(({ run }, i) => (
          <SharesCard key={i} {...{ run, of: run.title, theme, choose: chooseOf(run) }} />
        ))}
      </Columns>
      {views.map(({ run }, i) => (
        <DiscoveryCard key={i} {...{ run, of: run.title, choose: chooseOf(run) }} />
      ))}
      <ExpectationsCompared runs={runs} />
      <ReproduceAll runs={runs} />
    </main>
  );
}

/** It was observed, and there was none. */
function hasNoCongestion({ trees }: RunPage): boolean {
  return trees?.episodes === 0;
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
