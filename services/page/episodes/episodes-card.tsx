import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { formatCount } from '../../report/format.js';
import type { RunPage } from '../../report/page/page-data.js';
import type { EpisodesView } from '../../report/page/page-flow-data.js';
import { goToEpisode, useAddress, useTimeWindow, zoomTo } from '../address.js';
import { Card, counted } from '../panels.js';
import { shapeOf } from './episode-words.js';
import { FaultLanes } from '../faults.js';
import { TimeAxis } from '../time-axis.js';
import { EpisodeDetail } from './episode-detail.js';
import { TrackBars } from './track-bars.js';
import type { TrackGroup } from './port-tracks.js';
import { trackGroups } from './port-tracks.js';
import { PortLink } from '../flows/port-link.js';
import './episodes.css';

const GROUPS = 4;
const TRACKS = 10;

const KEY = [
  ['queue', 'queue'],
  ['full', 'buffer full'],
  ['paused', 'paused'],
  ['blocked', 'blocked otherwise'],
] as const;

/** Congestion in time: a track for each port, below the one that caused it, roots first. */
export function EpisodesCard(props: {
  readonly run: RunPage;
  /** Points ports out in the fabric; null: none. */
  readonly point: (ports: ReadonlySet<number> | null) => void;
}): JSX.Element | null {
  const { run, point } = props;
  const { episodes, virtualPs } = run;
  const { at, port } = useAddress();
  const window = useTimeWindow();
  const [fromPs, toPs] = window ?? [0, virtualPs];
  const groups = useMemo(() => (episodes === null ? [] : trackGroups(episodes)), [episodes]);
  const [isWhole, setWhole] = useState(false);
  if (episodes === null || episodes.rows.length === 0) return null;
  const shown = groups.filter((group, i) => isWhole || i < GROUPS || hasPort(group, port));
  const pointTo = (name: string | null): void => {
    const place = run.ports.findIndex((one) => one.name === name);
    point(place < 0 ? null : new Set([place]));
  };
  return (
    <Card title="Congestion over time" note={noteOf(episodes, groups)} wide>
      <p class="legend">
        {KEY.filter(([kind]) => isSeen(episodes, kind)).map(([kind, name]) => (
          <span key={kind}>
            <i class={`swatch ${kind}`} /> {name}
          </span>
        ))}
        <span class="hint">
          drag to zoom the map and the charts, too; click for an episode and its cause
        </span>
        {window !== null && (
          <button
            type="button"
            class="link"
            onClick={() => {
              zoomTo(null);
            }}
          >
            all of it
          </button>
        )}
      </p>
      <FaultLanes {...{ fromPs, toPs }} />
      {shown.map((group) => (
        <Group key={group.name} {...{ group, episodes, fromPs, toPs, at, port, pointTo }} />
      ))}
      <div class="port-track">
        <span />
        <TimeAxis fromPs={fromPs} toPs={toPs} />
      </div>
      {groups.length > GROUPS && (
        <button
          type="button"
          class="more"
          onClick={() => {
            setWhole(!isWhole);
          }}
        >
          {isWhole ? 'fewer' : counted(groups.length - GROUPS, 'more root')}
        </button>
      )}
      <EpisodeDetail run={run} />
    </Card>
  );
}

function hasPort({ tracks }: TrackGroup, port: string | null): boolean {
  return tracks.some((track) => track.port === port);
}

function noteOf({ total, rows }: EpisodesView, groups: readonly TrackGroup[]): string {
  const most = total > rows.length ? `the longest ${formatCount(rows.length)} of ` : '';
  return `${most}${counted(total, 'episode')} from ${counted(groups.length, 'root')}`;
}

function isSeen({ rows }: EpisodesView, wanted: (typeof KEY)[number][0]): boolean {
  return rows.some((episode) => shapeOf(episode) === wanted);
}

function Group(props: {
  readonly group: TrackGroup;
  readonly episodes: EpisodesView;
  readonly fromPs: number;
  readonly toPs: number;
  readonly at: number | null;
  /** The chosen port: its tracks are shown in any case. */
  readonly port: string | null;
  readonly pointTo: (port: string | null) => void;
}): JSX.Element {
  const { group, episodes, fromPs, toPs, at, port, pointTo } = props;
  const { episode: chosen } = useAddress();
  const [isWhole, setWhole] = useState(false);
  const tracks = group.tracks.filter((track, i) => isWhole || i < TRACKS || track.port === port);
  const rest = group.tracks.length - tracks.length;
  return (
    <div class="port-tracks">
      <p class="facts">
        <b>{group.name}</b> {group.reason}
      </p>
      {tracks.map((track) => (
        <div
          key={track.name}
          class={track.port === port ? 'port-track on' : 'port-track'}
          onMouseEnter={() => {
            pointTo(track.port);
          }}
          onMouseLeave={() => {
            pointTo(null);
          }}
        >
          <span class="where" style={{ paddingLeft: `${10 * Math.min(6, track.depth)}px` }}>
            <PortLink name={track.port} />
          </span>
          <TrackBars
            {...{ track, episodes, fromPs, toPs, at, chosen }}
            choose={goToEpisode}
            zoom={zoomTo}
          />
        </div>
      ))}
      {rest > 0 && (
        <button
          type="button"
          class="link"
          onClick={() => {
            setWhole(true);
          }}
        >
          and {counted(rest, 'more port')}
        </button>
      )}
    </div>
  );
}
