import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { EpisodesView } from '../../report/page/page-flow-data.js';
import type { TimeWindow } from '../address.js';
import { episodeName, lastedText, shapeOf } from './episode-words.js';
import type { Track } from './port-tracks.js';
import { episodeAt } from './port-tracks.js';

const WIDTH = 1000;
const HEIGHT = 18;
/** Of pixels: a shorter drag is a click, and a click may miss by so much. */
const DRAG_LEAST = 6;
const MISS_MOST = 3;
/** Keys that choose another episode. */
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** What is drawn how: a queue fills its track, a full buffer half of it. */
const SHAPES = [
  ['full', 10, 8],
  ['queue', 0, HEIGHT],
  ['paused', 2, HEIGHT - 4],
  ['blocked', 2, HEIGHT - 4],
] as const;

/** The episodes of one track; a drag zooms, a click chooses. */
export function TrackBars(props: {
  readonly track: Track;
  readonly episodes: EpisodesView;
  readonly fromPs: number;
  readonly toPs: number;
  readonly at: number | null;
  readonly chosen: number | null;
  readonly choose: (episode: number) => void;
  readonly zoom: (window: TimeWindow) => void;
}): JSX.Element {
  const { track, episodes, fromPs, toPs, at, chosen, choose, zoom } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<readonly [number, number] | null>(null);
  const spanPs = toPs - fromPs || 1;
  const paths = useMemo(
    () => SHAPES.map(([kind, y, height]) => pathOf(props, kind, y, height)),
    [track, episodes, fromPs, toPs],
  );
  const xOf = (event: MouseEvent): number => {
    const { left, width } = frame.current!.getBoundingClientRect();
    return (event.clientX - left) / width;
  };
  const pixel = (): number => spanPs / frame.current!.clientWidth;
  const release = (event: PointerEvent): void => {
    if (drag === null) return;
    setDrag(null);
    const [from, to] = [Math.min(drag[0], xOf(event)), Math.max(drag[0], xOf(event))];
    if ((to - from) * spanPs >= DRAG_LEAST * pixel()) {
      zoom([fromPs + Math.max(0, from) * spanPs, fromPs + Math.min(1, to) * spanPs]);
      return;
    }
    const found = episodeAt(episodes, track, fromPs + to * spanPs, MISS_MOST * pixel());
    if (found !== null) choose(found);
  };
  const place = chosen === null ? -1 : track.episodes.indexOf(chosen);
  const picked = place < 0 ? null : episodes.rows[chosen!];
  const percent = (ps: number): string =>
    `${Math.max(0, Math.min(100, (100 * (ps - fromPs)) / spanPs))}%`;
  return (
    <div
      ref={frame}
      class="bars"
      role="slider"
      tabIndex={0}
      aria-label={`episodes of ${track.name}`}
      aria-valuemin={1}
      aria-valuemax={track.episodes.length}
      aria-valuenow={place + 1}
      aria-valuetext={picked == null ? 'none is chosen' : episodeName(picked)}
      onKeyDown={({ key }) => {
        const step = STEPS[key];
        if (step === undefined) return;
        choose(track.episodes[Math.max(0, Math.min(track.episodes.length - 1, place + step))]!);
      }}
      title={picked == null ? '' : `${episodeName(picked)} ${lastedText(picked)}`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag([xOf(event), xOf(event)]);
      }}
      onPointerMove={(event) => {
        if (drag !== null) setDrag([drag[0], xOf(event)]);
      }}
      onPointerUp={release}
    >
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {SHAPES.map(([kind], i) => (
          <path key={kind} class={kind} d={paths[i]} />
        ))}
      </svg>
      {picked != null && (
        <i
          class="picked"
          style={{ left: percent(picked.startPs), right: rightOf(picked.endPs, percent) }}
        />
      )}
      {drag !== null && (
        <i
          class="drag"
          style={{
            left: `${100 * Math.min(...drag)}%`,
            width: `${100 * Math.abs(drag[1] - drag[0])}%`,
          }}
        />
      )}
      {at !== null && at >= fromPs && at <= toPs && (
        <i class="hand" style={{ left: percent(at) }} />
      )}
    </div>
  );
}

function rightOf(endPs: number | null, percent: (ps: number) => string): string {
  return endPs === null ? '0' : `calc(100% - ${percent(endPs)})`;
}

interface Drawn {
  readonly track: Track;
  readonly episodes: EpisodesView;
  readonly fromPs: number;
  readonly toPs: number;
}

/** Bars of a kind as one path; what is too short for a pixel is drawn as one. */
function pathOf(
  { track, episodes, fromPs, toPs }: Drawn,
  wanted: string,
  y: number,
  height: number,
): string {
  const scale = WIDTH / (toPs - fromPs || 1);
  let d = '';
  for (const place of track.episodes) {
    const episode = episodes.rows[place]!;
    if (shapeOf(episode) !== wanted) continue;
    const { startPs, endPs } = episode;
    const from = Math.max(0, (startPs - fromPs) * scale);
    const to = Math.min(WIDTH, ((endPs ?? toPs) - fromPs) * scale);
    if (to < 0 || from > WIDTH) continue;
    const [left, right] = [from.toFixed(1), Math.max(to, from + 1).toFixed(1)];
    d += `M${left} ${y}H${right}V${y + height}H${left}Z`;
  }
  return d;
}
