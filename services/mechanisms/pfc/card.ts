import type { Card, CardFormat } from '../mechanism-slice.js';
import type { PfcResults } from './results.js';

/** Watchdogs that detected storms: frames that they dropped were lossless, and are lost. */
export function pfcCards({ watchdogs }: PfcResults, { count, time }: CardFormat): Card[] {
  return [
    {
      title: 'Watchdogs detected storms',
      isProblem: true,
      head: ['watchdog at', 'priority', 'action', 'storms', 'in all', 'dropped', 'paused by'],
      rows: watchdogs.map((w) => [
        ...[w.port, String(w.priority), w.action, count(w.storms), time(w.stormPs)],
        ...[count(w.droppedFrames), w.peer],
      ]),
    },
  ];
}
