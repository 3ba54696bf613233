import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Theme } from './colours.js';
import { useTheme } from './colours.js';
import { Distributions } from './distributions.js';
import { FabricMapView, isLarge } from './fabric-map.js';
import {
  Card,
  Expectations,
  Header,
  Margins,
  Ports,
  Reproduce,
  Standstill,
  Tiles,
  Traffic,
  Unreachable,
} from './panels.js';
import { Nics } from './nics.js';
import { NoSeries, PortPlots } from './port-plots.js';
import type { RunView } from './run-view.js';
import { interestingPorts, momentAt } from './run-view.js';
import { DiscoveryCard } from './discovery-card.js';
import { RatesCard } from './rates-card.js';
import { SharesCard } from './shares-card.js';
import { Timeline } from './timeline.js';
import { TreeCard } from './tree-card.js';

/** The page of one run that is over. */
export function RunPageView({ view }: { readonly view: RunView }): JSX.Element {
  const { run } = view;
  const [theme, toggleTheme] = useTheme();
  const [timePs, setTime] = useState<number | null>(null);
  const order = useMemo(() => interestingPorts(view), [view]);
  const [port, choose] = useState(order[0] ?? 0);
  const [marked, mark] = useState<ReadonlySet<number> | null>(null);
  return (
    <main>
      <Header run={run} status={run.status} toggleTheme={toggleTheme} />
      <Tiles run={run} />
      <Standstill run={run} />
      <Unreachable run={run} />
      <MapCard {...{ view, theme, timePs, setTime, port, choose, marked }} />
      <PortCard {...{ view, theme, order, port, choose, timePs, setTime }} />
      <TreeCard {...{ run, choose, mark }} />
      <div class="columns">
        <Distributions views={[view]} theme={theme} />
        <Expectations run={run} />
        <Traffic run={run} />
        <Ports run={run} order={order} choose={choose} />
        <Margins run={run} />
        <Nics run={run} />
        <SharesCard {...{ run, theme, choose }} />
      </div>
      <RatesCard {...{ view, theme, timePs, setTime }} />
      <DiscoveryCard run={run} choose={choose} />
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
  /** Of a run that goes on: its last moment is what is now. */
  readonly isLive?: boolean;
  /** Ports that are pointed out; null: all alike. */
  readonly marked?: ReadonlySet<number> | null;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { view, theme, timePs, setTime, port, choose, isLive = false } = props;
  const { marked = null } = props;
  const shownPs = timePs ?? (isLive ? (view.moments.at(-1)?.timePs ?? null) : null);
  return (
    <Card title="Fabric" wide>
      <FabricMapView
        {...{ view, theme, chosen: port, choose, marked }}
        moment={momentAt(view, shownPs)}
      />
      <Legend isLarge={isLarge(view)} />
      {view.moments.length === 0 ? (
        (props.children ?? <NoSeries />)
      ) : (
        <Timeline
          {...{ views: [view], timePs, setTime }}
          otherwise={isLive ? 'now' : 'whole run'}
        />
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

export function Legend({ isLarge: large }: { readonly isLarge: boolean }): JSX.Element {
  return (
    <p class="legend">
      <span>
        idle <i class="ramp" /> full
      </span>
      <span>
        <i class="badge">❚❚</i> paused by its link partner
      </span>
      <span>
        <i class="queue" /> longest queue
      </span>
      <span class="faint">
        {large
          ? 'switches by the mean of their ports, cables by the busier end; click to see a port'
          : 'each half of a cable is coloured by what the end next to it sends; click for a port'}
      </span>
    </p>
  );
}
