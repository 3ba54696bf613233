/** One run for a long time: memory stays flat, and the digest is what shorter parts predict. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { Session } from '../../services/runtime/session.js';
import { packWhole, unpackWhole } from '../../services/runtime/whole-state.js';
import { fabricOf } from '../kit/emulate.js';
import { fleetFor, runFleet } from '../kit/fleet.js';
import { heapOctets } from '../kit/heap.js';
import { isLong, skipUnlessLong } from '../kit/long-suite.js';

const EXAMPLE = 'chaos.yaml';
/** Seconds of all three parts together; an hour in the long suite. */
const SECONDS = Number(process.env['SELVAGE_SOAK'] ?? (isLong ? 3600 : 3));
const PART_PS = 1e9;
/** Processes on loopback, with all that is wrong with these links, are about half as fast. */
const LOOPBACK_SHARE = 0.4;

const skip = isInstalled() ? false : 'no nats-server on the PATH';
const endless = fabricOf(`examples/${EXAMPLE}`, 'duration=1000s');

/** By part: the digest at its end, and what was in use then. */
const digests: string[] = [];
const heap: number[] = [];
const frames: number[] = [];

describe('a soak', { timeout: 2 * SECONDS * 1000 + 500_000 }, () => {
  it('runs on with flat memory', () => {
    const session = new Session(endless, { check: true });
    const endMs = performance.now() + (SECONDS / 3) * 1000;
    while (performance.now() < endMs || digests.length < 4) {
      session.runTo((digests.length + 1) * PART_PS);
      const { digest, failure } = session.results('interrupted');
      assert.equal(failure, null);
      digests.push(digest);
      heap.push(heapOctets());
      frames.push(session.engine.shared.pool.inUse());
    }
    const later = Math.floor(heap.length / 2);
    const [before, after] = [heap.slice(0, later), heap.slice(later)];
    const [most, then] = [Math.max(...before), Math.max(...after)];
    assert.ok(then < most + 4e6 + 0.1 * most, `${then} octets of heap, ${most} before`);
    const framesMost = Math.max(...frames.slice(0, later));
    assert.ok(Math.max(...frames.slice(later)) < 2 * framesMost + 1000);
  });

  it('has the digest of parts that were saved, and restored into a new engine each', () => {
    let state: Uint8Array | null = null;
    for (const [part, expected] of digests.entries()) {
      const session = new Session(endless, { check: true });
      if (state !== null) session.restore(unpackWhole(state));
      session.runTo((part + 1) * PART_PS);
      assert.equal(session.results('interrupted').digest, expected, `part ${part}`);
      state = packWhole(session.save());
    }
  });

  const processes = { skip: skip === false ? skipUnlessLong : skip };
  it('has the digest of processes on loopback', processes, async (test) => {
    const parts = Math.max(1, Math.floor(digests.length * LOOPBACK_SHARE));
    const set = [`duration=${parts}ms`];
    const { results } = await runFleet(fleetFor(EXAMPLE, 4, ['--services', '4'], { set }));
    assert.equal(results.digest, digests[parts - 1]);
    test.diagnostic(
      `${digests.length} ms in one process, ${parts} ms in four, ${SECONDS} s in all`,
    );
    test.diagnostic(`heap ${Math.min(...heap)} to ${Math.max(...heap)} octets`);
  });
});
