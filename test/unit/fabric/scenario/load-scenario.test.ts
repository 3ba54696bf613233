import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadScenario } from '../../../../services/fabric/scenario/load-scenario.js';
import type { LoadSection } from '../../../../services/fabric/scenario/scenario.js';
import { REGISTERS } from '../assembly/scenarios.js';
import { load, PAIR, withFiles } from './written-files.js';

const loadOf = (text: string): LoadSection => load(`${PAIR}load:\n  - ${text}\n`).scenario.load[0]!;

describe('a scenario that says next to nothing', () => {
  const { scenario } = load({ 'two-hosts.yaml': PAIR });

  it('is named after its file and has every default', () => {
    assert.equal(scenario.name, 'two-hosts');
    assert.equal(scenario.seed, 1);
    assert.equal(scenario.durationPs, null);
    assert.deepEqual(scenario.load, []);
    assert.deepEqual(scenario.observe, {
      series: null,
      ports: [],
      episodes: false,
      queue: null,
      events: false,
      wire: false,
      stormPs: 1e9,
      traces: null,
      captures: null,
    });
    assert.deepEqual(scenario.hosts, {
      mac: null,
      ipv4: null,
      ipv6: null,
      nic: null,
      arbiter: null,
    });
    assert.deepEqual(scenario.switches, {
      model: 'shared-buffer',
      slots: REGISTERS,
      pipelinePs: 500_000,
      cutThrough: false,
      forwarding: 'routed',
      ecmp: { name: 'flow', settings: {} },
      failover: {
        enabled: true,
        detectionPs: 100e6,
        reconvergencePs: 100e6,
        queued: 'move',
      },
      buffer: {
        sizeBytes: null,
        cellBytes: 1,
        egressReservedBytes: 0,
        egressAlpha: 1,
        asic: {
          cellBytes: 1,
          frameBytes: 0,
          slices: 1,
          poolSize: 'net',
          portReserveCells: 0,
          rounding: 'down',
          headroomTimes: 1,
          memoryCells: null,
          headroomLost: [{ fromBps: 0, cells: 0 }],
          xonFrom: 'present',
        },
        pools: {},
        profiles: {},
        wred: {},
        assign: [],
        portLimits: [],
      },
      ports: [],
      arbiter: null,
      ageingPs: 300e12,
    });
  });

  it('has links of 100G, 5 m to hosts and 50 m between switches', () => {
    const { hostLink, fabricLink } = scenario.fabric;
    assert.deepEqual(hostLink, { rateBps: 100e9, propagationPs: 25_000, interfaceDelayPs: 0 });
    assert.deepEqual(fabricLink, { rateBps: 100e9, propagationPs: 250_000, interfaceDelayPs: 0 });
  });

  it('has eight lossy priorities, each with its class and account', () => {
    assert.deepEqual(
      scenario.priorities.map(({ priority, flowControl, mechanisms }) => [
        priority,
        flowControl,
        mechanisms['ecn'],
      ]),
      [0, 1, 2, 3, 4, 5, 6, 7].map((priority) => [priority, 'none', 'off']),
    );
    const { pausing, watchdog } = scenario.priorities[3]!;
    assert.deepEqual(pausing, {
      xoff: 'dynamic',
      xonGap: 3000,
      headroom: 'auto',
      quanta: 65535,
      refresh: 0.5,
      responseDelay: 0,
    });
    assert.equal(watchdog, false);
    assert.equal(scenario.pause.enabled, false);
    assert.deepEqual(scenario.classes, {
      transmit: [0, 1, 2, 3, 4, 5, 6, 7],
      receive: [0, 1, 2, 3, 4, 5, 6, 7],
      arbiter: { kind: 'strict' },
    });
  });
});

describe('the fabric section', () => {
  it('derives spines from oversubscription and both rates', () => {
    const { fabric } = load(
      'selvage: 1\nfabric: { generator: leaf-spine, hostsPerLeaf: 16, oversubscription: 2, ' +
        'hostLink: { rate: 100G }, fabricLink: { rate: 400G } }',
    ).scenario;
    assert.deepEqual(fabric.generator, {
      kind: 'leaf-spine',
      leaves: 4,
      spines: 2,
      hostsPerLeaf: 16,
    });
  });

  it('lets single links override link, and a delay a length', () => {
    const { fabric } = load(
      'selvage: 1\nfabric:\n  link: { rate: 25G, length: 2m }\n  hostLink: { delay: 500ns }\n' +
        '  devices: [{ name: h1, kind: host }, { name: s1, kind: switch, tier: leaf }]\n' +
        '  links: [{ between: [h1, "s1:p5"], rate: 50G }]\n',
    ).scenario;
    assert.equal(fabric.hostLink.propagationPs, 500_000);
    assert.equal(fabric.hostLink.rateBps, 25e9);
    assert.equal(fabric.fabricLink.propagationPs, 10_000);
    assert.deepEqual(fabric.links, [
      {
        ends: ['h1', 's1:p5'],
        link: { rateBps: 50e9, propagationPs: 10_000, interfaceDelayPs: 0 },
      },
    ]);
    assert.deepEqual(
      fabric.devices.map(({ tier }) => tier),
      ['host', 'leaf'],
    );
  });
});

describe('the priorities section', () => {
  it('refines all by number, in short and long form', () => {
    const { priorities } = load(
      `${PAIR}priorities:\n  all: { xoff: 64KB, ecn: { step: 80KB } }\n  3: pfc\n` +
        '  4: { flowControl: pfc, xoff: dynamic, refresh: 25%, ' +
        'ecn: { min: 100KB, max: 400KB, at: enqueue } }\n',
    ).scenario;
    assert.deepEqual(
      priorities.map(({ flowControl, pausing }) => [flowControl, pausing.xoff]),
      [0, 1, 2, 3, 4, 5, 6, 7].map((p) => [
        p === 3 || p === 4 ? 'pfc' : 'none',
        p === 4 ? 'dynamic' : 64_000,
      ]),
    );
    assert.equal(priorities[4]!.pausing.refresh, 0.25);
    assert.deepEqual(priorities[3]!.mechanisms['ecn'], { step: 80_000, at: 'dequeue' });
    assert.deepEqual(priorities[4]!.mechanisms['ecn'], {
      min: 100_000,
      max: 400_000,
      probability: 0.2,
      at: 'enqueue',
    });
  });

  it('has pause on all ports, with or without settings', () => {
    assert.equal(load(`${PAIR}pause: true`).scenario.pause.enabled, true);
    const { pause } = load(`${PAIR}pause: { xoff: 1MB, alpha: 0.5 }`).scenario;
    assert.deepEqual([pause.enabled, pause.pausing.xoff, pause.ingressAlpha], [true, 1e6, 0.5]);
  });

  it('reads every arbiter', () => {
    const arbiter = (text: string): unknown =>
      load(`${PAIR}classes: { arbiter: ${text} }`).scenario.classes.arbiter;
    assert.deepEqual(arbiter('round-robin'), { kind: 'round-robin' });
    assert.deepEqual(arbiter('{ dwrr: { 0: 2, 3: 4 } }'), {
      kind: 'dwrr',
      weights: [2, 1, 1, 4, 1, 1, 1, 1],
    });
    assert.deepEqual(arbiter('{ ets: { 0: 30%, 3: 0.7, 7: strict } }'), {
      kind: 'ets',
      shares: [30, 0, 0, 70, 0, 0, 0, null],
    });
  });
});

describe('the load section', () => {
  it('gives a stream raw frames and no mark, the others reliable transport', () => {
    const stream = loadOf('{ stream: { from: h1, to: h2 }, bytes: 1MB, priority: 3, vlan: 10 }');
    assert.deepEqual(stream, {
      kind: 'stream',
      name: 'stream1',
      priority: 3,
      dscp: null,
      ect: false,
      congestion: 'none',
      vlan: { inner: 10, outer: null, dei: false },
      vm: 0,
      toVm: 0,
      spoof: null,
      transport: { kind: 'raw', frameBytes: 1518 },
      startPs: 0,
      endPs: null,
      from: ['h1'],
      to: ['h2'],
      group: false,
      arrivals: 'constant',
      rate: { kind: 'line' },
      onPs: 10_000_000,
      offPs: 10_000_000,
      randomOnOff: false,
      bytes: 1_000_000,
    });
    const incast = loadOf("{ incast: { from: ['h2..h9', h12], to: h1 }, bytes: 64KiB }");
    assert.deepEqual(incast.kind === 'incast' && incast.from, ['h2..h9', 'h12']);
    assert.equal(incast.ect, true);
    assert.deepEqual(incast.transport, {
      kind: 'reliable',
      name: 'reliable',
      settings: { mtu: 1024, window: 'auto', ackEvery: 1, timeout: 4e9 },
      mtuBytes: 1024,
      windowPackets: null,
      rateBps: null,
      ackEvery: 1,
      ackPriority: null,
      timeoutPs: 4e9,
      maxTimeoutPs: 64e9,
      fewPackets: 0,
      overheadBytes: 62,
      spreads: false,
      fewTimeoutPs: 4e9,
    });
  });

  it('bounds the back-off of the retransmission timeout at 16 times, or where the load says', () => {
    const bound = (settings: string): unknown => {
      const { transport } = loadOf(
        `{ permutation: {}, bytes: 1KB, transport: { reliable: { ${settings} } } }`,
      );
      return transport.kind === 'reliable' && transport.maxTimeoutPs;
    };
    assert.equal(bound('timeout: 100us'), 1.6e9);
    assert.equal(bound('timeout: 100us, maxTimeout: 100us'), 1e8);
    assert.throws(() => bound('timeout: 100us, maxTimeout: 99us'), /maxTimeout is below timeout/);
  });

  it('takes rates as bit/s, as a share, or as what the line gives', () => {
    const rate = (text: string): unknown => {
      const section = loadOf(`{ permutation: {}, bytes: 1KB, rate: ${text} }`);
      return section.kind === 'permutation' && section.rate;
    };
    assert.deepEqual(rate('40G'), { kind: 'bps', bps: 40e9 });
    assert.deepEqual(rate('90%'), { kind: 'share', share: 0.9 });
    assert.deepEqual(rate('line'), { kind: 'line' });
  });

  it('paces bursts at line rate, which have a length in time', () => {
    const section = loadOf('{ stream: { from: h1, to: h2 }, arrivals: on-off, end: 1ms }');
    assert.deepEqual(section.kind === 'stream' && section.rate, { kind: 'share', share: 1 });
  });

  it('reads the collective and random loads', () => {
    const all = loadOf('{ all-to-all: {}, bytes: 1KB }');
    assert.deepEqual(all.kind === 'all-to-all' && [all.hosts, all.bytes], [['*'], 1000]);
    const reduce = loadOf(
      '{ all-reduce: { hosts: "h*", algorithm: tree, chunks: 4 }, bytes: 8MB }',
    );
    assert.equal(reduce.kind === 'all-reduce' && reduce.algorithm, 'tree');
    const random = loadOf('{ random: { sizes: { fixed: 64KB }, load: 60% }, end: 1ms }');
    assert.deepEqual(random.kind === 'random' && random.sizes, { kind: 'fixed', bytes: 64_000 });
    assert.equal(random.kind === 'random' && random.share, 0.6);
  });

  it('knows a multicast group from a host', () => {
    const { scenario } = load(
      `${PAIR}groups: { g1: [h1, h2] }\nload: [{ stream: { from: h1, to: g1 }, bytes: 1KB }]`,
    );
    assert.deepEqual(scenario.groups, [{ name: 'g1', members: ['h1', 'h2'] }]);
    const [stream] = scenario.load;
    assert.equal(stream?.kind === 'stream' && stream.group, true);
  });
});

describe('expectations', () => {
  it('have bounds in base units of their metric', () => {
    const { expect } = load(
      `${PAIR}load: [{ name: big, incast: { from: h2, to: h1 }, bytes: 1MB }]\nexpect:\n` +
        '  - { metric: drops, max: 0 }\n  - { metric: completion.p99, load: big, max: 900us }\n' +
        '  - { metric: throughput, flow: h1->h2, min: 90G }\n' +
        '  - { metric: completed, equals: 100% }\n  - { metric: digest, equals: 8A1f }\n',
    ).scenario;
    assert.deepEqual(
      expect.map(({ metric, min, max, equals }) => [metric, min, max, equals]),
      [
        ['drops', null, 0, null],
        ['completion.p99', null, 900e6, null],
        ['throughput', 90e9, null, null],
        ['completed', null, null, 1],
        ['digest', null, null, '8a1f'],
      ],
    );
    assert.equal(expect[1]!.load, 'big');
    assert.equal(expect[2]!.flow, 'h1->h2');
  });
});

describe('layers', () => {
  const files = {
    'main.yaml': 'extends: base/more.yaml\nseed: 7\nfabric: { hosts: 9 }\nload: []\n',
    'base/more.yaml': 'extends: [one.yaml, two.yaml]\n',
    'base/one.yaml': 'selvage: 1\nseed: 2\nfabric: { generator: star, hosts: 3 }\n',
    'base/two.yaml':
      'seed: 3\nduration: 1ms\nfabric: { link: { rate: 25G } }\nload: [{ replay: trace.csv }]\n',
  };

  it('merge mappings key by key, and replace lists and scalars', () => {
    const { scenario, document } = load(files);
    assert.equal(scenario.seed, 7);
    assert.deepEqual(scenario.load, []);
    assert.deepEqual(document, {
      selvage: 1,
      seed: 7,
      fabric: { generator: 'star', hosts: 9, link: { rate: '25G' } },
      duration: '1ms',
      load: [],
    });
  });

  it('name files relative to the file that names them', () => {
    withFiles({ ...files, 'main.yaml': 'extends: base/more.yaml' }, (directory) => {
      const [replay] = loadScenario(join(directory, 'main.yaml')).scenario.load;
      assert.equal(replay?.kind === 'replay' && replay.path, join(directory, 'base/trace.csv'));
      const set = ['load.0.replay=other.csv'];
      const [moved] = loadScenario(join(directory, 'main.yaml'), { set }).scenario.load;
      assert.equal(moved?.kind === 'replay' && moved.path, 'other.csv');
    });
  });

  it('end with settings of the command line, of which the last wins', () => {
    const { scenario } = load(`${PAIR}load: [{ permutation: {}, bytes: 1MB }]\n`, [
      'load.0.bytes=2MB',
      'priorities.3.flowControl=pfc',
      'fabric.hostLink={ rate: 25G }',
      'seed=4',
      'seed=5',
    ]);
    const [first] = scenario.load;
    assert.equal(first?.kind === 'permutation' && first.bytes, 2e6);
    assert.equal(scenario.priorities[3]!.flowControl, 'pfc');
    assert.equal(scenario.fabric.hostLink.rateBps, 25e9);
    assert.equal(scenario.seed, 5);
  });

  it('may be JSON, indented by tabs', () => {
    const text = JSON.stringify({ selvage: 1, fabric: { generator: 'pair' } }, null, '\t');
    assert.deepEqual(load({ 'a.json': text }).scenario, load({ 'a.yaml': PAIR }).scenario);
  });

  it('may merge mappings by <<, of which its own keys and then the first count', () => {
    const { scenario } = load(`${PAIR}load:
  - &first { stream: { from: h1, to: h2 }, bytes: 1KB, frame: 512, priority: 1 }
  - &second { <<: *first, frame: 256 }
  - { frame: 128, <<: [*second, { priority: 3, start: 5us }] }
`);
    const kept = scenario.load.map(({ priority, startPs }) => ({ priority, startPs }));
    assert.deepEqual(kept, [
      { priority: 1, startPs: 0 },
      { priority: 1, startPs: 0 },
      { priority: 1, startPs: 5e6 },
    ]);
    assert.deepEqual(
      scenario.load.map((own) => /512|256|128/.exec(JSON.stringify(own))?.[0]),
      ['512', '256', '128'],
    );
  });

  it('may use aliases', () => {
    const { scenario } = load(
      `${PAIR}priorities:\n  3: &lossless { flowControl: pfc, xoff: 64KB }\n  4: *lossless\n`,
    );
    assert.equal(scenario.priorities[4]!.pausing.xoff, 64_000);
  });
});

describe('an error of a later check', () => {
  const files = {
    'main.yaml': 'extends: base.yaml\nload:\n  - incast: { from: h2, to: h99 }\n    bytes: 1MB\n',
    'base.yaml': `${PAIR}priorities:\n  3:\n    flowControl: pfc\n`,
  };

  it('points to the value, in the file that it came from', () => {
    const loaded = load(files, ['seed=3']);
    const at = (path: (string | number)[]): string => {
      const { file, line, column } = loaded.errorAt(path, 'wrong');
      return `${file.split('/').at(-1)!}:${line}:${column}`;
    };
    assert.equal(at(['load', 0, 'incast', 'to']), 'main.yaml:3:29');
    assert.equal(at(['load', 0, 'incast']), 'main.yaml:3:5');
    assert.equal(at(['load', 0, 'bytes']), 'main.yaml:4:12');
    assert.equal(at(['priorities', 3, 'flowControl']), 'base.yaml:5:18');
    assert.equal(at(['priorities', 3, 'xoff']), 'base.yaml:4:3');
    assert.equal(at(['nowhere', 'at', 'all']), 'main.yaml:1:1');
    assert.equal(loaded.errorAt(['seed'], 'wrong').message, '--set seed=3: wrong');
  });
});
