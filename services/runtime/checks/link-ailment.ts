import { mechanismAilmentOf, pauseAilmentOf } from '../../engine/analysis/recovery/link-health.js';
import type { Engine } from '../../engine/device/engine.js';
import { GRANTS } from '../../mechanisms/registry.js';

/**
 * What is still wrong with one direction of a link, at a moment when every actor has executed the
 * same time; null when nothing is. `port` is the sender's, numbered through the service.
 */
export function ailmentOf(engine: Engine, port: number): string | null {
  return (
    GRANTS.ailmentOf(engine, port) ??
    mechanismAilmentOf(engine, port) ??
    pauseAilmentOf(engine, port)
  );
}
