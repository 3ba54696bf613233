import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Theme } from './colours.js';
import { colourOf } from './colours.js';

export interface ChartLine {
  readonly label: string;
  readonly colour: string;
  readonly values: readonly (number | null)[];
  readonly kind?: 'area' | 'dots' | 'steps' | 'dashed';
  /** Null means that there is nothing, rather than nothing known. */
  readonly gaps?: boolean;
}

interface ChartProps {
  readonly title: string;
  readonly theme: Theme;
  readonly x: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly formatX: (value: number) => string;
  readonly formatY: (value: number) => string;
  readonly logX?: boolean;
  readonly logY?: boolean;
  readonly minY?: number;
  readonly maxY?: number;
  readonly height?: number;
  /** Charts with the same key show the same moment. */
  readonly sync?: string;
  /** Where a line marks the chosen time. */
  readonly mark?: number | null;
  readonly onPick?: (x: number) => void;
}

const HEIGHT = 210;

export function Chart(props: ChartProps): JSX.Element {
  const { title, theme, x, lines, mark } = props;
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const markAt = useRef<number | null>(null);
  markAt.current = mark ?? null;

  useEffect(() => {
    const element = frame.current!;
    const made = new uPlot(
      optionsOf(props, element.clientWidth, markAt),
      dataOf(x, lines),
      element,
    );
    plot.current = made;
    const watch = new ResizeObserver(() => {
      made.setSize({ width: element.clientWidth, height: props.height ?? HEIGHT });
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [theme, lines.map(({ label, kind }) => `${label} ${kind ?? ''}`).join(), props.logX]);
  useEffect(() => {
    plot.current?.setData(dataOf(x, lines));
  }, [x, lines]);
  useEffect(() => {
    plot.current?.redraw(false);
  }, [mark]);
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div ref={frame} />
    </figure>
  );
}

function dataOf(x: readonly number[], lines: readonly ChartLine[]): uPlot.AlignedData {
  return [[...x], ...lines.map(({ values }) => [...values])];
}

function optionsOf(
  props: ChartProps,
  width: number,
  markAt: { readonly current: number | null },
): uPlot.Options {
  const { lines, formatX, formatY, logX = false, logY = false, minY = 0, maxY } = props;
  const axis = {
    stroke: colourOf('--faint'),
    grid: { stroke: colourOf('--grid'), width: 1 },
    ticks: { stroke: colourOf('--grid'), width: 1, size: 4 },
    font: '11px system-ui, sans-serif',
  };
  return {
    width,
    height: props.height ?? HEIGHT,
    ...(props.sync === undefined
      ? {}
      : { cursor: { sync: { key: props.sync }, drag: { x: false, y: false }, y: false } }),
    scales: {
      x: {
        time: false,
        distr: distribution(logX),
        // One value alone stands in the middle.
        range: (_, low, high) => (low === high ? [low / 2, low * 1.5] : [low, high]),
      },
      y: {
        distr: distribution(logY),
        range: (_, low, high) =>
          logY
            ? [Math.min(1, low), high * 1.2]
            : [minY, maxY ?? Math.max(high * 1.06, minY + 1e-9)],
      },
    },
    axes: [
      { ...axis, size: 30, space: 70, values: (_, marks) => marks.map(labelled(formatX)) },
      { ...axis, size: 66, space: 36, values: (_, marks) => marks.map(labelled(formatY)) },
    ],
    series: [
      { label: 'at', value: (_, value) => shown(value, formatX) },
      ...lines.map((line) => seriesOf(line, formatY)),
    ],
    hooks: {
      draw: [
        (plot) => {
          if (markAt.current !== null) drawMark(plot, markAt.current);
        },
      ],
      ready: [
        (plot) => {
          const { onPick } = props;
          if (onPick === undefined) return;
          plot.over.addEventListener('click', (event) => {
            onPick(plot.posToVal(event.offsetX, 'x'));
          });
        },
      ],
    },
  };
}

/** uPlot numbers its scales: 1 is linear, 3 logarithmic. */
function distribution(isLogarithmic: boolean): uPlot.Scale.Distr {
  // The names of these numbers exist for the compiler only.
  // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment
  return isLogarithmic ? 3 : 1;
}

/** On a logarithmic axis uPlot leaves out labels by giving null. */
function labelled(format: (value: number) => string): (value: number | null) => string {
  return (value) => (value === null ? '' : format(value));
}

function shown(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

function seriesOf(line: ChartLine, format: (value: number) => string): uPlot.Series {
  const { label, colour, kind } = line;
  return {
    label,
    stroke: colour,
    width: kind === 'dots' ? 0 : 1.6,
    value: (_, value) => shown(value, format),
    points:
      kind === 'dots' ? { show: true, size: 4, fill: colour, stroke: colour } : { show: false },
    spanGaps: kind !== 'dots' && line.gaps !== true,
    ...(kind === 'dots' ? { paths: () => null } : {}),
    ...(kind === 'dashed' ? { dash: [5, 4] } : {}),
    ...(kind === 'steps' ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
    ...(kind === 'area' ? { fill: `${colour}33` } : {}),
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
