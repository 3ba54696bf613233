/** Congestion controls that are told of every acknowledgement, with the marks of its packets. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import { scenarioOfDocument } from '../../services/fabric/scenario/load-scenario.js';
import { Cluster } from '../../services/hunt/worlds/services-in-memory.js';
import { sha256Of } from '../../services/plugins/source.js';
import { runsAlike } from '../kit/alike.js';
import { run } from '../kit/emulate.js';

const source = (file: string, text: string): object => ({ file, sha256: sha256Of(text), text });

/** Every so many frames, in an order that no counter of acknowledgements has. */
const MARKS = source(
  'm.mjs',
  `export default { api: 1, kind: 'marking', name: 'm', help: 'Marks.', at: 'enqueue',
  state: { seen: 0 },
  marks({ state, capable }) { return capable && ++state.seen % 7 % 3 === 1; } };`,
);

/** Its rate at the end says what it was told: by a kb/s for each packet. */
const control = (answered: string, state = '{ told: 0 }'): object =>
  source(
    'c.mjs',
    `export default { api: 1, kind: 'congestion-control', name: 'c', help: 'Counts.',
  feedback: 'echoes', state: ${state},
  start(connection) { connection.rateBps = 50e9; },
  answered(connection, answer) { ${answered} } };`,
  );

const pair = (plugin: object, reliable: object = {}, more: object = {}): Fabric =>
  buildFabric(
    scenarioOfDocument('pair.yaml', {
      selvage: 1,
      plugins: [MARKS, plugin],
      fabric: { generator: 'star', hosts: 3 },
      priorities: { 3: { flowControl: 'pfc', ecn: 'm' } },
      load: [
        {
          stream: { from: 'h1', to: 'h2' },
          ...{ bytes: '300KB', priority: 3, congestion: 'c' },
          transport: { reliable },
        },
      ],
      ...more,
    }),
  );

const toldBy = (fabric: Fabric): number => (50e9 - run(fabric).rates[0]!.rateBps) / 1000;

describe('a control that is told of every acknowledgement', () => {
  const marked = control('if (answer.marked) connection.rateBps -= 1000 * answer.packets;');
  const all = control('connection.rateBps -= 1000 * answer.packets;');

  it('hears of exactly the packets that were marked, however many one answer is for', () => {
    for (const ackEvery of [1, 2, 5, 64]) {
      const fabric = pair(marked, { ackEvery });
      const [flow] = run(fabric).flows;
      assert.ok(flow!.markedFrames > 50);
      assert.equal(toldBy(fabric), flow!.markedFrames, `ackEvery: ${ackEvery}`);
      assert.equal(toldBy(pair(all, { ackEvery })), flow!.frames);
    }
  });

  it('does the same in threads, services and any order, and saved and resumed', async () => {
    const fabric = pair(marked, { ackEvery: 3 });
    const results = await runsAlike(fabric, Infinity, [3e6, 17_123_456]);
    assert.equal(results.status, 'complete');
    const cluster = new Cluster(fabric, placeEachAlone(fabric.topology), new RandomStream(1, ''));
    cluster.run();
    assert.deepEqual(cluster.results(false), results);
  });

  it('hears the round trip of each packet, but of those that were sent twice', () => {
    const timed = control(
      'if (answer.roundTripPs > 1e6 && answer.roundTripPs < 1e9) connection.rateBps -= 1000;',
    );
    const [flow] = run(pair(timed)).flows;
    assert.equal(toldBy(pair(timed)), flow!.frames);
    const unknown = control('if (answer.roundTripPs === null) connection.rateBps -= 1000;');
    assert.equal(toldBy(pair(unknown)), 0);
    const loss = { kind: 'loss', where: { device: 'h2' }, probability: '5%' };
    const lossy = run(pair(unknown, { timeout: '50us' }, { faults: [loss] }));
    assert.equal(lossy.status, 'complete');
    assert.ok(lossy.rates[0]!.rateBps < 50e9);
  });

  it('keeps the fraction of a window', () => {
    const growing = control(
      `connection.windowPackets = connection.state.told === 0 ? 2 : connection.windowPackets + 0.25;
      connection.state.told += 1;
      if (connection.state.told === 5) connection.rateBps -= 1000 * connection.windowPackets;`,
    );
    assert.equal(toldBy(pair(growing)), 3);
  });

  it('needs reliable transport, and marking', () => {
    const without = { priorities: { 3: 'pfc' } };
    assert.throws(() => pair(all, {}, without), /c without marking on priority 3/);
    const load = [{ stream: { from: 'h1', to: 'h2' }, congestion: 'c', transport: 'raw' }];
    assert.throws(() => pair(all, {}, { load }), /c needs acknowledgements/);
  });
});
