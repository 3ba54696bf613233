import { PAUSING_CONTROLS } from '../mechanisms/registry.js';
import type { RandomStream } from '../engine/kernel/random.js';
import type { Document } from './document.js';

type Keys = Readonly<Record<string, unknown>>;

const WAITS_US: readonly number[] = [20, 50, 100];

/** Adds a watchdog to every priority whose senders are paused, with random times. */
export function withWatchdogs(document: Document, random: RandomStream): Document {
  const drawUs = (): string => `${WAITS_US[random.below(WAITS_US.length)]!}us`;
  const watchdog = {
    detection: drawUs(),
    restoration: drawUs(),
    action: random.below(2) === 0 ? 'drop' : 'forward',
  };
  return withPriorities(document, (keys) =>
    isPausing(keys['flowControl']) ? { ...keys, watchdog } : keys,
  );
}

function isPausing(flowControl: unknown): boolean {
  return PAUSING_CONTROLS.some((name) => name === flowControl);
}

/** The same document without any; null if it has none. */
export function withoutWatchdogs(document: Document): Document | null {
  const all = Object.values((document['priorities'] ?? {}) as Readonly<Record<string, unknown>>);
  const isWatched = (keys: unknown): boolean =>
    typeof keys === 'object' && keys !== null && 'watchdog' in keys;
  if (!all.some(isWatched)) return null;
  return withPriorities(document, ({ watchdog: _, ...others }) => others);
}

function withPriorities(document: Document, change: (keys: Keys) => Keys): Document {
  const priorities = (document['priorities'] ?? {}) as Readonly<Record<string, string | Keys>>;
  const changed = Object.entries(priorities).map(([priority, keys]): [string, unknown] => [
    priority,
    change(typeof keys === 'string' ? { flowControl: keys } : keys),
  ]);
  return { ...document, priorities: Object.fromEntries(changed) };
}
