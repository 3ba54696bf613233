/** A real Prometheus, as deploy/ configures it, is asked what the dashboard of deploy/ asks. */

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { ROOT } from '../kit/emulate.js';
import { MAIN } from '../kit/pods.js';

const DEPLOY = join(ROOT, 'deploy');
const isThere = spawnSync('prometheus', ['--version']).status === 0;
const skip = isThere ? false : 'no prometheus on the PATH';
const PAUSE_MS = 250;
/** Prometheus scrapes every five seconds. */
const TRIES = 240;

/** One priority each that is stopped, that marks, that has credit, and that loses. */
const SCENARIO = `selvage: 1
fabric: { generator: star, hosts: 9, link: { rate: 100G, length: 100m } }
switches: { buffer: { size: 2MB } }
classes: { arbiter: round-robin }
priorities:
  2: { ecn: { step: 10KB } }
  3: { flowControl: pfc }
  4: credit
load:
  - { incast: { from: h2..h9, to: h1 }, bytes: 50GB, priority: 0, transport: reliable }
  - incast: { from: h2..h9, to: h1 }
    bytes: 50GB
    priority: 2
    transport: reliable
    congestion: dcqcn
  - { incast: { from: h2..h9, to: h1 }, bytes: 50GB, priority: 3, transport: reliable }
  - { incast: { from: h2..h9, to: h1 }, bytes: 50GB, priority: 4, transport: reliable }
  - { name: short, incast: { from: h2, to: h3 }, bytes: 10KB, priority: 0, transport: reliable }
`;

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: { readonly result: readonly Sample[] };
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana/selvage.json'), 'utf8')) as {
  panels: readonly Panel[];
};

describe('a real Prometheus', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-prometheus-'));
  const children: ChildProcess[] = [];
  let url = '';
  let figuresUrl = '';

  before(async () => {
    const [metrics, own] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${own}`;
    figuresUrl = `http://127.0.0.1:${metrics}`;
    const scenario = join(folder, 'scenario.yaml');
    writeFileSync(scenario, SCENARIO);
    const run = [MAIN, 'run', scenario, '--quiet', '--out', join(folder, 'run')];
    children.push(
      spawn(process.execPath, [...run, '--metrics', `${metrics}`], { stdio: 'inherit' }),
    );
    const config = join(folder, 'prometheus.yaml');
    const text = readFileSync(join(DEPLOY, 'prometheus.yaml'), 'utf8');
    writeFileSync(config, text.replace('collector:8889', `127.0.0.1:${metrics}`));
    const data = `--storage.tsdb.path=${join(folder, 'data')}`;
    const words = [`--config.file=${config}`, data, `--web.listen-address=127.0.0.1:${own}`];
    children.push(spawn('prometheus', words, { stdio: 'ignore' }));
    const found = (): Promise<boolean> =>
      ask('max(selvage_dropped_frames_total) > 0').then(
        (samples) => samples.length > 0,
        () => false,
      );
    for (let tries = 0; !(await found()); tries++) {
      assert.ok(tries < TRIES, 'no metrics of the run within a minute');
      await setTimeout(PAUSE_MS);
    }
  });
  after(async () => {
    const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ended);
    rmSync(folder, { recursive: true });
  });

  const ask = async (expression: string): Promise<readonly Sample[]> => {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { status, error, data } = (await answer.json()) as Answer;
    assert.equal(status, 'success', error);
    return data.result;
  };

  for (const { title, targets } of panels) {
    it(`has what the panel "${title}" shows`, async () => {
      for (const { expr } of targets) {
        const samples = await ask(expr);
        assert.ok(samples.length > 0, expr);
        for (const { value } of samples) assert.ok(Number(value[1]) >= 0, expr);
        assert.ok(
          samples.some(({ value }) => Number(value[1]) > 0),
          expr,
        );
      }
    });
  }

  const noPromtool =
    spawnSync('promtool', ['--version']).status === 0 ? false : 'no promtool on the PATH';

  it('finds nothing to mend in names, units, types and help', { skip: noPromtool }, async () => {
    const text = await fetch(`${figuresUrl}/metrics`).then((answer) => answer.text());
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
    });
    assert.deepEqual([stdout, stderr], ['', '']);
    assert.equal(status, 0);
    const types = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]),
    );
    for (const [name, type] of types) {
      assert.equal(type === 'counter', name!.endsWith('_total'), name);
    }
    assert.equal(types.get('selvage_flow_completion_seconds'), 'histogram');
  });

  it('has the distribution of flow completion times', async () => {
    const name = 'selvage_flow_completion_seconds';
    const [count] = await ask(`sum(${name}_count)`);
    const [last] = await ask(`sum(${name}_bucket{le="+Inf"})`);
    assert.ok(Number(count!.value[1]) > 0);
    assert.equal(Number(last!.value[1]), Number(count!.value[1]));
    const [median] = await ask(`histogram_quantile(0.5, sum by (le) (${name}_bucket))`);
    assert.ok(Number(median!.value[1]) > 0);
  });

  it('knows ports and priorities by name', async () => {
    const samples = await ask('selvage_blocked_seconds_total{port="h2:p1",priority="3"}');
    assert.deepEqual(
      samples.map(({ metric }) => [metric['device'], metric['job']]),
      [['h2', 'selvage']],
    );
  });
});
