import { z } from 'zod';
import type { Engine } from '../../engine/device/engine.js';
import type { Chosen, RunView, SliceMetric, SliceResults } from '../mechanism-slice.js';
import { columnsOf, resultTable, type ResultTable } from '../result-table.js';
import { EXCHANGE_TABLE } from './exchange-table.js';
import type { CreditLoopTerms } from './loop.js';
import { lostCredit } from './lost.js';
import { creditCounters, type CreditCounters } from './managed.js';
import { mechanismOf } from './mechanism.js';
import type { CreditPlan } from './plan.js';
import type { CreditSettings } from './settings.js';
import { exchangeTraces } from './traces.js';

/**
 * A credit account of a port, both as a sender and as a receiver; in units of the granting port.
 */
export interface CreditResult extends CreditCounters {
  readonly port: string;
  /** Behind this port, for the priority, all channels together. */
  readonly unitOctets: number;
  readonly bufferUnits: number;
  /** Units for full rate over the link, of one channel. */
  readonly neededUnits: number;
  readonly needed: CreditLoopTerms;
}

interface LostCreditResult {
  /** Of the sender. */
  readonly port: string;
  readonly peer: string;
  readonly priority: number;
  readonly channel: number;
  readonly units: number;
  /** A frame waits for credit since then, although nothing is in flight or stored. */
  readonly blockedSincePs: number | null;
}

export interface CreditResults {
  readonly credits: readonly CreditResult[];
  /** Credit that neither end of a link has any more. */
  readonly lostCredits: readonly LostCreditResult[];
}

/** Types that its parts share. */
export interface CreditTypes {
  readonly settings: CreditSettings;
  readonly plan: CreditPlan;
  readonly results: CreditResults;
  readonly metric: keyof typeof metrics;
}

function lostIn({ engine }: RunView<CreditTypes>): LostCreditResult[] {
  return lostCredit(engine).map(({ port, priority, channel, units, blockedSincePs }) => ({
    ...{ port: nameOf(engine, port), peer: nameOf(engine, engine.shared.ports.peer(port)) },
    ...{ priority, channel, units, blockedSincePs },
  }));
}

/** What accounts of priorities with flows, or with their acknowledgements, have counted so far. */
function accountsOf({ engine, nowPs, plan, context }: RunView<CreditTypes>): CreditResult[] {
  const used = new Set<number | null>();
  for (const { priority, ackPriority } of context.flows) used.add(priority).add(ackPriority);
  return plan.margins
    .filter(({ priority }) => used.has(priority))
    .flatMap(({ device, port, priority, unitOctets, bufferUnits, neededUnits, terms }) => {
      const number = engine.devices[device].firstPort + port;
      return creditCounters(mechanismOf(engine), number, nowPs)
        .filter((counters) => counters.priority === priority)
        .map((counters) => ({
          ...{ port: nameOf(engine, number), ...counters },
          ...{ unitOctets, bufferUnits, neededUnits, needed: terms },
        }));
    });
}

/** `port` is numbered through the service. */
function nameOf({ devices, shared }: Engine, port: number): string {
  const { spec, firstPort } = devices[shared.ports.owner(port)];
  return spec.ports[port - firstPort].name;
}

const credit = columnsOf<CreditResult>();

const CREDIT_TABLE: ResultTable<CreditResults> = resultTable({
  name: 'credits',
  about: 'a credit account of a port: first as sender, then as receiver, then what its link needs',
  rows: ({ credits }) => credits,
  columns: [
    credit.text('port', 'Its name.', (c) => c.port),
    credit.whole('priority', '0 to 7', 'The priority.', (c) => c.priority),
    credit.whole('channel', 'number', 'The channel of the priority.', (c) => c.channel),
    credit.whole('granted', 'units', 'Credit granted to the port.', (c) => c.granted),
    credit.whole('spent', 'units', 'Credit that its frames consumed.', (c) => c.spent),
    credit.whole('available', 'units', 'Credit that it has at the end.', (c) => c.available),
    credit.whole('aged', 'units', 'Credit that expired.', (c) => c.aged),
    credit.whole('revoked', 'units', 'Credit given back on request.', (c) => c.revoked),
    credit.whole('stale', 'messages', 'Grants of an earlier epoch.', (c) => c.stale),
    credit.whole('overflow', 'units', 'Credit above what it may keep.', (c) => c.overflow),
    credit.whole(
      'failed_syncs',
      'times',
      'Resynchronisations that did not succeed.',
      (c) => c.failedSyncs,
    ),
    credit.whole('blocked_ps', 'ps', 'Time blocked on credit.', (c) => c.blockedPs),
    credit.whole('received', 'units', 'Frames received, in units.', (c) => c.received),
    credit.whole('occupied', 'units', 'Buffer that frames occupy at the end.', (c) => c.occupied),
    credit.whole('peak_occupied', 'units', 'The most of it.', (c) => c.peakOccupied),
    credit.whole('recovered', 'units', 'Credit that was lost and is back.', (c) => c.recovered),
    credit.whole('resyncs', 'times', 'Resynchronisations.', (c) => c.resyncs),
    credit.whole('reclaims', 'times', 'Requests to give credit back.', (c) => c.reclaims),
    credit.whole(
      'violations',
      'units',
      'Frames received without a grant, in units.',
      (c) => c.violations,
    ),
    credit.whole('wrong_totals', 'messages', 'Totals that cannot be true.', (c) => c.wrongTotals),
    credit.whole(
      'contradictions',
      'messages',
      'Reports of less than was received, or more than granted.',
      (c) => c.contradictions,
    ),
    credit.real('unit_bytes', 'bytes', 'A unit of credit.', (c) => c.unitOctets),
    credit.real('buffer_units', 'units', 'Buffer behind the port.', (c) => c.bufferUnits),
    credit.real(
      'needed_units',
      'units',
      'Units for full rate over the link.',
      (c) => c.neededUnits,
    ),
  ],
});

const number = z.number();
/** Keys as readers know them. */
const loop = z
  .strictObject({
    frameBytes: number,
    roundTripBytes: number.describe('Link and interface delays, both ways.'),
    pipelineBytes: number,
    waitBytes: number,
    controlBytes: number,
    requestBytes: number,
    totalBytes: number,
  })
  .describe('Buffer for full rate over the link.');

const place = { port: z.string(), priority: number };

const published = {
  credits: z
    .array(
      z.strictObject({
        ...place,
        channel: number,
        granted: number,
        spent: number,
        available: number.describe('At the end.'),
        aged: number,
        revoked: number,
        stale: number,
        wrongTotals: number,
        overflow: number,
        failedSyncs: number,
        blockedPs: number,
        received: number,
        occupied: number,
        peakOccupied: number,
        recovered: number,
        resyncs: number,
        reclaims: number,
        violations: number,
        contradictions: number,
        unitBytes: number,
        bufferUnits: number,
        neededUnits: number,
        needed: loop,
      }),
    )
    .describe('Credit accounts in units, as table credits.'),
  lostCredits: z
    .array(
      z.strictObject({
        port: z.string(),
        peer: z.string().describe('Port of the link partner.'),
        priority: number,
        channel: number,
        units: number,
        blockedSincePs: number
          .nullable()
          .describe('Since then a frame waits for credit that cannot come.'),
      }),
    )
    .describe('Credit that neither end of a link has.'),
};

interface PortPriority {
  readonly port: string;
  readonly priority: number;
}

function isChosen({ port, priority }: PortPriority, at: Chosen): boolean {
  const device = port.slice(0, port.lastIndexOf(':'));
  return at.device(device) && at.port(port) && at.priority(priority);
}

/** Of what neither end of the chosen links has any more. */
function chosenOf({ lostCredits }: CreditResults, at: Chosen): LostCreditResult[] {
  return lostCredits.filter((lost) => isChosen(lost, at));
}

/** Of the accounts of the chosen ports. */
function unitsAt(
  { credits }: CreditResults,
  at: Chosen,
  read: (account: CreditResult) => number,
): number {
  return credits
    .filter((account) => isChosen(account, at))
    .reduce((sum, account) => sum + read(account), 0);
}

const metrics = {
  'credit.aged': {
    unit: 'count',
    meaning: 'units of credit that expired at their senders, as they were idle',
    measure: (results, at) => unitsAt(results, at, ({ aged }) => aged),
  },
  'credit.revoked': {
    unit: 'count',
    meaning: 'units of credit that were void: taken back, or of an epoch that is over',
    measure: (results, at) => unitsAt(results, at, ({ revoked }) => revoked),
  },
  'credit.recovered': {
    unit: 'count',
    meaning: 'units of credit that aged, or were lost with frames, and are buffer again',
    measure: (results, at) => unitsAt(results, at, ({ recovered }) => recovered),
  },
  'credit-lost': {
    unit: 'count',
    meaning: 'units of credit that neither end has any more',
    inSweeps: { column: 'lost_credit_units', label: 'lost credit units' },
    measure: (results, at) => chosenOf(results, at).reduce((sum, { units }) => sum + units, 0),
  },
  starved: {
    unit: 'count',
    meaning: 'accounts that wait for credit although nothing is on its way or stored',
    inSweeps: { column: 'starved_accounts', label: 'starved accounts' },
    measure: (results, at) =>
      chosenOf(results, at).filter(({ blockedSincePs }) => blockedSincePs !== null).length,
  },
} as const satisfies Readonly<Record<string, SliceMetric<CreditResults>>>;

type Read = readonly [name: string, meaning: string, read: (row: CreditResult) => number];

const COUNTERS: readonly Read[] = [
  ['credit.granted.units', 'Credit that the port was granted.', (row) => row.granted],
  ['credit.spent.units', 'Credit that frames consumed.', (row) => row.spent],
  ['credit.aged.units', 'Credit that expired, as it was idle.', (row) => row.aged],
  ['credit.revoked.units', 'Credit that was void.', (row) => row.revoked],
  ['credit.recovered.units', 'Credit that is buffer again.', (row) => row.recovered],
];

const LEVELS: readonly Read[] = [
  ['credit.available.units', 'Credit that the port may consume.', (row) => row.available],
  ['credit.occupied.units', 'Buffer behind the port that frames occupy.', (row) => row.occupied],
];

const inUnits = ([name, meaning]: Read) => ({ name, unit: '{unit}', meaning });

export const creditResults: SliceResults<CreditTypes> = {
  collect: (run) => ({ credits: accountsOf(run), lostCredits: lostIn(run) }),
  tables: [CREDIT_TABLE],
  eventTables: [EXCHANGE_TABLE],
  traces: exchangeTraces,
  published,
  metrics,
  instruments: {
    sample: (run) => ({ credits: accountsOf(run) }),
    labels: ['port', 'priority', 'channel'],
    counters: COUNTERS.map(inUnits),
    levels: LEVELS.map(inUnits),
    rows: ({ credits = [] }) =>
      credits.map((row) => ({
        labels: { port: row.port, priority: row.priority, channel: row.channel },
        values: [...COUNTERS, ...LEVELS].map(([, , read]) => read(row)),
      })),
  },
};
