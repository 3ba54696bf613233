import type { Card, CardFormat } from '../mechanism-slice.js';
import type { TrimResults } from './results.js';

/** Ports for which frames were trimmed, those with the most first. */
export function trimCards({ trims }: TrimResults, { count }: CardFormat): Card[] {
  if (trims.length === 0) return [];
  const rows = trims
    .map(({ port, counters }) => ({
      port,
      trimmed: counters.SAI_PORT_STAT_TRIM_PACKETS,
      dropped: counters.SAI_PORT_STAT_DROPPED_TRIM_PACKETS,
    }))
    .sort((a, b) => b.trimmed - a.trimmed);
  return [
    {
      title: 'Packet trimming',
      head: ['port', 'frames trimmed', 'dropped'],
      rows: rows.map(({ port, trimmed, dropped }) => [port, count(trimmed), count(dropped)]),
    },
  ];
}
