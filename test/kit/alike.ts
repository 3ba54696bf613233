import assert from 'node:assert/strict';
import { checkLedger } from '../../services/engine/analysis/ledger/ledger.js';
import { restoreDevice, saveDevice } from '../../services/engine/device/checkpoint.js';
import type { Engine } from '../../services/engine/device/engine.js';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { Windows } from '../../services/runtime/embedded/windows.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { wholeEngine } from '../../services/runtime/whole-engine.js';
import { run } from './emulate.js';
import { isLong } from './long-suite.js';
import { inThreads } from './threads.js';

/** `threads.test` and `short-outages.test` have three in every suite. */
const THREADS = isLong ? 3 : 2;

/**
 * Runs a fabric with every check, and asserts that it does the same in threads, in random windows
 * with its devices in random order, and saved and restored at some times, which ascend: a run that
 * goes on in other devices each time.
 */
export async function runsAlike(
  fabric: Fabric,
  untilPs: number,
  savedAtPs: readonly number[],
): Promise<RunResults> {
  const results = run(fabric);
  const { results: others } = await inThreads(fabric, THREADS).run();
  assert.deepEqual(others, results, `${THREADS} threads`);
  const expected = digestsAt(wholeEngine(fabric), fabric, untilPs);
  const random = new RandomStream(5, 'alike');
  assert.deepEqual(inRandomWindows(fabric, untilPs, random), expected, 'random windows');
  let engine = wholeEngine(fabric);
  for (const atPs of savedAtPs) {
    new Windows(engine, fabric.cluster).run(atPs);
    engine = restoredElsewhere(engine, fabric);
  }
  assert.deepEqual(digestsAt(engine, fabric, untilPs), expected, 'saved and restored');
  return results;
}

function restoredElsewhere(engine: Engine, fabric: Fabric): Engine {
  const states = engine.devices.map((_, d) => structuredClone(saveDevice(engine, d)));
  const other = wholeEngine(fabric);
  states.forEach((state, d) => {
    restoreDevice(other, d, state);
  });
  return other;
}

function digestsAt(engine: Engine, fabric: Fabric, untilPs: number): string[] {
  new Windows(engine, fabric.cluster).run(untilPs);
  assert.deepEqual(checkLedger(engine), []);
  return engine.devices.map((_, d) => engine.shared.digests.hex(d));
}

function inRandomWindows(fabric: Fabric, untilPs: number, random: RandomStream): string[] {
  const engine = wholeEngine(fabric);
  const { horizon } = engine.shared;
  const order = engine.devices.map((_, d) => d);
  for (;;) {
    const next = Math.min(...horizon);
    if (next >= untilPs) break;
    const bound = Math.min(next + 1 + random.below(fabric.lookaheadPs), untilPs);
    random.shuffle(order);
    for (const d of order) if (horizon[d]! < bound) engine.run(d, bound);
  }
  return engine.devices.map((_, d) => engine.shared.digests.hex(d));
}
