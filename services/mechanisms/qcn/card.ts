import type { Card, CardFormat } from '../mechanism-slice.js';
import type { QcnResults } from './results.js';

/** Queues that have sent messages to sources. */
export function qcnCards({ congestionPoints }: QcnResults, { count, octets }: CardFormat): Card[] {
  const sending = congestionPoints.filter(({ messages }) => messages > 0);
  return [
    {
      title: 'Congestion points',
      head: ['queue', 'priority', 'set point', 'samples', 'messages'],
      rows: sending.map(({ port, priority, setPointOctets, samples, messages }) => [
        ...[port, String(priority), octets(setPointOctets), count(samples), count(messages)],
      ]),
    },
  ];
}
