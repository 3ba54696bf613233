import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { encodeBinaryGoal, parseBinaryGoal } from '../../../services/jobs/goal/binary-goal.js';
import { LOGGOPS, runLogGops } from '../../../services/jobs/loggops.js';
import { JobSource } from '../../../services/jobs/source.js';
import { ROOT } from '../../kit/emulate.js';
import { goal, PAIR } from './samples.js';

interface Pinned {
  readonly goal: readonly string[];
  readonly O: number;
  readonly S: number;
  /** By rank, as LogGOPSim 76451de prints them. */
  readonly ends: readonly number[];
}

const pinned = JSON.parse(
  readFileSync(join(ROOT, 'test/unit/jobs/loggopsim.json'), 'utf8'),
) as readonly Pinned[];

describe('the LogGOPS model', () => {
  it('takes 2o + L + (s - 1)G for an eager message between idle ranks', () => {
    assert.deepEqual(runLogGops(goal(PAIR)), [6500, 5000 + 1500 + 2500 + 1500 + 8191 * 6 + 100]);
  });

  it('has a sender wait for the match of a message beyond S', () => {
    const text = `num_ranks 2
rank 0 {
s1: send 100000b to 1
c1: calc 1000
c1 requires s1
}
rank 1 {
c0: calc 700000
r1: recv 100000b from 0
r1 requires c0
}`;
    assert.deepEqual(runLogGops(goal(text)), [701_000, 1_301_494]);
  });

  it('gives the first arrival to the first posted of any source', () => {
    const text = `num_ranks 3
rank 0 {
r1: recv 64b from -1 tag -1
r2: recv 64b from -1 tag -1
r2 requires r1
}
rank 1 {
s1: send 64b to 0 tag 5
}
rank 2 {
c1: calc 9000
s1: send 64b to 0 tag 6
s1 requires c1
}`;
    assert.deepEqual(runLogGops(goal(text)), [14_878, 1500, 10_500]);
  });

  it('starts what needs a start when it starts, on another processor', () => {
    const text = `num_ranks 2
rank 0 {
s1: send 1000b to 1 tag 1
c1: calc 20000 cpu 1
s2: send 1000b to 1 tag 2
c1 irequires s1
s2 requires s1
}
rank 1 {
r2: recv 1000b from 0 tag 2
r1: recv 1000b from 0 tag 1
c1: calc 10
c1 requires r1
c1 requires r2
}`;
    assert.deepEqual(runLogGops(goal(text)), [20_000, 18_998]);
  });

  it('starts what depends on a computation at its end, whatever other processors do', () => {
    const text = `num_ranks 1
rank 0 {
a: calc 500 cpu 0
b: calc 100 cpu 1
b requires a
}`;
    assert.deepEqual(runLogGops(goal(text)), [600]);
  });

  for (const [index, { goal: lines, O, S, ends }] of pinned.entries()) {
    it(`ends when LogGOPSim does, from text and from octets (graph ${index})`, () => {
      const graph = goal(lines.join('\n'));
      const again = parseBinaryGoal(new JobSource('job.bin'), encodeBinaryGoal(graph));
      assert.deepEqual(runLogGops(graph, { ...LOGGOPS, O, S }), ends);
      assert.deepEqual(runLogGops(again, { ...LOGGOPS, O, S }), ends);
    });
  }
});
