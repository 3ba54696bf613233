/** Algorithms of MSCCL: what a step waits for, and which steps are one message. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SEND } from '../../../services/engine/contract/operations.js';
import { defectsOf } from '../../../services/jobs/check-job.js';
import { type JobGraph, rankOf } from '../../../services/jobs/graph.js';
import { runLogGops } from '../../../services/jobs/loggops.js';
import { algorithmJob } from '../../../services/jobs/msccl/algorithm-job.js';
import { isAlgorithm, readAlgorithm } from '../../../services/jobs/msccl/read-algorithm.js';
import { JobSource } from '../../../services/jobs/source.js';
import { COLLECTIVES } from '../../../services/jobs/steps/collectives.js';
import { weaveSteps } from '../../../services/jobs/steps/steps.js';
import { errorsOf } from './samples.js';

/** A step, with a wait for a step of another block. */
const step = (s: number, type: string, off: number, after = '-1 -1'): string => {
  const [depid, deps] = after.split(' ');
  return `<step s="${s}" type="${type}" srcbuf="i" srcoff="${off}" dstbuf="i" dstoff="${off}" cnt="1" depid="${depid!}" deps="${deps!}" hasdep="0"/>`;
};

/** A ring of any number of GPUs, one chunk each, as msccl-tools write one. */
function ring(n: number): string {
  const gpus = Array.from({ length: n }, (_, i) => {
    const part = (k: number): number => (((i - k) % n) + n) % n;
    const steps = Array.from({ length: 2 * n - 1 }, (_, k) => {
      const type = k === 0 ? 's' : k < n - 1 ? 'rrs' : k === n - 1 ? 'rrcs' : 'rcs';
      return step(k, k === 2 * n - 2 ? 'r' : type, part(k));
    });
    const [next, before] = [(i + 1) % n, (i - 1 + n) % n];
    const block = `<tb id="0" send="${next}" recv="${before}" chan="0">${steps.join('\n')}</tb>`;
    return `<gpu id="${i}" i_chunks="${n}" o_chunks="0" s_chunks="0">\n${block}\n</gpu>`;
  });
  return `<algo name="ring" nchannels="1" nchunksperloop="${n}" ngpus="${n}" coll="allreduce" inplace="1">
${gpus.join('\n')}
</algo>`;
}

/** Two blocks a GPU: the second half is sent when the first was received and reduced. */
const PAIR = `<?xml version="1.0"?>
<!-- two GPUs -->
<algo name="pair" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce">
${[0, 1]
  .map(
    (gpu) => `<gpu id="${gpu}" i_chunks="2" o_chunks="0" s_chunks="0">
<tb id="0" send="${1 - gpu}" recv="-1" chan="0">
${step(0, 's', 1 - gpu)}
${step(1, 'nop', 0, '1 0')}
${step(2, 's', gpu)}
</tb>
<tb id="1" send="-1" recv="${1 - gpu}" chan="0">
${step(0, 'rrc', gpu)}
${step(1, 'r', 1 - gpu)}
</tb>
</gpu>`,
  )
  .join('\n')}
</algo>
`;

function job(text: string, octets = 4 << 20): JobGraph {
  const source = new JobSource('a.xml');
  return algorithmJob(source, readAlgorithm(source, text), octets);
}

describe('an algorithm of MSCCL', () => {
  it('of a ring takes the time of a ring that is woven here', () => {
    for (const n of [2, 3, 4, 7]) {
      const octets = 1_000_003;
      const woven = weaveSteps({
        ...{ ranks: n, repeat: 1, slowdown: new Map() },
        steps: [
          {
            ...{ kind: 'collective', what: 'all-reduce', algorithm: 'ring', chunks: 1, octets },
            group: Array.from({ length: n }, (_, rank) => rank),
          },
        ],
      });
      const read = job(ring(n), octets);
      assert.deepEqual(defectsOf(read), []);
      assert.deepEqual(runLogGops(read), runLogGops(woven));
      const { messages } = COLLECTIVES['all-reduce']!.algorithms['ring']!;
      assert.equal(read.kind.filter((kind) => kind === SEND).length, messages(n));
    }
  });

  it('waits for the step that it names', () => {
    const graph = job(PAIR);
    assert.deepEqual(defectsOf(graph), []);
    // Each half takes o + L + o + (s - 1) G; the second begins when the first is there.
    const half = 2500 + 2 * 1500 + ((2 << 20) - 1) * 6;
    assert.deepEqual(runLogGops(graph), [2 * half, 2 * half]);
  });

  it('names its collective and its steps', () => {
    const graph = job(PAIR);
    assert.deepEqual(graph.steps, [{ kind: 'all-reduce', group: [0, 1], octets: 4 << 20 }]);
    assert.equal(graph.nameOf(0), 'tb 0 step 0 s');
    assert.ok(graph.step.every((own) => own === 0));
    assert.deepEqual(job(PAIR.replace('allreduce', 'custom')).steps, []);
  });

  it('reads the names of newer files', () => {
    const newer = PAIR.replaceAll('<step s=', '<op step=')
      .replaceAll('srcbuf="i" srcoff', 'buf="i" off')
      .replaceAll(/ dstbuf="i" dstoff="\d"/g, '');
    assert.deepEqual(runLogGops(job(newer)), runLogGops(job(PAIR)));
  });

  it('is known by its content', () => {
    assert.ok(isAlgorithm(PAIR) && isAlgorithm(ring(2)));
    assert.ok(!isAlgorithm('<html/>') && !isAlgorithm('algo'));
  });

  for (const [text, expected] of [
    [
      PAIR.replace(/\n<step[^\n]*type="r"[^\n]*/, ''),
      /gpu 1, tb 0, step 2 sends, and no step of gpu 0/,
    ],
    [PAIR.replace('send="1"', 'send="0"'), /a\.xml:5:\d+: gpu 0, tb 0: send names itself/],
    [PAIR.replace('send="1"', 'send="7"'), /gpu 0, tb 0: send is 7, and ngpus is 2/],
    [PAIR.replace('send="1"', 'send="-1"'), /gpu 0, tb 0, step 0 sends, and its tb has no send/],
    [PAIR.replace('srcoff="1"', 'srcoff="2"'), /chunks 2 to 2 of buffer i, which has 2/],
    [PAIR.replace('type="nop"', 'type="zip"'), /step 1: type is zip; one of s, r/],
    [PAIR.replace('depid="1" deps="0"', 'depid="1" deps="9"'), /waits for step 9 of tb 1/],
    [PAIR.replace('coll="allreduce"', 'coll="dance"'), /coll is dance; it is one of/],
    [PAIR.replace('<tb id="1"', '<tb id="0"'), /tb 0 is there twice in gpu 0/],
    [PAIR.replace('</algo>', ''), /this is no XML/],
    [PAIR.replace('ngpus="2"', 'ngpus="3"'), /ngpus is 3, and the file has 2/],
    [PAIR.replace('cnt="1"', 'cnt="2"').replace('srcoff="1"', 'srcoff="0"'), /sends 2 chunks/],
  ] as const) {
    it(`is refused: ${expected.source}`, () => {
      assert.match(errorsOf(() => job(text)).join('\n'), expected);
    });
  }

  it('that would hang a GPU is refused with its cycle', () => {
    const hanging = PAIR.replaceAll(step(0, 's', 1), step(0, 's', 1, '1 0')).replaceAll(
      step(0, 's', 0),
      step(0, 's', 0, '1 0'),
    );
    const [defect] = defectsOf(job(hanging));
    assert.match(defect!.message, /tb 0 step 0 s/);
    assert.match(defect!.message, /tb 1 step 0 rrc/);
  });

  it('survives any octet that is wrong', () => {
    for (let at = 0; at < PAIR.length; at++) {
      for (const other of ['', '<', '"', '9', '&']) {
        errorsOf(() => job(PAIR.slice(0, at) + other + PAIR.slice(at + 1)));
      }
    }
  });

  it('has every rank in it', () => {
    const graph = job(ring(5));
    assert.equal(rankOf(graph, graph.count - 1), 4);
  });
});
