import type { TimedEvent } from '../telemetry/events/event-table.js';
import { csv } from './csv.js';

export function eventsCsv(events: readonly TimedEvent[]): string {
  const columns = [
    ...['time_ps', 'event', 'device', 'port', 'priority', 'flow', 'reason', 'detail'],
  ];
  const rows = events.map((e) => [
    ...[e.timePs, e.event, e.device, e.port, e.priority, e.flow, e.reason, e.detail],
  ]);
  return csv(columns, rows);
}
