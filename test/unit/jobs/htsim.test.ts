/** Connection matrices of htsim: what starts when. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { COMPUTE, RECEIVE, SEND } from '../../../services/engine/contract/operations.js';
import { defectsOf } from '../../../services/jobs/check-job.js';
import type { JobGraph } from '../../../services/jobs/graph.js';
import { matrixJob } from '../../../services/jobs/htsim/matrix-job.js';
import { isMatrix, readMatrix, type StartUnit } from '../../../services/jobs/htsim/read-matrix.js';
import { runLogGops } from '../../../services/jobs/loggops.js';
import { JobSource } from '../../../services/jobs/source.js';
import { errorsOf } from './samples.js';

const TRIGGERED = `Nodes 4
Connections 4
Triggers 2
# a third when both have arrived; a fourth when that has been acknowledged
0->1 id 1 start 0 size 100000 recv_done_trigger 1
2->3 id 2 start 0 size 200000 recv_done_trigger 1
1->2 id 3 trigger 1 size 50000 send_done_trigger 2
3->0 id 4 trigger 2 size 50000
trigger id 1 barrier count 2
trigger id 2 oneshot
`;

interface Reading {
  readonly unit?: StartUnit;
  readonly areAcknowledged?: boolean;
}

function job(text: string, { unit = 'us', areAcknowledged = true }: Reading = {}): JobGraph {
  const source = new JobSource('m.cm');
  return matrixJob(source, readMatrix(source, text, unit), { areAcknowledged });
}

/** When each rank is done in LogGOPS, where an eager message of s octets takes 5,500 + 6 (s - 1). */
const message = (octets: number): number => 5500 + 6 * (octets - 1);

describe('a connection matrix of htsim', () => {
  it('starts what a trigger starts when it has been called', () => {
    const graph = job(TRIGGERED);
    assert.deepEqual(defectsOf(graph), []);
    // Sends of this size wait for their receives, which are there.
    const ends = runLogGops(graph).map((ns) => ns!);
    const called = message(200_000) + message(1);
    assert.ok(ends[2]! >= called + message(50_000), ends.join(' '));
    assert.ok(ends[0]! > ends[2]!);
  });

  it('reads starts in the unit that is asked for', () => {
    const text = 'Nodes 2\nConnections 1\n0->1 start 7 size 10\n';
    const delay = (unit: StartUnit): number => {
      const graph = job(text, { unit });
      return graph.amount[graph.kind.indexOf(COMPUTE)]!;
    };
    assert.deepEqual([delay('us'), delay('ps')], [7e6, 7]);
  });

  it('may have starts with decimals, and messages without numbers', () => {
    const text = 'Nodes 2\nConnections 1\n0->1 start 0.25 size 10\n';
    const graph = job(text);
    assert.equal(graph.amount[graph.kind.indexOf(COMPUTE)], 250_000);
    const bare = '0->1 id 1 msg start 0 size 10\n'.repeat(3);
    const read = readMatrix(new JobSource('m.cm'), `Nodes 2\nConnections 3\n${bare}`, 'us');
    assert.deepEqual(
      read.connections.map(({ message: number }) => number),
      [1, 2, 3],
    );
  });

  it('has no connection that never ends', () => {
    const endless = (): unknown => job('Nodes 2\nConnections 1\n0->1 start 0 size 0\n');
    assert.throws(endless, /m\.cm:3:1: 0->1 has size 0, and would send without end/);
  });

  it('sends the messages of a connection one after the other', () => {
    const line = (m: number): string => `0->1 id 5 start 0 size ${m} msg ${m}\n`;
    const graph = job(`Nodes 2\nConnections 3\n${line(3)}${line(1)}${line(2)}`);
    const order: number[] = [];
    const [{ first, to }] = [graph.afterDone];
    let one = [...graph.kind.keys()].find((i) => graph.kind[i] === SEND && graph.needs[i] === 0)!;
    for (;;) {
      order.push(graph.amount[one]!);
      const next = to.slice(first[one], first[one + 1]).find((i) => graph.kind[i] === SEND);
      if (next === undefined) break;
      one = next;
    }
    assert.deepEqual(order, [1, 2, 3]);
  });

  it('takes calls as they come where there are several', () => {
    const text = `Nodes 3
Connections 4
Triggers 1
1->0 id 1 start 50 size 10 recv_done_trigger 1
2->0 id 2 start 0 size 10 recv_done_trigger 1
0->1 id 3 trigger 1 size 100
0->2 id 4 trigger 1 size 100
trigger id 1 KIND
`;
    const startOf = (kind: string): (number | null)[] => {
      const graph = job(text.replace('KIND', kind));
      assert.deepEqual(defectsOf(graph), []);
      return runLogGops(graph);
    };
    const [oneshot, multishot] = [startOf('oneshot'), startOf('multishot')];
    // The second connection starts with the first call, or with the second.
    assert.ok(oneshot[2]! < 50_000, oneshot.join(' '));
    assert.ok(multishot[2]! > 50_000, multishot.join(' '));
  });

  it('matches each send with its receive', () => {
    const graph = job(TRIGGERED);
    const count = (kind: number): number => graph.kind.filter((own) => own === kind).length;
    // Four connections, a call from 3 to 1, and one from 1 to 3.
    assert.deepEqual([count(SEND), count(RECEIVE)], [6, 6]);
  });

  it('is known by its content', () => {
    assert.ok(isMatrix(TRIGGERED) && isMatrix(`# a\n\n\n${TRIGGERED}`));
    assert.ok(!isMatrix('Nodes 8\nTiers 2\n') && !isMatrix('\n'.repeat(100_000)));
  });

  for (const [text, expected] of [
    [TRIGGERED.replace('count 2', 'count 3'), /m\.cm:9:1: trigger 1 \(barrier\) needs 3 calls/],
    [TRIGGERED.replace('count 2', 'count 1'), /starts at 1 calls, and has 2/],
    [TRIGGERED.replace('start 0 size 1', 'size 1'), /:5:1: 0->1 has neither start nor trigger/],
    [TRIGGERED.replace('id 3 trigger', 'id 3 start 1 trigger'), /:7:1: 1->2 has start and trigger/],
    [TRIGGERED.replace('id 3 trigger', 'trigger'), /:7:1: 1->2: a trigger needs an id/],
    [TRIGGERED.replace('3->0', '3->9'), /:8:1: there is no node 9: they are 0 to 3/],
    [TRIGGERED.replace('3->0', '3->3'), /:8:1: node 3 would send to itself/],
    [TRIGGERED.replace('Connections 4', 'Connections 5'), /it says 5 connections, .* has 4/],
    [TRIGGERED.replace('trigger 2 size', 'trigger 7 size'), /:8:1: there is no trigger 7/],
    [TRIGGERED.replace('oneshot', 'twice'), /:10:1: trigger 2 is twice; oneshot, multishot/],
    [TRIGGERED.replace('size 50000\n', 'size big\n'), /:8:1: size: big/],
    [TRIGGERED.replace('size 50000\n', 'length 5\n'), /:8:1: length: one of id, start/],
    [`${TRIGGERED}hello\n`, /:11:1: hello: a line is SRC->DST/],
  ] as const) {
    it(`is refused: ${expected.source}`, () => {
      assert.match(errorsOf(() => job(text)).join('\n'), expected);
    });
  }

  it('with calls at an acknowledgement needs sends that wait for it', () => {
    const errors = errorsOf(() => job(TRIGGERED, { areAcknowledged: false }));
    assert.match(errors.join('\n'), /m\.cm:7:1: .*the job needs sends: acknowledged/);
  });

  it('whose triggers wait for each other is refused with the cycle', () => {
    const text = `Nodes 2
Connections 2
Triggers 2
0->1 id 1 trigger 1 size 9 send_done_trigger 2
0->1 id 2 trigger 2 size 9 send_done_trigger 1
trigger id 1 oneshot
trigger id 2 oneshot
`;
    const [defect] = defectsOf(job(text));
    assert.match(defect!.message, /connection 1/);
  });

  it('survives any octet that is wrong', () => {
    for (let at = 0; at < TRIGGERED.length; at++) {
      for (const other of ['', '\n', ' ', '-', '9', 'é']) {
        const wrong = TRIGGERED.slice(0, at) + other + TRIGGERED.slice(at + 1);
        errorsOf(() => defectsOf(job(wrong)));
      }
    }
  });
});
