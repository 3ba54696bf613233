import { colourOf } from '../colours.js';
import type { ChartLine, ChartProps } from './chart-data.js';
import { isShown } from './plot-options.js';

const SIZE = { width: 760, height: 340, left: 76, right: 16, top: 34, bottom: 52 };
const TICKS = 6;

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
  const style = 'font-family="system-ui, sans-serif" font-size="11"';
  const parts = [
    `<rect width="${width}" height="${height}" fill="${colourOf('--card')}"/>`,
    text(SIZE.left, 20, title, 'start', 'font-size="13" font-weight="600"'),
    ...x.ticks.map((tick) => {
      const at = x.place(tick);
      return (
        line(at, SIZE.top, at, height - SIZE.bottom, '--grid') +
        text(at, height - SIZE.bottom + 16, chart.formatX(tick), 'middle')
      );
    }),
    ...y.ticks.map((tick) => {
      const at = y.place(tick);
      return (
        line(SIZE.left, at, width - SIZE.right, at, '--grid') +
        text(SIZE.left - 6, at + 4, chart.formatY(tick), 'end')
      );
    }),
    ...chart.lines.map((one) => pathOf(one, chart.x, x.place, y.place)),
    ...(chart.limits ?? []).flatMap(({ label, value }) => {
      const at = y.place(value);
      if (at < SIZE.top || at > height - SIZE.bottom) return [];
      return [
        line(SIZE.left, at, width - SIZE.right, at, '--limit', 'stroke-dasharray="3 3"'),
        text(width - SIZE.right - 4, at - 3, `${label} ${chart.formatY(value)}`, 'end'),
      ];
    }),
    ...chart.lines.map(({ label, colour }, i) => {
      const at = SIZE.left + i * 130;
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

function scalesOf({ x, lines, limits = [], minY = 0, maxY, logX, logY, rangeX }: ChartProps): {
  x: Scale;
  y: Scale;
} {
  const values = lines.flatMap((one) => one.values.filter((value) => value !== null));
  const highest = values.reduce((a, b) => Math.max(a, b), 0);
  const drawn = limits.filter(({ value }) => isShown(value, highest));
  const top = maxY ?? 1.06 * Math.max(highest, ...drawn.map(({ value }) => value));
  const least = values.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), highest);
  const { width, height, left, right, bottom } = SIZE;
  return {
    x: scale(rangeX?.[0] ?? x[0] ?? 0, rangeX?.[1] ?? x.at(-1) ?? 1, logX === true, (share) => {
      return left + share * (width - left - right);
    }),
    y: scale(logY === true ? least : minY, top, logY === true, (share) => {
      return height - bottom - share * (height - bottom - SIZE.top);
    }),
  };
}

function scale(low: number, high: number, log: boolean, at: (share: number) => number): Scale {
  const span = high - low || 1;
  if (log) {
    const [from, to] = [Math.log10(low), Math.log10(high)];
    const ticks: number[] = [];
    for (let power = Math.ceil(from); power <= to; power++) ticks.push(10 ** power);
    const place = (value: number): number => at((Math.log10(value) - from) / (to - from || 1));
    return { ticks, place };
  }
  const rough = 10 ** Math.floor(Math.log10(span / TICKS));
  const step = [1, 2, 5, 10].map((n) => n * rough).find((size) => span / size <= TICKS)!;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  const ticks = Array.from({ length: count }, (_, i) => (first + i) * step);
  return { ticks, place: (value) => at((value - low) / span) };
}

type Place = (value: number) => number;

function pathOf({ values, colour, kind }: ChartLine, x: readonly number[], px: Place, py: Place) {
  const points = values.flatMap((value, i) =>
    value === null ? [] : [[px(x[i]!).toFixed(1), py(value).toFixed(1)] as const],
  );
  if (kind === 'dots') {
    return points
      .map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="2" fill="${colour}"/>`)
      .join('');
  }
  const steps = kind === 'steps' || kind === 'bars';
  const d = points
    .map(([cx, cy], i) => (i === 0 ? `M${cx} ${cy}` : steps ? `H${cx}V${cy}` : `L${cx} ${cy}`))
    .join('');
  const dash = kind === 'dashed' ? ' stroke-dasharray="5 4"' : '';
  return `<path d="${d}" fill="none" stroke="${colour}" stroke-width="1.6"${dash}/>`;
}

function line(ax: number, ay: number, bx: number, by: number, colour: string, more = ''): string {
  const points = `x1="${ax}" y1="${ay}" x2="${bx}" y2="${by}"`;
  return `<line ${points} stroke="${colourOf(colour)}" ${more}/>`;
}

function text(x: number, y: number, words: string, anchor: string, more = ''): string {
  const safe = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const place = `x="${x}" y="${y}" text-anchor="${anchor}"`;
  return `<text ${place} fill="${colourOf('--text')}" ${more}>${safe}</text>`;
}
