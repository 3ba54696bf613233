import type { FabricMap, MapLink, MapEnd } from '../../report/page/page-data.js';

type Box = FabricMap['boxes'][number];

/** Switches and hosts that are linked to each other without the highest layer. */
interface Pod {
  readonly name: string;
  /** Places of its boxes in the map. */
  readonly boxes: readonly number[];
}

/** A map in which pods, and the switches above them, are one box each. */
interface FoldedMap extends FabricMap {
  /** By box: the pod that a click opens or closes, by its place; null of a switch above. */
  readonly podOf: readonly (number | null)[];
}

/** All links between two boxes. */
interface Line {
  readonly from: number;
  readonly to: number;
  readonly a: number[];
  readonly b: number[];
  readonly labels: Set<string>;
}

type Point = Pick<MapEnd, 'x' | 'y'>;

const PODS_LEAST = 2;
/** Of the boxes that stand for several. */
const BOX = { width: 92, height: 34, gap: 22 };
const ROW_DISTANCE = 150;
/** Between lines that leave a box, at the most, and their share of its side. */
const PITCH = 16;
const LINES_SHARE = 0.86;
/** Room around a pod that is open. */
const OPEN_GAP = 30;

/** In the order of the map; none where a fabric has no pods. */
export function podsOf(map: FabricMap): Pod[] {
  const { boxes } = map;
  const top = boxes.reduce((most, { layer }) => Math.max(most, layer), 0);
  // Below one layer of switches every leaf would be a pod.
  if (top < 3) return [];
  const boxOfPort = boxesByPort(map);
  const parent = boxes.map((_, place) => place);
  const rootOf = (place: number): number => {
    let at = place;
    while (parent[at] !== at) at = parent[at] = parent[parent[at]!]!;
    return at;
  };
  for (const { a, b } of map.links) {
    const [from, to] = [boxOfPort.get(a.ports[0]!)!, boxOfPort.get(b.ports[0]!)!];
    if (boxes[from]!.layer === top || boxes[to]!.layer === top) continue;
    parent[rootOf(from)] = rootOf(to);
  }
  const groups = new Map<number, number[]>();
  boxes.forEach(({ layer }, place) => {
    if (layer === top) return;
    const root = rootOf(place);
    groups.set(root, [...(groups.get(root) ?? []), place]);
  });
  const pods = [...groups.values()].filter((places) => places.length > 1);
  if (pods.length < PODS_LEAST || pods.length < groups.size) return [];
  return pods
    .sort((a, b) => leftOf(map, a) - leftOf(map, b))
    .map((places, i) => ({ name: `pod ${i + 1}`, boxes: places }));
}

/** Pods that are not open are one box each; so are switches above with the same links. */
export function foldedMap(
  map: FabricMap,
  pods: readonly Pod[],
  open: ReadonlySet<number>,
): FoldedMap {
  const layout = new Folding(map, pods, open);
  return layout.map();
}

class Folding {
  private readonly boxes: Box[] = [];
  private readonly podOfBox: (number | null)[] = [];
  /** By box of the whole map: its box here. */
  private readonly placeOf = new Map<number, number>();

  constructor(
    private readonly whole: FabricMap,
    private readonly pods: readonly Pod[],
    private readonly open: ReadonlySet<number>,
  ) {}

  map(): FoldedMap {
    const width = this.placePods();
    this.placeTop(width);
    const height = this.boxes.reduce((most, box) => Math.max(most, box.y + box.height / 2), 0);
    return { width, height, boxes: this.boxes, links: this.links(), podOf: this.podOfBox };
  }

  /** Side by side; their width together. */
  private placePods(): number {
    const { whole, pods, open } = this;
    const topY = Math.min(...whole.boxes.map(({ y }) => y));
    let left = 0;
    pods.forEach(({ name, boxes }, pod) => {
      const all = boxes.map((place) => whole.boxes[place]!);
      if (!open.has(pod)) {
        const switches = all.filter(({ layer }) => layer > 0).length;
        const hosts = all
          .filter(({ layer }) => layer === 0)
          .reduce((sum, { ports }) => sum + ports.length, 0);
        const [x, y] = [left + BOX.width / 2, BOX.height / 2 + ROW_DISTANCE];
        const names = `${name}: ${switches} switches, ${hosts} hosts`;
        const ports = all.flatMap((box) => box.ports);
        this.add({ label: name, names, layer: 1, x, y, ...BOX, ports }, boxes, pod);
        left += BOX.width + BOX.gap;
        return;
      }
      const from = leftOf(whole, boxes);
      const to = Math.max(...all.map(({ x, width }) => x + width / 2));
      const shift = left + OPEN_GAP / 2 - from;
      boxes.forEach((place) => {
        const box = whole.boxes[place]!;
        this.add({ ...box, x: box.x + shift, y: box.y - topY + BOX.height / 2 }, [place], pod);
      });
      left += to - from + OPEN_GAP + BOX.gap;
    });
    return Math.max(0, left - BOX.gap);
  }

  /** Switches above, those with the same links in one box. */
  private placeTop(width: number): void {
    const { whole } = this;
    const inPods = new Set(this.pods.flatMap(({ boxes }) => boxes));
    const linked = linkedBoxes(whole);
    const groups = new Map<string, number[]>();
    whole.boxes.forEach((_, place) => {
      if (inPods.has(place)) return;
      const key = [...(linked.get(place) ?? [])].sort((a, b) => a - b).join();
      groups.set(key, [...(groups.get(key) ?? []), place]);
    });
    const all = [...groups.values()];
    const most = width / all.length - BOX.gap;
    const own = Math.max(BOX.width, Math.min(most, (PITCH * this.pods.length) / LINES_SHARE));
    all.forEach((places, i) => {
      const boxes = places.map((place) => whole.boxes[place]!);
      const [first, last] = [boxes[0]!, boxes.at(-1)!];
      const label = boxes.length === 1 ? first.label : `${first.label}..${numberOf(last.label)}`;
      const x = ((i + 0.5) * width) / all.length;
      const ports = boxes.flatMap((box) => box.ports);
      const { layer } = first;
      const names = `${boxes.length} switches: ${label}`;
      const size = { ...BOX, width: own };
      this.add({ label, names, layer, x, y: BOX.height / 2, ...size, ports }, places, null);
    });
  }

  private add(box: Box, places: readonly number[], pod: number | null): void {
    for (const place of places) this.placeOf.set(place, this.boxes.length);
    this.boxes.push({ ...box, width: box.width, height: box.height });
    this.podOfBox.push(pod);
  }

  /** One line for all links between two boxes; none within a box. */
  private links(): MapLink[] {
    const boxOfPort = boxesByPort(this.whole);
    const merged = new Map<string, Line>();
    const at = (ports: readonly number[]): number => this.placeOf.get(boxOfPort.get(ports[0]!)!)!;
    for (const { a, b, label } of this.whole.links) {
      const [from, to] = [at(a.ports), at(b.ports)];
      if (from === to) continue;
      const key = `${from} ${to}`;
      const known = merged.get(key) ?? { from, to, a: [], b: [], labels: new Set() };
      if (label !== '') known.labels.add(label);
      merged.set(key, known);
      known.a.push(...a.ports);
      known.b.push(...b.ports);
    }
    const lines = [...merged.values()];
    const ends = this.endsOf(lines);
    return lines.map(({ a, b, labels }, i) => {
      const [start, end] = [
        { ...ends[2 * i]!, ports: a },
        { ...ends[2 * i + 1]!, ports: b },
      ];
      const bend = 0.35 * (end.y - start.y);
      const curve = `C${start.x} ${start.y + bend} ${end.x} ${end.y - bend} ${end.x} ${end.y}`;
      const label = [...labels].join(', ');
      return { path: `M${start.x} ${start.y}${curve}`, label, a: start, b: end };
    });
  }

  /** Two for each line. They leave a side of a box evenly, in the order of their other ends. */
  private endsOf(lines: readonly Line[]): Point[] {
    const ends: Point[] = [];
    const sides = new Map<string, { end: number; towards: number }[]>();
    lines.forEach(({ from, to }, i) => {
      const pair = [from, to].map((place) => this.boxes[place]!) as [Box, Box];
      pair.forEach((box, which) => {
        const other = pair[1 - which]!;
        const side = other.y < box.y ? -1 : 1;
        ends[2 * i + which] = { x: box.x, y: round(box.y + (side * box.height) / 2) };
        const key = `${which === 0 ? from : to} ${side}`;
        const all = sides.get(key) ?? [];
        sides.set(key, all);
        all.push({ end: 2 * i + which, towards: other.x });
      });
    });
    for (const [key, all] of sides) {
      const { x, width } = this.boxes[Number(key.split(' ')[0])]!;
      const pitch = Math.min(PITCH, (LINES_SHARE * width) / all.length);
      all.sort((a, b) => a.towards - b.towards);
      all.forEach(({ end }, i) => {
        ends[end] = { ...ends[end]!, x: round(x + (i - (all.length - 1) / 2) * pitch) };
      });
    }
    return ends;
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function leftOf({ boxes }: FabricMap, places: readonly number[]): number {
  return Math.min(...places.map((place) => boxes[place]!.x - boxes[place]!.width / 2));
}

function boxesByPort({ boxes }: FabricMap): Map<number, number> {
  return new Map(boxes.flatMap(({ ports }, place) => ports.map((port) => [port, place] as const)));
}

function linkedBoxes(map: FabricMap): Map<number, Set<number>> {
  const boxOfPort = boxesByPort(map);
  const linked = new Map<number, Set<number>>();
  const link = (from: number, to: number): void => {
    const known = linked.get(from) ?? new Set();
    linked.set(from, known.add(to));
  };
  for (const { a, b } of map.links) {
    const [from, to] = [boxOfPort.get(a.ports[0]!)!, boxOfPort.get(b.ports[0]!)!];
    link(from, to);
    link(to, from);
  }
  return linked;
}

function numberOf(label: string): string {
  return /\d+$/.exec(label)?.[0] ?? label;
}
