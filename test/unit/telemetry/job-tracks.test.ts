/** Jobs on a timeline of Perfetto: what ranks do, and the critical path. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFabric } from '../../../services/fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../../../services/fabric/scenario/load-scenario.js';
import type { RunResults } from '../../../services/runtime/results/results.js';
import { addJobs } from '../../../services/telemetry/perfetto/add-jobs.js';
import { Timeline, type Track } from '../../../services/telemetry/perfetto/timeline.js';
import { run } from '../../kit/emulate.js';

const steps = [{ compute: '10us' }, { 'all-reduce': '90KB' }, { compute: '5us' }];

function resultsOf(more: object = {}): RunResults {
  return run(
    buildFabric(
      scenarioOfDocument('job.yaml', {
        selvage: 1,
        fabric: { generator: 'star', hosts: 3 },
        load: [{ name: 'step', job: { steps, repeat: 2 } }],
        ...more,
      }),
    ),
  );
}

function tracksOf({ operations, virtualPs }: RunResults): { timeline: Timeline; job: Track } {
  const timeline = new Timeline('test');
  addJobs(timeline, operations, virtualPs);
  return { timeline, job: timeline.root.child('jobs').child('step') };
}

const lengthOf = ({ slices }: Track): number =>
  slices.reduce((sum, { startPs, endPs }) => sum + endPs - startPs, 0);

describe('a job on a timeline', () => {
  it('has what each rank computes, sends and receives', () => {
    const { job } = tracksOf(resultsOf());
    assert.deepEqual(
      job.children.map(({ name }) => name),
      ['critical path', 'rank 0 at h1', 'rank 1 at h2', 'rank 2 at h3'],
    );
    for (const rank of job.children.slice(1)) {
      assert.equal(lengthOf(rank.child('computing')), 30e6);
      assert.equal(rank.child('sending').slices.length, 2 * 4);
      assert.equal(rank.child('receiving').slices.length, 2 * 4);
    }
    assert.equal(job.child('rank 0 at h1').child('sending').slices[0]!.name, '30000 B to rank 1');
  });

  it('has an arrow from each send to its receive, and a path as long as the iteration', () => {
    const results = resultsOf();
    const { timeline, job } = tracksOf(results);
    assert.equal(lengthOf(job.child('critical path')), results.jobs[0]!.iterationPs);
    for (const piece of timeline.octets()) assert.ok(piece.length > 0);
    assert.equal(timeline.counts.arrows, 3 * 8);
  });

  it('that is not over goes to the end of the run', () => {
    const results = resultsOf({ duration: '25us' });
    assert.equal(results.jobs[0]!.iterationPs, null);
    const { job } = tracksOf(results);
    const ends = job.children
      .slice(1)
      .flatMap((rank) => rank.children.flatMap(({ slices }) => slices.map(({ endPs }) => endPs)));
    assert.ok(ends.includes(25e6) && ends.every((end) => end <= 25e6));
  });

  it('is not there where there is none', () => {
    const timeline = new Timeline('test');
    addJobs(timeline, [], 0);
    assert.deepEqual(timeline.root.children, []);
  });
});
