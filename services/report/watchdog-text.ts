import type { RunResults } from '../runtime/results/results.js';
import { formatCount, formatTime } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';

/** Storms that watchdogs detected: frames that they dropped were lossless, and are lost. */
export function watchdogTable({ watchdogs }: RunResults, style: Style): string {
  if (watchdogs.length === 0) return '';
  const rows = watchdogs.map((w) => [
    w.port,
    String(w.priority),
    w.action,
    formatCount(w.storms),
    formatTime(w.stormPs),
    formatCount(w.droppedFrames),
    w.peer,
  ]);
  const head = ['watchdog at', 'priority', 'action', 'storms', 'in all', 'dropped', 'paused by'];
  return [style.bad('Watchdogs detected storms'), table(head, rows)].join('\n');
}
