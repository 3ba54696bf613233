import type { Configuration } from '../configuration.js';
import type { Observer } from '../model/observer.js';
import type { Device } from '../model/port.js';
import type { Verdict } from '../verdict.js';
import { Routes } from './routes.js';

/** All rules, in the order in which they see an event. */
export function rulesOf(
  configuration: Configuration,
  devices: readonly Device[],
  verdict: Verdict,
): readonly Observer[] {
  return [new Routes(configuration, devices, verdict)];
}
