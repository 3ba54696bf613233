import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { JobView } from '../../report/page/page-jobs-data.js';
import { zoomTo } from '../address.js';

export const ROW_PX = 20;
const WIDTH = 1000;
const BAR_PX = 12;
const TOP_PX = 4;
/** Of pixels: a shorter drag is a click, and a click may miss by so much. */
const DRAG_LEAST = 6;
const MISS_MOST = 3;
const KINDS = ['communicate', 'compute'] as const;

/** Ranks below each other, with the critical path across them; a drag zooms, a click chooses. */
export function RankChart(props: {
  readonly job: JobView;
  /** By rank. */
  readonly rows: ReadonlyMap<number, number>;
  readonly fromPs: number;
  readonly toPs: number;
  readonly at: number | null;
  readonly choose: (row: number, timePs: number, slackPs: number) => void;
}): JSX.Element {
  const { job, rows, fromPs, toPs, at, choose } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<readonly [number, number] | null>(null);
  const spanPs = toPs - fromPs || 1;
  const height = ROW_PX * job.ranks.length;
  const bars = useMemo(
    () => KINDS.map((kind) => barsOf(job, kind, fromPs, toPs)),
    [job, fromPs, toPs],
  );
  const path = useMemo(() => pathOf(job, rows, fromPs, toPs), [job, rows, fromPs, toPs]);
  const xOf = (event: MouseEvent): number => {
    const { left, width } = frame.current!.getBoundingClientRect();
    return (event.clientX - left) / width;
  };
  const release = (event: PointerEvent): void => {
    if (drag === null) return;
    setDrag(null);
    const x = xOf(event);
    const [from, to] = [Math.max(0, Math.min(drag[0], x)), Math.min(1, Math.max(drag[0], x))];
    const pixelPs = spanPs / frame.current!.clientWidth;
    if ((to - from) * spanPs >= DRAG_LEAST * pixelPs) {
      zoomTo([fromPs + from * spanPs, fromPs + to * spanPs]);
      return;
    }
    const row = Math.floor((event.clientY - frame.current!.getBoundingClientRect().top) / ROW_PX);
    choose(row, fromPs + x * spanPs, MISS_MOST * pixelPs);
  };
  return (
    <div
      ref={frame}
      class="rank-chart"
      style={{ height: `${height}px` }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag([xOf(event), xOf(event)]);
      }}
      onPointerMove={(event) => {
        if (drag !== null) setDrag([drag[0], xOf(event)]);
      }}
      onPointerUp={release}
    >
      <svg
        viewBox={`0 0 ${WIDTH} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`what the ranks of ${job.name} did over time`}
      >
        {KINDS.map((kind, i) => (
          <path key={kind} class={kind} d={bars[i]} />
        ))}
        <path class="critical" d={path} />
      </svg>
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
        <i class="hand" style={{ left: `${(100 * (at - fromPs)) / spanPs}%` }} />
      )}
    </div>
  );
}

/** Bars of a kind as one path; what is too short for a pixel is drawn as one. */
function barsOf(
  { ranks }: JobView,
  wanted: (typeof KINDS)[number],
  fromPs: number,
  toPs: number,
): string {
  const scale = WIDTH / (toPs - fromPs || 1);
  let d = '';
  ranks.forEach(({ bars }, row) => {
    // Computing lies above what goes on at the same time.
    const y = row * ROW_PX + TOP_PX + (wanted === 'compute' ? 0 : BAR_PX / 4);
    const height = wanted === 'compute' ? BAR_PX : BAR_PX / 2;
    for (const { kind, startPs, endPs } of bars) {
      if (kind !== wanted || endPs < fromPs || startPs > toPs) continue;
      const left = Math.max(0, (startPs - fromPs) * scale);
      const right = Math.max(left + 1, Math.min(WIDTH, (endPs - fromPs) * scale));
      d += `M${left.toFixed(1)} ${y}H${right.toFixed(1)}V${y + height}H${left.toFixed(1)}Z`;
    }
  });
  return d;
}

/** A line through all parts: along a rank, or from the one that sends to the one that receives. */
function pathOf(
  { path }: JobView,
  rows: ReadonlyMap<number, number>,
  fromPs: number,
  toPs: number,
): string {
  const scale = WIDTH / (toPs - fromPs || 1);
  const xOf = (ps: number): string =>
    Math.max(0, Math.min(WIDTH, (ps - fromPs) * scale)).toFixed(1);
  const yOf = (row: number): number => row * ROW_PX + TOP_PX + BAR_PX / 2;
  let d = '';
  for (const { from, rank, startPs, endPs } of path) {
    const [first, last] = [rows.get(from), rows.get(rank)];
    if (first === undefined || last === undefined || endPs < fromPs || startPs > toPs) continue;
    d += `M${xOf(startPs)} ${yOf(first)}L${xOf(endPs)} ${yOf(last)}`;
  }
  return d;
}
