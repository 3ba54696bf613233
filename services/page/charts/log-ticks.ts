/** Of an axis that has room for 1, 2, 5. */
const SHORT = 100;
/** A mark may lie so far beyond an end of the axis. */
const BEYOND = 1.06;

/** Where a logarithmic axis is marked: decades, or 1, 2 and 5 of each where there are few. */
export function logTicks([from, to]: readonly [number, number]): number[] {
  const ticks: number[] = [];
  const isShort = to / from <= SHORT;
  for (let decade = 10 ** Math.floor(Math.log10(from)); decade <= to * BEYOND; decade *= 10) {
    for (const step of isShort ? [1, 2, 5] : [1]) ticks.push(step * decade);
  }
  return ticks.filter((tick) => tick > from / BEYOND && tick < to * BEYOND);
}
