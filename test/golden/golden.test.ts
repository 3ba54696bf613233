import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';
import type { Fingerprints, Recorded } from '../kit/golden.js';
import { withEntry } from './changelog.js';
import {
  assertGolden,
  changedKinds,
  fingerprintsOf,
  goldenFabric,
  keptFingerprints,
  KINDS,
  parsed,
  recordedRun,
  textOf,
} from '../kit/golden.js';

const EXAMPLE = 'watched-incast.yaml';
const SHORTER = 'duration=10us';

function golden(...words: string[]): { status: number | null; stderr: string } {
  const main = join(ROOT, 'dist/test/golden/main.js');
  return spawnSync(process.execPath, [main, ...words], { encoding: 'utf8', cwd: ROOT });
}

type Results = Recorded['results'];

function changed(change: (results: Results) => object, more: Partial<Recorded> = {}): string[] {
  const fabric = goldenFabric(EXAMPLE);
  const recorded = recordedRun(fabric);
  const results = { ...recorded.results, ...change(recorded.results) };
  const other = { ...recorded, results, ...more };
  return changedKinds(keptFingerprints(EXAMPLE), fingerprintsOf(fabric, other));
}

describe('golden fingerprints', () => {
  it('are kept of every example, and of nothing else', () => {
    const names = (folder: string, suffix: string): string[] =>
      readdirSync(join(ROOT, folder))
        .filter((name) => name.endsWith(suffix))
        .map((name) => name.slice(0, -suffix.length))
        .sort();
    assert.deepEqual(names('test/golden', '.txt'), names('examples', '.yaml'));
  });

  it('are those of the same run, and no other', () => {
    assert.deepEqual(
      changed(() => ({})),
      [],
    );
    assert.throws(() => {
      assertGolden(EXAMPLE, recordedRun(goldenFabric(EXAMPLE, SHORTER)));
    }, /not as in one thread/);
  });

  it('differ in what has changed alone', () => {
    assert.deepEqual(
      changed(({ events }) => ({ events: events + 1 })),
      ['results'],
    );
    assert.deepEqual(
      changed(() => ({ digest: '0' })),
      ['state'],
    );
    assert.deepEqual(
      changed(({ wire }) => ({ wire: { ...wire, fingerprint: '0' } })),
      ['wire'],
    );
    const { hops, captures, events } = recordedRun(goldenFabric(EXAMPLE, SHORTER));
    const congestion = { episodes: [], shares: [], deadlocks: [], storms: [], omitted: 1 };
    const none = (): object => ({});
    assert.deepEqual(changed(none, { congestion }), ['episodes']);
    assert.deepEqual(changed(none, { hops }), ['traces']);
    assert.deepEqual(changed(none, { captures }), ['captures']);
    assert.deepEqual(changed(none, { events }), ['events']);
  });

  it('do not change with a counter that has counted nothing', () => {
    const idle = { frames: 0, names: [], by: { a: null }, on: false, why: '' };
    assert.deepEqual(
      changed(() => ({ idle })),
      [],
    );
    assert.deepEqual(
      changed(() => ({ idle: { ...idle, frames: 1 } })),
      ['results'],
    );
  });

  it('of two branches in one file are none', () => {
    const fingerprints = Object.fromEntries(KINDS.map((kind, i) => [kind, `${i}`])) as Fingerprints;
    const text = textOf(fingerprints);
    assert.deepEqual(parsed(text), fingerprints);
    assert.equal(parsed(`${text}results 4\n`), null);
    assert.equal(parsed(text.replace('wire', 'wires')), null);
  });

  it('are not accepted without a reason', () => {
    for (const words of [['--accept'], ['--accept', ''], ['--accept', ' ', EXAMPLE]]) {
      assert.equal(golden(...words).status, 2, words.join(' '));
    }
    assert.match(golden('--accept', ' ').stderr, /say why they change/);
  });

  it('that are accepted have a reason in the changelog, once, at their version', () => {
    const text = '# Changelog\n\n## 0.2.0\n\n### Runs\n\n- New.\n\n## 0.1.0\n\n- First.\n';
    const entry = 'Digests of `a` change: CNPs are numbered.';
    const changed = text.replace('New.\n', `New.\n\n### Digests\n\n- ${entry}\n`);
    assert.equal(withEntry(text, '0.2.0', entry), changed);
    assert.equal(withEntry(changed, '0.2.0', entry.replace('`a`', '`b`')), changed);
    const both = withEntry(changed, '0.2.0', 'Digests of `a` change: Another reason.');
    assert.match(both, /### Digests\n\n- Digests of `a` change: Another reason.\n- Digests of `a`/);
    assert.match(withEntry(text, '0.1.0', entry), /- First\.\n\n### Digests\n\n- Digests[^\n]*\n$/);
    assert.throws(() => withEntry(text, '0.3.0', entry), /no heading of version 0\.3\.0/);
  });

  it('are compared by name', () => {
    assert.equal(golden(EXAMPLE).status, 0);
    assert.equal(golden('no-such-example').status, 2);
  });
});
