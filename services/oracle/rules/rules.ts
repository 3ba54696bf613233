import type { Configuration } from '../configuration.js';
import type { Observer } from '../model/observer.js';
import type { Device } from '../model/port.js';
import type { Verdict } from '../verdict.js';
import { Arbiters } from './arbiters.js';
import { Buffers } from './buffers.js';
import { CreditBooks } from './credit-books.js';
import { Gates } from './gates.js';
import { Marking } from './marking.js';
import { PauseInitiators } from './pause-initiators.js';
import { PauseResponders } from './pause-responders.js';
import { Routes } from './routes.js';

/** All rules, in the order in which they see an event. */
export function rulesOf(
  configuration: Configuration,
  devices: readonly Device[],
  verdict: Verdict,
): readonly Observer[] {
  const routes = new Routes(configuration, devices, verdict);
  const buffers = new Buffers(configuration, devices, verdict);
  const initiators = new PauseInitiators(configuration, devices, buffers, verdict);
  const responders = new PauseResponders(configuration, devices, verdict);
  const gates = new Gates(configuration, devices, responders, verdict);
  const arbiters = new Arbiters(configuration, devices, gates, verdict);
  const marking = new Marking(configuration, devices, verdict);
  const books = new CreditBooks(configuration, devices, verdict);
  // Gates compare what may have started before a pause changes that.
  return [routes, buffers, initiators, gates, responders, arbiters, marking, books];
}
