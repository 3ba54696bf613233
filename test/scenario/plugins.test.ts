import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import { Cluster } from '../../services/hunt/worlds/services-in-memory.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { loadFabric } from '../../services/cli/load-fabric.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../../services/fabric/scenario/load-scenario.js';
import { sha256Of } from '../../services/plugins/source.js';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { runsAlike } from '../kit/alike.js';
import { ROOT, run } from '../kit/emulate.js';
import { inThreads } from '../kit/threads.js';

/** Reacts to everything there is, by chance and by time, too. */
const BUSY = `export default {
  api: 1,
  kind: 'congestion-control',
  name: 'busy',
  help: 'Does all that a plugin may do.',
  feedback: 'marks',
  settings: { pause: { unit: 'time', default: '3us', help: 'Between two calls.' } },
  state: { calls: 0, last: -Infinity },
  start(connection) { connection.wakeAt(connection.now + connection.settings.pause); },
  sent(connection, bytes) { connection.state.calls += bytes / 1e6; },
  acknowledged(connection, { roundTripPs, hostPs, packets }) {
    connection.state.last = Math.max(connection.state.last, roundTripPs + hostPs + packets);
    connection.windowPackets = 4 + (connection.state.last % 60) + connection.hops;
  },
  lost(connection, timedOut) { connection.windowPackets = timedOut ? 1 : 8; },
  marked(connection) { connection.rateBps = Math.max(1e9, connection.rateBps * 0.7); },
  timer(connection) {
    connection.rateBps *= 1 + connection.random() / 10;
    connection.wakeAt(connection.now + connection.settings.pause);
  },
};
`;

const GATHER = `export default {
  api: 1,
  kind: 'load',
  name: 'gather',
  help: 'All send to one, which answers.',
  settings: { bytes: { unit: 'size', default: '60KB', help: 'Payload.' } },
  *flows({ settings: { bytes }, hosts: [first, ...others], random }) {
    for (const { name } of others) {
      yield { from: name, to: first.name, bytes, atPs: Math.floor(random() * 5e6) };
    }
    const after = others.map((_, i) => i);
    for (const { name } of others) yield { from: first.name, to: name, bytes: 1000, after };
  },
};
`;

const SCENARIO = `selvage: 1
seed: 3
plugins: [busy.mjs, gather.mjs]
fabric: { generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 3 }
priorities: { 3: { flowControl: pfc, ecn: { min: 20KB, max: 60KB, probability: 50% } }, 1: none }
switches: { buffer: { size: 1MB } }
load:
  - gather: { hosts: h1..h6 }
    priority: 3
    congestion: busy
  - incast: { from: h2..h6, to: h1 }
    bytes: 100KB
    priority: 1
    ect: true
    congestion: none
`;

const UNTIL_PS = 300e6;

describe('a scenario with plugins', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-plugins-'));
  const at = (name: string): string => join(folder, name);
  writeFileSync(at('busy.mjs'), BUSY);
  writeFileSync(at('gather.mjs'), GATHER);
  writeFileSync(at('scenario.yaml'), SCENARIO);
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const withControl = (text: string): Fabric => {
    writeFileSync(at('other.mjs'), text);
    const plugins = JSON.stringify([at('other.mjs'), at('gather.mjs')]);
    return loadFabric(at('scenario.yaml'), [`plugins=${plugins}`]).fabric;
  };
  const selvage = (...words: string[]): { status: number | null; out: string } => {
    const main = join(ROOT, 'dist/programs/selvage.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, out: stdout + stderr };
  };

  it('does the same in threads, services and any order, and saved and resumed', async () => {
    const { fabric } = loadFabric(at('scenario.yaml'), []);
    const results = await runsAlike(fabric, UNTIL_PS, [3e6, 17_123_456, 60e6]);
    assert.equal(results.status, 'complete');
    const cluster = new Cluster(fabric, placeEachAlone(fabric.topology), new RandomStream(1, ''));
    cluster.run();
    assert.deepEqual(cluster.results(false), results);
    const [limited] = results.rates;
    assert.equal(limited!.control, 'busy');
    assert.ok(results.rates.some(({ cuts }) => cuts > 0));
    assert.deepEqual(results.plugins, [
      { name: 'busy', kind: 'congestion-control', file: 'busy.mjs', sha256: sha256Of(BUSY) },
      { name: 'gather', kind: 'load', file: 'gather.mjs', sha256: sha256Of(GATHER) },
    ]);
  });

  it('is a document that needs no other file', () => {
    const { loaded, fabric } = loadFabric(at('scenario.yaml'), []);
    const text = JSON.stringify(loaded.document);
    const elsewhere = scenarioOfDocument('/nowhere/scenario.yaml', JSON.parse(text));
    assert.equal(run(buildFabric(elsewhere)).digest, run(fabric).digest);
    const forged = JSON.parse(text.replace('0.7', '0.6')) as unknown;
    assert.throws(
      () => scenarioOfDocument('/nowhere/scenario.yaml', forged),
      /plugins\.0: busy\.mjs: its text has the SHA-256/,
    );
  });

  it('ends with one error where a plugin throws, wherever it runs', async () => {
    const broken = withControl(
      BUSY.replace(
        'connection.rateBps *=',
        'if (connection.now > 12.3e6) gone(); connection.rateBps *=',
      ),
    );
    const problem =
      /^PluginError: busy threw at 1[25] us in h\d: gone is not defined \(.*:18:34\)$/;
    assert.throws(() => run(broken), problem);
    await assert.rejects(inThreads(broken, 2).run(), /busy threw at 1[25] us in h\d: gone/);
  });

  it('refuses what is no number, no rate and no window', () => {
    const cases: readonly (readonly [set: string, problem: RegExp])[] = [
      ['connection.rateBps = NaN', /rateBps = NaN is not a number/],
      ['connection.rateBps = 0', /rateBps = 0; at least 1000/],
      ["connection.rateBps = '1'", /rateBps = 1 is not a number/],
      ['connection.windowPackets = 0.5', /windowPackets = 0\.5; at least 1/],
      ['connection.state.calls = undefined', /state\.calls = undefined is not a number/],
      ['connection.state.other = 1', /Cannot add property other/],
      // What is kept in the view would be of all connections, and not saved.
      ['connection.other = 1', /Cannot add property other/],
      ['connection.state = {}', /Cannot assign to read only property 'state'/],
      ['throw new Proxy({}, { get() { throw 1; } })', /in h\d: a value that cannot be shown/],
      ['connection.wakeAt(connection.now - 1)', /that time is over/],
      ['Math.random()', /Math\.random differs from run to run; use random\(\)/],
    ];
    for (const [set, problem] of cases) {
      assert.throws(
        () => run(withControl(BUSY.replace('connection.rateBps *= 1', `${set}; 1`))),
        problem,
      );
    }
  });

  it('ends a control whose timer expires without time going on', async () => {
    const looping = withControl(
      BUSY.replace(
        'connection.now + connection.settings.pause);\n  },\n};',
        'connection.now);\n  },\n};',
      ),
    );
    const problem = /^PluginError: busy threw at \d+ us in h\d: timer is called again and again/;
    assert.throws(() => run(looping), problem);
    await assert.rejects(inThreads(looping, 2).run(), /timer is called again and again: wakeAt\(/);
  });

  it('refuses flows that no load can have', () => {
    const cases: readonly (readonly [from: string, to: string, problem: RegExp])[] = [
      ['bytes: 1000', 'bytes: 0', /flow 5 of gather has bytes: 0; a whole number from 1/],
      ['to: name, bytes', "to: 'h9', bytes", /flow 5 of gather has to: h9, none of its hosts/],
      ['to: name, bytes', 'to: first.name, bytes', /flow 5 of gather goes from h1 to itself/],
      ['1000, after', '1000, after: [9]', /flow 5 of gather waits for flow 9, no earlier one/],
      ['from: name', 'after: [0], from: name', /flow 0 of gather waits for flow 0, no earlier/],
      ['const after', 'gone(); const after', /gather threw: gone is not defined \(gather\.mjs:11/],
    ];
    for (const [from, to, problem] of cases) {
      writeFileSync(at('gather.mjs'), GATHER.replace(from, to));
      assert.throws(() => loadFabric(at('scenario.yaml'), []), problem, to);
    }
    writeFileSync(at('gather.mjs'), GATHER);
  });

  it('says where in the scenario a plugin is named that cannot be used', () => {
    const said = (set: string): string => {
      const { status, out } = selvage('validate', 'scenario.yaml', '--set', set);
      assert.equal(status, 2, out);
      return out;
    };
    assert.match(said('plugins=["gone.mjs"]'), /plugins\.0: gone\.mjs: .*no such file/);
    assert.match(said('plugins=["busy.mjs","busy.mjs"]'), /plugins\.1: .*busy is taken already/);
    assert.match(said('plugins=[7]'), /plugins\.0: not a plugin: 7; write a file name/);
    assert.match(said('plugins=busy.mjs'), /plugins: not a list: busy\.mjs/);
    assert.match(said('busy.pause=x'), /busy\.pause: not a time: x/);
    assert.match(said('busy.pauze=1us'), /unknown key: pauze; allowed: pause, cnpInterval/);
    assert.match(said('load.0.congestion=bussy'), /unknown: bussy; .*did you mean busy\?/);
    for (const name of ['timely', 'pfc', 'ecn', 'load', 'constructor']) {
      writeFileSync(at('taken.mjs'), BUSY.replace("'busy'", `'${name}'`));
      const message = said('plugins=["taken.mjs"]');
      assert.ok(message.includes(`the name ${name} is taken already`), message);
    }
    writeFileSync(at('bad.yaml'), SCENARIO.replace('busy.mjs', 'gone.mjs'));
    assert.match(selvage('validate', 'bad.yaml').out, /^bad\.yaml:3:11: plugins\.0: gone\.mjs/);
  });

  it('names its plugins beside the digest, and resumes with the same ones only', () => {
    const { status, out } = selvage('run', 'scenario.yaml', '--out', 'a', '--no-observe');
    assert.equal(status, 0, out);
    const digest = readFileSync(at('a/digest'), 'utf8').split('\n');
    assert.equal(digest[0], `# plugin busy ${sha256Of(BUSY)} busy.mjs`);
    assert.match(out, new RegExp(`plugin busy ${sha256Of(BUSY)} \\(busy\\.mjs\\)`));
    assert.ok(out.includes(`digest ${digest[2]!}`));
    const [, packed] = /id="content">([^<]*)</.exec(readFileSync(at('a/report.html'), 'utf8'))!;
    const content = gunzipSync(Buffer.from(packed!, 'base64')).toString();
    assert.ok(content.includes(sha256Of(BUSY)));
    writeFileSync(at('busy.mjs'), `${BUSY}\n`);
    const again = selvage('why', 'a');
    writeFileSync(at('busy.mjs'), BUSY);
    assert.equal(again.status, 2);
    assert.match(again.out, /its plugin busy\.mjs has changed since a was run/);
  });

  it('fails with code 3 and one line where a plugin throws', () => {
    writeFileSync(at('throws.mjs'), BUSY.replace('connection.rateBps *=', 'gone();'));
    const set = ['--set', 'plugins=["throws.mjs","gather.mjs"]', '--quiet', '--out', 'b'];
    const runners = [[], ['--threads', '2'], ...(isInstalled() ? [['--services', '2']] : [])];
    for (const words of runners) {
      const { status, out } = selvage('run', 'scenario.yaml', ...set, ...words);
      assert.equal(status, 3, out);
      assert.match(out, /^the run failed: .*busy threw at 3 us in h\d: gone is not defined.*\n$/);
    }
  });
});
