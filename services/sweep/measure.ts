import { PS_PER_S } from '../engine/units/time.js';
import { ailmentOf } from '../runtime/checks/link-ailment.js';
import { PAYLOAD } from '../engine/device/host/receivers.js';
import type { Engine } from '../engine/device/engine.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { FaultSection } from '../fabric/scenario/fault-section.js';
import { faultEndPs } from '../fabric/scenario/fault-section.js';
import { EVERYWHERE, type SliceMetric } from '../mechanisms/mechanism-slice.js';
import { MECHANISM_METRICS } from '../mechanisms/registry.js';
import { LENSES, PORT_MEASURES } from '../measures/port-measures.js';
import type { Percentiles } from '../measures/statistics.js';
import { observersOf } from '../runtime/observers.js';
import { Session } from '../runtime/session.js';
import { rolesOf, victimsOf } from '../telemetry/congestion/flow-roles.js';
import { treesOfRun } from '../telemetry/congestion/trees-of-run.js';
import { type Outcome, outcomeOf } from './outcome.js';

/** What a run of a sweep measures: the costs of its faults, or of its load where it has none. */
export interface FaultCost {
  /** Payload per second of the whole run. */
  readonly goodputBps: number;
  /** Before the first fault, while there are faults, and after the last; null: no such time. */
  readonly goodputBeforeBps: number | null;
  readonly goodputDuringBps: number | null;
  readonly goodputAfterBps: number | null;
  /** How long the worst port and priority was paused while there were faults, or in the run. */
  readonly pauseTimePs: number;
  /**
   * From the end of the last fault until all links had recovered; null if they had not by the end.
   */
  readonly recoveryPs: number | null;
  /** What mechanisms measure for sweeps, by metric. */
  readonly ofMechanisms: Readonly<Record<string, number>>;
  /** Of messages; null where one in a hundred, or more, is not complete, or there are none. */
  readonly fctP99Ps: number | null;
  /** Its lower bound, whatever is not complete; null where there are no messages. */
  readonly fctP99AtLeastPs: number | null;
  /** By load, and for its victims. */
  readonly outcome: Outcome;
  readonly digest: string;
}

/** Interval of the checks whether all links have recovered. */
const SAMPLE_PS = 1e6;

interface Payload {
  readonly atPs: number;
  readonly payloadOctets: number;
}

interface Moment extends Payload {
  /** By port and priority, in ps. */
  readonly blocked: Float64Array;
}

const BEGIN: Payload = { atPs: 0, payloadOctets: 0 };

/** Runs a fabric and compares its results before, during and after its faults. */
export function measure(fabric: Fabric, durationPs: number): FaultCost {
  const session = new Session(fabric, { check: false }, { ...observersOf(fabric), episodes: true });
  const { engine } = session;
  const { faults } = fabric.scenario;
  const [startPs, overPs] = disturbedTime(faults, durationPs);
  const momentAt = (atPs: number): Moment => {
    session.runTo(atPs);
    return { atPs, payloadOctets: payloadOf(engine), blocked: blockedOf(engine, atPs) };
  };
  const start = momentAt(startPs);
  const over = momentAt(overPs);
  const recoveryPs = overPs < durationPs ? recover(session, overPs, durationPs) : null;
  const end = momentAt(durationPs);
  const results = session.results('complete');
  const { digest, flows, priorities } = results;
  const trees = treesOfRun(fabric, results, session.congestion()!);
  const roles = rolesOf(trees, flows);
  return {
    goodputBps: rate(BEGIN, end) ?? 0,
    goodputBeforeBps: rate(BEGIN, start),
    goodputDuringBps: faults.length === 0 ? null : rate(start, over),
    goodputAfterBps: rate(over, end),
    pauseTimePs: Math.max(0, ...over.blocked.map((ps, i) => ps - start.blocked[i]!)),
    recoveryPs,
    ofMechanisms: Object.fromEntries(
      Object.entries<SliceMetric<object>>(MECHANISM_METRICS)
        .filter(([, { inSweeps }]) => inSweeps !== undefined)
        .map(([name, metric]) => [name, metric.measure(results, EVERYWHERE) ?? 0]),
    ),
    ...fctP99(priorities.flatMap(({ completionPs }) => completionPs ?? [])),
    outcome: outcomeOf(results, roles, new Set(victimsOf(trees))),
    digest,
  };
}

function recover(session: Session, overPs: number, durationPs: number): number | null {
  const { engine } = session;
  for (let atPs = overPs + SAMPLE_PS; atPs <= durationPs; atPs += SAMPLE_PS) {
    session.runTo(atPs);
    let isWell = true;
    for (let port = 0; port < engine.shared.ports.count && isWell; port++) {
      isWell = ailmentOf(engine, port) === null;
    }
    if (isWell) return atPs - overPs;
  }
  return null;
}

/** Of the priority whose p99 is the largest; it is known where all of them are. */
function fctP99(all: readonly Percentiles[]): Pick<FaultCost, 'fctP99Ps' | 'fctP99AtLeastPs'> {
  if (all.length === 0) return { fctP99Ps: null, fctP99AtLeastPs: null };
  const fctP99AtLeastPs = Math.max(...all.map(({ atLeast }) => atLeast.p99));
  const isKnown = all.every(({ p99 }) => p99 !== null);
  return { fctP99Ps: isKnown ? fctP99AtLeastPs : null, fctP99AtLeastPs };
}

function rate(from: Payload, to: Payload): number | null {
  const ps = to.atPs - from.atPs;
  return ps === 0 ? null : ((to.payloadOctets - from.payloadOctets) * 8 * PS_PER_S) / ps;
}

function payloadOf({ devices, receivers }: Engine): number {
  let octets = 0;
  for (const { rows } of devices) {
    const { first, count } = rows.receive;
    for (let c = first; c < first + count; c++) octets += receivers.get(c, PAYLOAD);
  }
  return octets;
}

/** From the first fault to the end of the last; the whole run where there is none. */
function disturbedTime(faults: readonly FaultSection[], durationPs: number): [number, number] {
  if (faults.length === 0) return [0, durationPs];
  const starts = faults.map(({ startPs }) => startPs);
  const ends = faults.map(faultEndPs);
  return [Math.min(durationPs, ...starts), Math.min(durationPs, Math.max(...ends))];
}

function blockedOf(engine: Engine, nowPs: number): Float64Array {
  const { count } = engine.shared.ports;
  const { read } = PORT_MEASURES[LENSES.blocked];
  return Float64Array.from({ length: count * 8 }, (_, i) =>
    read({ engine, port: i >> 3, priority: i & 7, nowPs }),
  );
}
