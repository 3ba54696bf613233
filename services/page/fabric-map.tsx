import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { FabricMap, MapLink } from '../report/page/page-data.js';
import { heatColour } from './colours.js';
import { BLOCKED_LEAST, openPorts, TipView, worstPort } from './map-tip.js';
import type { MapProps, Tip } from './map-tip.js';
import type { RunView } from './run-view.js';
import { worstOf } from './run-view.js';
import { foldedMap, podsOf } from './map/fold-pods.js';
import { Chips } from './panels.js';
import { WeaveMap } from './weave-map.js';

const MARGIN = 14;
const BADGE_RADIUS = 6.5;

/** Half a link, coloured by what the end on its side sends. */
interface Half {
  readonly path: string;
  readonly ports: readonly number[];
  /** Those of the other end. */
  readonly far: readonly number[];
  readonly badge: { readonly x: number; readonly y: number };
}

/** More devices than this are a weave of cells and threads. */
const BOXES_MAX = 160;
const LINKS_MAX = 420;
/** Nor can the names in a wider one be read. */
const WIDTH_MAX = 2200;
/** Drawn smaller than this, only switches have room for their names, in larger letters. */
const SCALE_LEAST = 0.55;

export function FabricMapView(props: MapProps): JSX.Element {
  const { view } = props;
  const { map } = view.run;
  const pods = useMemo(() => podsOf(map), [map]);
  const [open, setOpen] = useState<ReadonlySet<number> | null>(null);
  const folded = useMemo(() => open && foldedMap(map, pods, open), [map, pods, open]);
  const toggle = (pod: number): void => {
    const next = new Set(open);
    if (!next.delete(pod)) next.add(pod);
    setOpen(next);
  };
  return (
    <>
      {pods.length > 0 && (
        <div class="chips">
          <Chips
            all={WAYS}
            chosen={open === null ? WAYS[0] : WAYS[1]}
            choose={(way) => {
              setOpen(way === WAYS[1] ? new Set() : null);
            }}
          />
          {open !== null && <small class="faint">click a pod to unfold it, and to fold it</small>}
        </div>
      )}
      {folded !== null ? (
        <BoxMap key="folded" {...props} map={folded} podOf={folded.podOf} toggle={toggle} />
      ) : isLarge(view) ? (
        <WeaveMap {...props} />
      ) : (
        <BoxMap key="whole" {...props} map={map} />
      )}
    </>
  );
}

const WAYS = ['every device', 'pods folded'] as const;

export function isLarge({ run: { map } }: RunView): boolean {
  return map.boxes.length > BOXES_MAX || map.links.length > LINKS_MAX || map.width > WIDTH_MAX;
}

interface BoxMapProps extends MapProps {
  readonly map: FabricMap;
  /** By box: the pod that a click folds or unfolds. */
  readonly podOf?: readonly (number | null)[];
  readonly toggle?: (pod: number) => void;
}

function BoxMap(props: BoxMapProps): JSX.Element {
  const { view, moment, theme, chosen, choose, marked = null, ring, storms } = props;
  const { map, podOf, toggle } = props;
  const halves = useMemo(() => map.links.flatMap(halvesOf), [map]);
  const frame = useRef<HTMLDivElement>(null);
  const lines = useRef<(SVGPathElement | null)[]>([]);
  const badges = useRef<(SVGGElement | null)[]>([]);
  const bars = useRef<(SVGRectElement | null)[]>([]);
  const [tip, setTip] = useState<Tip | null>(null);

  // Thousands of lines change with every step of the slider: past the tree of elements.
  useLayoutEffect(() => {
    const scale = frame.current!.clientWidth / (map.width + 2 * MARGIN);
    frame.current!.classList.toggle('far', scale < SCALE_LEAST);
    halves.forEach(({ ports }, i) => {
      const { busy, blocked } = worstOf(view, moment, ports);
      const line = lines.current[i];
      line?.setAttribute('stroke', heatColour(theme, busy));
      line?.setAttribute('stroke-width', String(1.3 + 2.4 * Math.min(1, busy)));
      const opacity = blocked < BLOCKED_LEAST ? 0 : 0.35 + 0.65 * Math.min(1, blocked);
      badges.current[i]?.setAttribute('opacity', String(opacity));
    });
    map.boxes.forEach(({ ports, width }, i) => {
      const { queueOctets } = worstOf(view, moment, ports);
      const share = view.queueMax === 0 ? 0 : Math.min(1, queueOctets / view.queueMax);
      bars.current[i]?.setAttribute('width', String((width - 12) * share));
    });
  });

  const point = (event: MouseEvent, pointed: Pick<Tip, 'title' | 'ports' | 'far'>): void => {
    const { left, top } = frame.current!.getBoundingClientRect();
    setTip({ ...pointed, x: event.clientX - left, y: event.clientY - top });
  };
  const open = (box: number): void => {
    const pod = podOf?.[box] ?? null;
    if (pod !== null) toggle?.(pod);
    else openPorts(props, map.boxes[box]!.ports);
  };
  const leave = (): void => {
    setTip(null);
  };
  const box = `${-MARGIN} ${-MARGIN} ${map.width + 2 * MARGIN} ${map.height + 2 * MARGIN}`;
  const labels = useMemo(
    () => new Map(map.boxes.flatMap(({ label, ports }) => ports.map((port) => [port, label]))),
    [map],
  );
  // A device at either end of a marked link is marked.
  const ends = useMemo(() => {
    const far = new Map(
      halves.flatMap((half) => half.ports.map((port, i) => [port, half.far[i]!])),
    );
    return map.boxes.map(({ ports }) => ports.flatMap((port) => [port, far.get(port) ?? port]));
  }, [map, halves]);
  const nameOf = (from: readonly number[], to: readonly number[]): string => {
    if (from.length === 1) return `${view.run.ports[from[0]!]!.name} → ${labels.get(to[0]!)!}`;
    return `${labels.get(from[0]!)!} → ${labels.get(to[0]!)!}, ${from.length} links`;
  };
  return (
    <div class="map" ref={frame}>
      <svg
        viewBox={box}
        style={{ maxWidth: `${Math.max(480, 1.7 * map.width)}px` }}
        role="group"
        aria-label="The fabric: links coloured by load, paused ports marked"
      >
        {halves.map(({ path, ports, far }, i) => (
          <path
            key={i}
            d={path}
            class={[
              'map-link',
              chosenOf(chosen, ports),
              markOf(marked, ports),
              ringOf(ring, ports),
            ].join('')}
            ref={(element) => {
              lines.current[i] = element;
            }}
            onMouseMove={(event) => {
              point(event, {
                ...{ title: nameOf(ports, far), ports },
                far: { title: nameOf(far, ports), ports: far },
              });
            }}
            onMouseLeave={leave}
            onClick={() => {
              choose(worstPort(view, moment, ports));
            }}
          />
        ))}
        {map.boxes.map(({ label, names, layer, x, y, width, height, ports }, i) => (
          <g
            key={i}
            class={`device layer${Math.min(layer, 3)}${markOf(marked, ends[i]!)}`}
            transform={`translate(${x - width / 2} ${y - height / 2})`}
            role="button"
            tabindex={0}
            aria-label={names}
            onMouseMove={(event) => {
              point(event, { title: names, ports });
            }}
            onMouseLeave={leave}
            onClick={() => {
              open(i);
            }}
            onKeyDown={({ key }) => {
              if (key === 'Enter') open(i);
            }}
          >
            <rect class="box" width={width} height={height} rx="6" />
            <rect
              class="fill"
              x="6"
              y={height - 5.5}
              height="2.5"
              rx="1.25"
              ref={(element) => {
                bars.current[i] = element;
              }}
            />
            <text x={width / 2} y={height / 2} dy=".32em">
              {label}
            </text>
          </g>
        ))}
        {halves.map(({ badge, ports }, i) => (
          <g
            key={i}
            class={ports.some((port) => storms?.has(port)) ? 'pause-mark storm' : 'pause-mark'}
            transform={`translate(${badge.x} ${badge.y})`}
            opacity="0"
            ref={(element) => {
              badges.current[i] = element;
            }}
          >
            <circle r={BADGE_RADIUS} />
            <path d="M-2 -2.8V2.8M2 -2.8V2.8" />
          </g>
        ))}
      </svg>
      {tip !== null && <TipView tip={tip} view={view} moment={moment} />}
    </div>
  );
}

function chosenOf(chosen: number | null, ports: readonly number[]): string {
  return chosen !== null && ports.includes(chosen) ? ' chosen' : '';
}

function markOf(marked: ReadonlySet<number> | null, ports: readonly number[]): string {
  if (marked === null) return '';
  return ports.some((port) => marked.has(port)) ? ' marked' : ' unmarked';
}

function ringOf(ring: ReadonlySet<number> | undefined, ports: readonly number[]): string {
  return ports.some((port) => ring?.has(port)) ? ' ring' : '';
}

type Pair = readonly [number, number];

/** A link is a straight line or a cubic curve; it is cut in the middle. */
function halvesOf({ path, a, b }: MapLink): Half[] {
  const n = (path.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
  const points = Array.from({ length: n.length / 2 }, (_, i): Pair => [n[2 * i]!, n[2 * i + 1]!]);
  const [first, second] = points.length === 4 ? splitCurve(points) : splitLine(points);
  return [
    { path: first, ports: a.ports, far: b.ports, badge: towards(a, points[1]!) },
    { path: second, ports: b.ports, far: a.ports, badge: towards(b, points[points.length - 2]!) },
  ];
}

function middle([ax, ay]: Pair, [bx, by]: Pair): Pair {
  return [(ax + bx) / 2, (ay + by) / 2];
}

function splitLine(points: readonly Pair[]): [string, string] {
  const [a, b] = points as [Pair, Pair];
  const m = middle(a, b);
  return [`M${a.join()}L${m.join()}`, `M${b.join()}L${m.join()}`];
}

function splitCurve(points: readonly Pair[]): [string, string] {
  const [a, p, q, b] = points as [Pair, Pair, Pair, Pair];
  const [ap, pq, qb] = [middle(a, p), middle(p, q), middle(q, b)];
  const [left, right] = [middle(ap, pq), middle(pq, qb)];
  const m = middle(left, right);
  return [
    `M${a.join()}C${ap.join()} ${left.join()} ${m.join()}`,
    `M${b.join()}C${qb.join()} ${right.join()} ${m.join()}`,
  ];
}

/** A little way from a link's end along it: where a badge stands. */
function towards(end: { x: number; y: number }, [x, y]: Pair): { x: number; y: number } {
  const distance = Math.hypot(x - end.x, y - end.y) || 1;
  const step = Math.min(13, distance / 2);
  return { x: end.x + ((x - end.x) * step) / distance, y: end.y + ((y - end.y) * step) / distance };
}
