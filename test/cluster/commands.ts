import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { MAIN } from '../kit/pods.js';
import type { TestCluster } from './test-cluster.js';

// What the tests of this folder have in common: commands, and waits for what they cause.

const TRIES = 600;
const PAUSE_MS = 500;

interface Commands {
  /** Runs `selvage` in the network of the first node. */
  readonly selvage: (...words: string[]) => { code: number | null; text: string };
  /** The same; its output, where it exits with 0. */
  readonly passes: (...words: string[]) => string;
}

export function commandsOf(clusterOf: () => TestCluster): Commands {
  const selvage: Commands['selvage'] = (...words) =>
    clusterOf().run(process.execPath, MAIN, ...words);
  const passes: Commands['passes'] = (...words) => {
    const { code, text } = selvage(...words);
    assert.equal(code, 0, `selvage ${words.join(' ')}: ${text}`);
    return text;
  };
  return { selvage, passes };
}

/** Rejects where it does not hold within five minutes; `what` is more to know of that. */
export async function until(holds: () => boolean, what: () => string = () => ''): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if (holds()) return;
    await setTimeout(PAUSE_MS);
  }
  throw new Error(`not after ${(TRIES * PAUSE_MS) / 1000} s: ${String(holds)} ${what()}`);
}
