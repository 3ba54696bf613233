import { mechanismAilmentOf, pauseAilmentOf } from '../../engine/analysis/recovery/link-health.js';
import type { Engine } from '../../engine/device/engine.js';
import { MECHANISMS } from '../../mechanisms/registry.js';

const CHECKS = MECHANISMS.flatMap(({ checks }) => checks ?? []);

/**
 * What is still wrong with one direction of a link, at a moment when every actor has executed the
 * same time; null when nothing is. `port` is the sender's, numbered through the service.
 */
export function ailmentOf(engine: Engine, port: number): string | null {
  return countsAilmentOf(engine, port) ?? pauseAilmentOf(engine, port);
}

/** The same of mechanisms that keep count of the link at both of its ends. */
export function countsAilmentOf(engine: Engine, port: number): string | null {
  for (const checks of CHECKS) {
    const ailment = checks.ailmentOf(engine, port);
    if (ailment !== null) return ailment;
  }
  return mechanismAilmentOf(engine, port);
}
