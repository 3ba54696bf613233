import { setTimeout } from 'node:timers/promises';
import { StoreError } from './store-error.js';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Repeats what must not fail because a store is unavailable for a while, up to the patience. The
 * attempt must be idempotent, since only its answer may have been lost.
 */
export async function repeatFor<T>(
  patienceMs: number,
  what: string,
  attempt: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const leftMs = deadline - performance.now();
    try {
      return await (patienceMs > 0 ? within(leftMs, attempt()) : attempt());
    } catch (error) {
      if (error instanceof StoreError && error.isFinal) throw error;
      if (performance.now() + pauseMs >= deadline) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new StoreError(`${what} for ${patienceMs / 1000} s: ${reason}`);
      }
    }
    await setTimeout(pauseMs);
  }
}

/** An attempt that never ends fails. */
async function within<T>(ms: number, attempt: Promise<T>): Promise<T> {
  const late = new AbortController();
  const timeout = setTimeout(Math.max(1, ms), undefined, { signal: late.signal });
  try {
    return await Promise.race([
      attempt,
      timeout.then(() => {
        throw new StoreError('no answer', false);
      }),
    ]);
  } finally {
    late.abort();
    timeout.catch(() => undefined);
  }
}
