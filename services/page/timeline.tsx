import type { JSX } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { formatOctets, formatTime } from '../report/format.js';
import { blockedWord } from './blocked-word.js';
import { FaultBands, Faults } from './faults.js';
import { TimeAxis } from './time-axis.js';
import type { TimeWindow } from './address.js';
import { useTimeWindow, zoomTo } from './address.js';
import { longestQueue, type RunView } from './run-view.js';

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

/** A slider over virtual time, with lanes of load, queues, what is blocked, and faults. */
export function Timeline(props: TimelineProps): JSX.Element {
  const { views, timePs, setTime, otherwise = 'whole run', events = [] } = props;
  const endPs = Math.max(...views.map(({ moments }) => moments.at(-1)?.timePs ?? 0));
  const step = stepOf(views);
  const window = useTimeWindow();
  const isOne = views.length === 1;
  const faults = useContext(Faults);
  const isWhole = timePs === null && window === null;
  const percent = (ps: number): string => `${Math.max(0, Math.min(100, (100 * ps) / endPs))}%`;
  const [playing, setPlaying] = useState(false);
  /** What is being drawn over with the Shift key held. */
  const [selected, select] = useState<TimeWindow | null>(null);
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
        {isOne ? (
          <Lanes view={views[0]!} endPs={endPs} />
        ) : (
          views.map((view, i) => (
            <div key={i} class="strip">
              <Strip view={view} endPs={endPs} />
              <b>{view.run.title}</b>
            </div>
          ))
        )}
        {faults.length > 0 && (
          <div class="strip lane fault-row">
            <FaultBands fromPs={0} toPs={endPs} isAll />
            <b>faults: {faults.map(({ name }) => name).join(', ')}</b>
          </div>
        )}
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
        {selected !== null && (
          <i
            class="selected"
            style={{
              left: percent(Math.min(...selected)),
              width: percent(Math.abs(selected[1] - selected[0])),
            }}
          />
        )}
        <input
          type="range"
          title="drag: a moment; Shift and drag: a part of the run, here and below"
          onPointerDown={(event) => {
            if (!event.shiftKey) return;
            event.preventDefault();
            event.currentTarget.setPointerCapture(event.pointerId);
            const from = timeAt(event.clientX, event.currentTarget, endPs);
            select([from, from]);
          }}
          onPointerMove={(event) => {
            if (selected === null) return;
            select([selected[0], timeAt(event.clientX, event.currentTarget, endPs)]);
          }}
          onPointerUp={() => {
            if (selected === null) return;
            const [from, to] = [Math.min(...selected), Math.max(...selected)];
            select(null);
            if (to - from >= step) zoomTo([from, to]);
          }}
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
      {!isOne && (
        <p class="key">
          <i class="busy" /> mean load of links that send <i class="paused" /> share of them{' '}
          {blockedWord(views.map(({ run }) => run))}
        </p>
      )}
    </div>
  );
}

function timeAt(x: number, track: Element, endPs: number): number {
  const { left, width } = track.getBoundingClientRect();
  return endPs * Math.max(0, Math.min(1, (x - left) / (width || 1)));
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

/** One thing over time: its greatest share of the lane's height is 1. */
interface Lane {
  readonly kind: 'busy' | 'queue' | 'paused';
  readonly title: string;
  readonly values: readonly number[];
}

/** A run by lanes: what is nowhere has none. */
function Lanes({ view, endPs }: { readonly view: RunView; readonly endPs: number }): JSX.Element {
  const lanes = useMemo(() => lanesOf(view), [view]);
  return (
    <>
      {lanes.map(({ kind, title, values }) => (
        <div key={kind} class="strip lane">
          <Areas view={view} endPs={endPs} areas={[[kind, values]]} />
          <b>{title}</b>
        </div>
      ))}
    </>
  );
}

function lanesOf(view: RunView): Lane[] {
  const [busy, blocked] = shares(view);
  const longest = view.moments.map((moment) => longestQueue(moment));
  const most = longest.reduce((a, b) => Math.max(a, b), 0);
  const word = blockedWord([view.run]);
  const lanes: Lane[] = [
    { kind: 'busy', title: 'mean load of links that send', values: busy },
    {
      ...{ kind: 'queue', title: `longest queue, up to ${formatOctets(Math.round(most))}` },
      values: longest.map((octets) => octets / (most || 1)),
    },
    { kind: 'paused', title: `share of links that are ${word}`, values: blocked },
  ];
  return lanes.filter(({ kind, values }) => kind === 'busy' || values.some((value) => value > 0));
}

/** Areas over time: how busy the ports were that were ever busy, and how many were blocked. */
function Strip({ view, endPs }: { readonly view: RunView; readonly endPs: number }): JSX.Element {
  const [busy, blocked] = useMemo(() => shares(view), [view]);
  return (
    <Areas
      {...{ view, endPs }}
      areas={[
        ['busy', busy],
        ['paused', blocked],
      ]}
    />
  );
}

function Areas(props: {
  readonly view: RunView;
  readonly endPs: number;
  readonly areas: readonly (readonly [string, readonly number[]])[];
}): JSX.Element {
  const { view, endPs, areas } = props;
  const points = (values: readonly number[]): string =>
    values
      .map((value, i) => {
        const x = (WIDTH * view.moments[i]!.timePs) / endPs;
        return `${x.toFixed(1)},${(HEIGHT * (1 - value)).toFixed(1)}`;
      })
      .join(' ');
  const lastX = (WIDTH * (view.moments.at(-1)?.timePs ?? 0)) / endPs;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      {areas.map(([kind, values]) => (
        <polygon
          key={kind}
          class={kind}
          points={`0,${HEIGHT} ${points(values)} ${lastX},${HEIGHT}`}
        />
      ))}
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
