import type { JSX } from 'preact';
import { colourOf } from '../colours.js';
import type { ChartProps } from './chart-data.js';
import { csvOf, svgOf } from './chart-files.js';

/** Saves a chart: as a drawing, as a picture of what is seen, or as its numbers. */
export function ExportButtons(props: {
  readonly chart: ChartProps;
  readonly canvas: () => HTMLCanvasElement | null;
}): JSX.Element {
  const { chart, canvas } = props;
  const title = chart.title === '' ? (chart.name ?? 'chart') : chart.title;
  const file = title.replace(/[^\w.-]+/g, '-');
  const savePicture = (): void => {
    const seen = canvas();
    if (seen === null) return;
    withGround(seen).toBlob((blob) => {
      if (blob !== null) save(blob, `${file}.png`);
    });
  };
  return (
    <span class="export" role="group" aria-label={`save ${title}`}>
      <button
        type="button"
        onClick={() => {
          save(new Blob([svgOf(chart, title)], { type: 'image/svg+xml' }), `${file}.svg`);
        }}
      >
        SVG
      </button>
      <button type="button" onClick={savePicture}>
        PNG
      </button>
      <button
        type="button"
        onClick={() => {
          save(new Blob([csvOf(chart)], { type: 'text/csv' }), `${file}.csv`);
        }}
      >
        CSV
      </button>
    </span>
  );
}

/** A plot's canvas is transparent: in a document its letters need a ground. */
function withGround(seen: HTMLCanvasElement): HTMLCanvasElement {
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [seen.width, seen.height];
  const context = copy.getContext('2d')!;
  context.fillStyle = colourOf('--card');
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(seen, 0, 0);
  return copy;
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
