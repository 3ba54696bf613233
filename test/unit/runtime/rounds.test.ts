import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { RandomStream } from '../../../services/engine/kernel/random.js';
import { placeEachAlone } from '../../../services/fabric/placement/placement.js';
import { Cluster } from '../../../services/hunt/worlds/services-in-memory.js';
import type { RoundReport } from '../../../services/runtime/partition/sync-protocol.js';
import { Rounds } from '../../../services/runtime/rounds/rounds.js';
import { fabricOf, run } from '../../kit/emulate.js';

const LOOKAHEAD_PS = 100;
const ADVANCE = { basePs: 0, limitPs: 1e6, countAtPs: 1e6, isSingle: false };

function report(fields: Partial<RoundReport>): RoundReport {
  return {
    ...{ epoch: 1, round: 1, nextPs: Infinity, handedOverPs: Infinity, sent: [0] },
    ...{ steps: 1, activeSteps: 0, framesStarted: -1, framesStored: -1, planned: -1 },
    ...{ handedOver: 0, takenOver: 0, packetsLeft: -1, packetsTotal: -1, messagesSent: 0 },
    ...{ ignoredMessages: 0, resentMessages: 0, latestPs: 0, ...fields },
  };
}

describe('a round', () => {
  /** A link partner at each side of service 1. */
  let rounds: Rounds;
  beforeEach(() => {
    rounds = new Rounds({ peers: [[1], [0, 2], [1]], lookaheadPs: LOOKAHEAD_PS, fixedLength: 1 });
    rounds.begin(0, [0, 500, 500]);
    assert.deepEqual(rounds.open(0, ADVANCE, false).services, [0, 1, 2]);
    rounds.report(1, report({ nextPs: 500, sent: [0, 0] }));
    rounds.report(2, report({ nextPs: 500 }));
  });

  it('is only for services with an event before its end', () => {
    assert.ok(rounds.report(0, report({ nextPs: 150 })));
    assert.deepEqual(rounds.open(150, ADVANCE, false).services, [0]);
    assert.ok(rounds.report(0, report({ nextPs: 900 })));
    assert.deepEqual(rounds.bound, { boundPs: 250, nextPs: 500 });
    assert.deepEqual(rounds.open(500, ADVANCE, false).services, [1, 2]);
  });

  it('is for services to which something is under way, once', () => {
    rounds.report(0, report({ nextPs: 150, handedOverPs: 480, sent: [1] }));
    assert.deepEqual(rounds.open(150, ADVANCE, false).services, [0, 1]);
    rounds.report(0, report({ nextPs: 260, sent: [1] }));
    assert.ok(rounds.report(1, report({ nextPs: 480, sent: [0, 0] })));
    assert.deepEqual(rounds.open(260, ADVANCE, false).services, [0]);
  });

  it('is for all where frames are counted, after a fault, and without any event', () => {
    rounds.report(0, report({ nextPs: 150 }));
    assert.deepEqual(rounds.open(150, ADVANCE, true).services, [0, 1, 2]);
    rounds.report(0, report({ nextPs: 300 }));
    rounds.report(1, report({ nextPs: 500, sent: [0, 0] }));
    rounds.report(2, report({ nextPs: 500 }));
    rounds.disturb();
    assert.deepEqual(rounds.open(300, ADVANCE, false).services, [0, 1, 2]);
    for (const service of [0, 1, 2]) {
      rounds.report(service, report({ nextPs: 1e9, sent: service === 1 ? [0, 0] : [0] }));
    }
    assert.deepEqual(rounds.open(1e6, ADVANCE, false).services, [0, 1, 2]);
  });
});

describe('services with little to do', () => {
  it('take part in few rounds, with the results of one process', () => {
    const fabric = fabricOf(`
name: sparse
fabric:
  { generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, link: { rate: 100G, delay: 1us } }
switches: { pipeline: 0ns }
duration: 400us
observe: { series: 10us }
load:
  - permutation: { hosts: all, shift: 2 }
    rate: 250M
`);
    const expected = run(fabric);
    const cluster = new Cluster(
      fabric,
      placeEachAlone(fabric.topology),
      new RandomStream(3, 'sparse'),
    );
    cluster.run();
    const { results, rows } = cluster.merged();
    assert.deepEqual(results, expected);
    assert.ok(rows.length > 0);
    assert.ok(cluster.grants < 0.5 * cluster.roundsRun * cluster.protocols.length);
  });
});
