import type { Engine } from '../../engine/device/engine.js';
import { StandingFault } from '../../engine/faults/standing-fault.js';
import { formatPs } from '../../engine/units/time.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Flow } from '../../fabric/load/flow.js';
import type { FlowResult, RunResults } from '../../runtime/results/results.js';

/** A flow that nothing arrives of for so much of a run, with nothing wrong any more, is stuck. */
const PATIENCE_OF_RUN = 0.4;
/** Longer than the way there and back, of the longest link. */
const WAYS = 12;
/** The longest pause that a frame can state: so many quanta of 512 bits. */
const MOST_PAUSE_OCTETS = 65_535 * 64;
/** A reliable flow may wait for its timer several times over. */
const TIMEOUTS = 10;

/** A finite flow that should be done by now, or still get on, and does neither; or null. */
export function stuckFlow(fabric: Fabric, engine: Engine, results: RunResults): string | null {
  const { durationPs, virtualPs, flows, priorities } = results;
  if (durationPs === null || !mayTell(fabric)) return null;
  const overPs = lastFaultPs(fabric, durationPs);
  const wayPs = WAYS * Math.max(...fabric.linkEnds.flat().map(({ latencyPs }) => latencyPs));
  const losing = new Set(
    priorities.filter(({ drops }) => Object.keys(drops).length > 0).map(({ priority }) => priority),
  );
  for (const [index, flow] of fabric.flows.entries()) {
    const result = flows[index]!;
    if (!isOwed(flow, result, losing) || isRefused(engine, flow.priority)) continue;
    const sincePs = Math.max(overPs, flow.startPs, result.lastArrivalPs ?? 0);
    if (virtualPs - sincePs <= Math.max(wayPs, patienceOf(flow, durationPs))) continue;
    return `flow ${flow.name} of priority ${flow.priority} is stuck since ${formatPs(sincePs)}`;
  }
  return null;
}

/** Where an administrator, or a miswired link, may cut hosts off from each other for good. */
function mayTell({ scenario }: Fabric): boolean {
  return !scenario.faults.some(({ kind }) => kind === 'mis-cabling');
}

/** Link partners that have not agreed on a priority send nothing of it. */
function isRefused({ discovery, shared }: Engine, priority: number): boolean {
  for (let port = 0; port < shared.ports.count; port++) {
    if (discovery.holdReason(port, priority) !== null) return true;
  }
  return false;
}

/** Raw frames that are lost are lost. */
function isOwed(flow: Flow, result: FlowResult, losing: ReadonlySet<number>): boolean {
  const isFinite = flow.messages !== Infinity && flow.messageBytes !== Infinity;
  if (!isFinite || flow.group || flow.after.length > 0 || result.completionPs !== null)
    return false;
  // A NIC may drop what bears the address of another.
  if (flow.address !== null) return false;
  return (
    flow.endPs === Infinity && (flow.transport.kind === 'reliable' || !losing.has(flow.priority))
  );
}

function patienceOf({ transport }: Flow, durationPs: number): number {
  const timeoutPs = transport.kind === 'reliable' ? transport.timeoutPs : 0;
  return Math.max(PATIENCE_OF_RUN * durationPs, TIMEOUTS * timeoutPs);
}

/** When the last fault was over; the end of the run if one never is. */
function lastFaultPs({ specs }: Fabric, durationPs: number): number {
  let latestPs = 0;
  const octetPs = Math.max(...specs.flatMap(({ ports }) => ports.map((port) => port.octetPs)));
  const pausePs = MOST_PAUSE_OCTETS * octetPs;
  for (const { effect, ...spec } of specs.flatMap(({ ports }) => ports.flatMap((p) => p.faults))) {
    if (effect.kind === 'excuse') continue;
    const fault = new StandingFault({ ...spec, effect });
    // A spoofed pause lasts as long as its frame states.
    const lastsPs = effect.kind === 'send' || effect.kind === 'control' ? pausePs : 0;
    while (fault.beginPs < durationPs) {
      fault.begin();
      latestPs = Math.max(latestPs, Math.min(fault.endPs + lastsPs, durationPs));
      fault.finish();
    }
  }
  return latestPs;
}
