import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Theme } from './colours.js';
import { useTheme } from './colours.js';
import { Distributions } from './distributions.js';
import { FabricMapView } from './fabric-map.js';
import { Card, Expectations, Header, Margins, Ports, Reproduce, Tiles, Traffic } from './panels.js';
import { Nics } from './nics.js';
import { NoSeries, PortPlots } from './port-plots.js';
import type { RunView } from './run-view.js';
import { interestingPorts, momentAt } from './run-view.js';
import { Timeline } from './timeline.js';

/** The page of one run that is over. */
export function RunPageView({ view }: { readonly view: RunView }): JSX.Element {
  const { run } = view;
  const [theme, toggleTheme] = useTheme();
  const [timePs, setTime] = useState<number | null>(null);
  const order = useMemo(() => interestingPorts(view), [view]);
  const [port, choose] = useState(order[0] ?? 0);
  return (
    <main>
      <Header run={run} status={run.status} toggleTheme={toggleTheme} />
      <Tiles run={run} />
      <MapCard {...{ view, theme, timePs, setTime, port, choose }} />
      <PortCard {...{ view, theme, order, port, choose, timePs, setTime }} />
      <div class="columns">
        <Distributions views={[view]} theme={theme} />
        <Expectations run={run} />
        <Traffic run={run} />
        <Ports run={run} order={order} choose={choose} />
        <Margins run={run} />
        <Nics run={run} />
      </div>
      <Reproduce run={run} />
    </main>
  );
}

export function MapCard(props: {
  readonly view: RunView;
  readonly theme: Theme;
  readonly timePs: number | null;
  readonly setTime: (timePs: number | null) => void;
  readonly port: number;
  readonly choose: (port: number) => void;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { view, theme, timePs, setTime, port, choose } = props;
  return (
    <Card title="Fabric" wide>
      <FabricMapView {...{ view, theme, chosen: port, choose }} moment={momentAt(view, timePs)} />
      <Legend />
      {view.moments.length === 0 ? (
        (props.children ?? <NoSeries />)
      ) : (
        <Timeline views={[view]} timePs={timePs} setTime={setTime} />
      )}
    </Card>
  );
}

export function PortCard(props: {
  readonly view: RunView;
  readonly theme: Theme;
  readonly order: readonly number[];
  readonly port: number;
  readonly choose: (port: number) => void;
  readonly timePs: number | null;
  readonly setTime: (timePs: number) => void;
}): JSX.Element {
  const { view, theme, order, port, choose, timePs, setTime } = props;
  const { ports } = view.run;
  const views = useMemo(() => [view], [view]);
  return (
    <PortPlots
      {...{ views, theme, timePs, setTime }}
      port={ports[port]!.name}
      order={order.map((place) => ports[place]!.name)}
      choose={(name) => {
        choose(ports.findIndex((p) => p.name === name));
      }}
    />
  );
}

export function Legend(): JSX.Element {
  return (
    <p class="legend">
      <span>
        idle <i class="ramp" /> full
      </span>
      <span>
        <i class="badge">❚❚</i> held by its neighbour
      </span>
      <span>
        <i class="queue" /> longest queue
      </span>
      <span class="faint">
        each half of a cable is coloured by what the end next to it sends; click to see a port
      </span>
    </p>
  );
}
