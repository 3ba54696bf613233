import type { Configuration } from '../configuration.js';
import { Negotiation } from '../model/negotiation.js';
import type { Observer } from '../model/observer.js';
import type { Device } from '../model/port.js';
import type { Verdict } from '../verdict.js';
import { Arbiters } from './arbiters.js';
import { Buffers } from './buffers.js';
import { CongestionPoints } from './congestion-points.js';
import { CreditBooks } from './credit-books.js';
import { CreditLines } from './credit-lines.js';
import { Gates } from './gates.js';
import { LinkRetry } from './link-retry.js';
import { Marking } from './marking.js';
import { Pacing } from './pacing.js';
import { PauseInitiators } from './pause-initiators.js';
import { PauseResponders } from './pause-responders.js';
import { Routes } from './routes.js';
import { Slots } from './slots.js';
import { SourceFlowControl } from './source-flow-control.js';
import { StationPauses } from './station-pauses.js';

/** What no rule recomputes yet is named where it runs. */
function declineMessages(devices: readonly Device[], verdict: Verdict): void {
  const settings = devices.map(({ configuration }) => configuration.settings);
  const isolates = settings.some(({ priorities }) =>
    priorities.some(({ mechanisms }) => mechanisms['ci'] === true),
  );
  if (isolates) verdict.decline('messages', 'congestion isolation is not modelled');
}

/** All rules, in the order in which they see an event. */
export function rulesOf(
  configuration: Configuration,
  devices: readonly Device[],
  verdict: Verdict,
): readonly Observer[] {
  const routes = new Routes(configuration, devices, verdict);
  const negotiation = new Negotiation(configuration, devices, verdict);
  const buffers = new Buffers(configuration, devices, negotiation, verdict);
  const hasGroups = configuration.scenario.groups.length > 0;
  const initiators = new PauseInitiators(devices, buffers, hasGroups, negotiation, verdict);
  const slots = new Slots(devices, initiators, verdict);
  const responders = new PauseResponders(devices, negotiation, verdict);
  const stations = new StationPauses(devices, verdict);
  const books = new CreditBooks(configuration, devices, verdict);
  const lines = new CreditLines(devices, books);
  const gates = new Gates(negotiation, devices, { responders, stations }, lines, verdict);
  const arbiters = new Arbiters(configuration, devices, gates, negotiation, verdict);
  const marking = new Marking(configuration, devices, verdict);
  const retry = new LinkRetry(configuration, devices, verdict);
  const pacing = new Pacing(configuration, devices, verdict);
  declineMessages(devices, verdict);
  const points = new CongestionPoints(configuration, devices, verdict);
  const context = { configuration, buffers, responders };
  const sources = new SourceFlowControl(devices, context, verdict);
  negotiation.begin();
  // Gates compare what may have started before a pause changes that.
  return [
    routes,
    buffers,
    initiators,
    slots,
    gates,
    negotiation,
    responders,
    stations,
    arbiters,
    marking,
    books,
    lines,
    retry,
    pacing,
    points,
    sources,
  ];
}
