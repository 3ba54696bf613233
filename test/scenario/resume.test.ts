import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { factsOf } from '../../services/report/page/page-of-run.js';
import { RunDirectory } from '../../services/report/run-directory.js';
import { rebase } from '../../services/runtime/rebase.js';
import { Session } from '../../services/runtime/session.js';
import type { WholeState } from '../../services/runtime/whole-state.js';
import { packWhole, unpackWhole } from '../../services/runtime/whole-state.js';
import { frameTraces } from '../../services/telemetry/traces/frame-traces.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';

const EXAMPLE = 'examples/incast-pfc.yaml';
const SET = ['observe.series=20us', 'observe.episodes=true'];
const TRACED = ['observe.traces.share=5%'];

function stateAt(timePs: number, set: readonly string[] = SET): WholeState {
  const session = new Session(fabricOf(EXAMPLE, ...set), { check: true });
  session.runTo(timePs);
  return unpackWhole(packWhole(session.save()));
}

/** A run to its end, or the rest of one. */
function finished(set: readonly string[], state: WholeState | null): Session {
  const session = new Session(fabricOf(EXAMPLE, ...set), { check: true });
  if (state !== null) session.restore(state);
  while (session.advance(1000) === 'running');
  return session;
}

describe('a run that goes on from a saved state', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const selvage = (...args: string[]): { status: number | null; stderr: string } =>
    spawnSync(process.execPath, [join(ROOT, 'dist/programs/selvage.js'), ...args], {
      encoding: 'utf8',
    });

  it('ends with the results, and the samples, of one that was never stopped', () => {
    const whole = finished(SET, null);
    const resumed = finished(SET, stateAt(333_333_333));
    assert.deepEqual(resumed.results('complete'), whole.results('complete'));
    assert.deepEqual([...resumed.series().rows], [...whole.series().rows]);
    assert.deepEqual(resumed.congestion(), whole.congestion());
    assert.ok(whole.congestion()!.episodes.length > 10);
  });

  for (const duration of ['duration: 100us', 'name: without']) {
    it(`has none where the scenario has no event (${duration})`, () => {
      const fabric = fabricOf(`${duration}\nfabric: { generator: pair }\n`);
      const first = new Session(fabric, { check: true });
      const state = first.save();
      const second = new Session(fabric, { check: true });
      while (second.advance(1000) === 'running');
      for (const session of [new Session(fabric, { check: true }), second]) {
        session.restore({ ...state, boundPs: 0 });
        while (session.advance(1000) === 'running');
        assert.deepEqual(session.results('complete'), second.results('complete'));
      }
    });
  }

  it('branches behind its last event as behind any other', () => {
    const scenario = join(folder, 'short.yaml');
    writeFileSync(
      scenario,
      'selvage: 1\nduration: 100us\nfabric: { generator: pair }\n' +
        'load:\n  - { stream: { from: h1, to: h2 }, bytes: 1KB, priority: 2 }\n',
    );
    const [whole, branch] = [join(folder, 'short'), join(folder, 'branch')];
    assert.equal(selvage('run', scenario, '--out', whole).status, 0);
    const fault =
      '{ kind: forge, where: { device: h2 }, frames: cnm, to: h1, interval: 5us, ' +
      'at: 60us, for: 20us }';
    const set = ['--set', `faults=[${fault}]`];
    assert.equal(selvage('branch', whole, '--at', '50us', '--out', branch, ...set).status, 0);
    const { frameHops, virtualPs } = JSON.parse(
      readFileSync(join(branch, 'summary.json'), 'utf8'),
    ) as { frameHops: number; virtualPs: number };
    assert.deepEqual([frameHops, virtualPs], [5, 100e6]);
    const { status, stderr } = selvage('branch', whole, '--at', '100us', '--out', branch);
    assert.equal(status, 2);
    assert.match(stderr, /the run ends at 100 us/);
  });

  for (const set of [TRACED, [...TRACED, ...SET]]) {
    it(`follows frames as if it had never been stopped (${set.join(' ')})`, () => {
      const fabric = fabricOf(EXAMPLE, ...set);
      const ways = (session: Session): string[] => {
        const { virtualPs } = session.progress();
        return [...frameTraces(fabric, session.hops()!, virtualPs)].map((t) => JSON.stringify(t));
      };
      const whole = ways(finished(set, null));
      assert.deepEqual(ways(finished(set, stateAt(333_333_333, set))), whole);
      assert.ok(whole.some((way) => way.includes('"blocked"')));
    });
  }

  it('follows frames on where episodes are no longer, or newly, observed', () => {
    const state = stateAt(333_333_333, [...TRACED, ...SET]);
    const { digest } = finished(TRACED, null).results('complete');
    assert.equal(finished(TRACED, state).results('complete').digest, digest);
    const other = stateAt(333_333_333, TRACED);
    assert.equal(finished([...TRACED, ...SET], other).results('complete').digest, digest);
  });

  it('takes a changed configuration from the branch on, and keeps its books', () => {
    const before = fabricOf(EXAMPLE, ...SET);
    const changed = fabricOf(EXAMPLE, ...SET, 'priorities.3.xoff=50KB');
    const outcome = (fabric: typeof before): ReturnType<typeof run> => {
      const session = new Session(fabric, { check: true });
      session.restore(rebase(stateAt(200e6), before, fabric, 200e6));
      while (session.advance(1000) === 'running');
      return session.results('complete');
    };
    assert.equal(outcome(before).digest, run(before).digest);
    const branched = outcome(changed);
    assert.equal(branched.status, 'complete');
    assert.notEqual(branched.digest, run(before).digest);
    assert.notEqual(branched.digest, run(changed).digest);
  });

  it('is given by the run directory of an interrupted run', () => {
    const fabric = fabricOf(EXAMPLE);
    const session = new Session(fabric, { check: false });
    session.runTo(200e6);
    const out = join(folder, 'interrupted');
    const document: unknown = JSON.parse(readFileSync(writtenScenario(), 'utf8'));
    new RunDirectory(out, 'x').write({
      results: session.results('interrupted'),
      expectations: [],
      document,
      origin: { scenario: join(ROOT, EXAMPLE), set: [], steps: [] },
      state: session.save(),
      series: session.series(),
      why: null,
      traces: null,
      capture: null,
      events: null,
      facts: factsOf(fabric),
      wallSeconds: 0,
    });
    assert.equal(selvage('resume', out, '--quiet').status, 0);
    assert.equal(readFileSync(join(out, 'digest'), 'utf8').trim(), run(fabric).digest);
    const again = selvage('resume', out, '--quiet');
    assert.equal(again.status, 2);
    assert.match(again.stderr, /is complete: there is nothing to resume/);
  });

  it('has other faults from the time of a branch on', () => {
    const fault = 'kind: freeze, where: { device: h3 }, for: 80us';
    const branched = (from: string, faults: string): string => {
      const [run, branch] = [join(folder, 'whole'), join(folder, 'branch')];
      const file = join(ROOT, EXAMPLE);
      assert.equal(selvage('run', file, '--set', from, '--out', run, '--quiet').status, 0);
      const args = ['--at', '100us', '--set', faults, '--out', branch, '--quiet'];
      assert.equal(selvage('branch', run, ...args).status, 0);
      return readFileSync(join(branch, 'digest'), 'utf8').trim();
    };
    const declared = (faults: string): string => run(fabricOf(EXAMPLE, faults)).digest;
    assert.equal(
      branched('faults=[]', `faults=[{ ${fault} }]`),
      declared(`faults=[{ ${fault}, at: 100us }]`),
    );
    assert.equal(
      branched(`faults=[{ ${fault}, at: 60us }]`, 'faults=[]'),
      declared(`faults=[{ ${fault}, at: 60us, until: 100us }]`),
    );
    const late = selvage('branch', join(folder, 'whole'), '--at', '1s');
    assert.equal(late.status, 2);
    assert.match(late.stderr, /--at 1s: the run ends at [\d.]+ [mu]s; name a time before/);
  });

  it('is refused where the file has changed, the state is damaged, or nothing is there', () => {
    const out = writtenScenario().replace('/scenario.json', '');
    writeFileSync(join(out, 'scenario.json'), '{}');
    assert.match(selvage('resume', out).stderr, /there is nothing to resume/);
    writeFileSync(join(out, 'state'), 'no state');
    assert.match(selvage('resume', out).stderr, /not the state of a run, or a damaged one/);
    assert.match(selvage('branch', folder, '--at', '1us').stderr, /is no run directory/);
    const branch = selvage('branch', join(folder, 'other'), '--at', '1 parsec');
    assert.equal(branch.status, 2);
    assert.match(branch.stderr, /--at 1 parsec: not a time/);
    writeFileSync(join(out, 'origin.json'), '{ "set": 7 }');
    assert.match(selvage('resume', out).stderr, /origin\.json is damaged: scenario is no string/);
  });

  /** What a run of the example wrote. */
  function writtenScenario(): string {
    const out = join(folder, 'other');
    const words = [join(ROOT, EXAMPLE), '--out', out, '--quiet', '--no-observe'];
    assert.equal(selvage('run', ...words).status, 0);
    return join(out, 'scenario.json');
  }
});
