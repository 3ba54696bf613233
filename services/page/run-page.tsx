import type { ComponentChildren, JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { FaultLook } from '../fabric/faults/fault-look.js';
import type { RunPage } from '../report/page/page-data.js';
import type { Theme } from './colours.js';
import { useTheme } from './colours.js';
import { Completions, Slowdowns } from './distributions.js';
import { FabricMapView, isWoven } from './fabric-map.js';
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
import { MechanismCards } from './mechanism-cards.js';
import { DevicePanels } from './device-panels.js';
import { Faults } from './faults.js';
import { NoSeries, PortPlots } from './port-plots.js';
import { goTo, goToPort, useAddress, useTimeWindow } from './address.js';
import { Columns } from './columns.js';
import { DeviceCard } from './device-card.js';
import { portsOfCauses } from './episodes/episode-words.js';
import { EpisodesCard } from './episodes/episodes-card.js';
import { FlowCard } from './flows/flow-card.js';
import { FlowsCard } from './flows/flows-card.js';
import { VictimsCard } from './flows/victims-card.js';
import { JobCards } from './jobs/job-card.js';
import type { RunView } from './run-view.js';
import { interestingPorts, shownMoment } from './run-view.js';
import { DiscoveryCard } from './discovery-card.js';
import { RatesCard } from './rates-card.js';
import { SharesCard } from './shares-card.js';
import { SpreadCard } from './spread/spread-card.js';
import type { TimelineEvent } from './timeline.js';
import { Timeline } from './timeline.js';
import { TreeCard } from './tree-card.js';
import { blockedWord } from './blocked-word.js';

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
  const [ofTree, mark] = useState<ReadonlySet<number> | null>(null);
  const [pointed, point] = useState<ReadonlySet<number> | null>(null);
  const chosen = useChosenPorts(run);
  const marked = pointed ?? joined(chosen, ofTree);
  const ring = useMemo(() => ringOf(run), [run]);
  const storms = useMemo(() => stormsOf(run), [run]);
  const events = useMemo(() => eventsOf(run), [run]);
  return (
    <Faults.Provider value={run.faults}>
      <main>
        <Header run={run} status={run.status} toggleTheme={toggleTheme} />
        <Tiles run={run} />
        <Standstill run={run} />
        <Unreachable run={run} />
        <VictimsCard run={run} />
        <MapCard
          {...{ view, theme, timePs, setTime, port, choose: pick, marked, ring, storms, events }}
          openDevice={(device, worst) => {
            goTo({ device, port: run.ports[worst]!.name });
          }}
        />
        <DeviceCard run={run} />
        <JobCards run={run} />
        <EpisodesCard run={run} point={point} />
        <TreeCard {...{ run, choose, mark }} />
        <FlowsCard run={run} />
        <FlowCard {...{ view, theme, timePs, setTime }} />
        <PortCard {...{ view, theme, order, port, choose: pick, timePs, setTime }} />
        <SpreadCard {...{ views, theme, timePs, setTime }} />
        <Columns>
          <Completions views={views} theme={theme} />
          <Slowdowns views={views} theme={theme} />
          <Expectations run={run} />
          <Traffic run={run} />
          <PortsCard run={run} order={order} />
          <Margins run={run} />
          <MechanismCards run={run} />
          <DevicePanels run={run} />
          <SharesCard {...{ run, theme, choose }} />
        </Columns>
        <RatesCard {...{ view, theme, timePs, setTime }} />
        <DiscoveryCard run={run} choose={choose} />
        <Reproduce run={run} />
      </main>
    </Faults.Provider>
  );
}

/** More would be a block of colour. */
const STORMS_MARKED = 60;

const NO_PORTS: ReadonlySet<number> = new Set();

/** Ports of the chosen flow's path, and of the chosen episode and its causes; null: of none. */
function useChosenPorts(run: RunPage): ReadonlySet<number> | null {
  const { flow, episode } = useAddress();
  return useMemo(() => {
    const path = run.flows.rows.find(({ name }) => name === flow)?.path;
    return joined(path ?? null, episode === null ? null : portsOfCauses(run, episode));
  }, [run, flow, episode]);
}

function joined(a: Iterable<number> | null, b: Iterable<number> | null): Set<number> | null {
  return a === null && b === null ? null : new Set([...(a ?? []), ...(b ?? [])]);
}

/** Ports that a storm pauses. */
export function stormsOf({ trees, ports }: RunPage): ReadonlySet<number> {
  const names = new Set(trees?.storms.map(({ port }) => port));
  return new Set([...ports.keys()].filter((place) => names.has(ports[place]!.name)));
}

/** Ports of the cyclic buffer dependencies that hold at the end, or of all that there were. */
export function ringOf(run: RunPage): ReadonlySet<number> {
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
export function eventsOf({ trees }: RunPage): TimelineEvent[] {
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
  readonly storms?: ReadonlySet<number>;
  readonly openDevice?: (device: string, port: number) => void;
  readonly events?: readonly TimelineEvent[];
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { view, theme, timePs, setTime, port, choose, isLive = false } = props;
  const { marked = null, ring = NO_PORTS, storms = NO_PORTS, events = [], openDevice } = props;
  const window = useTimeWindow();
  const { pods } = useAddress();
  const shownPs = timePs ?? (isLive ? (view.moments.at(-1)?.timePs ?? null) : null);
  return (
    <Card title="Fabric" id="fabric" wide>
      <FabricMapView
        {...{ view, theme, chosen: port, choose, marked, ring, storms }}
        {...(openDevice && { openDevice })}
        moment={shownMoment(view, shownPs, window)}
      />
      <Legend
        blocked={blockedWord([view.run])}
        isLarge={isWoven(view, pods)}
        hasRing={ring.size > 0}
        hasStorms={storms.size > 0}
        looks={new Set(view.run.faults.map(({ look }) => look))}
      />
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

const NO_LOOKS: ReadonlySet<FaultLook> = new Set();

const LINK_LOOKS: readonly (readonly [FaultLook, string])[] = [
  ['down', 'link down'],
  ['slow', 'slow or late link'],
  ['lossy', 'lossy link'],
  ['device', 'device with a fault'],
];

export function Legend(props: {
  /** What keeps ports from sending. */
  readonly blocked: string;
  readonly isLarge: boolean;
  readonly hasRing?: boolean;
  readonly hasStorms?: boolean;
  readonly looks?: ReadonlySet<FaultLook>;
}): JSX.Element {
  const { looks = NO_LOOKS } = props;
  const { isLarge: large, hasRing = false, hasStorms = false } = props;
  return (
    <p class="legend">
      <span>
        idle <i class="ramp" /> full
      </span>
      <span>
        {large ? <i class="blocked-bar" /> : <i class="badge">❚❚</i>} {props.blocked} by its link
        partner
      </span>
      <span>
        <i class="queue-bar" /> longest queue
      </span>
      {hasStorms && !large && (
        <span>
          <i class="badge storm">❚❚</i> pause storm
        </span>
      )}
      {!large &&
        LINK_LOOKS.filter(([look]) => looks.has(look)).map(([look, name]) => (
          <span key={look}>
            <i class={`fault-line ${look}`} /> {name}
          </span>
        ))}
      {hasRing && (
        <span>
          <i class="ring" /> cyclic buffer dependency
        </span>
      )}
      <span class="faint">
        {large
          ? 'switches by the mean of their ports, links by the busier end'
          : 'each half of a link is coloured by what the end next to it sends'}
        <span class="hint">; click for {large ? 'either' : 'a port'}</span>
      </span>
    </p>
  );
}
