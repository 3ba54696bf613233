import type { Instrument } from '../../mechanisms/mechanism-slice.js';
import { MECHANISMS } from '../../mechanisms/registry.js';
import { PS_PER_S } from '../../engine/units/time.js';
import { PORT_MEASURES, type PortValues } from '../../measures/port-measures.js';
import { having, type Measure, MONITORED_UNITS } from '../../mechanisms/measure.js';
import type {
  Attributes,
  BatchObservableResult,
  Histogram,
  Meter,
  Observable,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { IMetricReader } from '@opentelemetry/sdk-metrics';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { PortMetrics, RunMetrics, RuntimeMetrics, ServiceMetrics } from './run-metrics.js';

type Row = PortMetrics['priorities'][number];

/**
 * Name, unit, meaning, and how to read it; `selvage.` comes before every name. A name ends with its
 * unit, so that Prometheus finds one name, whichever exporter makes it.
 */
type Read<From> = readonly [string, string, string, (from: From) => number];

const OF_PORTS = having(PORT_MEASURES, 'monitored');
const COUNTERS = OF_PORTS.flatMap(([key, own]) => instrumentOf('counter', key, own));
const LEVELS = OF_PORTS.flatMap(([key, own]) => instrumentOf('level', key, own));

/** Of a measure that is monitored so. */
function instrumentOf(
  kind: 'counter' | 'level',
  key: keyof PortValues,
  {
    unit,
    meaning,
    monitored,
  }: Pick<Measure<never>, 'unit' | 'meaning'> & Required<Pick<Measure<never>, 'monitored'>>,
): Read<Row>[] {
  if (monitored.kind !== kind) return [];
  const [name, scale] = MONITORED_UNITS[unit] ?? [`{${unit.replace(/s$/, '')}}`, 1];
  const said = monitored.meaning ?? meaning;
  return [[monitored.name, monitored.unit ?? name, said, (row) => row[key] / scale]];
}

const RUN_COUNTERS: readonly Read<RunMetrics>[] = [
  ['virtual_time.seconds', 's', 'Virtual time that has passed.', (run) => run.virtualPs / PS_PER_S],
  ['link.frames', '{frame}', 'Frames that started on any link.', (run) => run.frameHops],
  ['elapsed.seconds', 's', 'Wall-clock time that has passed.', (run) => run.wallSeconds],
];

const RUN_LEVELS: typeof RUN_COUNTERS = [
  ['progress.ratio', '1', 'Share of the run that is done.', (run) => run.share],
];

const RUNTIME_COUNTERS: readonly Read<RuntimeMetrics>[] = [
  ['rounds', '{round}', 'Rounds of services that have ended.', (run) => run.rounds],
  ['recoveries', '{recovery}', 'Returns of all services to a checkpoint.', (run) => run.recoveries],
  ['messages', '{message}', 'Messages that services sent each other.', (run) => run.messages],
  [
    'resent.messages',
    '{message}',
    'Messages that services sent again.',
    (run) => run.resentMessages,
  ],
  ['checkpoints', '{checkpoint}', 'Checkpoints written.', (run) => run.checkpoints],
  [
    'checkpoint.seconds',
    's',
    'Wall-clock time that the run waited for checkpoints.',
    (run) => run.checkpointSeconds,
  ],
];

const RUNTIME_LEVELS: readonly Read<RuntimeMetrics>[] = [
  [
    'checkpoint.age.seconds',
    's',
    'Wall-clock time since the last checkpoint; -1 if there is none.',
    (run) => run.checkpointAgeSeconds ?? -1,
  ],
  ['speed.ratio', '1', 'Virtual time by wall-clock time.', (run) => run.speed],
];

const SERVICE_LEVELS: readonly Read<ServiceMetrics>[] = [
  [
    'service.lag.seconds',
    's',
    'Virtual time behind the service that is farthest.',
    (row) => row.lagSeconds,
  ],
  ['service.cpu.ratio', '1', 'CPU time by wall-clock time.', (row) => row.cpuShare],
  ['service.messages.rate', '{message}/s', 'Messages sent in a second.', (row) => row.messageRate],
];

const DROPS = ['dropped.frames', '{frame}', 'Frames dropped, by reason.'] as const;
const COMPLETION = ['flow.completion.seconds', 's', 'Flow completion times.'] as const;
const QUEUEING = [
  'queueing.seconds',
  's',
  'Time that followed frames waited in a queue of a port; pushed when the run has ended.',
] as const;

/** A metric as readers find it. */
interface DescribedInstrument {
  /** As Prometheus has it. */
  readonly name: string;
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly meaning: string;
}

const OF_MECHANISMS = MECHANISMS.flatMap(({ results }) => results.instruments ?? []);

/** Every metric, in the order of the program. */
export function describeInstruments(): DescribedInstrument[] {
  const own = ['device', 'port', 'priority'];
  const described =
    (kind: DescribedInstrument['kind'], labels: readonly string[]) =>
    ([name, , meaning]: Named): DescribedInstrument => ({
      name: `selvage_${name.replaceAll('.', '_')}${kind === 'counter' ? '_total' : ''}`,
      kind,
      labels,
      meaning,
    });
  return [
    ...COUNTERS.map(described('counter', own)),
    described('counter', [...own, 'reason'])(DROPS),
    ...LEVELS.map(described('gauge', own)),
    ...OF_MECHANISMS.flatMap(({ labels, counters, levels }) => [
      ...counters.map(namedOf).map(described('counter', labels)),
      ...levels.map(namedOf).map(described('gauge', labels)),
    ]),
    described('histogram', ['load', 'priority'])(COMPLETION),
    described('histogram', ['device', 'priority'])(QUEUEING),
    ...RUN_COUNTERS.map(described('counter', [])),
    ...RUN_LEVELS.map(described('gauge', [])),
    ...RUNTIME_COUNTERS.map(described('counter', [])),
    ...RUNTIME_LEVELS.map(described('gauge', [])),
    ...SERVICE_LEVELS.map(described('gauge', ['service', 'host'])),
  ];
}

/** 1, 2 and 5 of each decade from 100 ns to 10 s. */
const BOUNDARIES = Array.from({ length: 25 }, (_, i) => {
  const digit = [1, 2, 5][i % 3]!;
  return Number(`${digit}e${Math.floor(i / 3) - 7}`);
});

/** Shows a run to readers, when they read it: nothing is counted twice for them. */
export function showRun(
  identity: Readonly<Record<string, string>>,
  readers: IMetricReader[],
  snapshot: () => RunMetrics | Promise<RunMetrics>,
): MeterProvider {
  const resource = resourceFromAttributes({ 'service.name': 'selvage', ...identity });
  const provider = new MeterProvider({ resource, readers });
  const meter = provider.getMeter('selvage');
  const ports = [...COUNTERS.map(counterOf(meter)), ...LEVELS.map(levelOf(meter))];
  const portRows = [...COUNTERS, ...LEVELS].map(([, , , read]) => read);
  const drops = counterOf(meter)(DROPS);
  const ofMechanisms = OF_MECHANISMS.map(({ counters, levels }) => [
    ...counters.map(namedOf).map(counterOf(meter)),
    ...levels.map(namedOf).map(levelOf(meter)),
  ]);
  const whole = [...RUN_COUNTERS.map(counterOf(meter)), ...RUN_LEVELS.map(levelOf(meter))];
  const wholeRows = [...RUN_COUNTERS, ...RUN_LEVELS].map(([, , , read]) => read);
  const runtime = [
    ...RUNTIME_COUNTERS.map(counterOf(meter)),
    ...RUNTIME_LEVELS.map(levelOf(meter)),
  ];
  const runtimeRows = [...RUNTIME_COUNTERS, ...RUNTIME_LEVELS].map(([, , , read]) => read);
  const services = SERVICE_LEVELS.map(levelOf(meter));
  const times = new TimeHistograms(meter);
  const observe = async (result: BatchObservableResult): Promise<void> => {
    const run = await snapshot();
    whole.forEach((instrument, i) => {
      result.observe(instrument, wholeRows[i]!(run));
    });
    if (run.runtime !== undefined) {
      const { runtime: metrics } = run;
      runtime.forEach((instrument, i) => {
        result.observe(instrument, runtimeRows[i]!(metrics));
      });
      for (const row of metrics.services) {
        const where = { service: row.service, host: row.host };
        services.forEach((instrument, i) => {
          result.observe(instrument, SERVICE_LEVELS[i]![3](row), where);
        });
      }
    }
    for (const { device, port, priorities } of run.ports) {
      for (const row of priorities) {
        const where: Attributes = { device, port, priority: row.priority };
        ports.forEach((instrument, i) => {
          result.observe(instrument, portRows[i]!(row), where);
        });
        for (const [reason, frames] of Object.entries(row.drops)) {
          result.observe(drops, frames, { ...where, reason });
        }
      }
    }
    OF_MECHANISMS.forEach((own, m) => {
      for (const { labels, values } of own.rows(run.mechanisms)) {
        ofMechanisms[m]!.forEach((instrument, i) => {
          result.observe(instrument, values[i]!, labels);
        });
      }
    });
    times.take(run);
  };
  const all = [...ports, drops, ...ofMechanisms.flat(), ...whole, ...runtime, ...services];
  meter.addBatchObservableCallback(observe, all);
  return provider;
}

/** Histograms of times; each flow and each wait is counted once. */
class TimeHistograms {
  private readonly completion: Histogram;
  private readonly queueing: Histogram;
  private readonly counted = new Set<number>();

  constructor(meter: Meter) {
    const histogram = ([name, unit, description]: Named): Histogram =>
      meter.createHistogram(`selvage.${name}`, {
        ...{ unit, description, advice: { explicitBucketBoundaries: BOUNDARIES } },
      });
    this.completion = histogram(COMPLETION);
    this.queueing = histogram(QUEUEING);
  }

  take({ flows, waits }: RunMetrics): void {
    for (const { flow, load, priority, completionPs } of flows) {
      if (completionPs === null || this.counted.has(flow)) continue;
      this.counted.add(flow);
      this.completion.record(completionPs / PS_PER_S, { load, priority });
    }
    for (const { device, priority, ps } of waits) {
      this.queueing.record(ps / PS_PER_S, { device, priority });
    }
  }
}

function namedOf({ name, unit, meaning }: Instrument): Named {
  return [name, unit, meaning];
}

type Named = readonly [string, string, string, ...unknown[]];

function counterOf(meter: Meter): (named: Named) => Observable {
  return ([name, unit, description]) =>
    meter.createObservableCounter(`selvage.${name}`, { unit, description });
}

function levelOf(meter: Meter): (named: Named) => Observable {
  return ([name, unit, description]) =>
    meter.createObservableGauge(`selvage.${name}`, { unit, description });
}
