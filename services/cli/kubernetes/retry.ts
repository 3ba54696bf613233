import { setTimeout } from 'node:timers/promises';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

interface RetryOptions {
  /** Milliseconds after which the last error counts. */
  readonly withinMs: number;
  readonly isTransient: (error: unknown) => boolean;
  /** Called once, before the first pause. */
  readonly onFirst: (error: unknown) => void;
}

/** Repeats a call that fails for a while, with pauses that double; returns what it resolves to. */
export async function retry<T>(
  call: (attempt: number) => Promise<T>,
  { withinMs, isTransient, onFirst }: RetryOptions,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (let attempt = 0, pauseMs = FIRST_PAUSE_MS; ; attempt++) {
    try {
      return await call(attempt);
    } catch (error) {
      if (!isTransient(error) || performance.now() + pauseMs > deadline) throw error;
      if (attempt === 0) onFirst(error);
    }
    await setTimeout(pauseMs);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
}
