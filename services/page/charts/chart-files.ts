import { colourOf } from '../colours.js';
import { axisLabels } from './axis-labels.js';
import { evenTicks } from './even-ticks.js';
import { logTicks } from './log-ticks.js';
import type { ChartLine, ChartProps } from './chart-data.js';
import { startOf } from './chart-data.js';
import { isShown } from './plot-options.js';

const TICKS = 6;
const SIZE = { width: 760, height: 340, left: 76, right: 16, top: 34, bottom: 52 };
/** Widths in pixels: of a letter, about, and between two bars. */
const LETTER = 6.2;
const BAR_GAP = 2;

/** A column for x and one for each line, in plain units. */
export function csvOf({ x, lines }: ChartProps): string {
  const field = (text: string): string =>
    /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const head = ['x', ...lines.map(({ label }) => field(label))].join(',');
  const rows = x.map((at, i) => [at, ...lines.map(({ values }) => values[i] ?? '')].join(','));
  return `${[head, ...rows].join('\n')}\n`;
}

/** The chart as a drawing with names, axes and levels, for papers. */
export function svgOf(chart: ChartProps, title: string): string {
  const { width, height } = SIZE;
  const { x, y } = scalesOf(chart);
  const [namesX, namesY] = [axisLabels(x.ticks, chart.formatX), axisLabels(y.ticks, chart.formatY)];
  let legendAt = SIZE.left;
  const style = 'font-family="system-ui, sans-serif" font-size="11"';
  const parts = [
    `<rect width="${width}" height="${height}" fill="${colourOf('--card')}"/>`,
    text(SIZE.left, 20, title, 'start', 'font-size="13" font-weight="600"'),
    ...x.ticks.map((tick, i) => {
      const at = x.place(tick);
      return (
        line([at, SIZE.top], [at, height - SIZE.bottom], '--grid') +
        text(at, height - SIZE.bottom + 16, namesX[i]!, 'middle')
      );
    }),
    ...y.ticks.map((tick, i) => {
      const at = y.place(tick);
      return (
        line([SIZE.left, at], [width - SIZE.right, at], '--grid') +
        text(SIZE.left - 6, at + 4, namesY[i]!, 'end')
      );
    }),
    ...chart.lines.map((one) => pathOf(one, chart.x, x.place, y.place)),
    ...(chart.limits ?? []).flatMap(({ label, value }) => {
      const at = y.place(value);
      if (at < SIZE.top || at > height - SIZE.bottom) return [];
      return [
        line([SIZE.left, at], [width - SIZE.right, at], '--limit', 'stroke-dasharray="3 3"'),
        text(width - SIZE.right - 4, at - 3, `${label} ${chart.formatY(value)}`, 'end'),
      ];
    }),
    ...chart.lines.map(({ label, colour }) => {
      const at = legendAt;
      legendAt += 34 + LETTER * label.length;
      const mark = `<rect x="${at}" y="${height - 20}" width="10" height="10" fill="${colour}"/>`;
      return mark + text(at + 15, height - 11, label, 'start');
    }),
  ];
  const box = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box} ${style}>${parts.join('')}</svg>\n`;
}

interface Scale {
  readonly ticks: readonly number[];
  readonly place: (value: number) => number;
}

function scalesOf(chart: ChartProps): { x: Scale; y: Scale } {
  const { x, lines, limits = [], minY = 0, maxY, logX, logY, rangeX, wholeY, overTime } = chart;
  const values = lines.flatMap((one) => one.values.filter((value) => value !== null));
  const highest = values.reduce((a, b) => Math.max(a, b), 0);
  const drawn = limits.filter(({ value }) => isShown(value, highest));
  const top = maxY ?? 1.06 * Math.max(highest, ...drawn.map(({ value }) => value));
  const least = values.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), highest);
  const { width, height, left, right, bottom } = SIZE;
  const [fromX, toX] = rangeX ?? [overTime === true ? startOf(x) : (x[0] ?? 0), x.at(-1) ?? 1];
  return {
    x: scale(
      { low: fromX, high: toX, log: logX },
      (share) => left + share * (width - left - right),
    ),
    y: scale(
      { low: logY === true ? least : minY, high: top, log: logY, whole: wholeY },
      (share) => {
        return height - bottom - share * (height - bottom - SIZE.top);
      },
    ),
  };
}

interface Span {
  readonly low: number;
  readonly high: number;
  readonly log: boolean | undefined;
  /** Marks at whole numbers only. */
  readonly whole?: boolean | undefined;
}

function scale({ low, high, log, whole }: Span, at: (share: number) => number): Scale {
  const span = high - low || 1;
  if (log === true) {
    const [from, to] = [Math.log10(low), Math.log10(high)];
    const place = (value: number): number => at((Math.log10(value) - from) / (to - from || 1));
    return { ticks: logTicks([low, high], Math.abs(at(1) - at(0))), place };
  }
  return {
    ticks: evenTicks(low, high, { most: TICKS, least: whole === true ? 1 : 0 }),
    place: (value) => at((value - low) / span),
  };
}

type Place = (value: number) => number;

function pathOf(one: ChartLine, x: readonly number[], px: Place, py: Place): string {
  const { values, colour, kind, edges = [] } = one;
  const points = values.flatMap((value, i) =>
    value === null ? [] : [[px(x[i]!).toFixed(1), py(value).toFixed(1)] as const],
  );
  if (kind === 'dots') {
    return points
      .map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="2" fill="${colour}"/>`)
      .join('');
  }
  if (kind === 'bars') return barsOf(values, colour, edges.map(px), py);
  const steps = kind === 'steps';
  const d = points
    .map(([cx, cy], i) => (i === 0 ? `M${cx} ${cy}` : steps ? `H${cx}V${cy}` : `L${cx} ${cy}`))
    .join('');
  const dash = kind === 'dashed' ? ' stroke-dasharray="5 4"' : '';
  return `<path d="${d}" fill="none" stroke="${colour}" stroke-width="1.6"${dash}/>`;
}

function barsOf(values: ChartLine['values'], colour: string, edges: readonly number[], py: Place) {
  return values
    .map((value, i) => {
      const [left, top] = [edges[i]! + BAR_GAP / 2, py(value ?? 0)];
      const width = edges[i + 1]! - edges[i]! - BAR_GAP;
      const size = `width="${width.toFixed(1)}" height="${(py(0) - top).toFixed(1)}"`;
      return `<rect x="${left.toFixed(1)}" y="${top.toFixed(1)}" ${size} fill="${colour}"/>`;
    })
    .join('');
}

type Point = readonly [x: number, y: number];

function line([ax, ay]: Point, [bx, by]: Point, colour: string, more = ''): string {
  const points = `x1="${ax}" y1="${ay}" x2="${bx}" y2="${by}"`;
  return `<line ${points} stroke="${colourOf(colour)}" ${more}/>`;
}

function text(x: number, y: number, words: string, anchor: string, more = ''): string {
  const safe = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const place = `x="${x}" y="${y}" text-anchor="${anchor}"`;
  return `<text ${place} fill="${colourOf('--text')}" ${more}>${safe}</text>`;
}
