/** What `expect` demands of what every fabric has; mechanisms and jobs add their own. */

import type { Measure } from '../mechanisms/measure.js';
import { having, totalOf } from '../mechanisms/measure.js';
import {
  type ChosenRows,
  type FlowName,
  greatest,
  type Metric,
  sum,
} from '../mechanisms/metric.js';
import { FLOW_MEASURES, type FlowValues } from './flow-measures.js';
import { completionOf, goodputOf, slowdownOf, tallyOf } from './flow-statistics.js';
import { PORT_MEASURES, type PortValues } from './port-measures.js';
import type { Percentiles, Ranks } from './statistics.js';

interface PortRow extends PortValues {
  readonly priority: number;
  readonly drops: Readonly<Record<string, number>>;
}

interface Port {
  readonly port: string;
  readonly device: string;
  readonly controlSent: number;
  readonly priorities: readonly PortRow[];
}

interface Flow extends FlowValues, FlowName {
  readonly flow: number;
  readonly unreachableAt: string | null;
  readonly cause: { readonly word: string; readonly standsStill: boolean } | null;
}

interface DiscoveryPort {
  readonly port: string;
  readonly device: string;
  readonly convergencePs: readonly (number | null)[];
  readonly mismatches: readonly string[];
  readonly exposedFrames: readonly number[];
  readonly statistics: { readonly statsFramesOutTotal: number };
}

/** What metrics are measured of: the results of a run. */
interface Measured {
  readonly digest: string;
  readonly ports: readonly Port[];
  readonly flows: readonly Flow[];
  readonly stalls: readonly { readonly flow: number }[];
  readonly rates: readonly { readonly flow: number; readonly notifications: number }[];
  readonly margins: readonly {
    readonly port: string;
    readonly priority: number;
    readonly headroomUsedOctets: number;
  }[];
  readonly deadlocks: readonly object[];
  readonly storms: readonly object[];
  readonly discovery: { readonly ports: readonly DiscoveryPort[] } | null;
}

type Metrics = Readonly<Record<string, Metric<Measured>>>;

function portsAt({ ports }: Measured, at: ChosenRows): Port[] {
  return ports.filter(({ device, port }) => at.device(device) && at.port(port));
}

function rowsAt(results: Measured, at: ChosenRows): PortRow[] {
  return portsAt(results, at).flatMap(({ priorities }) =>
    priorities.filter(({ priority }) => at.priority(priority)),
  );
}

const UNITS = { ps: 'time', bytes: 'octets' } as const;

function unitOf({ unit }: Measure<never>): Metric<Measured>['unit'] {
  return unit in UNITS ? UNITS[unit as keyof typeof UNITS] : 'count';
}

/** Totals of rows: each measure that is expected, by the name that it has there. */
const OF_PORTS: Metrics = Object.fromEntries(
  having(PORT_MEASURES, 'expected').map(([key, own]) => {
    const [name, meaning] = own.expected;
    const measure = (results: Measured, at: ChosenRows): number =>
      totalOf(
        own.total,
        rowsAt(results, at).map((row) => row[key]),
      );
    return [name, { unit: unitOf(own), meaning, measure }];
  }),
);

const OF_FLOWS: Metrics = Object.fromEntries(
  having(FLOW_MEASURES, 'expected').map(([key, own]) => {
    const [name, meaning] = own.expected;
    const measure = (results: Measured, at: ChosenRows): number | null => {
      const values = flowsAt(results, at).flatMap((flow) => flow[key] ?? []);
      return values.length === 0 ? null : totalOf(own.total, values);
    };
    return [name, { unit: unitOf(own), meaning, measure }];
  }),
);

/** Frames dropped at ports for any of these reasons. */
function drops(meaning: string, reasons: readonly string[]): Metric<Measured> {
  return {
    unit: 'count',
    meaning,
    measure: (results, at) =>
      sum(rowsAt(results, at).flatMap((row) => reasons.map((reason) => row.drops[reason] ?? 0))),
  };
}

const DROPS: Metrics = {
  drops: drops('frames dropped for want of buffer', [
    'headroom-exhausted',
    'ingress-threshold',
    'egress-threshold',
    'buffer-full',
    'no-slot',
    'no-temporary-slot',
    'wred',
    'trimmed',
  ]),
  'lossless-drops': drops('frames of lossless priorities dropped for want of buffer', [
    'headroom-exhausted',
  ]),
  'watchdog.drops': drops('frames lost to watchdogs, dropped or sent where no room was left', [
    'watchdog',
    'overflow-by-watchdog',
  ]),
  'host-drops': drops('frames that a real host sent while it was paused, without room left', [
    'overflow-by-host',
  ]),
  'fault-drops': drops('frames lost to faults and errors of links', [
    'link-down',
    'lost-on-link',
    'fcs-error',
    'poisoned',
    'device-reset',
    'overflow-by-fault',
    'port-down',
    'unreachable',
    'not-granted',
    'link-not-ready',
  ]),
};

const CONTROL: Metrics = {
  'pause.frames': {
    unit: 'count',
    meaning: 'pause frames sent (802.3 Annexes 31B and 31D)',
    // Of one priority, those that name it.
    measure: (results, at) =>
      at.isOfPriority
        ? sum(rowsAt(results, at).map(({ stopsSent }) => stopsSent))
        : sum(
            portsAt(results, at).flatMap(({ priorities, controlSent }) =>
              priorities.length > 0 ? [controlSent] : [],
            ),
          ),
  },
  notifications: {
    unit: 'count',
    meaning: 'congestion notifications (CNP, CNM) that senders received',
    measure: (results, at) => {
      const chosen = numbersOf(flowsAt(results, at));
      const rates = results.rates.filter(({ flow }) => chosen.has(flow));
      return sum(rates.map(({ notifications }) => notifications));
    },
  },
  'headroom.used': {
    unit: 'octets',
    meaning: 'most headroom in use by a priority of a port',
    measure: ({ margins }, at) =>
      greatest([
        0,
        ...margins
          .filter(({ port, priority }) => {
            const device = port.slice(0, port.lastIndexOf(':'));
            return at.priority(priority) && at.port(port) && at.device(device);
          })
          .map(({ headroomUsedOctets }) => headroomUsedOctets),
      ]),
  },
};

function flowsAt({ flows }: Measured, at: ChosenRows): Flow[] {
  return flows.filter((flow) => at.flow(flow));
}

function numbersOf(flows: readonly Flow[]): ReadonlySet<number> {
  return new Set(flows.map(({ flow }) => flow));
}

/** Where a percentile falls among unfinished flows, only its lower bound is known. */
function ranked(
  [unit, meaning]: readonly ['time' | 'ratio', string],
  percentiles: (flows: readonly Flow[]) => Percentiles | null,
  rank: keyof Ranks<number>,
): Metric<Measured> {
  const measure: Metric<Measured>['measure'] = (results, at) => {
    const found = percentiles(flowsAt(results, at));
    if (found === null) return null;
    const { total, count, atLeast } = found;
    return found[rank] ?? { atLeast: atLeast[rank], unfinished: total - count, total };
  };
  return { unit, meaning, measure };
}

const GOODPUT: Metric<Measured>['measure'] = (results, at) => goodputOf(flowsAt(results, at));

const FLOWS: Metrics = {
  completed: {
    unit: 'share',
    meaning: 'share of the flows with a volume that are complete',
    measure: (results, at) => {
      const { done, total } = tallyOf(flowsAt(results, at));
      return total === 0 ? null : done / total;
    },
  },
  'completion.p50': ranked(['time', 'median FCT of flows with a volume'], completionOf, 'p50'),
  'completion.p99': ranked(['time', 'FCT that 99 % of the flows keep'], completionOf, 'p99'),
  'completion.p99.9': ranked(['time', 'FCT that 99.9 % of the flows keep'], completionOf, 'p999'),
  'completion.max': ranked(['time', 'longest FCT'], completionOf, 'max'),
  'slowdown.p50': ranked(
    ['ratio', 'median of FCT over the FCT in an idle fabric'],
    slowdownOf,
    'p50',
  ),
  'slowdown.p99': ranked(['ratio', 'slowdown that 99 % of the flows keep'], slowdownOf, 'p99'),
  throughput: { unit: 'rate', meaning: 'the same as goodput', measure: GOODPUT },
  goodput: {
    unit: 'rate',
    meaning:
      'payload of the chosen flows over the time they were offered, to their end if all of ' +
      'them finished, else to the end of the run',
    measure: GOODPUT,
  },
  share: {
    unit: 'share',
    meaning: 'payload of the chosen flows as a share of that of all flows',
    measure: (results, at) => {
      const payload = (flows: readonly Flow[]): number =>
        sum(flows.map(({ payloadOctets }) => payloadOctets));
      const all = payload(results.flows);
      return all === 0 ? null : payload(flowsAt(results, at)) / all;
    },
  },
  'latency.mean': {
    unit: 'time',
    meaning: 'mean time of raw frames from release to arrival',
    measure: (results, at) => {
      const measured = flowsAt(results, at).filter((flow) => flow.latencyMeanPs !== null);
      const frames = sum(measured.map((flow) => flow.frames));
      const total = sum(measured.map((flow) => flow.latencyMeanPs! * flow.frames));
      return frames === 0 ? null : total / frames;
    },
  },
};

const STANDING: Metrics = {
  'stalled-flows': {
    unit: 'count',
    meaning: 'flows that have stopped progressing at the end, with data still to deliver',
    measure: (results, at) => {
      const chosen = numbersOf(flowsAt(results, at));
      return results.stalls.filter(({ flow }) => chosen.has(flow)).length;
    },
  },
  'starved-flows': {
    unit: 'count',
    meaning: 'flows that stand still since a port serves other classes before theirs',
    measure: (results, at) =>
      flowsAt(results, at).filter(({ cause }) => cause?.word === 'starved' && cause.standsStill)
        .length,
  },
  deadlocks: {
    unit: 'count',
    meaning: 'cyclic buffer dependencies',
    measure: ({ deadlocks }) => deadlocks.length,
  },
  storms: {
    unit: 'count',
    meaning: 'times that a priority of a port was paused longer than observe.storm',
    measure: ({ storms }) => storms.length,
  },
  unreachable: {
    unit: 'count',
    meaning: 'incomplete flows without a route to their destination at the end',
    measure: (results, at) =>
      flowsAt(results, at).filter(({ unreachableAt }) => unreachableAt !== null).length,
  },
};

/** Null where discovery does not run. */
function discovered(
  read: (ports: readonly DiscoveryPort[], at: ChosenRows) => number | null,
): Metric<Measured>['measure'] {
  return ({ discovery }, at) =>
    discovery &&
    read(
      discovery.ports.filter(({ device, port }) => at.device(device) && at.port(port)),
      at,
    );
}

const DISCOVERY: Metrics = {
  convergence: {
    unit: 'time',
    meaning: 'longest time in which discovery settled at all ports, after any change',
    measure: discovered((ports) =>
      greatest(ports.flatMap(({ convergencePs }) => convergencePs.flatMap((ps) => ps ?? []))),
    ),
  },
  mismatches: {
    unit: 'count',
    meaning: 'ports whose configuration does not match that of the link partner',
    measure: discovered((ports) => ports.filter(({ mismatches }) => mismatches.length > 0).length),
  },
  exposed: {
    unit: 'count',
    meaning: 'frames that came while only the receiving end might pause their priority',
    measure: discovered((ports, at) =>
      sum(ports.flatMap(({ exposedFrames }) => exposedFrames.filter((_, p) => at.priority(p)))),
    ),
  },
  lldpdus: {
    unit: 'count',
    meaning: 'LLDPDUs sent',
    measure: discovered((ports) =>
      sum(ports.map(({ statistics }) => statistics.statsFramesOutTotal)),
    ),
  },
};

export const CORE_METRICS: Metrics = {
  ...DROPS,
  ...FLOWS,
  ...OF_FLOWS,
  ...OF_PORTS,
  ...CONTROL,
  ...DISCOVERY,
  ...STANDING,
};

/** The last of any list of metrics. */
export const DIGEST: Metrics = {
  digest: {
    unit: 'text',
    meaning: 'hash over everything that every device executed',
    measure: ({ digest }) => digest,
  },
};
