/** Interval (virtual time) of all checks in a checked run. */
const LOOK_INTERVAL_PS = 10e6;

/** The first of these times after another. */
export function nextLookPs(timePs: number): number {
  return (Math.floor(timePs / LOOK_INTERVAL_PS) + 1) * LOOK_INTERVAL_PS;
}

/** Whether something that lasts from one time to another is present at a check. */
export function isSeen(startPs: number, endPs: number): boolean {
  return nextLookPs(startPs) <= endPs;
}
