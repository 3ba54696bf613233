import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { adviseOn, type Proven } from '../../services/advise/advise.js';
import { isSafe } from '../../services/advise/text.js';
import { fabricOf, ROOT, run } from '../kit/emulate.js';

interface World {
  readonly name: string;
  readonly scenario: string;
}

const star = (link: string, rest: string): string => `
fabric: { generator: star, hosts: 4, hostLink: { ${link} } }
${rest}`;

const load = (frame: number, priority = 3): string =>
  `load: [{ name: i, incast: { from: h2..h4, to: h1 }, bytes: 100KB, priority: ${priority}, transport: raw, frame: ${frame} }]`;

const worlds: World[] = [
  {
    name: 'PFC at 100 Gb/s',
    scenario: star(
      'rate: 100G, length: 100m, interfaceDelay: 300ns',
      `switches: { pipeline: 500ns, buffer: { size: 2MB } }
priorities: { 3: { flowControl: pfc, responseDelay: 200ns, alpha: 0.5 } }
${load(1086)}`,
    ),
  },
  {
    name: 'a link of 1 km with frames of 9216 bytes',
    scenario: star(
      'rate: 400G, length: 1km',
      `switches: { buffer: { size: 16MB } }
priorities: { 3: { flowControl: pfc, responseDelay: 600ns } }
${load(9216)}`,
    ),
  },
  {
    name: 'a buffer in cells of 208 bytes',
    scenario: star(
      'rate: 25G, length: 300m',
      `switches: { buffer: { size: 4MB, cell: 208 } }
priorities: { 3: pfc }
${load(700)}`,
    ),
  },
  {
    name: 'PAUSE at 1 Gb/s',
    scenario: star(
      'rate: 1G, length: 100m',
      `switches: { buffer: { size: 1MB } }
pause: {}
${load(1518, 0)}`,
    ),
  },
  {
    name: 'two priorities, one of them at some ports only',
    scenario: `
fabric: { generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2 }
switches: { buffer: { size: 3MB } }
priorities: { 2: pfc, 4: { flowControl: pfc, alpha: 2 } }
ports:
  - { where: { device: leaf1, peer: spine2 }, priorities: { 2: none } }
  - { where: { device: spine2 }, priorities: { 2: none } }
  - { where: { device: leaf2, peer: spine2 }, priorities: { 2: none } }
load:
  - { name: a, stream: { from: h1, to: h3 }, bytes: 50KB, priority: 2, frame: 400 }
  - { name: b, stream: { from: h2, to: h4 }, bytes: 50KB, priority: 4, frame: 4000 }
`,
  },
];

describe('advise', () => {
  for (const { name, scenario } of worlds) {
    it(`proves what it advises, and that less does not do: ${name}`, () => {
      const advice = adviseOn(fabricOf(scenario), null);
      assert.ok(advice.length > 0);
      for (const { ports, headroom, xon, xoff, marking } of advice) {
        const values: readonly (Proven | null)[] = [headroom, xon, xoff, marking];
        values.forEach((value, i) => {
          assert.ok(value?.isProven, `${ports[0]} ${i}: ${JSON.stringify(value)}`);
        });
        // The delay model is no more than some frames above what a run meets.
        assert.ok(headroom.limit <= headroom.advised);
        assert.ok(xon.limit <= xon.advised);
        assert.ok(xon.advised < xoff!.advised && marking!.advised < xoff!.advised);
      }
    });
  }

  it('says where headroom that is given is too small, and the run agrees', () => {
    const short = worlds[0]!.scenario
      .replace('responseDelay', 'headroom: 6KB, xoff: 20KB, responseDelay')
      .replace('bytes: 100KB', 'bytes: 500KB');
    const advice = adviseOn(fabricOf(short), 's1:p2');
    assert.deepEqual(advice.map(isSafe), [false]);
    assert.equal(run(fabricOf(short)).status, 'failed');
    const { advised } = advice[0]!.headroom;
    const enough = short.replace('headroom: 6KB', `headroom: ${advised}`);
    assert.deepEqual(adviseOn(fabricOf(enough), null).map(isSafe), [true]);
    assert.equal(run(fabricOf(enough)).status, 'complete');
  });

  it('leaves out XOFF and ECN where the buffer has no room for them', () => {
    const small = worlds[1]!.scenario.replace('16MB', '3MB');
    const [{ xoff, marking, headroom }] = adviseOn(fabricOf(small), null) as [
      ReturnType<typeof adviseOn>[number],
    ];
    assert.deepEqual({ xoff, marking }, { xoff: null, marking: null });
    assert.ok(headroom.isProven);
  });

  it('ends with 0, 1 where headroom is short, and 2 for a port that there is not', () => {
    const advise = (...words: string[]): ReturnType<typeof spawnSync> =>
      spawnSync(
        process.execPath,
        [join(ROOT, 'dist/programs/selvage.js'), 'advise', 'examples/incast-pfc.yaml', ...words],
        { cwd: ROOT, encoding: 'utf8' },
      );
    const enough = advise('--json', '--port', 's1:p1');
    assert.equal(enough.status, 0);
    const [{ headroom, given, isSafe: safe }] = JSON.parse(String(enough.stdout)) as [
      { headroom: { advisedBytes: number }; given: { headroomBytes: number }; isSafe: boolean },
    ];
    assert.equal(headroom.advisedBytes, given.headroomBytes);
    assert.equal(safe, true);
    const short = advise('--port', 's1:p1', '--set', 'priorities.3.headroom=20KB');
    assert.equal(short.status, 1);
    assert.match(String(short.stdout), /the headroom that is given may lose frames/);
    const unknown = advise('--port', 's1:p77');
    assert.equal(unknown.status, 2);
    assert.match(String(unknown.stderr), /--port: .*s1:p77/);
  });
});
