import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { formatCount, formatShare, formatTime } from '../report/format.js';
import type { LiveNews } from '../report/page/page-data.js';
import { useTheme } from './colours.js';
import { Card, Header } from './panels.js';
import { MapCard, PortCard } from './run-page.js';
import type { RunView } from './run-view.js';
import { grown, interestingPorts } from './run-view.js';

/** Where this page was served from, with the token that it was asked with. */
const token = new URLSearchParams(location.search).get('token');
const address = (path: string): string =>
  token === null ? path : `${path}?token=${encodeURIComponent(token)}`;

/** The page of a run that goes on; in the end it becomes the report. */
export function LivePage({ view: initial }: { readonly view: RunView }): JSX.Element {
  const [theme, toggleTheme] = useTheme();
  const [view, setView] = useState(initial);
  const [news, setNews] = useState<LiveNews | null>(null);
  const [lost, setLost] = useState(false);
  const [timePs, setTime] = useState<number | null>(null);
  const order = useMemo(() => liveOrder(view), [view.moments.length >> 4]);
  const [port, choose] = useState<number | null>(null);
  useEffect(() => {
    const events = new EventSource(address('events'));
    events.onmessage = ({ data }) => {
      const heard = JSON.parse(data as string) as LiveNews;
      setLost(false);
      setNews(heard);
      setView((before) => grown(before, heard));
      if (heard.state !== 'over') return;
      events.close();
      location.reload();
    };
    events.onerror = () => {
      setLost(true);
    };
    return () => {
      events.close();
    };
  }, []);
  const state = news?.state ?? 'running';
  const shownPort = port ?? order[0] ?? 0;
  // Unless somebody looks back, the map shows what is now.
  const shownPs = timePs ?? view.moments.at(-1)?.timePs ?? null;
  return (
    <main>
      <Header run={view.run} status={lost ? 'lost' : state} toggleTheme={toggleTheme}>
        <Steering state={state} />
      </Header>
      <ProgressCard news={news} />
      <MapCard {...{ view, theme, timePs: shownPs, setTime, port: shownPort, choose }}>
        <p class="none">nothing has been measured yet</p>
      </MapCard>
      <PortCard {...{ view, theme, order, choose, setTime, port: shownPort, timePs: shownPs }} />
    </main>
  );
}

function Steering({ state }: { readonly state: LiveNews['state'] }): JSX.Element {
  const steer = (action: string): void => {
    void fetch(address(`steer/${action}`), { method: 'POST' });
  };
  const button = (action: string, enabled: boolean): JSX.Element => (
    <button
      type="button"
      disabled={!enabled}
      onClick={() => {
        steer(action);
      }}
    >
      {action}
    </button>
  );
  return (
    <span class="steering">
      {button('pause', state === 'running')}
      {button('step', state === 'paused')}
      {button('resume', state === 'paused')}
      {button('stop', state !== 'over')}
    </span>
  );
}

function ProgressCard({ news }: { readonly news: LiveNews | null }): JSX.Element {
  const { share = 0, virtualPs = 0, frameHops = 0, wallSeconds = 0 } = news ?? {};
  const rate = frameHops / Math.max(wallSeconds, 1e-3);
  return (
    <Card title="Progress" wide>
      <div class="progress" role="progressbar" aria-valuenow={Math.round(share * 100)}>
        <i style={{ width: `${100 * share}%` }} />
      </div>
      <p class="facts">
        {formatShare(share)}, {formatTime(Math.round(virtualPs))} of virtual time,{' '}
        {formatCount(frameHops)} frame-hops, {formatCount(rate)} a second
      </p>
    </Card>
  );
}

/** By what was seen so far: held most, then the longest queue. */
function liveOrder(view: RunView): number[] {
  if (view.moments.length === 0) return interestingPorts(view);
  const score = view.run.ports.map((_, port) =>
    view.moments.reduce(
      (sum, { held, busy, queueOctets }) =>
        sum + held[port]! * 4 + busy[port]! / 8 + queueOctets[port]! / 1e3,
      0,
    ),
  );
  return [...score.keys()].sort((a, b) => score[b]! - score[a]!);
}
