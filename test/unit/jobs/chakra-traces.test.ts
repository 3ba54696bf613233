import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { COMPUTE, SEND } from '../../../services/engine/contract/operations.js';
import { buildFabric } from '../../../services/fabric/assembly/fabric.js';
import type { Fabric } from '../../../services/fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../../../services/fabric/scenario/load-scenario.js';
import { drawnJob } from '../../../services/hunt/worlds/jobs.js';
import { Sampler } from '../../../services/hunt/worlds/sampler.js';
import { chakraJob } from '../../../services/jobs/chakra/chakra-job.js';
import { readTrace } from '../../../services/jobs/chakra/read-trace.js';
import { chakraTraces } from '../../../services/jobs/chakra/write-traces.js';
import { defectsOf } from '../../../services/jobs/check-job.js';
import { type JobGraph, rankOf } from '../../../services/jobs/graph.js';
import { JobSource } from '../../../services/jobs/source.js';
import { run } from '../../kit/emulate.js';

const folder = mkdtempSync(join(tmpdir(), 'selvage-traces-'));
after(() => {
  rmSync(folder, { recursive: true });
});

function fabricOf(hosts: number, job: object): Fabric {
  return buildFabric(
    scenarioOfDocument(join(folder, 'job.yaml'), {
      selvage: 1,
      fabric: { generator: 'star', hosts },
      load: [{ name: 'job', job, transport: { reliable: { mtu: 4096 } } }],
    }),
  );
}

function graphOf(fabric: Fabric): JobGraph {
  return fabric.jobs[0]!.job.graph;
}

function readBack(traces: readonly Uint8Array[]): JobGraph {
  const read = traces.map((octets, rank) => {
    const source = new JobSource(`job.${rank}.et`);
    return { source, nodes: readTrace(source, octets) };
  });
  return chakraJob(read, { edges: 'data' });
}

/** What each rank sends, and how long it computes. */
function workOf(graph: JobGraph): string[] {
  const work: string[] = [];
  for (let one = 0; one < graph.count; one++) {
    const rank = rankOf(graph, one);
    if (graph.kind[one] === SEND) {
      work.push(`${rank} sends ${graph.amount[one]} to ${graph.peer[one]}`);
    }
    if (graph.kind[one] === COMPUTE && graph.amount[one] !== 0) {
      work.push(`${rank} computes ${graph.amount[one]}`);
    }
  }
  return work.sort();
}

describe('a job as traces of Chakra', () => {
  it('takes the time of the job where its ranks do one thing at a time', () => {
    const steps = [{ compute: '20us' }, { 'all-reduce': '256KiB' }, { compute: '3us' }];
    const job = fabricOf(4, { steps });
    const { traces, rounded, approximated } = chakraTraces(graphOf(job))!;
    assert.deepEqual([traces.length, rounded, approximated], [4, 0, 0]);
    traces.forEach((octets, rank) => {
      writeFileSync(join(folder, `ring.${rank}.et`), octets);
    });
    const again = fabricOf(4, { chakra: 'ring' });
    assert.equal(run(again).jobs[0]!.iterationPs, run(job).jobs[0]!.iterationPs);
  });

  it('has the same work, and can end, for random jobs', () => {
    for (let turn = 0; turn < 40; turn++) {
      const graph = graphOf(fabricOf(8, drawnJob(new Sampler(turn, 'traces'), 8)));
      const written = chakraTraces(graph);
      if (written === null || written.rounded > 0) continue;
      const again = readBack(written.traces);
      assert.deepEqual(defectsOf(again), []);
      assert.deepEqual(workOf(again), workOf(graph), `job ${turn}`);
    }
  });

  it('says what a trace cannot: times below a microsecond, starts, a message of any rank', () => {
    const goal = (text: string): JobGraph => {
      writeFileSync(join(folder, 'job.goal'), text);
      return graphOf(fabricOf(2, { goal: 'job.goal' }));
    };
    const own = chakraTraces(
      goal(
        'num_ranks 2\nrank 0 {\na: calc 1500\nb: calc 2000 cpu 1\nc: send 8b to 1\nb irequires a\n' +
          'c requires b\n}\nrank 1 {\nd: recv 8b from 0\n}\n',
      ),
    )!;
    assert.deepEqual([own.rounded, own.approximated], [1, 1]);
    const any = 'num_ranks 2\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\nb: recv 8b from -1\n}\n';
    assert.equal(chakraTraces(goal(any)), null);
  });
});
