/** Traces of a fabric whose devices are processes, as a collector receives them. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { ROOT } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';
import type { ReceivedSpan, Receiver } from '../kit/otlp-receiver.js';
import { grpcReceiver, httpReceiver } from '../kit/otlp-receiver.js';
import { checkTrees } from '../kit/span-trees.js';

/** A fat tree of 16 hosts and 20 switches; half the hosts send to the first one. */
const SCENARIO = `selvage: 1
name: fat-tree-traces
duration: 40us
fabric: { generator: fat-tree, k: 4, link: { rate: 100G, delay: 200ns } }
switches: { buffer: { size: 2MB } }
priorities: { 3: { flowControl: pfc, xoff: 40KB, xonGap: 10KB } }
load:
  - name: burst
    incast: { from: [h5..h16], to: h1 }
    bytes: 100KB
    priority: 3
    transport: reliable
observe: { episodes: true, traces: { share: 5%, slowest: 10 } }
`;

const DEVICES = 36;
/** Of rounds, checkpoints and recoveries, in elapsed time. */
const COORDINATOR = 'coordinator';
const skip = isInstalled() ? false : 'no nats-server on the PATH';

describe('traces across services', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-traces-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const scenario = join(folder, 'fat-tree.yaml');
  writeFileSync(scenario, SCENARIO);

  function run(receiver: Receiver, ...placed: string[]): Promise<readonly ReceivedSpan[]> {
    const target = ['--otlp', receiver.url, '--otlp-epoch', 'fixed'];
    const words = ['--quiet', '--no-parquet', '--out', join(folder, 'run'), ...target];
    const main = join(ROOT, 'dist/programs/selvage.js');
    const child = spawn(process.execPath, [main, 'run', scenario, ...words, ...placed]);
    let stderr = '';
    child.stderr.on('data', (piece: Buffer) => (stderr += piece.toString()));
    return new Promise((resolve, reject) => {
      child.on('exit', (status) => {
        receiver.close();
        if (status === 0) resolve(receiver.spans);
        else reject(new Error(`exit ${String(status)}: ${stderr}`));
      });
    });
  }

  function check(spans: readonly ReceivedSpan[]): void {
    checkTrees(spans);
    const named = (name: string): readonly ReceivedSpan[] => spans.filter((s) => s.name === name);
    const devices = new Set(named('hop').map(({ attributes }) => attributes['selvage.device']));
    assert.ok(devices.size > DEVICES / 2, [...devices].join(' '));
    assert.ok(named('frame').length > 20);
    assert.ok(named('blocked').some(({ links }) => links.length > 0));
    assert.ok(named('full').some(({ parentSpanId }) => parentSpanId !== ''));
  }

  /** Spans of the fabric, without those of what executes it. */
  const ofFabric = (spans: readonly ReceivedSpan[]): readonly ReceivedSpan[] =>
    spans.filter(({ service }) => service !== COORDINATOR);

  it('are whole, over gRPC from services of six devices, over HTTP from one process', async () => {
    const apart = await run(await grpcReceiver(), '--devices-per-service', '6');
    check(ofFabric(apart));
    const rounds = apart.filter(({ service, name }) => service === COORDINATOR && name === 'round');
    assert.ok(rounds.length > 0);
    assert.deepEqual(await run(await httpReceiver()), ofFabric(apart));
  });

  // 36 processes are much for a small machine.
  if (isLong) {
    it('are whole with a service for each of 36 devices', async () => {
      const apart = await run(await grpcReceiver(), '--processes');
      check(ofFabric(apart));
      assert.deepEqual(await run(await httpReceiver()), ofFabric(apart));
    });
  }
});
