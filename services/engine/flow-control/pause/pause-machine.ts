/** PAUSE knows one account per port (every priority is charged to it) and one timer. */
export const PORT_GROUP = 0;
export const PORT_TIMER = 0;

/** What a PAUSE frame says: the full time while the port's account is over, zero to release. */
export function pauseQuanta(off: number, quanta: number): number {
  return off !== 0 ? quanta : 0;
}
