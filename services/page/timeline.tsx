import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { formatTime } from '../report/format.js';
import { blockedWord } from './blocked-word.js';
import { FaultBands } from './faults.js';
import { TimeAxis } from './time-axis.js';
import type { TimeWindow } from './address.js';
import { useTimeWindow, zoomTo } from './address.js';
import type { RunView } from './run-view.js';

const WIDTH = 1000;
const HEIGHT = 46;
/** The whole run passes by in so long, when played. */
const PLAY_MS = 12_000;
const OCTET_MAX = 255;

/** Something that happened to the run at a time. */
export interface TimelineEvent {
  readonly timePs: number;
  readonly text: string;
}

interface TimelineProps {
  readonly views: readonly RunView[];
  /** Null: the whole run. */
  readonly timePs: number | null;
  readonly setTime: (timePs: number | null) => void;
  /** What is shown while no time is chosen. */
  readonly otherwise?: 'whole run' | 'now';
  readonly events?: readonly TimelineEvent[];
}

/** A slider over virtual time, above it how busy and how blocked the fabric was. */
export function Timeline(props: TimelineProps): JSX.Element {
  const { views, timePs, setTime, otherwise = 'whole run', events = [] } = props;
  const endPs = Math.max(...views.map(({ moments }) => moments.at(-1)?.timePs ?? 0));
  const step = stepOf(views);
  const window = useTimeWindow();
  const isWhole = timePs === null && window === null;
  const percent = (ps: number): string => `${Math.max(0, Math.min(100, (100 * ps) / endPs))}%`;
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    if (!playing) return;
    const startedAt = performance.now();
    const from = timePs === null || timePs >= endPs ? 0 : timePs;
    let request = requestAnimationFrame(function move(now) {
      const next = from + ((now - startedAt) / PLAY_MS) * endPs;
      setTime(Math.min(next, endPs));
      if (next < endPs) request = requestAnimationFrame(move);
      else setPlaying(false);
    });
    return () => {
      cancelAnimationFrame(request);
    };
  }, [playing]);
  const by = (steps: number): void => {
    setPlaying(false);
    setTime(Math.min(endPs, Math.max(step, (timePs ?? 0) + steps * step)));
  };
  return (
    <div class="timeline">
      <div class="buttons">
        <button
          type="button"
          class={isWhole ? 'on' : ''}
          onClick={() => {
            setPlaying(false);
            zoomTo(null);
          }}
        >
          {otherwise}
        </button>
        <button
          type="button"
          aria-label="one step back"
          onClick={() => {
            by(-1);
          }}
        >
          ‹
        </button>
        <button
          type="button"
          aria-label={playing ? 'stop' : 'play'}
          onClick={() => {
            setPlaying(!playing);
          }}
        >
          {playing ? '❚❚' : '▶'}
        </button>
        <button
          type="button"
          aria-label="one step on"
          onClick={() => {
            by(1);
          }}
        >
          ›
        </button>
        <output>{shownText(timePs, window) ?? otherwise}</output>
      </div>
      <div class="track">
        {views.map((view, i) => (
          <div key={i} class="strip">
            <Strip view={view} endPs={endPs} />
            {views.length > 1 && <b>{view.run.title}</b>}
          </div>
        ))}
        <FaultBands fromPs={0} toPs={endPs} />
        {window !== null && (
          <>
            <i class="outside" style={{ left: 0, width: percent(window[0]) }} />
            <i class="outside" style={{ left: percent(window[1]), right: 0 }} />
          </>
        )}
        {events.map(({ timePs: at, text }) => (
          <div key={`${at} ${text}`} class="event" title={text} style={{ left: percent(at) }} />
        ))}
        {timePs !== null && <div class="hand" style={{ left: percent(timePs) }} />}
        <input
          type="range"
          aria-label="time"
          min={0}
          max={endPs}
          step={step}
          value={timePs ?? endPs}
          onInput={(event) => {
            setPlaying(false);
            setTime(Number(event.currentTarget.value));
          }}
        />
      </div>
      <TimeAxis fromPs={0} toPs={endPs} />
      <p class="key">
        <i class="busy" /> mean load of links that send <i class="paused" /> share of them{' '}
        {blockedWord(views.map(({ run }) => run))}
      </p>
    </div>
  );
}

/** Null: no time was chosen. */
function shownText(timePs: number | null, window: TimeWindow | null): string | null {
  if (timePs !== null) return `at ${formatTime(Math.round(timePs))}`;
  if (window === null) return null;
  return `${formatTime(Math.round(window[0]))} to ${formatTime(Math.round(window[1]))}`;
}

/** The mean distance of moments. */
function stepOf(views: readonly RunView[]): number {
  const steps = views.flatMap(({ moments }) => {
    const last = moments.at(-1);
    return last === undefined ? [] : [last.timePs / moments.length];
  });
  return Math.min(...steps);
}

/** Areas over time: how busy the ports were that were ever busy, and how many were blocked. */
function Strip({ view, endPs }: { readonly view: RunView; readonly endPs: number }): JSX.Element {
  const [busy, blocked] = useMemo(() => shares(view), [view]);
  const points = (values: readonly number[]): string =>
    values
      .map((value, i) => {
        const x = (WIDTH * view.moments[i]!.timePs) / endPs;
        return `${x.toFixed(1)},${(HEIGHT * (1 - value)).toFixed(1)}`;
      })
      .join(' ');
  const lastX = (WIDTH * (view.moments.at(-1)?.timePs ?? 0)) / endPs;
  const area = (values: readonly number[]): string =>
    `0,${HEIGHT} ${points(values)} ${lastX},${HEIGHT}`;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon class="busy" points={area(busy)} />
      <polygon class="paused" points={area(blocked)} />
    </svg>
  );
}

function shares({ moments, run }: RunView): [number[], number[]] {
  const active = [...run.ports.keys()].filter((port) =>
    moments.some(({ busy, blocked }) => busy[port]! > 0 || blocked[port]! > 0),
  );
  const mean = (octets: Uint8Array): number =>
    active.reduce((sum, port) => sum + octets[port]!, 0) / (OCTET_MAX * Math.max(1, active.length));
  return [moments.map(({ busy }) => mean(busy)), moments.map(({ blocked }) => mean(blocked))];
}
