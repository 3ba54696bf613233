/** Traces and metrics pass a collector that others have made, and come out as they went in. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Collector, noCollector } from '../kit/collector.js';
import { ROOT } from '../kit/emulate.js';
import type { ReceivedFigure, ReceivedSpan, Receiver } from '../kit/otlp-receiver.js';
import { grpcReceiver } from '../kit/otlp-receiver.js';
import { checkTrees, EPISODES } from '../kit/span-trees.js';

/** Two runs of one digest differ in this alone. */
const OF_THE_WALL = 'selvage.elapsed.seconds';

/** Exports of a run, in an order that does not depend on their arrival. */
interface Sent {
  readonly spans: readonly ReceivedSpan[];
  readonly metrics: readonly string[];
}

describe('a collector of others', { skip: noCollector, timeout: 300_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-collector-'));
  let direct: Sent;

  before(async () => {
    const receiver = await grpcReceiver();
    await run(receiver.url);
    receiver.close();
    direct = sentTo(receiver);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  function run(url: string, ...placed: string[]): Promise<void> {
    const every = 'observe.traces.flows=[]';
    const sampled = [every, 'observe.traces.share=2%', 'observe.traces.slowest=5'];
    const set = ['observe.episodes=true', ...sampled, 'duration=60us'];
    const words = [
      ...[join(ROOT, 'dist/programs/selvage.js'), 'run', 'examples/victim-behind-pfc.yaml'],
      ...[...set, 'expect=[]'].flatMap((change) => ['--set', change]),
      ...['--quiet', '--no-parquet', '--out', join(folder, 'run'), '--otlp', url, ...placed],
      // Two runs do not end at one time.
      ...['--otlp-epoch', 'fixed'],
    ];
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, words, { cwd: ROOT });
      let said = '';
      child.stderr.on('data', (piece: Buffer) => (said += piece.toString()));
      child.once('close', (status) => {
        if (status === 0 && !said.includes('not accepted')) resolve();
        else reject(new Error(`exit ${String(status)}: ${said}`));
      });
    });
  }

  async function throughCollector(
    url: (collector: Collector) => string,
    ...placed: string[]
  ): Promise<Sent> {
    const receiver = await grpcReceiver();
    const collector = await Collector.start(folder, receiver.url);
    try {
      await run(url(collector), ...placed);
    } finally {
      await collector.stop();
      receiver.close();
    }
    return sentTo(receiver);
  }

  it('takes whole trees and all metrics over gRPC', async () => {
    const { spans, metrics } = await throughCollector(({ grpcUrl }) => grpcUrl);
    checkTrees(spans);
    for (const name of ['frame', 'hop', ...EPISODES]) {
      assert.ok(
        spans.some((span) => span.name === name),
        name,
      );
    }
    assert.deepEqual(spans, direct.spans);
    assert.deepEqual(metrics, direct.metrics);
    assert.ok(metrics.some((figure) => figure.startsWith('selvage.blocked.seconds ')));
  });

  it('takes the same over HTTP, of a run in threads', async () => {
    const sent = await throughCollector(({ httpUrl }) => httpUrl, '--threads', '2');
    checkTrees(sent.spans);
    assert.deepEqual(sent, direct);
  });
});

function sentTo({ spans, metrics }: Receiver): Sent {
  return {
    spans: [...spans].sort((a, b) => a.spanId.localeCompare(b.spanId)),
    metrics: metrics
      .filter(({ name }) => name !== OF_THE_WALL)
      .map(figureText)
      .sort(),
  };
}

function figureText({ name, attributes, value }: ReceivedFigure): string {
  const where = Object.entries(attributes).sort(([a], [b]) => a.localeCompare(b));
  return `${name} ${where.map((pair) => pair.join('=')).join(' ')} ${value}`;
}
