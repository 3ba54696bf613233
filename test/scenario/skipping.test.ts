/** What repeats is skipped, and nothing else changes. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Recurrences } from '../../services/engine/recurrence/recurrence.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import type { SkippingResult } from '../../services/runtime/skipping/skipping.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import { isLong } from '../kit/long-suite.js';

interface Ended {
  readonly results: RunResults;
  readonly series: readonly unknown[];
  readonly skipped: SkippingResult | null;
}

function ended(session: Session): Ended {
  while (session.advance(1000) === 'running');
  const results = session.results('complete');
  return { results, series: [...session.series().rows], skipped: session.skipping() };
}

function assertSame(text: string, ...set: string[]): SkippingResult {
  const full = ended(new Session(fabricOf(text, ...set), { check: false }));
  const fabric = fabricOf(text, ...set);
  const { skipped, ...other } = ended(new Session(fabric, { check: false, skips: 'eagerly' }));
  assert.equal(other.results.digest, full.results.digest);
  assert.deepEqual(other, { results: full.results, series: full.series });
  return skipped!;
}

interface Ring {
  readonly ranks?: number;
  readonly bytes?: string;
  readonly chunks?: number;
  readonly mtu?: number;
  readonly ackEvery?: number;
  readonly priority?: string;
  readonly load?: string;
  readonly more?: string;
}

function ring({ ranks = 8, bytes = '4MB', chunks = 1, mtu = 1024, ...rest }: Ring): string {
  const { ackEvery = 1, priority = 'pfc', load = '', more = '' } = rest;
  return `
fabric: { generator: leaf-spine, leaves: 4, spines: ${ranks / 4}, hostsPerLeaf: ${ranks / 4}, hostLink: { rate: 100G, length: 5m }, fabricLink: { rate: 100G, length: 20m } }
switches: { pipeline: 500ns, buffer: { size: 16MB } }
priorities: { 3: ${priority} }
load:
  - { name: g, all-reduce: { algorithm: ring, hosts: all, chunks: ${chunks} }, bytes: ${bytes}, priority: 3, transport: { reliable: { mtu: ${mtu}, ackEvery: ${ackEvery} } }${load} }
${more}`;
}

describe('a run that skips what repeats', () => {
  const rings: readonly Ring[] = [
    {},
    { chunks: 4 },
    { bytes: '64KB' },
    { bytes: '32MB', chunks: 2, mtu: 4096 },
    { mtu: 9000, ackEvery: 4 },
    { ackEvery: 16 },
    { ranks: 16 },
    {
      priority: '{ flowControl: pfc, ecn: { min: 400KB, max: 1600KB, probability: 20% } }',
      load: ', congestion: dcqcn',
    },
    { load: ', congestion: swift' },
    { priority: 'credit' },
    { priority: 'none' },
  ];
  for (const own of rings) {
    it(`ends as one that executes all: a ring of ${JSON.stringify(own)}`, () => {
      assertSame(ring(own), 'observe.series=10us', 'observe.episodes=true');
    });
  }

  it('skips nearly all of long messages', () => {
    const { jumps, skippedPs } = assertSame(ring({ bytes: '64MB' }));
    assert.ok(jumps >= 10 && jumps <= 40, `${jumps} jumps`);
    assert.ok(skippedPs > 0.8 * 12e9, String(skippedPs));
  });

  it('ends as one that executes all: an incast under PFC, pauses included', () => {
    const { jumps } = assertSame(`
fabric: { generator: star, hosts: 3, hostLink: { rate: 100G, length: 10m } }
switches: { pipeline: 500ns, buffer: { size: 4MB } }
priorities: { 3: { flowControl: pfc, xoff: 40KB } }
load: [{ name: g, incast: { from: h2..h3, to: h1 }, bytes: 16MB, priority: 3, transport: { reliable: { mtu: 4096 } } }]
`);
    assert.ok(jumps > 0, 'it repeats');
  });

  it('stops before a fault, wherever in a period that begins', () => {
    for (const offset of isLong ? [0, 1, 2, 3, 4, 5] : [0, 3]) {
      const atPs = 200_000_000 + offset * 113_601;
      const fault = `{ name: f, kind: link-down, where: { port: 'leaf1:p1' }, at: ${atPs}ps, for: 3us }`;
      const { jumps } = assertSame(ring({ bytes: '8MB', more: `faults: [${fault}]` }));
      assert.ok(jumps > 0, 'it skips before and after');
    }
  });

  it('goes on from a state in the middle, with samples at any place in a period', () => {
    const set = ['observe.series=333333ps'];
    const text = ring({ bytes: '4MB' });
    const full = ended(new Session(fabricOf(text, ...set), { check: false }));
    const skipping = (): Session =>
      new Session(fabricOf(text, ...set), { check: false, skips: 'eagerly' });
    const stopped = skipping();
    stopped.runTo(0.43 * full.results.virtualPs);
    assert.ok(stopped.skipping()!.jumps > 0, 'it skips before');
    const session = skipping();
    session.restore(structuredClone(stopped.save()));
    const { skipped, ...other } = ended(session);
    assert.ok(skipped!.jumps > 0, 'it skips after');
    assert.deepEqual(other, { results: full.results, series: full.series });
  });

  it('skips nothing while random numbers are drawn', () => {
    const load = `load: [{ name: g, stream: { from: h1, to: h2 }, rate: 50G, arrivals: poisson, frame: 1000, priority: 3 }]`;
    const text = `
duration: 2ms
fabric: { generator: star, hosts: 2, hostLink: { rate: 100G, length: 10m } }
priorities: { 3: pfc }
${load}`;
    assert.equal(assertSame(text).jumps, 0);
  });

  it('says what excludes it', () => {
    const session = new Session(fabricOf(ring({}), 'observe.events=true'), {
      check: false,
      skips: 'soon',
    });
    assert.match(session.skipping()!.excluded!, /observe\.events/);
    const checked = new Session(fabricOf(ring({})), { check: true, skips: 'soon' });
    assert.match(checked.skipping()!.excluded!, /--check/);
  });
});

describe('selvage run --skip', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-skip-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });

  function selvage(...words: string[]): { code: number | null; out: string; err: string } {
    const main = join(ROOT, 'dist/programs/selvage.js');
    const file = join(ROOT, 'examples/ring-all-reduce.yaml');
    const all = [main, 'run', file, '--no-parquet', '--no-observe', ...words];
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, all, options);
    return { code: status, out: stdout, err: stderr };
  }

  it('says how much it skipped, or what excludes it', () => {
    const long = ['--set', 'load.gradients.bytes=40MB'];
    const { code, out } = selvage('--skip', 'exact', ...long);
    assert.equal(code, 0);
    assert.match(out, /^skipped \d+\.\d % of virtual time in \d+ jumps?, exactly$/m);
    assert.doesNotMatch(selvage('--skip', 'off', ...long).out, /skipped/);
  });

  it('skips without being asked, and says nothing of a run that is short', () => {
    const summary = join(folder, 'own', 'summary.json');
    const out = ['--out', join(folder, 'own'), '--set', 'observe.series=100us'];
    const said = selvage(...out, '--set', 'load.gradients.bytes=80MB').out;
    const share = Number(/^skipped (\d+\.\d) % of virtual time/m.exec(said)?.[1]);
    assert.ok(share > 50, said);
    assert.ok(skippingOf(summary)!.jumps > 20);
    for (const words of [[], ['--check'], ['--threads', '2']]) {
      assert.doesNotMatch(selvage(...out, ...words).out, /skipped/);
      assert.equal(skippingOf(summary), null);
    }
  });

  it('tells what kept a state from coming back', () => {
    const main = join(ROOT, 'dist/programs/selvage.js');
    const out = join(folder, 'timed');
    const options = { cwd: ROOT, encoding: 'utf8' } as const;
    const said = (...words: string[]): string =>
      spawnSync(process.execPath, [main, ...words], options).stdout;
    const timed = ['--set', 'load.gradients.congestion=swift', '--no-parquet', '--quiet'];
    said('run', 'examples/ring-all-reduce.yaml', ...timed, '--out', out);
    assert.match(
      said('why', out, '--skipping'),
      /^not skipped: no state came back\nnearest miss: .* later, but for\n {2}h\d: timed of rate 1: .*\n {2}\(sequence: it has to move with /,
    );
    const { jumps, share, nearest } = JSON.parse(said('why', out, '--skipping', '--json')) as {
      readonly jumps: number;
      readonly share: number;
      readonly nearest: { readonly kind: string; readonly before: number; readonly after: number };
    };
    assert.deepEqual([jumps, share, nearest.kind], [0, 0, 'sequence']);
    assert.notEqual(nearest.before, nearest.after);
  });

  function skippingOf(file: string): SkippingResult | null {
    const { skipping } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly skipping: SkippingResult | null;
    };
    return skipping;
  }

  for (const [words, said] of [
    [['--skip', 'exact', '--capture', 'h1:p1'], /--skip exact is excluded, as .*--capture/],
    [['--skip', 'exact', '--check'], /--skip exact is excluded, as --check/],
    [['--skip', 'exact', '--threads', '2'], /leave out --threads/],
    [['--skip', 'nearly'], /--skip nearly: not a way to skip; write exact or off/],
    [['--skip', 'about:1%'], /--skip about:1%: estimates are not offered; write exact or off/],
  ] as const) {
    it(`refuses ${words.join(' ')}`, () => {
      const { code, err } = selvage(...words);
      assert.equal(code, 2);
      assert.match(err, said);
    });
  }
});

describe('examples', () => {
  const all = readdirSync('examples').filter((file) => file.endsWith('.yaml'));
  for (const name of all.filter((_, place) => isLong || place % 4 === 1)) {
    it(`${name} ends alike with and without skipping`, () => {
      // Its captures, traces and events exclude skipping.
      assertSame(`examples/${name}`, ...(name === 'credit-ageing.yaml' ? ['observe={}'] : []));
    });
  }
});

describe('negative controls of skipping', () => {
  it('a jump of a few periods too many does not end as one that executes all', () => {
    const text = ring({ bytes: '16MB' });
    const full = ended(new Session(fabricOf(text), { check: false })).results;
    const session = new Session(fabricOf(text), { check: false, skips: 'eagerly' });
    const recurrences = recurrencesOf(session);
    const { compare } = recurrences;
    recurrences.compare = (before, after) => {
      const met = compare(before, after);
      if (!met.isEqual || met.most.periods === Infinity) return met;
      return { ...met, most: { ...met.most, periods: met.most.periods + 1 } };
    };
    const { results } = ended(session);
    assert.ok(results.failure !== null || results.digest !== full.digest);
  });
});

/** Of the skipper of a session, so that a test may seed a defect. */
function recurrencesOf(session: Session): {
  -readonly [Key in keyof Recurrences]: Recurrences[Key];
} {
  const at = (owner: object, key: string): object => Reflect.get(owner, key) as object;
  const skipper = ['partition', 'skipping', 'skipper'].reduce(at, session);
  return (at(skipper, 'knownRecurrences') as () => Recurrences).call(skipper);
}
