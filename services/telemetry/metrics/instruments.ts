import { PS_PER_S } from '../../engine/units/time.js';
import type { Attributes, BatchObservableResult, Meter, Observable } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { IMetricReader } from '@opentelemetry/sdk-metrics';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { CreditFigures, PortFigures, RunFigures } from './port-figures.js';

type Row = PortFigures['priorities'][number];

/** Name, unit, meaning, and where it stands; `selvage.` comes before every name. */
const COUNTERS: readonly (readonly [string, string, string, (row: Row) => number])[] = [
  ['received.frames', '{frame}', 'frames that came in', (row) => row.rxFrames],
  ['received.octets', 'By', 'octets that came in', (row) => row.rxOctets],
  ['sent.frames', '{frame}', 'frames that were sent', (row) => row.txFrames],
  ['sent.octets', 'By', 'octets that were sent', (row) => row.txOctets],
  ['marked.frames', '{frame}', 'frames marked by ECN', (row) => row.markedFrames],
  ['held.time', 's', 'virtual time that the priority was held', (row) => row.heldPs / PS_PER_S],
  ['held.count', '{hold}', 'times that the priority began to be held', (row) => row.heldCount],
  ['stops.sent', '{frame}', 'frames that asked the neighbour to stop', (row) => row.stopsSent],
];

const LEVELS: readonly (readonly [string, string, string, (row: Row) => number])[] = [
  ['queue.peak', 'By', 'the longest that the queue was', (row) => row.peakQueueOctets],
  ['ingress.peak', 'By', 'the fullest that the account was', (row) => row.peakIngressOctets],
];

const CREDITS: readonly (readonly [string, string, (row: CreditFigures) => number])[] = [
  ['credit.granted', 'credit that the port was granted', (row) => row.granted],
  ['credit.spent', 'credit that frames took', (row) => row.spent],
  ['credit.held', 'credit in hand', (row) => row.held],
  ['credit.occupied', 'buffer behind the port that frames take', (row) => row.occupied],
];

const RUN: readonly (readonly [string, string, string, (run: RunFigures) => number])[] = [
  ['virtual.time', 's', 'virtual time that has passed', (run) => run.virtualPs / PS_PER_S],
  ['progress', '1', 'share of the run that is done', (run) => run.share],
  ['frame.hops', '{frame}', 'frames that started on any link', (run) => run.frameHops],
  ['wall.time', 's', 'time on the wall that has passed', (run) => run.wallSeconds],
];

/** Shows a run to whoever reads, when they read it: nothing is counted twice for them. */
export function showRun(
  identity: Readonly<Record<string, string>>,
  readers: IMetricReader[],
  look: () => RunFigures | Promise<RunFigures>,
): MeterProvider {
  const resource = resourceFromAttributes({ 'service.name': 'selvage', ...identity });
  const provider = new MeterProvider({ resource, readers });
  const meter = provider.getMeter('selvage');
  const ports = [...COUNTERS.map(counterOf(meter)), ...LEVELS.map(levelOf(meter))];
  const portRows = [...COUNTERS, ...LEVELS].map(([, , , read]) => read);
  const drops = counterOf(meter)(['dropped.frames', '{frame}', 'frames dropped, by reason']);
  const credits = CREDITS.map(([name, meaning]) => levelOf(meter)([name, '{unit}', meaning]));
  const whole = RUN.map(levelOf(meter));
  const observe = async (result: BatchObservableResult): Promise<void> => {
    const run = await look();
    whole.forEach((instrument, i) => {
      result.observe(instrument, RUN[i]![3](run));
    });
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
    for (const account of run.credits) {
      const { port, priority, channel } = account;
      credits.forEach((instrument, i) => {
        result.observe(instrument, CREDITS[i]![2](account), { port, priority, channel });
      });
    }
  };
  meter.addBatchObservableCallback(observe, [...ports, drops, ...credits, ...whole]);
  return provider;
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
