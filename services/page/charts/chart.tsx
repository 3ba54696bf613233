import type { JSX } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { useTimeWindow, zoomTo } from '../address.js';
import { Faults } from '../faults.js';
import { bandsOf, drawBands } from './fault-bands.js';
import type { ChartProps } from './chart-data.js';
import { CHART_HEIGHT, startOf } from './chart-data.js';
import { ExportButtons } from './export-buttons.js';
import { dataOf, optionsOf } from './plot-options.js';
import { useSeen } from './use-seen.js';
import './charts.css';

export function Chart(props: ChartProps): JSX.Element {
  const { title, theme, x, lines, mark, limits = [], overTime = false } = props;
  const height = props.height ?? CHART_HEIGHT;
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const markAt = useRef<number | null>(null);
  markAt.current = mark ?? null;
  const timeWindow = useTimeWindow();
  const window = overTime ? timeWindow : null;
  const windowNow = useRef(window);
  windowNow.current = window;

  const faults = useContext(Faults);
  const isSeen = useSeen(frame);
  // At once: a page that is printed is not drawn again before.
  useLayoutEffect(() => {
    if (!isSeen) return;
    const element = frame.current!;
    const options = optionsOf(props, element.clientWidth, markAt, windowNow);
    const bands = overTime ? bandsOf(faults) : [];
    const made = new uPlot(
      {
        ...options,
        hooks: {
          ...options.hooks,
          drawClear: [
            (own) => {
              drawBands(own, bands);
            },
          ],
        },
      },
      dataOf(x, lines),
      element,
    );
    plot.current = made;
    const watch = new ResizeObserver(() => {
      made.setSize({ width: element.clientWidth, height });
    });
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [theme, keyOf(props), isSeen]);
  useEffect(() => {
    plot.current?.setData(dataOf(x, lines));
  }, [x, lines]);
  useEffect(() => {
    const [from, to] = window ?? props.rangeX ?? [startOf(x), x.at(-1)];
    if (!overTime || to === undefined || from >= to) return;
    plot.current?.setScale('x', { min: from, max: to });
  }, [window?.[0], window?.[1]]);
  useEffect(() => {
    plot.current?.redraw(false);
  }, [mark, limits]);
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        {window !== null && (
          <button
            type="button"
            class="link"
            onClick={() => {
              zoomTo(null);
            }}
          >
            all of it
          </button>
        )}
        <ExportButtons chart={props} canvas={() => plot.current?.ctx.canvas ?? null} />
      </figcaption>
      <div ref={frame} style={{ minHeight: `${height}px` }} />
    </figure>
  );
}

/** What a plot cannot change once it is made. */
function keyOf({ lines, limits = [], logX, logY, rangeX, maxY }: ChartProps): string {
  const names = lines.map(({ label, kind }) => `${label} ${kind ?? ''}`);
  return [...names, ...limits.map(({ label }) => label), logX, logY, rangeX, maxY].join();
}
