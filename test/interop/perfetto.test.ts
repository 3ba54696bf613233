/** A trace for Perfetto, read by Perfetto's own schema, has what the run has. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { repeatRun } from '../../services/runtime/repeat-run.js';
import { frameTraces } from '../../services/telemetry/traces/frame-traces.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import { PYTHON_FOLDER, skipWithout } from '../kit/python.js';

const ALL = { share: 1, priorities: 0xff, flows: null, named: [], slowest: 0, dropped: false };
const SHORT = ['duration=60us', 'expect=[]'];

/** A frame is a chain of slices; its waits and pauses lie in those of its queues. */
const QUERIES = {
  faults: 'select name, count(*) from stats group by name',
  frames: `select count(distinct value) from args where key = 'frame'`,
  episodes: `select category, count(*), sum(e.value - s.value)
    from slice join args s on s.slice = id and s.key = 'start_ps'
    join args e on e.slice = id and e.key = 'cleared_ps'
    where category in ('blocked', 'queue', 'full') and e.value >= 0 group by category`,
  open: `select count(*) from args where key = 'cleared_ps' and value = -1`,
  parts: `select part.value, sum(e.value - s.value) from slice
    join args part on part.slice = id and part.key = 'part'
    join args s on s.slice = id and s.key = 'start_ps'
    join args e on e.slice = id and e.key = 'end_ps'
    where part.value in ('serialise', 'propagate', 'process', 'complete', 'receive') group by 1`,
  inside: `select category, sum(e.value - s.value) from slice
    join args s on s.slice = id and s.key = 'start_ps'
    join args e on e.slice = id and e.key = 'end_ps'
    where depth = 1 group by 1`,
  cut: `select count(*) from slice join args s on s.slice = id and s.key = 'start_ps'
    where ts != s.value / 1000`,
  causes: `select o.category, i.category, count(*) from flow
    join slice o on o.id = slice_out join slice i on i.id = slice_in
    where o.category in ('blocked', 'queue', 'full') and i.depth = 0 group by 1, 2`,
  holders: `select count(*) from flow join slice o on o.id = slice_out
    join slice i on i.id = slice_in
    join args episode on episode.slice = i.id and episode.key = 'episode'
    join args own on own.slice = o.id and own.key = 'episode' and own.value = episode.value
    where o.category = 'blocked' and i.depth = 1`,
  backwards: `select count(*) from flow join slice o on o.id = slice_out
    join slice i on i.id = slice_in where o.ts > i.ts`,
  places: `select distinct device.name, port.name from track port
    join track device on device.id = port.parent join track root on root.id = device.parent
    where root.parent is null order by device.rank, port.rank`,
  peak: `select max(value) from counter join track on track.id = track
    join track port on port.id = track.parent
    where track.name = 'p3 queue' and port.name = 'leaf2:p1' and track.unit = 'UNIT_SIZE_BYTES'`,
  emptied: `select count(*) from counter where value = 0`,
};

type Answers = Readonly<Record<keyof typeof QUERIES, readonly (readonly (number | string)[])[]>>;

const skip = skipWithout('perfetto/protos/perfetto/trace/perfetto_trace_pb2.py');

describe('a trace for Perfetto', { skip, timeout: 300_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-perfetto-'));
  const trace = join(folder, 'run.pftrace');
  const run = join(folder, 'run');
  const example = 'examples/victim-behind-pfc.yaml';
  let answers: Answers;
  let said: string;

  before(() => {
    const set = SHORT.flatMap((change) => ['--set', change]);
    selvage('run', example, ...set, '--quiet', '--no-parquet', '--out', run);
    said = selvage('trace', run, '--perfetto', trace, '--share', '100%', '--sample', '500ns');
    answers = ask(trace);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  function selvage(...words: string[]): string {
    const main = join(ROOT, 'dist/programs/selvage.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    return stdout;
  }

  it('has no field, slice or arrow that its format does not know', () => {
    assert.deepEqual(answers.faults, []);
    assert.deepEqual(answers.backwards, [[0]]);
    assert.deepEqual(answers.cut, [[0]]);
  });

  it('has all frames, and all of their time to the picosecond', () => {
    const { traces } = expected();
    assert.deepEqual(answers.frames, [[traces.length]]);
    const sums = new Map<string, number>();
    for (const { kind, startPs, endPs } of traces.flatMap(({ steps }) =>
      steps.flatMap(({ parts }) => parts),
    )) {
      sums.set(kind, (sums.get(kind) ?? 0) + endPs - startPs);
    }
    const shown = [...answers.parts, ...answers.inside].map(([kind, ps]) => [kind, ps]);
    assert.deepEqual(new Map(shown as [string, number][]), sums);
  });

  it('has all episodes, with an arrow from each cause', () => {
    const { episodes } = expected();
    const ended = episodes.filter(({ endPs }) => endPs !== null);
    const kinds = ['blocked', 'queue', 'full'].map((kind) => {
      const own = ended.filter((episode) => episode.kind === kind);
      return [kind, own.length, own.reduce((sum, e) => sum + e.endPs! - e.startPs, 0)];
    });
    assert.deepEqual(
      answers.episodes,
      kinds.filter(([, count]) => count !== 0),
    );
    assert.deepEqual(answers.open, [[episodes.length - ended.length]]);
    const caused = episodes.filter(({ parent }) => parent !== null).length;
    const arrows = answers.causes.reduce((sum, [, , count]) => sum + Number(count), 0);
    assert.equal(arrows, caused);
    assert.ok(answers.causes.some(([from, to]) => from === 'full' && to === 'blocked'));
  });

  it('has an arrow from an episode to each time that it blocked a frame', () => {
    const { traces } = expected();
    const parts = traces.flatMap(({ steps }) => steps.flatMap((step) => step.parts));
    const blocked = parts.filter(({ hold }) => hold !== null).length;
    assert.ok(blocked > 0);
    assert.deepEqual(answers.holders, [[blocked]]);
  });

  it('has a track for each port below its device, in their order', () => {
    const { fabric } = expected();
    const places = fabric.linkEnds.flatMap((ends, device) =>
      ends.map(({ name }) => [fabric.topology.devices[device]!.name, name]),
    );
    assert.deepEqual(answers.places, places);
  });

  it('counts the bytes of queues, and empties them', () => {
    assert.ok(Number(answers.peak[0]![0]) > 10_000);
    assert.ok(Number(answers.emptied[0]![0]) > 0);
  });

  it('says what it has written', () => {
    const { traces, episodes } = expected();
    assert.match(said, new RegExp(`: ${traces.length} frames and ${episodes.length} episodes in `));
  });

  it('has one flow where that is requested', () => {
    const one = join(folder, 'one.pftrace');
    selvage('trace', run, '--perfetto', one, '--flow', 'victim/h4->h6');
    const { traces } = expected();
    const own = traces.filter(({ flow }) => flow === 'victim/h4->h6').length;
    assert.ok(own > 0);
    assert.deepEqual(ask(one).frames, [[own]]);
  });

  let repeated: ReturnType<typeof repeat> | null = null;

  function expected(): ReturnType<typeof repeat> {
    return (repeated ??= repeat());
  }

  function repeat() {
    const fabric = fabricOf(example, ...SHORT);
    const { results, hops, congestion } = repeatRun(fabric, null, ALL);
    const traces = [...frameTraces(fabric, hops, results.virtualPs)];
    return { fabric, traces, episodes: congestion.episodes };
  }
});

function ask(trace: string): Answers {
  const script = join(ROOT, 'test/interop/perfetto-tables.py');
  const { status, stdout, stderr } = spawnSync('python3', [script, trace], {
    input: JSON.stringify(QUERIES),
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    env: { ...process.env, PYTHONPATH: PYTHON_FOLDER },
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Answers;
}
