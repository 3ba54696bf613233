import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Pods of tests share two cores. */
export const SMALL = ['--cpu', '50m'];
/** Frames of it pass between services all the time. */
const STREAM = [
  ...['--set', 'load=[{ name: endless, stream: { from: h1, to: h16 }, priority: 3 }]'],
  ...['--set', 'expect=[]'],
];
export const ENDLESS = [...STREAM, '--set', 'duration=10s'];
/** Longer than commands take that disturb it. */
export const LONG = [...STREAM, '--set', 'duration=250ms'];

/** As long, where three brokers pass frames on between nodes that share two cores. */
export const BETWEEN_NODES = [...STREAM, '--set', 'duration=50ms'];

/** Longer than it takes to pause it. */
export const SHORT = [...STREAM, '--set', 'duration=40ms'];

/** Of a run directory that was fetched. */
export function digestIn(out: string): string {
  const name = readdirSync(out).find((one) => !one.endsWith('.cluster'))!;
  return readFileSync(join(out, name, 'digest'), 'utf8').trim();
}
