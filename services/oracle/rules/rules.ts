import type { Configuration } from '../configuration.js';
import { Negotiation } from '../model/negotiation.js';
import type { Model, Observer } from '../model/model.js';
import type { Verdict } from '../verdict.js';
import { Arbiters } from './arbiters.js';
import { Buffers } from './buffers.js';
import { CongestionPoints } from './congestion-points.js';
import { CreditBooks, CreditLines } from './credit-books.js';
import { Gates } from './gates.js';
import { LinkRetry } from './link-retry.js';
import { Marking } from './marking.js';
import { Pacing } from './pacing.js';
import { PauseInitiators } from './pause-initiators.js';
import { PauseResponders, StationPauses } from './pause-responders.js';
import { Routes } from './routes.js';
import { Slots } from './slots.js';
import { SourceFlowControl } from './source-flow-control.js';

export function rulesOf(
  configuration: Configuration,
  fabric: Pick<Model, 'devices' | 'ports'>,
  verdict: Verdict,
): Observer[] {
  const negotiation = new Negotiation(configuration, fabric.ports, verdict);
  const model: Model = { configuration, ...fabric, negotiation, verdict };
  const routes = new Routes(model);
  const buffers = new Buffers(model);
  const initiators = new PauseInitiators(model, buffers);
  const slots = new Slots(model, initiators);
  const responders = new PauseResponders(model);
  const stations = new StationPauses(model);
  const books = new CreditBooks(model);
  const lines = new CreditLines(model, books);
  const gates = new Gates(model, { responders, stations, books, lines });
  const arbiters = new Arbiters(model, gates);
  const marking = new Marking(model);
  const retry = new LinkRetry(model);
  const pacing = new Pacing(model);
  const points = new CongestionPoints(model);
  const sources = new SourceFlowControl(model, buffers, responders);
  negotiation.begin();
  // Gates compare what may have started before a pause changes that.
  return [
    ...[routes, buffers, initiators, slots, gates, negotiation, responders, stations],
    ...[arbiters, marking, books, lines, retry, pacing, points, sources],
  ];
}
