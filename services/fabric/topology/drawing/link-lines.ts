import type { Topology, TopologyLink } from '../topology.js';
import type { Box, Layout } from './layout.js';

/** A line between two boxes. */
interface LinkLine {
  readonly link: TopologyLink;
  /** All links of this line: more than one where hosts share a box. */
  readonly links: readonly TopologyLink[];
  /** Where its ends touch the boxes. */
  readonly a: Point;
  readonly b: Point;
  /** Path data of SVG. */
  readonly path: string;
  /** It leaves its row upwards and returns. */
  readonly arc: boolean;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** How far an arc rises above the boxes of its row. */
export const ARC_HEIGHT = 44;

const LINE_DISTANCE_MAX = 12;
/** Share of a side that lines use. */
const SIDE_SHARE = 0.75;

type Side = 'top' | 'foot' | 'left' | 'right';

/** One end of a line at a side of a box. */
interface Plug {
  readonly box: Box;
  readonly other: Box;
  readonly side: Side;
  /** From the middle of the side. */
  offset: number;
}

/**
 * Lines leave a side of a box next to each other, in the order of the boxes at their other ends.
 */
export function linkLinesOf(topology: Topology, layout: Layout): LinkLine[] {
  const boxOf: Box[] = [];
  for (const box of layout.boxes) for (const device of box.devices) boxOf[device] = box;
  const linksOf = new Map<Box, TopologyLink[]>();
  const lines = topology.links.flatMap((link) => {
    const [a, b] = [boxOf[link.a.device]!, boxOf[link.b.device]!];
    // The hosts in one box share a line.
    const shared = [a, b].find((box) => box.devices.length > 1);
    const others = shared && linksOf.get(shared);
    others?.push(link);
    if (others !== undefined) return [];
    const links = [link];
    if (shared !== undefined) linksOf.set(shared, links);
    return [{ link, links, from: plug(layout, a, b), to: plug(layout, b, a) }];
  });
  if (layout.isRing) return straightened(lines);
  arrange(lines.flatMap(({ from, to }) => [from, to]));
  return lines.map(({ link, links, from, to }) => {
    const arc = from.side === 'top' && to.side === 'top';
    const [a, b] = [pointOf(from), pointOf(to)];
    return { link, links, a, b, path: pathBetween(a, b, arc), arc };
  });
}

interface Plugged {
  readonly link: TopologyLink;
  readonly links: readonly TopologyLink[];
  readonly from: Plug;
  readonly to: Plug;
}

/** From middle to middle, as far as it is outside of both boxes; parallel ones side by side. */
function straightened(lines: readonly Plugged[]): LinkLine[] {
  const countOf = new Map<string, number>();
  const places = new Map(lines.map(({ link }) => [link, 0]));
  for (const { link } of lines) {
    const pair = [link.a.device, link.b.device].sort((a, b) => a - b).join();
    places.set(link, countOf.get(pair) ?? 0);
    countOf.set(pair, (countOf.get(pair) ?? 0) + 1);
  }
  return lines.map(({ link, links, from, to }) => {
    const pair = [link.a.device, link.b.device].sort((a, b) => a - b).join();
    const offset = (places.get(link)! - (countOf.get(pair)! - 1) / 2) * LINE_DISTANCE_MAX;
    const [dx, dy] = [to.box.x - from.box.x, to.box.y - from.box.y];
    const length = Math.hypot(dx, dy) || 1;
    // The same side for both directions of a pair.
    const sign = link.a.device < link.b.device ? 1 : -1;
    const aside = { x: (-dy * offset * sign) / length, y: (dx * offset * sign) / length };
    const a = edgeOf(from.box, dx, dy, aside);
    const b = edgeOf(to.box, -dx, -dy, aside);
    const path = `M${round(a.x)} ${round(a.y)}L${round(b.x)} ${round(b.y)}`;
    return { link, links, a, b, path, arc: false };
  });
}

/** Where a line from the middle of a box leaves it. */
function edgeOf({ x, y, width, height }: Box, dx: number, dy: number, aside: Point): Point {
  const reach = Math.min(width / 2 / Math.abs(dx), height / 2 / Math.abs(dy));
  return { x: x + dx * reach + aside.x, y: y + dy * reach + aside.y };
}

function plug(layout: Layout, box: Box, other: Box): Plug {
  return { box, other, side: sideOf(layout, box, other), offset: 0 };
}

function sideOf(layout: Layout, box: Box, other: Box): Side {
  if (other.layer > box.layer) return 'top';
  if (other.layer < box.layer) return 'foot';
  const [left, right] = [Math.min(box.x, other.x), Math.max(box.x, other.x)];
  const between = layout.boxes.some(({ layer, x }) => layer === box.layer && x > left && x < right);
  if (between) return 'top';
  return other.x > box.x ? 'right' : 'left';
}

function arrange(plugs: readonly Plug[]): void {
  const sides = new Map<Box, Partial<Record<Side, Plug[]>>>();
  for (const plug of plugs) {
    const ofBox = sides.get(plug.box) ?? {};
    (ofBox[plug.side] ??= []).push(plug);
    sides.set(plug.box, ofBox);
  }
  for (const [box, ofBox] of sides) {
    for (const [side, row] of Object.entries(ofBox) as [Side, Plug[]][]) {
      const length = side === 'top' || side === 'foot' ? box.width : box.height;
      const distance = Math.min(LINE_DISTANCE_MAX, (SIDE_SHARE * length) / row.length);
      row.sort((a, b) => a.other.x - b.other.x);
      row.forEach((plug, i) => {
        plug.offset = (i - (row.length - 1) / 2) * distance;
      });
    }
  }
}

function pathBetween(a: Point, b: Point, arc: boolean): string {
  const [start, end] = [`${round(a.x)} ${round(a.y)}`, `${round(b.x)} ${round(b.y)}`];
  if (a.y === b.y && !arc) return `M${start}L${end}`;
  // An arc reaches three quarters of the height of its control points.
  const [pullA, pullB] = arc
    ? [a.y - (ARC_HEIGHT * 4) / 3, b.y - (ARC_HEIGHT * 4) / 3]
    : [a.y + (b.y - a.y) * 0.35, b.y - (b.y - a.y) * 0.35];
  return `M${start}C${round(a.x)} ${round(pullA)} ${round(b.x)} ${round(pullB)} ${end}`;
}

function pointOf({ box, side, offset }: Plug): Point {
  switch (side) {
    case 'top':
      return { x: box.x + offset, y: box.y - box.height / 2 };
    case 'foot':
      return { x: box.x + offset, y: box.y + box.height / 2 };
    case 'left':
      return { x: box.x - box.width / 2, y: box.y + offset };
    case 'right':
      return { x: box.x + box.width / 2, y: box.y + offset };
  }
}

/** A tenth of a pixel is enough. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
