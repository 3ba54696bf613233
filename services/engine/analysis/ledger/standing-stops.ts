import type { Engine } from '../../device/engine.js';

/**
 * Among so many ports (numbered through the service), the first that did not refresh a pause; or
 * -1.
 */
export function lapsedStop(engine: Engine, among = engine.shared.ports.count): number {
  for (let port = 0; port < among; port++) {
    if (engine.mechanisms.some((mechanism) => mechanism.isRefreshed?.(port) === false)) return port;
  }
  return -1;
}
