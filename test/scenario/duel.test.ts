import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { variantOf, settingsFor } from '../../services/fabric/scenario/variants.js';
import { loadScenario } from '../../services/fabric/scenario/load-scenario.js';
import { DuelWatch } from '../../services/report/duel-watch.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';

const CLI = join(ROOT, 'dist/programs/selvage.js');
const EXAMPLE = 'examples/incast-pfc.yaml';
const folder = mkdtempSync(join(tmpdir(), 'selvage-duel-'));
after(() => {
  rmSync(folder, { recursive: true });
});

interface Manifest {
  readonly variants: readonly { variant: string; set: string[]; digest: string; run: string }[];
  readonly metrics: readonly {
    variant: string;
    droppedFrames: number;
    blockedPs: Record<string, number>;
    goodputBps: Record<string, number>;
  }[];
}

describe('selvage duel', () => {
  const out = join(folder, 'duel');
  const mechanisms = 'none,pause,pfc,credit,pfc+dcqcn,pfc+qcn,credit+timely,pfc+sfc,pfc+ci';
  const words = ['duel', EXAMPLE, '--mechanisms', mechanisms, '--out', out, '--json'];
  const text = execFileSync(process.execPath, [CLI, ...words], { cwd: ROOT, encoding: 'utf8' });
  const manifest = JSON.parse(text) as Manifest;

  it('compares what the mechanisms are known for', () => {
    const of = (variant: string): Manifest['metrics'][number] =>
      manifest.metrics.find((metrics) => metrics.variant === variant)!;
    assert.ok(of('none').droppedFrames > 0);
    for (const lossless of [
      'pause',
      'pfc',
      'credit',
      'pfc+dcqcn',
      'pfc+qcn',
      'credit+timely',
      'pfc+sfc',
      'pfc+ci',
    ]) {
      assert.equal(of(lossless).droppedFrames, 0, lossless);
      assert.ok(of(lossless).blockedPs['host']! > 0, lossless);
    }
    assert.ok(of('pfc+dcqcn').blockedPs['host']! < of('pfc').blockedPs['host']!);
  });

  it('can be had again from its manifest, bit for bit', () => {
    assert.deepEqual(JSON.parse(readFileSync(join(out, 'duel.json'), 'utf8')), manifest);
    for (const { variant, set, digest, run: name } of manifest.variants) {
      assert.equal(run(fabricOf(EXAMPLE, ...set)).digest, digest, variant);
      assert.equal(readFileSync(join(out, name, 'digest'), 'utf8').trim(), digest);
    }
    const pfc = manifest.variants.find(({ variant }) => variant === 'pfc')!;
    assert.equal(pfc.digest, run(fabricOf(EXAMPLE)).digest);
  });

  it('refuses what is no mechanism before anything runs', () => {
    for (const [list, message] of [
      [
        'pcf',
        /not a mechanism: pcf; write one of none, pause, pfc, credit, cbfc, and behind it \+dcqcn/,
      ],
      ['pfc,pfc', /one of them is named twice/],
      ['pfc+credit', /not a mechanism: pfc\+credit/],
      ['dcqcn+qcn', /not a mechanism: dcqcn\+qcn/],
      ['', /not a mechanism: /],
    ] as const) {
      const args = [CLI, 'duel', EXAMPLE, '--mechanisms', list, '--out', join(folder, 'never')];
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
      assert.equal(status, 2, list);
      assert.match(stderr, message);
    }
  });

  it('keeps what the scenario says of a priority, and takes what carries load if it says nothing', () => {
    const loaded = loadScenario(join(ROOT, 'examples/victim-behind-pfc.yaml'));
    const { topology } = fabricOf('examples/victim-behind-pfc.yaml');
    const [priority, pause] = settingsFor(variantOf('credit'), loaded, topology);
    assert.equal(
      priority,
      'priorities.3={"flowControl":"credit","responseDelay":"200ns","xoff":"100KB"}',
    );
    assert.equal(pause, 'pause=false');
    const plain = loadScenario(join(ROOT, 'examples/incast-lossy.yaml'));
    assert.match(settingsFor(variantOf('pfc'), plain, topology)[0]!, /^priorities\.3=.*"pfc"/);
  });

  it('marks from 8 to 32 us of the slowest link, and never from less than two frames', () => {
    const loaded = loadScenario(join(ROOT, 'examples/incast-lossy.yaml'));
    const { topology } = fabricOf('examples/incast-lossy.yaml');
    const marksAt = (slowestBps: number): string => {
      const [first, ...others] = topology.links;
      const links = [{ ...first!, rateBps: slowestBps }, ...others];
      const [priority] = settingsFor(variantOf('pfc+dcqcn'), loaded, { links });
      return /"min":"(\d+B)","max":"(\d+B)"/.exec(priority!)!.slice(1).join(' ');
    };
    assert.deepEqual([100e9, 25e9, 10e9, 1e9].map(marksAt), [
      '100000B 400000B',
      '25000B 100000B',
      '10000B 40000B',
      '3000B 12000B',
    ]);
    const fast = topology.links.map((link) => ({ ...link, rateBps: 400e9 }));
    const [priority] = settingsFor(variantOf('pfc+dcqcn'), loaded, { links: fast });
    assert.match(priority!, /"min":"400000B","max":"1600000B"/);
  });

  it('trims packets where a variant says so, and never of lossless priorities', () => {
    const loaded = loadScenario(join(ROOT, 'examples/incast-trimmed.yaml'));
    const { topology } = fabricOf('examples/incast-trimmed.yaml');
    const priority = (name: string, of = loaded): string =>
      settingsFor(variantOf(name), of, topology)[0]!;
    assert.match(priority('pfc'), /"trim":"off"/);
    assert.match(priority('uet'), /"trim":{"size":"128B"/);
    const other = loadScenario(join(ROOT, 'examples/lossless-or-uet.yaml'));
    assert.match(priority('uet+trim', other), /"flowControl":"none".*"trim":{}/);
    assert.doesNotMatch(priority('uet', other), /trim/);
    assert.throws(() => variantOf('pfc+trim'), /not a mechanism: pfc\+trim/);
  });

  it('runs loads that acknowledge packets with the transport that a variant names', () => {
    const loaded = loadScenario(join(ROOT, 'examples/permutation-sprayed.yaml'));
    const { topology } = fabricOf('examples/permutation-sprayed.yaml');
    const transportOf = (name: string): string | undefined =>
      settingsFor(variantOf(name), loaded, topology).find((own) => own.includes('.transport='));
    assert.equal(transportOf('irn'), 'load.0.transport={"selective":{"mtu":4096,"preset":"irn"}}');
    assert.equal(transportOf('pfc'), undefined);
    assert.match(settingsFor(variantOf('irn'), loaded, topology)[0]!, /"flowControl":"none"/);
    assert.match(settingsFor(variantOf('pfc+irn'), loaded, topology)[0]!, /"flowControl":"pfc"/);
    const ordered = loadScenario(join(ROOT, 'examples/lossless-or-uet.yaml'));
    const routed = settingsFor(variantOf('cbfc+llr+ar'), ordered, topology);
    assert.ok(routed.includes('switches.ecmp=adaptive'));
    assert.ok(
      routed.includes('load.0.transport={"selective":{"mtu":4096,"ackPriority":6}}'),
      routed.join('\n'),
    );
    assert.match(settingsFor(variantOf('uet+ar'), ordered, topology).join(), /"uet":/);
    const raw = loadScenario(join(ROOT, 'examples/permutation-drill.yaml'));
    assert.ok(
      !settingsFor(variantOf('irn'), raw, topology).some((own) => own.includes('transport')),
    );
  });

  it('keeps the marking that a scenario has', () => {
    const loaded = loadScenario(join(ROOT, 'examples/incast-dcqcn.yaml'));
    const { topology } = fabricOf('examples/incast-dcqcn.yaml');
    const own = (loaded.document as { priorities: Record<string, { ecn: object }> }).priorities;
    const [priority] = settingsFor(variantOf('pfc+dcqcn'), loaded, topology);
    assert.ok(priority!.includes(JSON.stringify(own['3']!.ecn)), priority);
  });
});

describe('duels and sweeps over seeds', () => {
  const said = (...words: string[]): string =>
    execFileSync(process.execPath, [CLI, ...words], { cwd: folder, encoding: 'utf8' });
  const file = join(folder, 'random.yaml');
  writeFileSync(
    file,
    `
selvage: 1
name: random
duration: 200us
fabric: { generator: star, hosts: 4, link: { rate: 100G, length: 5m } }
priorities: { 3: pfc }
load:
  - { name: mix, random: { hosts: h*, sizes: { fixed: 20KB }, load: 60% }, end: 100us, priority: 3, transport: raw }
`,
  );

  it('print medians, and call nothing significant that few seeds cannot bear out', () => {
    const few = said('duel', file, '--mechanisms', 'pfc,credit', '--seeds', '3', '--out', 'few');
    assert.match(few, /goodput of mix +\d+\.?\d* Gb\/s \[\S+, \S+ Gb\/s\]/);
    assert.match(few, /medians of 3 seeds, with the least and the most: no difference is signif/);
    const swept = said('sweep', file, '--vary', 'priorities.3=pfc,credit', '--seeds', '2');
    assert.match(swept, /^ +pfc .*\[\S+, \S+ Gb\/s\]/m);
    assert.match(swept, /medians of 2 seeds/);
  });

  it('are compared as their folders are, in JSON too', () => {
    const { names, sentence, rows } = JSON.parse(
      said('compare', 'few/pfc', 'few/credit', '--json'),
    ) as { names: string[]; sentence: string; rows: { label: string }[] };
    assert.deepEqual(names, ['pfc', 'credit']);
    assert.ok(sentence.length > 0);
    assert.ok(rows.some(({ label }) => label === 'FCT p99 of mix'));
    assert.ok(!existsSync(join(folder, 'compare.html')));
    const text = said('compare', 'few/pfc', 'few/credit', '--out', 'both.html');
    assert.ok(text.startsWith(sentence), text);
  });

  it('have a line per seed in the CSV of a sweep', () => {
    said('sweep', file, '--vary', 'priorities.3=pfc,credit', '--seeds', '2', '--csv', 'runs.csv');
    const lines = readFileSync(join(folder, 'runs.csv'), 'utf8').trim().split('\n');
    assert.equal(lines.length, 5);
    assert.match(lines[0]!, /^priorities_3,seed,goodput_bps,/);
  });
});

describe('time to react', () => {
  // An incast into h1 from 0 on, and when that is over, streams into h4.
  const scenario = (queue: string): string => `
duration: 200us
fabric: { generator: star, hosts: 4, link: { rate: 100G, length: 10m } }
priorities: { 3: { flowControl: pfc, xoff: 60KB } }
load:
  - { name: in, incast: { from: h2..h4, to: h1 }, bytes: 200KB, priority: 3, transport: raw }
  - { name: on, stream: { from: h1..h2, to: h4 }, start: 100us, priority: 3, transport: raw }
observe: { ${queue} }
`;

  function reactionTo(queue: string): number | null {
    const fabric = fabricOf(scenario(queue));
    const session = new Session(fabric, { check: false });
    const watch = new DuelWatch(fabric, session.engine);
    while (session.advance(1000) === 'running');
    return watch.reactionPs;
  }

  it('begins at the queue of the incast, or at the one that `observe.queue` names', () => {
    // A queue is congested from 30 KB on. Two senders more than leave fill it at 200 Gb/s, and
    // their ingress buffers with 60 KB each at 67 Gb/s; one more, at 100 Gb/s and 50 Gb/s.
    const incast = reactionTo('')!;
    assert.equal(reactionTo("queue: 's1:p1'"), incast);
    const named = reactionTo("queue: 's1:p4'")!;
    const beyond = 0.3e6;
    assert.ok(incast > 7.2e6 - 1.2e6 && incast < 7.2e6 - 1.2e6 + beyond, String(incast));
    assert.ok(named > 9.6e6 - 2.4e6 && named < 9.6e6 - 2.4e6 + beyond, String(named));
  });

  it('is none where nothing congests the queue that is named', () => {
    assert.equal(reactionTo("queue: 's1:p2'"), null);
  });
});

describe('the control bytes and the buffer of a duel', () => {
  const scenario = (method: string, more: string): string => `
fabric: { generator: pair, link: { rate: 100G, delay: 500ns } }
priorities: { 3: ${method} }
duration: 300us
load: [{ name: a, stream: { from: h1, to: h2 }, priority: 3 }]
${more}`;

  function watched(text: string): [DuelWatch, RunResults] {
    const fabric = fabricOf(text);
    const session = new Session(fabric, { check: false });
    const watch = new DuelWatch(fabric, session.engine);
    while (session.advance(1000) === 'running');
    return [watch, session.results('complete')];
  }

  it('count ordered sets as eight bytes, and frames as they are', () => {
    const [watch, results] = watched(scenario('cbfc', 'llr: { enabled: true }'));
    const sets = results.llr.map(
      ({ counters: c }) =>
        c.LLR_TX_INIT_CTL_OS +
        c.LLR_TX_INIT_ECHO_CTL_OS +
        c.LLR_TX_ACK_CTL_OS +
        c.LLR_TX_NACK_CTL_OS,
    );
    const of = (name: string): number =>
      results.channels.reduce((sum, { ofPort }) => sum + ofPort[name]!, 0);
    const updates = of('CBFC_NUM_CF_UPDATE_MESSAGES_TX');
    const frames = of('CBFC_NUM_CC_UPDATE_MESSAGES_TX');
    assert.ok(updates > 0 && frames > 0 && sets.every((count) => count > 1));
    const setOctets = 8 * sets.reduce((sum, count) => sum + count, updates);
    assert.equal(watch.controlOctets, setOctets + 64 * frames);
  });

  it('have the buffer behind the credits of CBFC', () => {
    const [cbfc] = watched(scenario('{ flowControl: cbfc }', 'cbfc: { buffer: 128KiB }'));
    assert.equal(cbfc.reservedOctets, 131_072);
    const [none] = watched(scenario('none', ''));
    assert.equal(none.reservedOctets, 0);
  });
});
