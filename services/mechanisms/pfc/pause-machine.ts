/** PAUSE has one account per port (every priority is charged to it) and one timer. */
export const PORT_GROUP = 0;
export const PORT_TIMER = 0;

/**
 * The time in a PAUSE frame: the full time while the port's account is at XOFF, zero to release.
 */
export function pauseQuanta(off: number, quanta: number): number {
  return off !== 0 ? quanta : 0;
}
