import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { FaultLook } from '../fabric/faults/fault-look.js';
import type { FabricMap, MapLink } from '../report/page/page-data.js';
import type { Address } from './address.js';
import { goTo, useAddress } from './address.js';
import { looksAt } from './faults.js';
import { heatColour } from './colours.js';
import { BLOCKED_LEAST, openPorts, TipView, worstPort } from './map-tip.js';
import type { MapProps, Tip } from './map-tip.js';
import type { RunView } from './run-view.js';
import { worstOf } from './run-view.js';
import { foldedMap, podsOf } from './map/fold-pods.js';
import { Chips } from './panels.js';
import { WeaveMap } from './weave-map.js';

const MARGIN = 14;
const BADGE_RADIUS = { least: 3, most: 6.5 };

type MapBox = FabricMap['boxes'][number];

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
/** Labels of more links would lie over each other. */
const LABELS_MAX = 60;
/** Nor can the names in a wider one be read. */
const WIDTH_MAX = 2200;
/** Drawn smaller than this, names have larger letters, and none is drawn smaller than the least. */
const SCALE_FAR = 0.85;
const SCALE_LEAST = 0.65;
/** Of labels of links: width of a letter, and height of a line, halo included. */
const LETTER = 6;
const LINE = 14;
/** Where a label may be on its link. */
const PLACES = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];
/** Mean width of a larger letter. */
const LARGE_LETTER = 8.5;

export function FabricMapView(props: MapProps): JSX.Element {
  const { view } = props;
  const { map } = view.run;
  const pods = useMemo(() => podsOf(map), [map]);
  const wanted = useAddress().pods;
  const open = pods.length === 0 ? null : wanted;
  const folded = useMemo(() => open && foldedMap(map, pods, new Set(open)), [map, pods, open]);
  const toggle = (pod: number): void => {
    const others = open!.filter((one) => one !== pod);
    goTo({ pods: others.length < open!.length ? others : [...others, pod] });
  };
  return (
    <>
      {pods.length > 0 && (
        <div class="chips">
          <Chips
            all={WAYS}
            chosen={open === null ? WAYS[0] : WAYS[1]}
            choose={(way) => {
              goTo({ pods: way === WAYS[1] ? [] : null });
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

/** Whether it is drawn as a weave: it is large, and its pods are not folded. */
export function isWoven(view: RunView, pods: Address['pods']): boolean {
  return isLarge(view) && (pods === null || podsOf(view.run.map).length === 0);
}

function isLarge({ run: { map } }: RunView): boolean {
  return map.boxes.length > BOXES_MAX || map.links.length > LINKS_MAX || map.width > WIDTH_MAX;
}

interface BoxMapProps extends MapProps {
  readonly map: FabricMap;
  /** By box: the pod that a click folds or unfolds. */
  readonly podOf?: readonly (number | null)[];
  readonly toggle?: (pod: number) => void;
}

function BoxMap(props: BoxMapProps): JSX.Element {
  const { view, moment, theme, choose, marked = null, storms } = props;
  const { map, podOf, toggle } = props;
  const width = map.width + 2 * MARGIN;
  const halves = useMemo(() => map.links.flatMap(halvesOf), [map]);
  const radius = useMemo(() => radiusOf(halves), [halves]);
  const looks = useMemo(() => looksAt(view.run.faults, moment), [view.run, moment]);
  const frame = useRef<HTMLDivElement>(null);
  const lines = useRef<(SVGPathElement | null)[]>([]);
  const badges = useRef<(SVGGElement | null)[]>([]);
  const bars = useRef<(SVGRectElement | null)[]>([]);
  const [tip, setTip] = useState<Tip | null>(null);

  // Thousands of lines change with every step of the slider: past the tree of elements.
  useLayoutEffect(() => {
    const scale = Math.max(SCALE_LEAST, frame.current!.clientWidth / width);
    frame.current!.classList.toggle('far', scale < SCALE_FAR);
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
  const box = `${-MARGIN} ${-MARGIN} ${width} ${map.height + 2 * MARGIN}`;
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
      <div class="pan">
        <svg
          viewBox={box}
          style={{
            minWidth: `${SCALE_LEAST * width}px`,
            maxWidth: `${Math.max(480, 1.7 * map.width)}px`,
          }}
          role="group"
          aria-label="The fabric: links coloured by load, paused ports marked"
        >
          {halves.map(({ path, ports, far }, i) => (
            <path
              key={i}
              d={path}
              class={classOf(props, { ports, far }) + faultOf(looks, ports, far)}
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
              class={
                `device ${lookOf({ label, layer, width })}` +
                `${markOf(marked, ends[i]!)}${illOf(looks, ports)}`
              }
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
          {map.links.length <= LABELS_MAX &&
            labelsOf(map.links).map(({ label, x, y }, i) => (
              <text key={i} class="method" x={x} y={y} dy=".32em">
                {label}
              </text>
            ))}
          {halves.map(({ badge, ports }, i) => (
            <g
              key={i}
              class={ports.some((port) => storms?.has(port)) ? 'pause-mark storm' : 'pause-mark'}
              transform={`translate(${badge.x} ${badge.y}) scale(${radius / BADGE_RADIUS.most})`}
              opacity="0"
              ref={(element) => {
                badges.current[i] = element;
              }}
            >
              <circle r={BADGE_RADIUS.most} />
              <path d="M-2 -2.8V2.8M2 -2.8V2.8" />
            </g>
          ))}
        </svg>
      </div>
      {tip !== null && <TipView tip={tip} view={view} moment={moment} />}
    </div>
  );
}

/** Of badges: so large that none lies over another, where there is room. */
function radiusOf(halves: readonly Half[]): number {
  let nearest = Infinity;
  halves.forEach(({ badge: a }, i) => {
    for (let j = i + 1; j < halves.length; j++) {
      const { badge: b } = halves[j]!;
      nearest = Math.min(nearest, Math.hypot(a.x - b.x, a.y - b.y));
    }
  });
  return Math.min(BADGE_RADIUS.most, Math.max(BADGE_RADIUS.least, nearest / 2));
}

function classOf(
  { chosen, marked = null, ring }: MapProps,
  { ports, far }: Pick<Half, 'ports' | 'far'>,
): string {
  const isChosen = chosen !== null && ports.includes(chosen);
  const isOfRing = [...ports, ...far].some((port) => ring?.has(port));
  return `map-link${isChosen ? ' chosen' : ''}${markOf(marked, ports)}${isOfRing ? ' ring' : ''}`;
}

/** A link looks like the fault at either end. */
function faultOf(
  looks: ReadonlyMap<number, FaultLook>,
  ports: readonly number[],
  far: readonly number[],
): string {
  const found = [...ports, ...far].map((port) => looks.get(port));
  const look = (['down', 'slow', 'lossy'] as const).find((one) => found.includes(one));
  return look === undefined ? '' : ` fault-${look}`;
}

function illOf(looks: ReadonlyMap<number, FaultLook>, ports: readonly number[]): string {
  return ports.some((port) => looks.get(port) === 'device') ? ' ill' : '';
}

/** Its layer, and whether its name has room in larger letters. */
function lookOf({ label, layer, width }: Pick<MapBox, 'label' | 'layer' | 'width'>): string {
  const fits = label.length * LARGE_LETTER <= width ? ' fits' : '';
  return `layer${Math.min(layer, 3)}${fits}`;
}

function markOf(marked: ReadonlySet<number> | null, ports: readonly number[]): string {
  if (marked === null) return '';
  return ports.some((port) => marked.has(port)) ? ' marked' : ' unmarked';
}

type Pair = readonly [number, number];

/** A link is a straight line or a cubic curve. */
function pointsOf(path: string): Pair[] {
  const n = (path.match(/-?\d+(\.\d+)?/g) ?? []).map(Number);
  return Array.from({ length: n.length / 2 }, (_, i): Pair => [n[2 * i]!, n[2 * i + 1]!]);
}

/** On their links: in the middle, or as near to it as there is room beside the others. */
function labelsOf(links: readonly MapLink[]): { label: string; x: number; y: number }[] {
  const all: { label: string; x: number; y: number }[] = [];
  for (const { label, path } of links) {
    if (label === '') continue;
    const points = pointsOf(path);
    const isFree = ([x, y]: Pair): boolean =>
      all.every(
        (other) =>
          Math.abs(other.x - x) >= (LETTER * (label.length + other.label.length)) / 2 ||
          Math.abs(other.y - y) >= LINE,
      );
    const places = PLACES.map((part) => pointAt(points, part));
    const [x, y] = places.find(isFree) ?? places[0]!;
    all.push({ label, x, y });
  }
  return all;
}

/** Of a line or a curve (de Casteljau), a part of its way from its beginning. */
function pointAt(points: readonly Pair[], part: number): Pair {
  if (points.length === 1) return points[0]!;
  const between = points.slice(1).map((to, i): Pair => {
    const from = points[i]!;
    return [from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])];
  });
  return pointAt(between, part);
}

/** A link is cut in the middle. */
function halvesOf({ path, a, b }: MapLink): Half[] {
  const points = pointsOf(path);
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
