/** Tables of what a scenario observes, and of the series that a run records by itself. */

import { EVENT_MEANINGS } from '../../engine/analysis/events/event-recorder.js';
import { FAULT_EVENTS, type TimedEvent } from '../../telemetry/events/event-table.js';
import type { Episode } from '../../telemetry/congestion/congestion.js';
import { columnsOf, resultTable } from '../../mechanisms/result-table.js';
import type { Column, ResultTable } from '../../mechanisms/result-table.js';
import { RATE_COLUMNS } from '../../runtime/series-rows.js';
import type { SeriesRow } from '../../runtime/series-rows.js';
import { SERIES_COLUMNS } from '../../runtime/series.js';

type Described<Name extends string> = Readonly<
  Record<Name, readonly [type: Column['type'], unit: string, meaning: string]>
>;

const RATE_MEANINGS: Described<(typeof RATE_COLUMNS)[number]> = {
  time_ps: ['BIGINT', 'ps', 'Time of the sample.'],
  flow: ['VARCHAR', '', 'Name of the flow.'],
  rate_bps: ['DOUBLE', 'bit/s', 'Its rate.'],
  target_bps: ['DOUBLE', 'bit/s', 'The rate that it recovers to.'],
};

/** Of the series, whose rows are made as they are written. */
function seriesTable<Name extends string>(
  name: string,
  about: string,
  names: readonly Name[],
  meanings: Described<Name>,
): ResultTable<Iterable<SeriesRow>> {
  const columns = names.map((own): Column => {
    const [type, unit, meaning] = meanings[own];
    return { name: own, type, unit, meaning };
  });
  return { name, about, columns, lines: (rows) => rows };
}

export const SERIES: ResultTable<Iterable<SeriesRow>> = {
  name: 'series',
  about:
    'a port and priority at the end of an interval in which it changed (`observe: { series: … }`)',
  columns: SERIES_COLUMNS,
  lines: (rows) => rows,
};

export const RATE_SERIES = seriesTable(
  'rate_series',
  'a connection below line rate, at the same times',
  RATE_COLUMNS,
  RATE_MEANINGS,
);

const event = columnsOf<TimedEvent>();

export const EVENT_TABLE: ResultTable<readonly TimedEvent[]> = resultTable({
  name: 'events',
  about: 'an event of a frame or a priority (`observe: { events: true }`)',
  rows: (events) => events,
  columns: [
    event.whole('time_ps', 'ps', 'When.', (e) => e.timePs),
    event.text(
      'event',
      Object.entries({ ...EVENT_MEANINGS, ...FAULT_EVENTS })
        .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
        .join('; ') + '.',
      (e) => e.event,
    ),
    event.text('device', 'Where.', (e) => e.device),
    event.text('port', 'Its port.', (e) => e.port),
    event.whole('priority', '0 to 7', 'The priority.', (e) => e.priority),
    event.whole('flow', 'number', 'Number of the flow.', (e) => e.flow),
    event.text('reason', 'Why a frame was dropped; the name of a fault.', (e) => e.reason),
    event.whole(
      'detail',
      'number',
      'Channel of an account, number of the message, or of the LED.',
      (e) => e.detail,
    ),
    event.whole(
      'units',
      'units',
      'Of a step of the exchange: the total of a message, or what a frame takes.',
      (e) => e.units,
    ),
  ],
});

const episode = columnsOf<Episode>();

export const EPISODE_TABLE: ResultTable<readonly Episode[]> = resultTable({
  name: 'episodes',
  about: 'a congestion episode',
  rows: (episodes) => episodes,
  columns: [
    episode.text('id', 'Its name: the same wherever the run was executed.', (e) => e.id),
    episode.text(
      'kind',
      '`queue`: an egress queue waits; `full`: an ingress buffer is above XOFF; `blocked`: a ' +
        'priority of a port may not send.',
      (e) => e.kind,
    ),
    episode.text('device', 'Where.', (e) => e.device),
    episode.text('port', 'Its port.', (e) => e.port),
    episode.whole('priority', '0 to 7', 'The priority; empty: all.', (e) => e.priority),
    episode.text(
      'mechanism',
      'The mechanism that paused or blocked it; empty of a queue.',
      (e) => e.mechanism,
    ),
    episode.whole('start_ps', 'ps', 'When it began.', (e) => e.startPs),
    episode.whole('end_ps', 'ps', 'When it cleared; empty: not until the end.', (e) => e.endPs),
    episode.text('parent', 'The episode that caused it; empty of a root.', (e) => e.parent),
    episode.text('reason', 'Why a root has no cause.', (e) => e.reason),
    episode.text('fault', 'The fault that caused a root, or took part in that.', (e) => e.fault),
    episode.whole(
      'aggregate_blocked_ps',
      'ps',
      'Frames that waited in the queue, or at the blocked port, times how long.',
      (e) => e.frameTimePs,
    ),
  ],
});

export const OBSERVED_TABLES = [SERIES, RATE_SERIES, EVENT_TABLE, EPISODE_TABLE] as const;
