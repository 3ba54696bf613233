/** Interval (virtual time) of all checks in a checked run. */
const CHECK_INTERVAL_PS = 10e6;

/** The first of these times after another. */
export function nextCheckPs(timePs: number): number {
  return (Math.floor(timePs / CHECK_INTERVAL_PS) + 1) * CHECK_INTERVAL_PS;
}

/** Whether something that lasts from one time to another is present at a check. */
export function isSeen(startPs: number, endPs: number): boolean {
  return nextCheckPs(startPs) <= endPs;
}
