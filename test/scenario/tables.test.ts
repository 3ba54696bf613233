import assert from 'node:assert/strict';
import { nicsOf } from '../kit/nics.js';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { inDatabase } from '../../services/report/tables/database.js';
import { placeInServices } from '../../services/fabric/placement/parts.js';
import { planPartitions } from '../../services/fabric/placement/partition-plan.js';
import { Session } from '../../services/runtime/session.js';
import { ThreadsRun } from '../../services/runtime/threads/run-threads.js';
import { eventsOf } from '../../services/telemetry/events/event-table.js';
import { fabricOf, ROOT } from '../kit/emulate.js';

const MAIN = join(ROOT, 'dist/programs/selvage.js');

describe('tables of a run', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  const run = join(folder, 'run');
  const selvage = (...words: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [MAIN, ...words], { encoding: 'utf8' });

  before(() => {
    const set = ['observe.events=true', 'observe.episodes=true', 'observe.series=20us'];
    const { status, stderr } = selvage(
      ...['run', join(ROOT, 'examples/incast-dcqcn.yaml'), '--quiet', '--out', run],
      ...['expect=[]', ...set].flatMap((each) => ['--set', each]),
    );
    assert.equal(status, 0, stderr);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('know of no ideal time for flows without end', () => {
    const out = join(folder, 'endless');
    const example = join(ROOT, 'examples/chaos.yaml');
    const { status, stderr } = selvage('run', example, '--quiet', '--out', out);
    assert.deepEqual([status, stderr], [0, '']);
    assert.ok(existsSync(join(out, 'flows.parquet')));
  });

  const TABLES = [
    'flows',
    'series',
    'rate_series',
    'events',
    'episodes',
    'ports',
    'margins',
    'rates',
  ];
  for (const name of TABLES) {
    it(`are the same in Parquet as in CSV: ${name}`, async () => {
      await inDatabase(async (connection) => {
        const [csv, parquet] = ['csv', 'parquet'].map((end) => join(run, `${name}.${end}`));
        const text = `from read_csv('${csv}', all_varchar = true)`;
        const columns = `columns(*)::varchar from '${parquet}'`;
        const sum = async (what: string): Promise<unknown> =>
          (await connection.runAndReadAll(what)).getRowsJson();
        assert.deepEqual(
          await sum(`select count(*) ${text}`),
          await sum(`select count(*) from '${parquet}'`),
        );
        const whole = await sum(`select count(*) from (select ${columns}) where false`);
        assert.deepEqual(whole, [['0']]);
        const [first] = (await connection.runAndReadAll(`select * ${text}`)).columnNames();
        const key = `string_agg("${first!}"`;
        const order = ", '|') as all_of_them";
        assert.deepEqual(
          await sum(`select ${key}${order} ${text}`),
          await sum(`select ${key}::varchar${order} from '${parquet}'`),
        );
      });
    });
  }

  const query = (sql: string, ...words: string[]): unknown => {
    const { status, stdout, stderr } = selvage('query', run, sql, '--json', ...words);
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
  };

  it('answer questions in SQL', () => {
    const summary = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8')) as {
      priorities: { markedFrames?: number }[];
    };
    assert.ok(summary.priorities.length > 0);
    const marks = "select count(*)::int as n from events where event = 'mark'";
    const counted = 'select sum(marked_frames)::int as n from ports';
    assert.deepEqual(query(marks), query(counted));
    assert.notDeepEqual(query(marks), [{ n: 0 }]);
    const joined = `select f.name, count(*)::int as n from events e join flows f on e.flow = f.flow
      where e.event = 'delivered' group by all order by all`;
    assert.equal((query(joined) as unknown[]).length, 8);
    const sampled =
      'select max(time_ps)::bigint % 20000000 as rest, min(tx_bytes) >= 0 as ok from series';
    assert.deepEqual(query(sampled), [{ rest: 0, ok: true }]);
    assert.equal(
      (query('select * from episodes where parent is not null') as unknown[]).length > 0,
      true,
    );
  });

  it('are shown in columns', () => {
    const { stdout } = selvage('query', run, 'select flow, name from flows order by flow limit 2');
    assert.equal(stdout, '  flow          name\n  0     burst/h2->h1\n  1     burst/h3->h1\n');
    assert.equal(selvage('query', run, 'select * from flows where flow < 0').stdout, 'no rows\n');
  });

  const REFUSED: readonly (readonly [string, RegExp])[] = [
    ['selec 1', /syntax error at or near "selec"/],
    ['select * from nowhere', /Table with name nowhere does not exist! This run has episodes, ev/],
    ['drop table flows', /a run is not changed by a question: ask with SELECT/],
    ['insert into flows select * from flows', /a run is not changed by a question/],
    ["copy (select 1) to 'x.csv'", /not changed|disabled by configuration/],
    ["select * from read_csv('/etc/passwd')", /disabled by configuration/],
    ["select * from '../../secret.parquet'", /disabled by configuration/],
    ["attach 'x.db'", /not changed/],
    ['set enable_external_access = true', /not changed/],
    ['select 1; select 2', /one question at a time: this is 2 statements/],
    ['', /the query is empty/],
  ];
  for (const [sql, message] of REFUSED) {
    it(`refuse ${sql}`, () => {
      const before = readdirSync(run);
      const { status, stderr, stdout } = selvage('query', run, sql);
      assert.equal(status, 2);
      assert.match(stderr, message);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
      assert.equal(stdout, '');
      assert.deepEqual(readdirSync(run), before);
    });
  }

  it('are queried of a run', () => {
    const { status, stderr } = selvage('query', folder, 'select 1');
    assert.equal(status, 2);
    assert.match(stderr, /is no run directory/);
  });

  it('stay CSV where that is requested', () => {
    const out = join(folder, 'plain');
    const scenario = join(ROOT, 'examples/pair-line-rate.yaml');
    assert.equal(selvage('run', scenario, '--quiet', '--no-parquet', '--out', out).status, 0);
    assert.ok(!existsSync(join(out, 'flows.parquet')));
    assert.match(selvage('query', out, 'select count(*) as n from flows').stdout, /n\n {2}1\n/);
  });
});

describe('events', () => {
  it('have every change of an LED, the last one of the run, too', async () => {
    // LED0 shows activity, which ends 50 ms after the last frame; LED1 then blinks to the end.
    const fabric = fabricOf(
      'fabric: { generator: pair, link: { rate: 10G, length: 10m } }\nduration: 700ms\n' +
        'devices: { h1: { nic: { model: 82599, regs: { LEDCTL: "0x0F0F8002" } } } }\n' +
        'load: [{ stream: { from: h1, to: h2 }, rate: 1M, end: 100ms }]\n' +
        'observe: { events: true }\n',
    );
    const alone = new Session(fabric, { check: false });
    while (alone.advance(1000) === 'running');
    const [nic] = nicsOf(alone.results('complete'));
    const changes = eventsOf(fabric, alone.events()!, 0).filter(({ event }) =>
      /lit|dark/.test(event),
    );
    nic!.leds.forEach((led, i) => {
      const own = changes.filter(({ detail }) => detail === i);
      // LED1 was lit before anything happened.
      assert.equal(own.length, led.changes, `LED${i}`);
      if (own.length > 0) assert.equal(own.at(-1)!.timePs, led.sincePs, `LED${i}`);
    });
    // A frame takes 12 ms at this rate.
    assert.deepEqual(
      changes.map(({ event, detail, timePs }) => [event, detail, Math.floor(timePs / 1e9)]),
      [
        ['lit', 0, 0],
        ['dark', 0, 147],
        ['dark', 1, 200],
        ['lit', 1, 400],
        ['dark', 1, 600],
      ],
    );
    const plans = planPartitions(fabric, placeInServices(fabric, 2));
    const { events } = await new ThreadsRun(fabric, plans, { check: false, from: null }).run();
    assert.deepEqual(
      eventsOf(fabric, events!, 0).filter(({ event }) => /lit|dark/.test(event)),
      changes,
    );
  });

  for (const name of ['incast-lossy.yaml', 'incast-credit.yaml', 'incast-pfc.yaml']) {
    it(`are the same from threads, and from a run that was saved half-way: ${name}`, async () => {
      const set = ['load.0.bytes=200KB', 'expect=[]', 'observe.events=true'];
      const fabric = fabricOf(`examples/${name}`, ...set);
      const alone = new Session(fabric, { check: false });
      while (alone.advance(1000) === 'running');
      const expected = eventsOf(fabric, alone.events()!, 0);
      assert.ok(expected.length > 20);
      const half = new Session(fabric, { check: false });
      half.runTo(alone.results('complete').virtualPs / 2);
      const rest = new Session(fabric, { check: false });
      rest.restore(half.save());
      while (rest.advance(1000) === 'running');
      assert.deepEqual(eventsOf(fabric, rest.events()!, 0), expected);
      const plans = planPartitions(fabric, placeInServices(fabric, 3));
      const { events } = await new ThreadsRun(fabric, plans, { check: false, from: null }).run();
      assert.deepEqual(eventsOf(fabric, events!, 0), expected);
    });
  }
});
