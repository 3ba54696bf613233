/** clients/python reads what a run wrote. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';
import { PYTHON_FOLDER, skipWithout } from '../kit/python.js';

const MAIN = join(ROOT, 'dist/programs/selvage.js');
const CLIENT = join(ROOT, 'clients/python');

interface Read {
  readonly digest: string;
  readonly tables: readonly string[];
  readonly fct: readonly number[];
  readonly share: number;
  readonly queue: number;
  readonly paused: readonly string[];
}

describe('the Python client', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-python-'));
  const run = join(folder, 'run');
  const python = (program: string): ReturnType<typeof spawnSync> => {
    const env = { ...process.env, PYTHONPATH: `${CLIENT}${delimiter}${PYTHON_FOLDER}` };
    return spawnSync('python3', ['-c', program, run], { env, encoding: 'utf8' });
  };
  const columnsOf = (table: string, ...names: string[]): string[][] => {
    const [head, ...rows] = readFileSync(join(run, `${table}.csv`), 'utf8')
      .trim()
      .split('\n');
    const places = names.map((name) => head!.split(',').indexOf(name));
    return rows.map((row) => places.map((place) => row.split(',')[place]!));
  };

  before(() => {
    const words = [MAIN, 'run', join(ROOT, 'examples/incast-pfc.yaml'), '--out', run];
    assert.equal(spawnSync(process.execPath, [...words, '--quiet', '--no-parquet']).status, 0);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('reads the summary and tables with pandas', { skip: skipWithout('pandas') }, () => {
    const { stdout, stderr } = python(`
import json, sys
from selvage_runs import Run, fct_cdf, pause_matrix, queue_over_time
run = Run(sys.argv[1])
cdf = fct_cdf(run, "burst")
print(json.dumps({
    "digest": run.summary["digest"], "tables": run.tables,
    "fct": list(cdf["fct_us"]), "share": float(cdf["share"].iloc[-1]),
    "queue": int(queue_over_time(run, "s1:p1").max()),
    "paused": list(pause_matrix(run).index)}))`);
    const read = JSON.parse(String(stdout) || String(stderr)) as Read;
    assert.equal(read.digest, readFileSync(join(run, 'digest'), 'utf8').trim());
    assert.ok(read.tables.includes('episodes') && read.tables.includes('series'));
    const times = columnsOf('flows', 'completion_ps').map(([ps]) => Number(ps) / 1e6);
    assert.deepEqual(
      read.fct,
      times.toSorted((a, b) => a - b),
    );
    assert.equal(read.share, 1);
    const queues = columnsOf('series', 'port', 'queue_bytes').filter(([port]) => port === 's1:p1');
    assert.equal(read.queue, Math.max(...queues.map(([, bytes]) => Number(bytes))));
    const blocked = columnsOf('series', 'port', 'blocked_ps').filter(([, ps]) => Number(ps) > 0);
    assert.deepEqual(read.paused, [...new Set(blocked.map(([port]) => port!))].sort());
  });

  it('reads tables with polars', { skip: skipWithout('polars') }, () => {
    const { stdout, stderr } = python(`
import sys
from selvage_runs import Run
print(Run(sys.argv[1]).table("flows", engine="polars").height)`);
    assert.equal(stdout, '8\n', String(stderr));
  });

  const program = JSON.stringify([process.execPath, MAIN]);

  it('runs a scenario of its own, an example, and a sweep with several runs at once', () => {
    const { stdout, stderr } = python(`
import json, selvage_runs
program = ${program}
star = {"fabric": {"generator": "star", "hosts": 3}, "expect": [{"metric": "drops", "min": 1}],
        "load": [{"incast": {"from": ["h1", "h2"], "to": "h3"}, "bytes": "10KB"}]}
own = selvage_runs.run(star, {"priorities.0": {"flowControl": "pfc"}}, program=program)
points = selvage_runs.sweep("incast-pfc", {"load.burst.bytes": ["50KB", "100KB"], "priorities.3.alpha": [1]},
                            jobs=2, program=program)
print(json.dumps({
    "methods": [own.summary["priorities"][0]["flowControl"], own.summary["status"]],
    "points": points.points, "labels": [label for label, _ in points.items()],
    "delivered": [run.summary["frameHops"] for _, run in points]}))`);
    const read = JSON.parse(String(stdout) || String(stderr)) as {
      methods: string[];
      points: object[];
      labels: string[];
      delivered: number[];
    };
    assert.deepEqual(read.methods, ['pfc', 'complete']);
    const point = (bytes: string): object => ({
      'load.burst.bytes': bytes,
      'priorities.3.alpha': 1,
    });
    assert.deepEqual(read.points, [point('50KB'), point('100KB')]);
    assert.equal(read.labels[0], 'load.burst.bytes=50KB, priorities.3.alpha=1');
    assert.ok(read.delivered[1]! > 1.5 * read.delivered[0]!);
  });

  it('raises what is wrong with a scenario, and where there is no program', () => {
    const failing = (call: string): string =>
      String(python(`import selvage_runs\nselvage_runs.run(${call})`).stderr);
    assert.match(
      failing(`"incast-pfc", set={"load.burst.byte": 1}, program=${program}`),
      /RunError: .*unknown key: byte; .*did you mean bytes\?/,
    );
    assert.match(
      failing('"incast-pfc", program=["no-such-program"]'),
      /RunError: no program no-such-program: install it, or set SELVAGE to it/,
    );
  });

  it('puts the tables of a sweep together', { skip: skipWithout('pandas') }, () => {
    const { stdout, stderr } = python(`
from selvage_runs import fct_cdf, sweep
points = sweep("incast-pfc", {"priorities.3.alpha": [0.5, 1]}, program=${program})
flows = points.table("flows")
alphas = [float(alpha) for alpha in flows["priorities.3.alpha"].unique()]
print(len(flows), alphas, len(fct_cdf(flows)))`);
    assert.equal(stdout, '16 [0.5, 1.0] 16\n', String(stderr));
  });

  it('says what is no run directory, and which tables there are', () => {
    const { stderr } = python('from selvage_runs import Run; Run("nothing")');
    assert.match(String(stderr), /nothing is no run directory: it has no digest/);
    const { stderr: none } = python(
      'import sys; from selvage_runs import Run; Run(sys.argv[1]).table("x")',
    );
    assert.match(String(none), /has no table x; it has episodes, flows, margins, ports, series/);
  });
});
