/** Flow control of single ports: which settings rule, what a link comes to, and what is refused. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { fabricOf, runScenario } from '../kit/emulate.js';

/** A host at 1 Gb/s and one at 10 Gb/s at either of two switches, which 10 Gb/s join. */
function dumbbell(rest: string): string {
  return `
duration: 1ms
fabric:
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: h3, kind: host }
    - { name: h4, kind: host }
    - { name: s1, kind: switch }
    - { name: s2, kind: switch }
  links:
    - { between: [h1, s1], rate: 1G, length: 10m }
    - { between: [h2, s1], rate: 10G, length: 10m }
    - { between: [s1, s2], rate: 10G, length: 10m }
    - { between: [s2, h3], rate: 1G, length: 10m }
    - { between: [s2, h4], rate: 10G, length: 10m }
load:
  - { name: slow, stream: { from: h2, to: h3 }, rate: line, frame: 1518, priority: 3 }
  - { name: fast, stream: { from: h2, to: h4 }, rate: line, frame: 1518, priority: 4 }
${rest}`;
}

/** By port: its methods, or one word where all priorities have one. */
function methodsOf({ linkEnds, methods }: Fabric): Record<string, string> {
  const text = (own: readonly string[]): string =>
    new Set(own).size === 1 ? own[0]! : own.map((one) => one[0]).join('');
  const entries = linkEnds
    .flat()
    .map(({ name, device, port }) => [name, text(methods[device]![port]!)]);
  return Object.fromEntries(entries) as Record<string, string>;
}

const PAUSE_AT_1G = 'ports: [{ where: { rate: 1G }, pause: true }]';

describe('flow control of ports', () => {
  it('is PAUSE at 1 Gb/s beside PFC at 10 Gb/s, and nothing is lost', () => {
    const scenario = dumbbell(`priorities: { 3: pfc }\n${PAUSE_AT_1G}`);
    const methods = methodsOf(fabricOf(scenario));
    assert.equal(methods['h1:p1'], 'pause');
    assert.equal(methods['s2:p2'], 'pause');
    assert.equal(methods['s1:p3'], 'nnnpnnnn');
    const results = runScenario(scenario);
    assert.equal(results.failure, null);
    const [slow] = results.priorities.filter(({ priority }) => priority === 3);
    assert.equal(slow!.flowControl, 'pause + pfc');
    assert.deepEqual(slow!.drops, {});
  });

  it('may be the other way round: priorities where the rule says so, and PAUSE elsewhere', () => {
    const rule = 'ports: [{ where: { rate: 10G }, priorities: { 3: pfc } }]';
    const expected = methodsOf(fabricOf(dumbbell(`priorities: { 3: pfc }\n${PAUSE_AT_1G}`)));
    assert.deepEqual(methodsOf(fabricOf(dumbbell(`pause: true\n${rule}`))), expected);
  });

  it('is PAUSE where a link is too slow for that of priorities, where the fabric has both', () => {
    const expected = methodsOf(fabricOf(dumbbell(`priorities: { 3: pfc }\n${PAUSE_AT_1G}`)));
    for (const pause of ['true', '{}', '{ xoff: 20KB }']) {
      const both = dumbbell(`pause: ${pause}\npriorities: { 3: pfc }`);
      assert.deepEqual(methodsOf(fabricOf(both)), expected);
    }
    const device = dumbbell(`pause: true\ndevices: { '*': { priorities: { 3: pfc } } }`);
    assert.deepEqual(methodsOf(fabricOf(device)), expected);
  });

  it('is that of the last rule, by device, port, tier, kind, peer, link and rate', () => {
    const scenario = dumbbell(`priorities: { 3: pfc }
ports:
  - { where: { rate: 1G }, pause: true }
  - { where: { link: s1 s2 }, priorities: { 3: none, 5: credit } }
  - { where: { kind: host, device: h4 }, priorities: { all: cbfc } }
  - { where: { port: 's2:p3', peer: h4, tier: switch }, priorities: { all: cbfc } }
  - { where: { device: h3 }, priorities: { 3: none }, pause: false }
  - { where: { peer: h3 }, pause: false }`);
    assert.deepEqual(methodsOf(fabricOf(scenario)), {
      ...{ 'h1:p1': 'pause', 's1:p1': 'pause', 'h2:p1': 'nnnpnnnn', 's1:p2': 'nnnpnnnn' },
      ...{ 's1:p3': 'nnnnncnn', 's2:p1': 'nnnnncnn', 'h3:p1': 'none', 's2:p2': 'none' },
      ...{ 'h4:p1': 'cbfc', 's2:p3': 'cbfc' },
    });
  });

  it('has thresholds, headroom and times of its own', () => {
    const { specs, linkEnds } = fabricOf(
      dumbbell(`priorities: { 3: { flowControl: pfc, xoff: 40KB } }
ports:
  - { where: { rate: 1G }, pause: { xoff: 20KB, quanta: 1000 } }
  - { where: { port: 's1:p2' }, priorities: { 3: { xoff: 60KB, headroom: 90KB, alpha: 3 } } }`),
    );
    const device = linkEnds.flat().find(({ name }) => name === 's1:p1')!.device;
    const spec = specs[device]!;
    assert.ok(spec.kind === 'switch');
    const accounts = spec.buffer.accounts.map((own) => own.find(({ lossless }) => lossless)!);
    assert.deepEqual(
      accounts.map(({ xoffOctets }) => xoffOctets),
      [20_000, 60_000, 40_000],
    );
    assert.equal(accounts[1]!.headroomOctets, 90_000);
    assert.equal(accounts[1]!.alpha, 3);
    assert.equal(spec.ports[0]!.pausing!.quanta, 1000);
    assert.deepEqual(spec.ports[0]!.groupOf, [0, 0, 0, 0, 0, 0, 0, 0]);
    assert.deepEqual(spec.ports[1]!.groupOf, [0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

describe('a fallback of a priority', () => {
  const ONE_END = (flowControl: string, fallback: string): string =>
    dumbbell(`ports:
  - { where: { rate: 1G }, pause: true }
  - where: { port: 's1:p3' }
    priorities: { 3: { flowControl: ${flowControl}, fallback: ${fallback} } }`);

  it('rules a link whose other end has no such flow control', () => {
    for (const control of ['pfc', 'credit', 'cbfc']) {
      const methods = (fallback: string): string =>
        methodsOf(fabricOf(ONE_END(control, fallback)))['s2:p1']!;
      assert.equal(methods('none'), 'none');
      assert.equal(methods('pause'), 'pause');
      if (control !== 'pfc') assert.equal(methods('pfc'), 'nnnpnnnn');
      assert.throws(() => methods('refuse'), /priority 3 has \w+ at s1:p3 but not .* s2:p1; /);
    }
  });

  it('is the same at both ends, whichever of them is asked', () => {
    const both = (first: string, second: string): string =>
      dumbbell(`ports:
  - { where: { rate: 1G }, pause: true }
  - { where: { port: 's1:p3' }, priorities: { 3: ${first} } }
  - { where: { port: 's2:p1' }, priorities: { 3: ${second} } }`);
    const [credit, cbfc] = [
      '{ flowControl: credit, fallback: pfc }',
      '{ flowControl: cbfc, fallback: pfc }',
    ];
    for (const pair of [
      [credit, cbfc],
      [cbfc, credit],
    ] as const) {
      const methods = methodsOf(fabricOf(both(...pair)));
      assert.deepEqual([methods['s1:p3'], methods['s2:p1']], ['nnnpnnnn', 'nnnpnnnn']);
    }
    const none = cbfc.replace('fallback: pfc', 'fallback: none');
    assert.throws(
      () => fabricOf(both(credit, none)),
      /priority 3 has credit at s1:p3 but not at the other end, s2:p1, which has cbfc/,
    );
    assert.equal(methodsOf(fabricOf(both(none, 'none')))['s1:p3'], 'none');
  });

  it('to PAUSE must be that of all priorities of the link', () => {
    const rule = (second: string): string =>
      dumbbell(`ports:
  - { where: { rate: 1G }, pause: true }
  - { where: { port: 's2:p1' }, pause: true }
  - where: { port: 's1:p3' }
    priorities: { 3: { flowControl: pfc, fallback: pause }, 4: ${second} }`);
    const fallen = rule('{ flowControl: credit, fallback: pause }');
    assert.equal(methodsOf(fabricOf(fallen))['s1:p3'], 'pause');
    assert.equal(runScenario(fallen).failure, null);
    assert.throws(
      () => fabricOf(rule('credit')),
      /:25:64: priority 4 has credit at s1:p3 but not at the other end, s2:p1, which has pause; /,
    );
  });
});

describe('settings of ports that cannot be', () => {
  const wrong: readonly (readonly [string, string, RegExp])[] = [
    [
      'PFC below 10 Gb/s, and the remedy',
      'priorities: { 3: pfc }',
      /:\d+:18: pfc on a link too slow for it: h1:p1 has 1G; .* ports: \[\{ where: \{ rate: 1G \}, pause: true \}\]$/,
    ],
    [
      'PAUSE at one end',
      "ports: [{ where: { port: 's1:p3' }, pause: true }]",
      /:\d+:44: s1:p3 has pause but not at the other end, s2:p1; make them alike or give a fallback/,
    ],
    [
      'both kinds in one rule',
      'ports: [{ pause: true, priorities: { 3: pfc } }]',
      /:\d+:41: pfc while pause is on: pause stops all priorities; remove one, or give each its ports/,
    ],
    [
      'a fallback that DCBX does not know',
      "discovery: true\nports: [{ where: { port: 's1:p3' }, " +
        'priorities: { 3: { flowControl: pfc, fallback: pause } } }]',
      /priority 3 has pfc with fallback: pause at s1:p3, where discovery decides, and DCBX does not know PAUSE; another fallback, or say which ports/,
    ],
    [
      'PAUSE, and no link below 10 Gb/s',
      'fabric: { generator: pair }\npause: {}\npriorities: { 3: cbfc }',
      /:\d+:18: cbfc while pause is on: pause has links below 10 Gb\/s, cbfc those above, and no link is below 10 Gb\/s; remove one, or give each its ports/,
    ],
    [
      'PAUSE, and no link from 10 Gb/s on',
      'fabric: { generator: pair, link: { rate: 1G } }\npause: {}\npriorities: { 3: pfc }',
      /:\d+:18: pfc while pause is on: .* and no link has 10 Gb\/s or more; remove one/,
    ],
    [
      'flow control by priority where all links know PAUSE only',
      'fabric: { generator: star, hosts: 2, hostLink: { rate: 1G } }\n' +
        'switches: { model: mvtx2802 }\npriorities: { 3: cbfc }',
      /:\d+:18: cbfc of priority 3 rules no link: at h1:p1, as everywhere, one end is a four-port MVTX2802, which knows PAUSE only; remove it, or give it to other links: ports: /,
    ],
    [
      'a rule that selects no port',
      'ports: [{ where: { device: leaf* }, pause: true }]',
      /:\d+:11: no port matches; selvage topology lists them/,
    ],
    [
      'a response that 802.3 does not allow at the rate',
      `ports: [{ where: { rate: 1G }, pause: { responseDelay: 1.1us } }]`,
      /:\d+:56: responseDelay too long: 1100ns; at most 1024ns \(802\.3 31B\.3\.7 at 1G\)/,
    ],
    [
      'credit for one of two priorities of a class',
      'classes: { transmit: [0, 1, 2, 3, 3, 5, 6, 7] }\n' +
        'ports: [{ where: { rate: 10G }, priorities: { 3: credit } }]',
      /:\d+:50: priorities 3 and 4 share the traffic class 3, but only 3 has credit/,
    ],
    [
      'a refresh that comes too late for what credit falls back to',
      'priorities: { 3: { flowControl: credit, fallback: pfc, refresh: 100% } }\n' +
        'ports: [{ where: { rate: 1G }, pause: true }, ' +
        "{ where: { port: 's1:p3' }, priorities: { 3: pfc } }]",
      /:\d+:\d+: a pause of 65535 quanta ends before its refresh arrives: s1:p3 at 10G/,
    ],
    [
      'an unknown place',
      'ports: [{ where: { speed: 1G }, pause: true }]',
      /:\d+:20: ports\.0\.where: unknown key: speed; allowed: device, port, kind, tier, peer, link, rate/,
    ],
  ];
  for (const [name, rest, message] of wrong) {
    it(`are refused where they stand: ${name}`, () => {
      const scenario = rest.startsWith('fabric:') ? `duration: 1us\n${rest}` : dumbbell(rest);
      assert.throws(() => fabricOf(scenario), message);
    });
  }
});

describe('the MTU of a port', () => {
  const MTU = (core: string, frame = 1518): string => `
duration: 300us
fabric:
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: s1, kind: switch }
    - { name: s2, kind: switch }
  links:
    - { between: [h1, s1], rate: 100G, length: 10m }
    - { between: [s1, s2], rate: 100G, length: 100m }
    - { between: [s2, h2], rate: 10G, length: 10m }
priorities: { 3: pfc, 4: credit, 5: cbfc }
credit: { grant: demand, channels: [{ channel: 0 }, { channel: 1, vlans: [5] }] }
discovery: { second: 1us, drives: false }
ports:
  - { mtu: 1500 }
  - { where: { link: s1 s2 }, mtu: ${core} }
load:
  - { name: a, stream: { from: h1, to: h2 }, rate: line, frame: ${frame}, priority: 3 }
  - { name: b, stream: { from: h1, to: h2 }, rate: line, frame: 700, priority: 4 }
  - { name: c, stream: { from: h1, to: h2 }, rate: line, frame: 700, priority: 5 }
`;
  const sizesAt = (fabric: Fabric, name: string): Record<string, number> => {
    const { device, port } = fabric.linkEnds.flat().find((own) => own.name === name)!;
    const backing = (control: string, priority: number): number =>
      fabric.mechanisms.find(({ slice }) => slice.name === control)!.plan.backing!(device, port, 1)[
        priority
      ]!;
    const margin = fabric.margins.find((own) => own.device === device && own.port === port)!;
    return {
      headroom: margin.headroomOctets,
      credit: backing('credit', 4),
      cbfc: backing('cbfc', 5),
    };
  };

  it('decides headroom, credit and what LLDP says, link by link', () => {
    const [small, large] = [fabricOf(MTU('1500')), fabricOf(MTU('9198'))];
    for (const kind of ['headroom', 'credit', 'cbfc']) {
      const [before, after] = [small, large].map((fabric) => sizesAt(fabric, 's2:p1')[kind]!);
      assert.ok(after! > before! + 2 * (9198 - 1500), `${kind}: ${before} and ${after}`);
      assert.equal(sizesAt(small, 's1:p1')[kind], sizesAt(large, 's1:p1')[kind]);
    }
    const portOf = (name: string): Fabric['specs'][number]['ports'][number] =>
      large.specs.flatMap(({ ports }) => ports).find((port) => port.name === name)!;
    const [edge, core] = ['s1:p1', 's1:p2'].map((name) => portOf(name).discovery!);
    assert.equal(edge!.identity.maximumFrameOctets, 1522);
    assert.equal(core!.identity.maximumFrameOctets, 9220);
    const blockOf = (own: typeof edge): number =>
      own!.stages[0]!.admin.exchange!.maxCreditBlockOctets;
    assert.deepEqual([blockOf(edge), blockOf(core)], [1522, 9220]);
    const keepOf = (name: string): number => {
      const { granting } = portOf(name).grants as unknown as {
        readonly granting: { readonly keepUnits: readonly number[] };
      };
      return granting.keepUnits[4]!;
    };
    assert.deepEqual([keepOf('s1:p1'), keepOf('s1:p2')], [24, 145]);
    assert.equal(runScenario(MTU('9198')).failure, null);
  });

  it('is looked for on the ways that there are, where two hosts are joined by mistake', () => {
    const scenario = `
fabric: { generator: leaf-spine, hostsPerLeaf: 1 }
faults: [{ kind: mis-cabling, swap: [leaf1:p1, h2:p1] }]
ports: [{ mtu: 1500 }]
load: [{ stream: { from: h1, to: h3 }, bytes: 10KB }]
`;
    assert.throws(() => fabricOf(scenario), /there is no path from h1 to h3/);
  });

  it('refuses a load with longer frames, at the narrowest port on its way', () => {
    assert.doesNotThrow(() => fabricOf(MTU('1500', 1518)));
    assert.throws(
      () => fabricOf(MTU('1200', 1400)),
      /:21:5: frames of 1400 bytes, and a\/h1->h2 passes s1:p2 with an MTU of 1200: at most 1218 bytes/,
    );
  });
});

describe('links at 2.5, 5 and 1000 Gb/s', () => {
  it('have the flow control that their rate allows, and are filled', () => {
    for (const [rate, least] of [
      ['2.5G', 2.4e9],
      ['5G', 4.85e9],
      ['1T', 0.97e12],
    ] as const) {
      const slow = rate !== '1T';
      const scenario = (method: string): string => `
duration: 200us
fabric: { generator: star, hosts: 3, hostLink: { rate: ${rate}, length: 10m } }
${method}
load: [{ stream: { from: [h1, h2], to: h3 }, rate: line, frame: 1518, priority: 3 }]
`;
      const results = runScenario(scenario(slow ? 'pause: true' : 'priorities: { 3: credit }'));
      assert.equal(results.failure, null, rate);
      assert.deepEqual(results.priorities[0]!.drops, {}, rate);
      assert.ok(results.goodputBps > 0.95 * least, `${rate}: ${results.goodputBps}`);
      if (slow)
        assert.throws(() => fabricOf(scenario('priorities: { 3: pfc }')), /too slow for it/);
    }
  });
});
