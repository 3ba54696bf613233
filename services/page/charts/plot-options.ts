import uPlot from 'uplot';
import type { TimeWindow } from '../address.js';
import { zoomTo } from '../address.js';
import { colourOf } from '../colours.js';
import { axisLabels } from './axis-labels.js';
import { logTicks } from './log-ticks.js';
import type { ChartLimit, ChartLine, ChartProps } from './chart-data.js';
import { CHART_HEIGHT, startOf } from './chart-data.js';

/** Of pixels: a shorter drag is a click. */
const DRAG_LEAST = 6;
/** A level so far above all values would press them flat: it is not drawn. */
const LIMIT_FAR = 4;

const WHOLE_STEPS = Array.from({ length: 13 }, (_, decade) =>
  [1, 2, 5].map((step) => step * 10 ** decade),
).flat();
/** Pixels that the name of a level needs. */
const LIMIT_TEXT = 14;
/** And that the title of an axis does. */
const AXIS_TITLE = 16;
/** Pixels between two bars. */
const BAR_GAP = 2;

interface Ref<T> {
  readonly current: T;
}

export function dataOf(x: readonly number[], lines: readonly ChartLine[]): uPlot.AlignedData {
  return [[...x], ...lines.map(({ values }) => [...values])];
}

export function optionsOf(
  props: ChartProps,
  width: number,
  markAt: Ref<number | null>,
  window: Ref<TimeWindow | null>,
): uPlot.Options {
  const { lines, formatX, formatY, logX = false, logY = false, minY = 0, maxY } = props;
  const { overTime = false, limits = [], wholeY = false } = props;
  const axis = {
    stroke: colourOf('--faint'),
    grid: { stroke: colourOf('--grid'), width: 1 },
    ticks: { stroke: colourOf('--grid'), width: 1, size: 4 },
    font: '11px system-ui, sans-serif',
    labelFont: '11px system-ui, sans-serif',
    labelSize: AXIS_TITLE,
    labelGap: 0,
  };
  const xTitle = props.xTitle ?? (overTime ? 'time' : undefined);
  const { yTitle } = props;
  const ticks = !logX
    ? {}
    : {
        splits: ({ bbox }: uPlot, _: number, low: number, high: number) =>
          logTicks([low, high], bbox.width / devicePixelRatio),
        filter: (_: uPlot, marks: number[]) => marks,
      };
  const highest = Math.max(0, ...valuesOf(lines));
  const shown = limits.filter(({ value }) => isShown(value, highest));
  const top = Math.max(0, ...shown.map(({ value }) => value));
  return {
    width,
    height: props.height ?? CHART_HEIGHT,
    cursor: {
      ...(overTime ? { sync: { key: 'time' }, y: false } : {}),
      drag: { x: overTime, y: false, setScale: false, dist: DRAG_LEAST },
    },
    scales: {
      x: {
        time: false,
        distr: distribution(logX),
        range: (plot, low, high) => {
          const from = overTime ? startOf(plot.data[0]) : low;
          return rangeOf(window.current ?? props.rangeX ?? null, Math.min(from, low), high);
        },
      },
      y: {
        distr: distribution(logY),
        range: (_, low, high) =>
          logY
            ? decades(low, high)
            : [minY, maxY ?? Math.max(Math.max(high, top) * 1.06, minY + 1e-9)],
      },
    },
    axes: [
      {
        ...axis,
        ...ticks,
        ...(xTitle !== undefined && { label: xTitle }),
        size: 30,
        space: 70,
        values: (_, marks) => axisLabels(marks, formatX),
      },
      {
        ...axis,
        ...(wholeY && { incrs: WHOLE_STEPS }),
        ...(yTitle !== undefined && { label: yTitle }),
        size: 66,
        space: 36,
        values: (_, marks) => {
          const isEmpty = highest === 0 && top === 0 && maxY === undefined;
          return axisLabels(
            isEmpty ? marks.map((mark) => (mark === 0 ? 0 : null)) : marks,
            formatY,
          );
        },
      },
    ],
    series: [
      { label: 'at', value: (_, value, __, at) => legendText(at, value, formatX) },
      ...lines.map((line) => seriesOf(line, formatY)),
    ],
    hooks: {
      draw: [
        (plot) => {
          if (markAt.current !== null) drawMark(plot, markAt.current);
          for (const limit of shown) drawLimit(plot, limit, formatY);
        },
      ],
      setSelect: [
        (plot) => {
          const { left, width: selected } = plot.select;
          if (selected < DRAG_LEAST) return;
          zoomTo([plot.posToVal(left, 'x'), plot.posToVal(left + selected, 'x')]);
          plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        },
      ],
      ready: [
        (plot) => {
          listen(plot, props.onPick, overTime);
        },
      ],
    },
  };
}

export function isShown(value: number, highest: number): boolean {
  return value > 0 && value <= LIMIT_FAR * highest;
}

/** A click picks a time, a double click shows all of it again. */
function listen(plot: uPlot, onPick: ((x: number) => void) | undefined, overTime: boolean): void {
  let downAt = 0;
  plot.over.addEventListener('mousedown', ({ clientX }) => {
    downAt = clientX;
  });
  plot.over.addEventListener('click', ({ clientX, offsetX }) => {
    if (Math.abs(clientX - downAt) < DRAG_LEAST) onPick?.(plot.posToVal(offsetX, 'x'));
  });
  if (!overTime) return;
  plot.over.addEventListener('dblclick', () => {
    zoomTo(null);
  });
}

function valuesOf(lines: readonly ChartLine[]): number[] {
  return lines.map(({ values }) => values.reduce<number>((a, b) => Math.max(a, b ?? 0), 0));
}

/** One value alone is drawn in the middle. */
function rangeOf(window: TimeWindow | null, low: number, high: number): [number, number] {
  if (window !== null) return [window[0], window[1]];
  return low === high ? [low / 2, low * 1.5] : [low, high];
}

/** Whole decades, so that their marks are on the axis. */
function decades(low: number, high: number): [number, number] {
  return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high * 1.01))];
}

/** uPlot numbers its scales: 1 is linear, 3 logarithmic. */
function distribution(isLogarithmic: boolean): uPlot.Scale.Distr {
  // The names of these numbers exist for the compiler only.
  return isLogarithmic ? 3 : 1;
}

/** Nothing while the cursor is elsewhere. */
function legendText(at: number | null, value: number | null | undefined, format: Format): string {
  if (at === null) return '';
  return value === null || value === undefined ? '–' : format(value);
}

function seriesOf(line: ChartLine, format: (value: number) => string): uPlot.Series {
  const { label, colour, kind } = line;
  return {
    label,
    stroke: colour,
    width: kind === 'dots' ? 0 : 1.6,
    value: (_, value, __, at) => legendText(at, value, format),
    points:
      kind === 'dots' ? { show: true, size: 4, fill: colour, stroke: colour } : { show: false },
    spanGaps: kind !== 'dots' && line.gaps !== true,
    ...(kind === 'dots' ? { paths: () => null } : {}),
    ...(kind === 'dashed' ? { dash: [5, 4] } : {}),
    ...(kind === 'steps' ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
    ...(kind === 'bars' ? { paths: barsPath(line), width: 0, fill: colour } : {}),
    ...(kind === 'area' ? { fill: `${colour}33` } : {}),
  };
}

/** Each from its edge to the next one, whatever the axis; what counts nothing is not drawn. */
function barsPath({ values, edges = [] }: ChartLine): uPlot.Series.PathBuilder {
  return (plot) => {
    const fill = new Path2D();
    const gap = BAR_GAP * devicePixelRatio;
    const floor = plot.valToPos(0, 'y', true);
    values.forEach((value, i) => {
      if (!value) return;
      const [left, right] = [edges[i]!, edges[i + 1]!].map((edge) =>
        plot.valToPos(edge, 'x', true),
      );
      const top = Math.min(plot.valToPos(value, 'y', true), floor - devicePixelRatio);
      fill.rect(left! + gap / 2, top, Math.max(gap, right! - left! - gap), floor - top);
    });
    return { fill };
  };
}

function drawMark(plot: uPlot, at: number): void {
  const { ctx, bbox } = plot;
  const x = plot.valToPos(at, 'x', true);
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  ctx.save();
  ctx.strokeStyle = colourOf('--accent');
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}

function drawLimit(plot: uPlot, { label, value }: ChartLimit, format: Format): void {
  const { ctx, bbox } = plot;
  const y = plot.valToPos(value, 'y', true);
  if (y < bbox.top || y > bbox.top + bbox.height) return;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colourOf('--limit');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.font = `${10.5 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'right';
  const text = `${label} ${format(value)}`;
  // Above its line, or below where there is no room.
  const isAtTop = y - LIMIT_TEXT * devicePixelRatio < bbox.top;
  ctx.textBaseline = isAtTop ? 'top' : 'bottom';
  const gap = (isAtTop ? 3 : -2) * devicePixelRatio;
  ctx.fillText(text, bbox.left + bbox.width - 4 * devicePixelRatio, y + gap);
  ctx.restore();
}

type Format = (value: number) => string;
