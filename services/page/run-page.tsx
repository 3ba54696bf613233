import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { RunPage } from '../report/page/page-data.js';
import type { Theme } from './colours.js';
import { useTheme } from './colours.js';
import { Distributions } from './distributions.js';
import { FabricMapView, isLarge } from './fabric-map.js';
import {
  Card,
  Expectations,
  Header,
  Margins,
  PortsCard,
  Reproduce,
  Standstill,
  Tiles,
  Traffic,
  Unreachable,
} from './panels.js';
import { Nics } from './nics.js';
import { NoSeries, PortPlots } from './port-plots.js';
import { goTo, goToPort, useAddress } from './address.js';
import { DeviceCard } from './device-card.js';
import { EpisodesCard } from './episodes/episodes-card.js';
import { FlowCard } from './flows/flow-card.js';
import { FlowsCard } from './flows/flows-card.js';
import type { RunView } from './run-view.js';
import { interestingPorts, momentAt } from './run-view.js';
import { DiscoveryCard } from './discovery-card.js';
import { RatesCard } from './rates-card.js';
import { SharesCard } from './shares-card.js';
import { SpreadCard } from './spread/spread-card.js';
import type { TimelineEvent } from './timeline.js';
import { Timeline } from './timeline.js';
import { TreeCard } from './tree-card.js';

/** The page of one run that is over. */
export function RunPageView({ view }: { readonly view: RunView }): JSX.Element {
  const { run } = view;
  const [theme, toggleTheme] = useTheme();
  const { at: timePs, port: name } = useAddress();
  const order = useMemo(() => interestingPorts(view), [view]);
  const views = useMemo(() => [view], [view]);
  const port = placeOf(view, name) ?? order[0] ?? 0;
  const choose = (place: number): void => {
    goToPort(run.ports[place]!.name);
  };
  const pick = (place: number): void => {
    goTo({ port: run.ports[place]!.name });
  };
  const [marked, mark] = useState<ReadonlySet<number> | null>(null);
  const ring = useMemo(() => ringOf(run), [run]);
  const events = useMemo(() => eventsOf(run), [run]);
  return (
    <main>
      <Header run={run} status={run.status} toggleTheme={toggleTheme} />
      <Tiles run={run} />
      <Standstill run={run} />
      <Unreachable run={run} />
      <MapCard {...{ view, theme, timePs, setTime, port, choose: pick, marked, ring, events }} />
      <DeviceCard run={run} />
      <TreeCard {...{ run, choose, mark }} />
      <EpisodesCard run={run} />
      <FlowsCard run={run} />
      <FlowCard {...{ view, theme, timePs, setTime, mark }} />
      <PortCard {...{ view, theme, order, port, choose: pick, timePs, setTime }} />
      <SpreadCard {...{ views, theme, timePs, setTime }} />
      <div class="columns">
        <Distributions views={views} theme={theme} />
        <Expectations run={run} />
        <Traffic run={run} />
        <PortsCard run={run} order={order} />
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

/** More would be a block of colour. */
const STORMS_MARKED = 60;

const NO_PORTS: ReadonlySet<number> = new Set();

/** Ports of the cyclic buffer dependencies that hold at the end, or of all that there were. */
function ringOf(run: RunPage): ReadonlySet<number> {
  const deadlocks = run.trees?.deadlocks ?? [];
  const standing = deadlocks.filter(({ openedPs }) => openedPs === null);
  const names = new Set(
    (standing.length > 0 ? standing : deadlocks).flatMap(({ ring }) =>
      ring.map(({ egress }) => egress),
    ),
  );
  return new Set([...run.ports.keys()].filter((place) => names.has(run.ports[place]!.name)));
}

/** Storms and deadlocks, where they begin and end. */
function eventsOf({ trees }: RunPage): TimelineEvent[] {
  if (trees === null) return [];
  const deadlocks = trees.deadlocks.flatMap(({ closedPs, openedPs, ring }) => {
    const where = ring.map(({ egress }) => egress).join(', ');
    const opened = { timePs: openedPs!, text: `deadlock resolved: ${where}` };
    return [
      { timePs: closedPs, text: `deadlock: ${where}` },
      ...(openedPs === null ? [] : [opened]),
    ];
  });
  const storms = trees.storms.map(({ port, priority, startPs }) => {
    const where = priority === null ? port : `${port} priority ${priority}`;
    return { timePs: startPs, text: `storm at ${where}` };
  });
  return [...deadlocks, ...storms.slice(0, STORMS_MARKED)];
}

export function choosePort(port: string): void {
  goTo({ port });
}

/** The chosen time; null: the whole run. */
export function setTime(timePs: number | null): void {
  goTo({ at: timePs && Math.round(timePs) });
}

export function placeOf({ run }: RunView, name: string | null): number | null {
  const place = run.ports.findIndex((port) => port.name === name);
  return place < 0 ? null : place;
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
  /** Ports that wait for each other. */
  readonly ring?: ReadonlySet<number>;
  readonly events?: readonly TimelineEvent[];
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { view, theme, timePs, setTime, port, choose, isLive = false } = props;
  const { marked = null, ring = NO_PORTS, events = [] } = props;
  const shownPs = timePs ?? (isLive ? (view.moments.at(-1)?.timePs ?? null) : null);
  return (
    <Card title="Fabric" id="fabric" wide>
      <FabricMapView
        {...{ view, theme, chosen: port, choose, marked, ring }}
        moment={momentAt(view, shownPs)}
      />
      <Legend isLarge={isLarge(view)} />
      {view.moments.length === 0 ? (
        (props.children ?? <NoSeries />)
      ) : (
        <Timeline
          {...{ views: [view], timePs, setTime, events }}
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
          ? 'switches by the mean of their ports, links by the busier end; click to see a port'
          : 'each half of a link is coloured by what the end next to it sends; click for a port'}
      </span>
    </p>
  );
}
