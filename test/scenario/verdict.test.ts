import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { exitCodeOf, EXIT } from '../../services/cli/exit.js';
import { duelMetrics } from '../../services/report/duel.js';
import { evaluateExpectations } from '../../services/report/expectations.js';
import { whyOf } from '../../services/report/why.js';
import { summaryText } from '../../services/report/summary-text.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { repeatRun } from '../../services/runtime/repeat-run.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, ROOT } from '../kit/emulate.js';

const CLI = join(ROOT, 'dist/programs/selvage.js');
const RING = 'examples/ring-deadlock.yaml';
const PLAIN = { good: String, bad: String, strong: String };

const folder = mkdtempSync(join(tmpdir(), 'selvage-verdict-'));
after(() => {
  rmSync(folder, { recursive: true });
});

/** Without checks: those end a run at the first deadlock that nothing expects. */
function ran(fabric: Fabric): RunResults {
  const session = new Session(fabric, { check: false });
  while (session.advance(1000) === 'running');
  return session.results('complete');
}

function codeOf(fabric: Fabric, results: RunResults): number {
  return exitCodeOf(results, evaluateExpectations(fabric.scenario.expect, results));
}

const star = (duration: string, load: string, more = ''): Fabric =>
  fabricOf(`
duration: ${duration}
fabric: { generator: star, hosts: 3, link: { rate: 100G, length: 5m } }
switches: { buffer: { size: 1MB } }
priorities: { 3: pfc }
load: [${load}]
${more}`);

const STREAM = '{ name: a, stream: { from: h1, to: h2 }, priority: 3, transport: raw }';

describe('verdict of a run', () => {
  it('is deadlocked where a cyclic buffer dependency holds at the end, observed or not', () => {
    for (const expect of ['[]', '[{ metric: deadlocks, max: 0 }]']) {
      const fabric = fabricOf(RING, 'observe={}', `expect=${expect}`);
      const results = ran(fabric);
      assert.equal(results.status, 'deadlocked');
      assert.equal(results.standingDeadlocks[0]!.ring.length, 5);
      assert.equal(results.stalls.length, 5);
      for (const { sincePs } of results.stalls) assert.ok(sincePs < 25e6);
      assert.equal(codeOf(fabric, results), EXIT.STALLED);
      assert.match(summaryText(results, [], PLAIN), /deadlock: (s\d:p\d waits for ){5}s\d:p\d$/m);
    }
  });

  it('is deadlocked with all flows where PAUSE stops all priorities of a port', () => {
    const { standingDeadlocks, stalls } = ran(
      fabricOf(RING, 'priorities.3.flowControl=none', 'pause=true'),
    );
    assert.deepEqual(
      standingDeadlocks[0]!.ring.map(({ priority }) => priority),
      [3, 3, 3, 3, 3],
    );
    assert.equal(stalls.length, 5);
  });

  it('is no failure where the scenario expects it', () => {
    for (const metric of ['deadlocks', 'stalled-flows']) {
      const fabric = fabricOf(RING, `expect=[{ metric: ${metric}, min: 1 }]`);
      const results = ran(fabric);
      assert.equal(codeOf(fabric, results), EXIT.COMPLETE, metric);
      const expectations = evaluateExpectations(fabric.scenario.expect, results);
      assert.match(summaryText(results, expectations, PLAIN), /deadlocked, as expected$/m);
    }
  });

  it('observes deadlocks and storms where they are expected, or expected not to be', () => {
    const fabric = fabricOf(RING, 'observe={}', 'expect=[{ metric: deadlocks, max: 0 }]');
    const [expectation] = evaluateExpectations(fabric.scenario.expect, ran(fabric));
    assert.deepEqual([expectation!.ok, expectation!.actual], [false, 1]);
  });

  it('is deadlocked, too, where the load would have ended the run', () => {
    const fabric = fabricOf(RING, 'duration=1s', 'load.0.bytes=1MB', 'expect=[]', 'observe={}');
    const results = ran(fabric);
    assert.equal(results.status, 'deadlocked');
    assert.match(results.failure!.reason, /^deadlock: /);
    assert.equal(codeOf(fabric, results), EXIT.STALLED);
  });

  it('is stalled where a flow is blocked and nothing explains it, and names the port', () => {
    const storm = 'faults: [{ kind: storm, where: { device: h2 }, priority: 3, at: 50us }]';
    const fabric = star('2ms', STREAM, storm);
    const results = ran(fabric);
    assert.equal(results.status, 'stalled');
    const [{ name, sincePs, port, peer }] = results.stalls as [RunResults['stalls'][number]];
    assert.deepEqual([name, port, peer], ['a/h1->h2', 's1:p2', 'h2:p1']);
    assert.ok(sincePs > 50e6 && sincePs < 52e6, String(sincePs));
    assert.equal(codeOf(fabric, results), EXIT.STALLED);
  });

  it('is stalled where raw frames of a flow have no route, and it goes on to send them', () => {
    const cut = fabricOf(`
duration: 500us
fabric: { generator: dumbbell, left: 1, right: 1, link: { rate: 100G, length: 5m } }
load: [{ name: a, stream: { from: h1, to: h2 }, rate: 20%, transport: raw }]
faults: [{ kind: link-down, at: 50us, where: { port: 's1:p2' } }]`);
    const results = ran(cut);
    assert.equal(results.status, 'stalled');
    assert.deepEqual(
      results.stalls.map(({ name, unreachableAt }) => [name, unreachableAt]),
      [['a/h1->h2', 's1']],
    );
  });

  it('is complete where flows are merely under way, slow, blocked for a moment, or idle', () => {
    const storm = 'kind: storm, where: { device: h2 }, priority: 3';
    const slow = STREAM.replace('raw', 'raw, rate: 20M');
    for (const fabric of [
      star('20us', STREAM),
      star('1ms', slow),
      star('100us', STREAM, `faults: [{ ${storm}, at: 50us }]`),
      star('2ms', STREAM, `faults: [{ ${storm}, at: 50us, for: 1ms }]`),
      star('2ms', STREAM.replace('transport', 'end: 100us, transport')),
      star('2ms', STREAM.replace('transport', 'start: 1999us, transport')),
    ]) {
      const results = ran(fabric);
      assert.deepEqual([results.status, results.stalls], ['complete', []]);
    }
  });

  it('is stalled where nothing came in the time of a pause that was never sent', () => {
    const results = ran(
      fabricOf(`
duration: 500ms
fabric: { generator: pair, link: { rate: 10M, length: 5m } }
pause: true
llr: { enabled: true, whileInit: block }
load: [{ stream: { from: h1, to: h2 }, frame: 1000, bytes: 5KB }]
faults: [{ kind: control, frames: llr-init-echo, action: lose }]`),
    );
    assert.deepEqual([results.status, results.stalls.length], ['stalled', 1]);
  });

  it('is the same in threads, and the exit code says it', () => {
    const words = [CLI, 'run', RING, '--set', 'observe={}', '--set', 'expect=[]', '--json'];
    const [alone, threads] = [[], ['--threads', '2']].map((more, i) => {
      const args = [...words, ...more, '--no-parquet', '--out', join(folder, String(i))];
      const { status, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
      assert.equal(status, EXIT.STALLED);
      const { stalls, standingDeadlocks, ...rest } = JSON.parse(stdout) as RunResults;
      return { status: rest.status, digest: rest.digest, stalls, standingDeadlocks };
    });
    assert.equal(alone!.status, 'deadlocked');
    assert.deepEqual(threads, alone);
  });
});

describe('duels', () => {
  it('have what stands still, and no victims that share only their own NIC', () => {
    const tiersOf = ({ topology }: Fabric) =>
      new Map(topology.devices.map(({ name, tier }) => [name, tier]));
    const watch = { controlOctets: 0, reservedOctets: 0, reactionPs: null };
    const side = (fabric: Fabric) => {
      const { results, congestion } = repeatRun(fabric, null, null);
      const run = { variant: 'pfc', set: [], results, expectations: [], watch, folder: '' };
      return duelMetrics({ ...run, why: whyOf(fabric, results, congestion) }, tiersOf(fabric));
    };
    const ring = side(fabricOf(RING));
    assert.deepEqual([ring.status, ring.stalledFlows, ring.deadlocks], ['deadlocked', 5, 1]);
    assert.equal(ring.storms, 10);
    const load = '{ stream: { from: h1, to: h2..h3 }, bytes: 1MB, priority: 3, transport: raw }';
    const shared = side(star('1ms', load));
    assert.ok(shared.slowdown!.max! > 1.9);
    assert.equal(shared.victims, 0);
  });
});
