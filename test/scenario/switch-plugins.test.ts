/** Markings and load balancings that a scenario brings. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import { scenarioOfDocument } from '../../services/fabric/scenario/load-scenario.js';
import { sha256Of } from '../../services/plugins/source.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { runsAlike } from '../kit/alike.js';
import { Cluster } from '../../services/hunt/worlds/services-in-memory.js';
import { run } from '../kit/emulate.js';

const source = (file: string, text: string): object => ({ file, sha256: sha256Of(text), text });

const marking = (marks: string, more = "at: 'enqueue', state: { seen: 0 }"): object =>
  source(
    'm.mjs',
    `export default { api: 1, kind: 'marking', name: 'm', help: 'Marks.', ${more},
  settings: { above: { unit: 'size', default: '10KB', help: 'Length.' } },
  marks(queue) { ${marks} } };`,
  );

const balancing = (chooses: string, more = 'state: { turn: 0 }'): object =>
  source(
    'b.mjs',
    `export default { api: 1, kind: 'balancing', name: 'b', help: 'Chooses.', ${more},
  chooses(choice) { ${chooses} } };`,
  );

const incast = (plugin: object, more: object = {}): Fabric =>
  buildFabric(
    scenarioOfDocument('incast.yaml', {
      selvage: 1,
      plugins: [plugin],
      fabric: { generator: 'star', hosts: 5 },
      priorities: { 3: { flowControl: 'pfc', ecn: 'm' } },
      load: [
        {
          incast: { from: 'h2..h5', to: 'h1' },
          ...{ bytes: '200KB', priority: 3, transport: 'reliable', congestion: 'dcqcn' },
        },
      ],
      ...more,
    }),
  );

const crossed = (plugin: object, more: object = {}): Fabric =>
  buildFabric(
    scenarioOfDocument('crossed.yaml', {
      selvage: 1,
      plugins: [plugin],
      fabric: { generator: 'leaf-spine', leaves: 2, spines: 3, hostsPerLeaf: 2 },
      switches: { ecmp: 'b' },
      load: [
        { stream: { from: 'h1', to: 'h3' }, bytes: '300KB', transport: 'raw' },
        { stream: { from: 'h2', to: 'h4' }, bytes: '300KB', transport: 'raw' },
      ],
      ...more,
    }),
  );

/** Frames that the first leaf sent by each port to a spine. */
const uplinks = ({ ports }: RunResults): number[] =>
  ports
    .filter(({ port }) => /^leaf1:p[345]$/.test(port))
    .map(({ priorities }) => priorities.reduce((sum, { txFrames }) => sum + txFrames, 0));

async function assertAlike(fabric: Fabric): Promise<RunResults> {
  const results = await runsAlike(fabric, Infinity, [3e6, 17_123_456]);
  assert.equal(results.status, 'complete');
  const cluster = new Cluster(fabric, placeEachAlone(fabric.topology), new RandomStream(1, ''));
  cluster.run();
  assert.deepEqual(cluster.results(false), results);
  return results;
}

describe('a marking of a plugin', () => {
  const counting = marking(
    'queue.state.seen += 1; return queue.bytes > queue.settings.above && queue.random() < 0.5;',
  );

  it('does the same in threads, services and any order, and saved and resumed', async () => {
    const results = await assertAlike(incast(counting));
    const [priority] = results.priorities;
    assert.ok(priority!.markedFrames > 10);
  });

  it('marks frames as its queue, its settings and its state say', () => {
    const marks = (fabric: Fabric): number => run(fabric).priorities[0]!.markedFrames;
    assert.equal(marks(incast(marking('return false;'))), 0);
    const all = marks(incast(marking('return true;')));
    const third = marking('return queue.capable && ++queue.state.seen % 3 === 0;');
    assert.equal(marks(incast(third)), Math.floor(all / 3));
    const none = incast(marking('return queue.bytes >= queue.settings.above;'), {
      m: { above: '1GB' },
    });
    assert.equal(marks(none), 0);
    const rate = marking('return queue.lineBps === 100e9 && queue.freeBytes > 0;');
    assert.equal(marks(incast(rate)), all);
  });

  it('is of single devices, where only these name it', () => {
    const priorities = { 3: { flowControl: 'pfc', ecn: { step: '1GB' } } };
    const only = (name: string): number =>
      run(
        incast(marking('return true;'), {
          priorities,
          devices: { [name]: { priorities: { 3: { ecn: 'm' } } } },
        }),
      ).priorities[0]!.markedFrames;
    assert.ok(only('s1') > 0);
    assert.equal(only('h1'), 0);
  });

  it('that throws, or says neither yes nor no, ends the run with its place', () => {
    const problems: readonly (readonly [string, RegExp])[] = [
      ['return 1;', /^PluginError: m threw at \S+ us in s1:p1: marks returned 1; write true or/],
      ['return gone;', /m threw at \S+ us in s1:p1: gone is not defined \(m\.mjs:3:/],
      ['queue.state.seen = "x"; return true;', /state\.seen = x is not a number/],
      ['queue.bytes = 0; return true;', /Cannot set property bytes/],
    ];
    for (const [text, problem] of problems) {
      assert.throws(() => run(incast(marking(text))), problem, text);
    }
  });

  it('has to be there', () => {
    const priorities = { 3: { flowControl: 'pfc', ecn: 'n' } };
    assert.throws(
      () => incast(marking('return true;'), { priorities }),
      /priorities\.3\.ecn: unknown: n; one of off, m, or name a file under plugins that has it/,
    );
  });
});

describe('a load balancing of a plugin', () => {
  const turning = balancing(
    'choice.state.turn = (choice.state.turn + 1) % choice.count; return choice.state.turn;',
  );

  it('does the same in threads, services and any order, and saved and resumed', async () => {
    const drawn = balancing(
      `if (choice.now - choice.flow.at > 1e6) choice.flow.port = Math.floor(3 * choice.random());
      choice.flow.at = choice.now;
      return choice.queueBytes(choice.flow.port) > 3e3 ? ++choice.state.turn % choice.count
        : choice.flow.port % choice.count;`,
      'state: { turn: 0 }, flows: { slots: 2, state: { at: -Infinity, port: 0 } }',
    );
    const results = await assertAlike(crossed(drawn));
    assert.ok(uplinks(results).every((frames) => frames > 0));
  });

  it('takes the port that it chooses', () => {
    for (const only of [0, 1, 2]) {
      const sent = uplinks(run(crossed(balancing(`return ${only};`))));
      assert.deepEqual(
        sent.map((frames) => frames > 0),
        [only === 0, only === 1, only === 2],
      );
    }
    const [a, b, c] = uplinks(run(crossed(turning)));
    assert.ok(Math.max(a!, b!, c!) - Math.min(a!, b!, c!) <= 1);
  });

  it('chooses among those that are left while a link is down', async () => {
    const where = { link: 'leaf1 spine2' };
    const faults = [{ kind: 'link-down', where, at: '5us', for: '10us' }];
    const switches = { ecmp: 'b', failover: { detection: '1us', reconvergence: '2us' } };
    const results = await assertAlike(crossed(turning, { faults, switches }));
    const [a, b, c] = uplinks(results);
    assert.ok(b! < a! && b! < c!);
  });

  it('forgets a port that it remembered when its group has another number of them', async () => {
    const last = balancing(
      'choice.queueBytes(choice.state.turn); return (choice.state.turn = choice.count - 1);',
    );
    const faults = [{ kind: 'link-down', where: { link: 'leaf1 spine3' }, at: '5us', for: '10us' }];
    const switches = { ecmp: 'b', failover: { detection: '1us', reconvergence: '2us' } };
    const [a, b, c] = uplinks(await assertAlike(crossed(last, { faults, switches })));
    assert.ok(a === 0 && b! > 0 && c! > 0);
  });

  it('is of single devices, where only these name it', () => {
    const first = balancing('return 0;');
    const some = { switches: {}, devices: { leaf1: { ecmp: 'b' } } };
    const sent = uplinks(run(crossed(first, some)));
    assert.deepEqual(sent.slice(1), [0, 0]);
  });

  it('that names no port ends the run with its place', () => {
    const problems: readonly (readonly [string, RegExp])[] = [
      ['return 3;', /^PluginError: b threw at \S+ us in leaf1: chooses returned 3; write 0 to 2/],
      ['return 0.5;', /chooses returned 0\.5; write 0 to 2/],
      ['return choice.queueBytes(7);', /no port 7: there are 3, from 0/],
      ['return choice.count = 1;', /Cannot set property count/],
    ];
    for (const [text, problem] of problems) {
      assert.throws(() => run(crossed(balancing(text))), problem, text);
    }
  });

  it('has to be there', () => {
    assert.throws(
      () => crossed(turning, { switches: { ecmp: 'randon' } }),
      /switches\.ecmp: unknown: randon; one of flow, packet, adaptive, flowlet, b, or name a file/,
    );
    assert.throws(
      () => crossed(turning, { devices: { 'leaf*': { ecmp: 'pakcet' } } }),
      /devices\.leaf\*\.ecmp: unknown: pakcet; .* did you mean packet\?/,
    );
  });
});

describe('an arbiter of a plugin', () => {
  const arbiter = (serves: string, more = 'state: {}'): object =>
    source(
      'a.mjs',
      `export default { api: 1, kind: 'arbiter', name: 'a', help: 'Serves.', ${more},
  serves(turn) { ${serves} } };`,
    );
  const stream = (from: string, priority: number): object => ({
    ...{ name: `p${priority}`, stream: { from, to: 'h1' } },
    ...{ bytes: '200KB', priority, transport: 'raw' },
  });
  const shared = (plugin: object, more: object = {}): Fabric =>
    buildFabric(
      scenarioOfDocument('shared.yaml', {
        selvage: 1,
        plugins: [plugin],
        fabric: { generator: 'star', hosts: 4 },
        switches: { arbiter: 'a' },
        load: [stream('h2', 1), stream('h3', 2), stream('h4', 3)],
        ...more,
      }),
    );
  const first = (wanted: number): object =>
    arbiter(`if (turn.isEligible(${wanted})) return ${wanted};
      for (let tc = 0; ; tc++) if (turn.isEligible(tc)) return tc;`);
  const order = (fabric: Fabric): string[] =>
    [...run(fabric).flows]
      .sort((a, b) => a.completionPs! - b.completionPs!)
      .map(({ load }) => load);

  it('does the same in threads, services and any order, and saved and resumed', async () => {
    const results = await assertAlike(
      shared(
        arbiter(
          `const waiting = [0, 1, 2, 3, 4, 5, 6, 7].filter((tc) => turn.isEligible(tc));
          const [tc] = waiting.sort((a, b) => turn.classes[a].sent - turn.classes[b].sent);
          turn.classes[tc].sent += turn.random() * turn.headBytes(tc) + turn.queueBytes(tc) / 9;
          return ++turn.state.turns % 5 === 0 ? waiting.at(-1) : tc;`,
          'state: { turns: 0 }, classes: { sent: 0 }',
        ),
      ),
    );
    assert.equal(results.flows.length, 3);
  });

  it('serves the class that it says', () => {
    assert.deepEqual(order(shared(first(3))), ['p3', 'p1', 'p2']);
    assert.deepEqual(order(shared(first(1))), ['p1', 'p2', 'p3']);
    assert.deepEqual(order(shared(first(2), { switches: {}, devices: { s1: { arbiter: 'a' } } })), [
      ...['p2', 'p1', 'p3'],
    ]);
  });

  it('that names a class that may not send ends the run with its place', () => {
    const problems: readonly (readonly [string, RegExp])[] = [
      ['return 7;', /^PluginError: a threw at \S+ us in s1:p1: serves returned 7; eligible: [123]/],
      ['return 1.5;', /serves returned 1\.5; eligible/],
      ['return turn.headBytes(7);', /traffic class 7 is not eligible: ask isEligible first/],
      ['return turn.queueBytes(8);', /no traffic class 8: they are 0 to 7/],
      ['turn.classes[1].x = 1;', /Cannot add property x/],
    ];
    for (const [text, problem] of problems) {
      assert.throws(() => run(shared(arbiter(text))), problem, text);
    }
  });

  it('is none of an 82599, and nothing that DCBX tells', () => {
    assert.throws(
      () => shared(first(1), { hosts: { arbiter: 'a', nic: { model: 82_599 } } }),
      /an 82599 has no arbiter of a plugin/,
    );
    const changes = [{ at: '5us', devices: 's1', arbiter: 'a' }];
    assert.throws(
      () => shared(first(1), { discovery: { changes } }),
      /DCBX tells shares, and no arbiter of a plugin/,
    );
    assert.throws(
      () => shared(first(1), { classes: { arbiter: 'fair' } }),
      /classes\.arbiter: unknown: fair; one of strict, round-robin, dwrr, ets, a, or name a file/,
    );
  });
});
