/** Marks of a decade, from many to few. */
const STEPS = [[1, 2, 3, 5, 7], [1, 2, 5], [1]] as const;
/** Pixels between two marks, for their labels. */
const ROOM = 46;
/** A mark may lie so far beyond an end of the axis. */
const BEYOND = 1.06;

/** Where a logarithmic axis is marked: decades, and between them as far as there is room. */
export function logTicks([from, to]: readonly [number, number], pixels: number): number[] {
  const decade = pixels / Math.log10(to / from || 10);
  const steps = STEPS.find((some) => decade * closest(some) >= ROOM) ?? STEPS.at(-1)!;
  const ticks: number[] = [];
  for (let unit = 10 ** Math.floor(Math.log10(from)); unit <= to * BEYOND; unit *= 10) {
    for (const step of steps) ticks.push(step * unit);
  }
  return ticks.filter((tick) => tick > from / BEYOND && tick < to * BEYOND);
}

/** How near two marks are, of a decade. */
function closest(steps: readonly number[]): number {
  return Math.min(...steps.map((step, i) => Math.log10((steps[i + 1] ?? 10) / step)));
}
