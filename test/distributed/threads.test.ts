import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { PartitionPlan } from '../../services/fabric/placement/partition-plan.js';
import { planPartitions } from '../../services/fabric/placement/partition-plan.js';
import { placeInServices } from '../../services/fabric/placement/parts.js';
import { Session } from '../../services/runtime/session.js';
import { ThreadsRun } from '../../services/runtime/threads/run-threads.js';
import { examplesInThreads } from '../kit/crossing.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import { assertGolden, goldenFabric } from '../kit/golden.js';
import { isLong } from '../kit/long-suite.js';
import { inThreads } from '../kit/threads.js';

describe('a run in threads', () => {
  for (const name of examplesInThreads) {
    it(`gives the results of one thread: ${name}`, async () => {
      assertGolden(name, await inThreads(goldenFabric(name), 2).run());
    });
  }

  for (const name of ['incast-dcqcn', ...(isLong ? ['incast-pfc'] : [])]) {
    it(`goes on after an interruption, in one thread or in others: ${name}`, async () => {
      await goesOn(fabricOf(`examples/${name}.yaml`, 'observe.series=50us'));
    });
  }

  async function goesOn(fabric: ReturnType<typeof fabricOf>): Promise<void> {
    const stopped = inThreads(fabric, 3);
    const ended = stopped.run();
    while (stopped.progress().virtualPs === 0) await new Promise(setImmediate);
    stopped.controller.stop();
    const { results, state } = await ended;
    assert.equal(results.status, 'interrupted');
    const whole = new Session(fabric, { check: true });
    while (whole.advance(1000) === 'running');
    const alone = new Session(fabric, { check: true });
    alone.restore(state!);
    while (alone.advance(1000) === 'running');
    assert.deepEqual(alone.results('complete'), whole.results('complete'));
    const plans = planPartitions(fabric, placeInServices(fabric, 2));
    const others = await new ThreadsRun(fabric, plans, { check: true, from: state }).run();
    assert.deepEqual(others.results, whole.results('complete'));
    assert.deepEqual(others.rows, [...whole.series().rows]);
  }

  it('ends with the error of a thread that fails', async () => {
    const fabric = fabricOf('examples/pair-line-rate.yaml');
    const [first, second] = planPartitions(fabric, placeInServices(fabric, 2));
    const nowhere = { place: 99, port: 0 };
    const broken: PartitionPlan = { ...second!, links: [[nowhere, nowhere]] };
    const doomed = new ThreadsRun(fabric, [first!, broken], { check: false, from: null });
    await assert.rejects(doomed.run());
  });
});

describe('the run directory', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const selvage = (...args: string[]): { status: number | null; stderr: string } =>
    spawnSync(process.execPath, [join(ROOT, 'dist/programs/selvage.js'), ...args], {
      encoding: 'utf8',
    });
  const scenario = join(ROOT, 'examples/victim-behind-pfc.yaml');
  const run = (out: string, ...args: string[]): Record<string, string> => {
    const path = join(folder, out);
    const sampled = ['--set', 'observe.series=20us', '--set', 'observe.episodes=true'];
    assert.equal(selvage('run', scenario, '--out', path, '--quiet', ...sampled, ...args).status, 0);
    const files = readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]);
    const { 'summary.json': summary, ...rest } = Object.fromEntries(files) as Record<
      string,
      string
    >;
    return { ...rest, summary: summary!.replace(/"elapsedSeconds": [\d.e-]+/, '') };
  };

  it('is the same from one thread and from three, file for file', () => {
    assert.deepEqual(run('three', '--threads', '3'), run('one'));
  });

  it('is refused for more threads than devices, or none', () => {
    for (const threads of ['0', '99', 'many']) {
      const { status, stderr } = selvage('run', scenario, '--threads', threads);
      assert.equal(status, 2);
      assert.match(stderr, /--threads .*: not a number from 1 to /);
    }
  });
});
