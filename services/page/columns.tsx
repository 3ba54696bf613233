import type { ComponentChildren, JSX } from 'preact';
import { toChildArray } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import './columns.css';

/** Cards in two columns of one height, each where there is most room; the last one is longer. */
export function Columns({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const cells = [...frame.current!.children] as HTMLElement[];
    const watch = new ResizeObserver(() => {
      arrange(frame.current!, cells);
    });
    for (const cell of cells) watch.observe(cell.firstElementChild!);
    return () => {
      watch.disconnect();
    };
  });
  return (
    <div class="columns" ref={frame}>
      {toChildArray(children).map((child, i) => (
        <div key={i} class="cell">
          <div>{child}</div>
        </div>
      ))}
    </div>
  );
}

/** Rows of the grid are pixels, so that a card begins where the one above it ends. */
function arrange(frame: HTMLElement, cells: readonly HTMLElement[]): void {
  // Where the style has one column only, a cell that was placed beside another makes a second one.
  for (const { style } of cells) style.gridArea = '';
  const { gridTemplateColumns, columnGap } = getComputedStyle(frame);
  const gap = parseFloat(columnGap);
  const filled = cells
    .map((cell) => ({ cell, height: cell.firstElementChild!.clientHeight }))
    .filter(({ height }) => height > 0);
  const heights = gridTemplateColumns.split(' ').map(() => 0);
  const last: HTMLElement[] = [];
  for (const { cell, height } of filled) {
    const column = heights.indexOf(Math.min(...heights));
    last[column] = cell;
    cell.style.gridColumn = filled.length === 1 ? '1 / -1' : String(column + 1);
    cell.style.gridRow = `${heights[column]! + 1} / span ${height + gap}`;
    heights[column]! += height + gap;
  }
  const longest = Math.max(...heights);
  last.forEach((cell, column) => {
    const [from] = cell.style.gridRow.split(' / ');
    cell.style.gridRow = `${from!} / ${longest + 1}`;
    cell.classList.toggle('longer', heights[column]! < longest);
  });
  for (const cell of cells) if (!last.includes(cell)) cell.classList.remove('longer');
}
