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

  it('says what is no run directory, and which tables there are', () => {
    const { stderr } = python('from selvage_runs import Run; Run("nothing")');
    assert.match(String(stderr), /nothing is no run directory: it has no digest/);
    const { stderr: none } = python(
      'import sys; from selvage_runs import Run; Run(sys.argv[1]).table("x")',
    );
    assert.match(String(none), /has no table x; it has episodes, flows, margins, ports, series/);
  });
});
