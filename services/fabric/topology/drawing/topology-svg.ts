import type { Topology, TopologyLink } from '../topology.js';
import { portName } from '../topology.js';
import type { LinkClass } from './labels.js';
import { linkClasses, linkLabel, sizeLabel } from './labels.js';
import { ARC_HEIGHT, linkLinesOf, round } from './link-lines.js';
import type { Box, Layout } from './layout.js';
import { layOut } from './layout.js';

const MARGIN = 28;
/** Left of the boxes, for the names of tiers. */
const TIER_COLUMN = 96;
const TITLE_HEIGHT = 44;
const LEGEND_LINE = 20;
const LEGEND_WIDTH_MIN = 340;

/** Colours of the page and, in this order, of hosts and the layers of switches above them. */
const LIGHT = {
  page: '#ffffff',
  text: '#1f2933',
  faint: '#7b8794',
  link: '#9aa5b1',
  fills: ['#f5f7fa', '#e3f0fd', '#e0f5ee', '#efe8fc'],
  edges: ['#9aa5b1', '#3b82c4', '#2f9e7d', '#7c5cc4'],
};
const DARK: typeof LIGHT = {
  page: '#12171d',
  text: '#e4e7eb',
  faint: '#8a95a3',
  link: '#5a6674',
  fills: ['#1f2730', '#16304a', '#133a30', '#2c2350'],
  edges: ['#6b7786', '#5fa8e8', '#4fc3a1', '#a58be6'],
};

/** A self-contained drawing by layers; it follows the reader's choice of light or dark. */
export function topologySvg(topology: Topology): string {
  const layout = layOut(topology);
  const classes = linkClasses(topology, layout.layers);
  const lines = linkLinesOf(topology, layout);
  const arcs = lines.some(({ arc }) => arc) ? ARC_HEIGHT : 0;
  const top = MARGIN + TITLE_HEIGHT + arcs;
  const legendTop = top + layout.height + 36;
  const width = 2 * MARGIN + Math.max(TIER_COLUMN + layout.width, LEGEND_WIDTH_MIN);
  const height = legendTop + classes.length * LEGEND_LINE + MARGIN - 8;
  const size = `width="${round(width)}" height="${round(height)}"`;
  const view = `viewBox="0 0 ${round(width)} ${round(height)}"`;
  const title = sizeLabel(topology);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${view} role="img" aria-label="${title}">`,
    `<style>${style()}</style>`,
    '<rect class="page" width="100%" height="100%"/>',
    `<text class="title" x="${MARGIN}" y="${MARGIN + 14}">${title}</text>`,
    `<g transform="translate(0 ${top})">`,
    ...(layout.isRing ? [] : tierNames(topology, layout)),
    '</g>',
    `<g transform="translate(${MARGIN + TIER_COLUMN} ${top})">`,
    ...lines.map(({ link, path }) => {
      const title = `<title>${escape(describe(topology, link))}</title>`;
      return `<path d="${path}" stroke-width="${thickness(link.rateBps, classes)}">${title}</path>`;
    }),
    ...layout.boxes.map(drawBox),
    '</g>',
    `<g transform="translate(${MARGIN} ${legendTop})">`,
    ...legend(classes),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function style(): string {
  return [
    'text{font:12px system-ui,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;',
    'text-anchor:middle}',
    'text.title{font-size:15px;font-weight:600;text-anchor:start}',
    'text.tier,text.legend{text-anchor:start}',
    'text.host{font-size:11px}',
    'path{fill:none;stroke-linecap:round;stroke-opacity:.85}',
    'path:hover{stroke:#e8590c;stroke-opacity:1}',
    colours(LIGHT),
    `@media (prefers-color-scheme:dark){${colours(DARK)}}`,
  ].join('');
}

function colours({ page, text, faint, link, fills, edges }: typeof LIGHT): string {
  const layers = fills.map((fill, i) => `.layer${i}{fill:${fill};stroke:${edges[i]!}}`);
  return [
    `.page{fill:${page}}text{fill:${text}}text.tier,text.legend{fill:${faint}}`,
    `path{stroke:${link}}`,
    ...layers,
  ].join('');
}

function tierNames(topology: Topology, { boxes }: Layout): string[] {
  const rows = new Map<number, { y: number; tiers: Set<string> }>();
  for (const { layer, y, devices } of boxes) {
    const row = rows.get(layer) ?? { y, tiers: new Set() };
    row.tiers.add(topology.devices[devices[0]!]!.tier);
    rows.set(layer, row);
  }
  return [...rows.values()].map(({ y, tiers }) => {
    const names = escape([...tiers].join(', '));
    return `<text class="tier" x="${MARGIN}" y="${round(y)}" dy=".35em">${names}</text>`;
  });
}

function drawBox({ label, layer, x, y, width, height }: Box): string {
  const colour = Math.min(layer, LIGHT.fills.length - 1);
  const place = `x="${round(x - width / 2)}" y="${round(y - height / 2)}"`;
  const kind = layer === 0 ? ' class="host"' : '';
  return [
    `<rect class="layer${colour}" ${place} width="${round(width)}" height="${height}" rx="6"/>`,
    `<text${kind} x="${round(x)}" y="${round(y)}" dy=".35em">${escape(label)}</text>`,
  ].join('');
}

function legend(classes: readonly LinkClass[]): string[] {
  return classes.map(({ count, tiers, rate, delay, rateBps }, i) => {
    const y = i * LEGEND_LINE;
    const text = escape(`${count} × ${tiers}, ${rate}, ${delay}`);
    const sample = `<path d="M0 ${y}h28" stroke-width="${thickness(rateBps, classes)}"/>`;
    return `${sample}<text class="legend" x="40" y="${y}" dy=".35em">${text}</text>`;
  });
}

/** Lines are thicker where links are faster, by a step for each rate in the fabric. */
function thickness(rateBps: number, classes: readonly LinkClass[]): number {
  const rates = [...new Set(classes.map((one) => one.rateBps))].sort((a, b) => a - b);
  return Math.min(1.2 + 0.6 * rates.indexOf(rateBps), 4);
}

/** `leaf1:p5 - spine1:p1, 400 Gb/s, 500 ns`, shown while the pointer is on the line. */
function describe(topology: Topology, link: TopologyLink): string {
  const { rate, delay } = linkLabel(link);
  return `${portName(topology, link.a)} - ${portName(topology, link.b)}, ${rate}, ${delay}`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
