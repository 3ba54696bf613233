/** Of an axis that has room for 1, 2, 5 of each decade, and of one that has for more. */
const SHORT = 100;
const SHORTEST = 8;
/** A mark may lie so far beyond an end of the axis. */
const BEYOND = 1.06;

/** Where a logarithmic axis is marked: decades, or some of each where there are few. */
export function logTicks([from, to]: readonly [number, number]): number[] {
  const ticks: number[] = [];
  const ratio = to / from;
  const steps = ratio <= SHORTEST ? [1, 1.5, 2, 3, 5, 7] : ratio <= SHORT ? [1, 2, 5] : [1];
  for (let decade = 10 ** Math.floor(Math.log10(from)); decade <= to * BEYOND; decade *= 10) {
    for (const step of steps) ticks.push(step * decade);
  }
  return ticks.filter((tick) => tick > from / BEYOND && tick < to * BEYOND);
}
