/** What generated worlds found, made small: each in every runner, with one digest. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import { Session } from '../../services/runtime/session.js';
import { Cluster } from '../../services/hunt/worlds/services-in-memory.js';
import { run, whatIsWrong } from '../../services/hunt/worlds/world-trial.js';
import { fabricOfYaml, fine, SEEDS, wrongWith } from '../kit/found-worlds.js';

describe('a control frame at a port without PFC and PAUSE', () => {
  it('takes effect after the pipeline, and in no runner within a window', () => {
    const spoofed = `0180c20000010200000000018808000101ff${'00'.repeat(42)}`;
    const wrong = wrongWith(`
duration: 4us
fabric: { generator: dumbbell, left: 1, right: 2, link: { rate: 100G, length: 50m },
  fabricLink: { rate: 100G, length: 1m } }
switches: { pipeline: 500ns }
load: [{ all-to-all: { hosts: all }, bytes: 36000, priority: 5 }]
faults: [{ kind: forge, where: { kind: switch }, interval: 400ns, octets: '${spoofed}' }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('recovery from a fault', () => {
  it('does not shorten the pauses of a storm at the same link', () => {
    const wrong = wrongWith(`
duration: 72us
fabric: { generator: star, hosts: 3 }
priorities: { 5: pfc }
load: [{ incast: { from: [h1, h2], to: h3 }, bytes: 21000, priority: 5 }]
faults:
  - { kind: storm, until: 16us, where: { tier: switch } }
  - { kind: slow-receiver, rate: 10G, for: 500ns, recover: 48us }
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('a bridged switch on a loop of routed ones', () => {
  const ring =
    (links: string): (() => unknown) =>
    () =>
      wrongWith(`
duration: 5us
fabric: { devices: [{ name: h1, kind: host }, { name: h2, kind: host }, { name: s1, kind: switch },
  { name: s2, kind: switch }, { name: s3, kind: switch }], links: [{ between: [h1, s1] },
  { between: [h2, s2] }, { between: [s1, s2] }, { between: [s2, s3] }${links}] }
devices: { s3: { forwarding: bridged } }
load: [{ stream: { from: h1, to: h2 }, bytes: 4KB }]
`);

  it('is refused: a frame that it floods would arrive twice', () => {
    assert.throws(ring(', { between: [s3, s1] }'), /s3 is on a loop \(s3 - s2 - s1 - s3\)/);
    assert.throws(ring(', { between: [s3, s2] }'), /s3 is on a loop \(s3 - s2 - s3\)/);
  });

  it('is allowed where its links are a tree', () => {
    assert.deepEqual(ring('')(), fine);
  });

  it('is sent nothing back of what it floods', () => {
    const wrong = wrongWith(`
duration: 20us
fabric: { generator: dumbbell, left: 3, right: 1, link: { rate: 100G, length: 5m } }
devices: { s1: { cutThrough: true, forwarding: bridged } }
load: [{ stream: { from: [h1, h2], to: [h3, h1] }, frame: 4000, bytes: 40500 }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('an isolated flow that CI has left while its frames wait', () => {
  it('keeps no frame behind it waiting, and breaks nothing', () => {
    const wrong = wrongWith(`
duration: 12us
fabric: { generator: dumbbell, left: 1, right: 1, fabricLink: { rate: 50G } }
priorities: { 3: { flowControl: none, ci: true } }
discovery: { second: 15us, fastInit: 1,
  changes: [{ at: 7382400ps, devices: s2, dcbx: off, status: disabled }] }
load: [{ all-to-all: { hosts: all }, bytes: 46500, priority: 3 }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('flow control by priority that discovery would bring to ports with PAUSE', () => {
  const paused =
    (discovery: string): (() => unknown) =>
    () =>
      wrongWith(`
duration: 5us
fabric: { generator: pair, link: { rate: 1G } }
pause: true
discovery: ${discovery}
load: [{ stream: { from: h1, to: h2 }, bytes: 4KB }]
`);

  it('is refused, as it is in priorities', () => {
    const change = (keys: string): string => `{ changes: [{ at: 1us, devices: h1, ${keys} }] }`;
    assert.throws(paused(change('pfc: [1]')), /pfc while pause is on/);
    assert.throws(paused(change('credit: [1]')), /credit while pause is on/);
    assert.throws(paused(change('creditCapable: [1]')), /credit while pause is on/);
    assert.throws(paused('{ creditCapable: [1] }'), /credit while pause is on/);
  });
});

describe('a message of a switch that is stored where it leaves', () => {
  it('is not taken for credit that no buffer backs', () => {
    const wrong = wrongWith(`
duration: 10381500ps
fabric: { devices: [{ name: h1, kind: host }, { name: h2, kind: host }, { name: h3, kind: host },
  { name: s1, kind: switch }, { name: s2, kind: switch }], links: [
  { between: [s2, s1], rate: 10G, length: 300m }, { between: [s2, s1], rate: 10G, length: 30m },
  { between: [s2, s1], rate: 10G, length: 5m }, { between: [h1, s2], rate: 10G, length: 300m },
  { between: [h2, s1], rate: 10G, length: 30m },
  { between: [h3, s2], rate: 10G, delay: 21ns, interfaceDelay: 100ns }] }
priorities: { 2: credit, 4: credit, 7: { flowControl: credit, sfc: true } }
sfc: { receive: false, detect: { predicted: 10KB, horizon: 7382ns }, minInterval: 18456ns, priority: 4 }
load:
  - { all-reduce: { chunks: 2 }, bytes: 34000, vlan: { inner: 4094, outer: 100, dei: true }, priority: 2 }
  - { all-to-all: {}, bytes: 34000, vlan: { inner: 1, outer: 100 }, priority: 7 }
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('a flow that is isolated on its way to an MVTX2802', () => {
  it('goes on as any other there: that chip isolates none', () => {
    const wrong = wrongWith(`
duration: 8ms
fabric: { generator: dumbbell, left: 2, right: 1, link: { rate: 1G, length: 30m } }
devices: { s2: { model: mvtx2802 } }
priorities: { 5: { flowControl: none, ci: true } }
ci: { priority: 1, detect: 5KB }
load: [{ incast: { from: [h1, h2], to: h3 }, bytes: 100KB, priority: 5, transport: raw }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('frames that QCN puts into the queue of isolated flows', () => {
  it('are of no isolated flow', () => {
    const wrong = wrongWith(`
duration: 20us
fabric: { generator: star, hosts: 3, link: { rate: 100G, length: 50m } }
priorities: { 7: { flowControl: none, ci: true } }
ci: {}
qcn: { priorities: [7], alternatePriority: 2, cnmPriority: 1, outside: [h2] }
load: [{ all-to-all: {}, bytes: 3900, congestion: qcn, priority: 7 }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('an 82599 without DCB', () => {
  it('keeps its one class, whatever DCBX comes to', () => {
    const wrong = wrongWith(`
duration: 700us
fabric: { generator: star, hosts: 3, hostLink: { rate: 10G, length: 10m } }
hosts: { nic: { model: 82599, dcb: false } }
discovery: { start: live, second: 70us, willing: [ets] }
load: [{ all-to-all: {}, bytes: 120000, priority: 6 }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('a flow that waits for others, and is not stuck', () => {
  it('is paused, as frames of lower classes fill the buffers of its ports', () => {
    const wrong = wrongWith(`
duration: 29529600ps
fabric: { generator: ring, switches: 6, hostsPerSwitch: 2, link: { rate: 50G, length: 5m } }
pause: { xoff: 10KB, xonGap: 0B, quanta: 8000, refresh: 50%, reserved: 2KB }
load:
  - { stream: { from: h8, to: h11 }, bytes: 1900, start: 2583762ps, priority: 7,
    transport: { reliable: { rate: 1G } } }
  - { incast: { from: ['h1..h10', h12], to: h11 }, bytes: 38000, priority: 0 }
`);
    assert.deepEqual(wrong, fine);
  });

  it('is paused by a message of source flow control, for as long as that states', () => {
    for (const scope of ['priority', 'flow']) {
      const fabric = fabricOfYaml(`
duration: 400us
fabric: { generator: star }
priorities: { 0: { flowControl: pfc, sfc: true } }
sfc: { pause: 1ms, resume: false, scope: ${scope} }
load: [{ incast: { from: [h2, h3, h4], to: h1 }, bytes: 150KB, transport: raw }]
`);
      const { status, finished } = run(new Session(fabric, { check: true }));
      assert.deepEqual(
        { status, finished },
        { status: 'complete', finished: { done: 0, total: 3 } },
      );
      assert.equal(whatIsWrong(fabric, 1), null);
    }
  });

  it('has acknowledgements of a priority that link partners do not agree on', () => {
    const wrong = wrongWith(`
duration: 96us
seed: 362
fabric: { generator: ring, devices: [{ name: extra, kind: host }],
  links: [{ between: [extra, s1] }] }
discovery: { changes: [{ at: 1803810ps, devices: s2, credit: [1] }] }
load:
  - { permutation: {}, bytes: 2500, transport: { reliable:
      { mtu: 1024, window: 1, ackEvery: 1, ackPriority: 1, timeout: 8us } } }
`);
    assert.deepEqual(wrong, fine);
  });

  it('has its turn on links with one frame outstanding', () => {
    const wrong = wrongWith(`
duration: 265us
fabric: { generator: ring, hostsPerSwitch: 2, link: { rate: 25G, length: 2km } }
load:
  - { permutation: { shift: 2 }, bytes: 39000, rate: 30% }
  - { incast: { from: h1..h7, to: h8 }, bytes: 22500 }
llr: { enabled: true, frames: 1 }
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('a flow over links that are sprayed', () => {
  it('waits for its timer where an acknowledgement overtakes a NAK', () => {
    const wrong = wrongWith(`
seed: 139
duration: 36us
fabric: { generator: leaf-spine, leaves: 3, hostsPerLeaf: 3, spines: 2,
  link: { rate: 100G, length: 50m } }
switches: { cutThrough: false, ecmp: packet }
devices: { spine1: { pipeline: 100ns, cutThrough: true } }
priorities: { 5: credit }
load:
  - { stream: { from: h4, to: h7 }, toVm: 0, priority: 5, bytes: 1800 }
  - { random: { load: 10% }, vlan: 7, priority: 5, end: 4036429ps }
  - { permutation: {}, rate: line, priority: 5, bytes: 3000 }
llr: { enabled: true, whileInit: discard, whileFlush: discard, reinitialise: true }
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('a change to a method that a part does not have', () => {
  it('is refused', () => {
    const to = (method: string) => (): Fabric =>
      fabricOfYaml(`
fabric: { generator: dumbbell, link: { rate: 1G } }
switches: { model: mvtx2802 }
discovery: { changes: [{ at: 1us, devices: s2, ${method}: [6] }] }
load: [{ incast: { from: [h1, h3], to: h2 }, bytes: 45000, priority: 6 }]
`);
    for (const method of ['pfc', 'credit']) {
      assert.throws(to(method), new RegExp(`s2 has no ${method}: an mvtx2802 knows PAUSE only`));
    }
  });
});

describe('a run in services', () => {
  it('ends, however many rounds it takes', () => {
    const fabric = fabricOfYaml(`
duration: 130ms
fabric: { generator: pair, link: { rate: 400G, length: 1m } }
load: [{ stream: { from: h1, to: h2 }, rate: 1G, transport: raw, frame: 1518 }]
`);
    const placement = placeEachAlone(fabric.topology);
    const cluster = new Cluster(fabric, placement, new RandomStream(1, 'rounds'));
    cluster.run();
    assert.ok(cluster.roundsRun > 20_000);
  });
});

describe('a deadlock between parts', () => {
  it('is found where pauses are refreshed from one part to another', () => {
    const wrong = wrongWith(`
duration: 664416us
seed: 407
fabric: { generator: ring, link: { rate: 10M, length: 2km },
  devices: [{ name: extra, kind: host }],
  links: [{ between: [extra, s1], rate: 10M, length: 5m, interfaceDelay: 0ns }] }
pause: { xoff: 10KB, xonGap: 3KB, quanta: 1000, responseDelay: 0ns, reserved: 0B, alpha: 0.5 }
load:
  - { stream: { from: [extra, h3], to: h1 }, off: 1845600ns, randomOnOff: true, toVm: 2,
      priority: 7, bytes: 1900 }
  - { permutation: {}, bytes: 36000, transport: { reliable: { timeout: 73824us } }, priority: 1 }
faults: [{ kind: mis-cabling, swap: ['s1:p3', 's3:p3'] }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('frames that QCN remaps and an outage takes', () => {
  const fabric = fabricOfYaml(`
duration: 16us
fabric: { generator: leaf-spine, leaves: 3, hostsPerLeaf: 1, spines: 1,
  link: { rate: 800G, length: 100m } }
priorities: { 1: pfc }
qcn: { priorities: [1], cnmPriority: 3, defence: edge, outside: [h1] }
load: [{ stream: { from: h1, to: h2 }, rate: line, priority: 1, bytes: 28000 }]
faults: [{ kind: link-down, at: 2us, for: 2693322ps }]
`);

  it('are not what a flow is stuck by', () => {
    assert.deepEqual(
      SEEDS.map((seed) => whatIsWrong(fabric, seed)),
      fine,
    );
  });

  it('are drops of the priority that they were given', () => {
    const { priorities } = run(new Session(fabric, { check: true }));
    const drops = priorities.map(({ priority, drops: own }) => [priority, own]);
    assert.deepEqual(drops, [
      [0, { 'link-down': 20 }],
      [1, {}],
    ]);
  });
});

describe('watermarks of an 82599 for a buffer that it has with DCB only', () => {
  it('do not make its XON lie above its XOFF', () => {
    const wrong = wrongWith(`
duration: 20us
fabric: { generator: pair }
pause: true
hosts: { nic: { model: "82599", dcb: false, watermarks: { "5": { high: 25, low: 10 } } } }
load: [{ stream: { from: h1, to: h2 }, bytes: 24000, priority: 5 }]
`);
    assert.deepEqual(wrong, fine);
  });
});

describe('a message that a proxy takes', () => {
  for (const method of ['cbfc', 'credit']) {
    it(`gives back the memory that its link partner was granted for it: ${method}`, () => {
      const wrong = wrongWith(`
duration: 60us
fabric: { generator: dumbbell, left: 3, right: 3, link: { rate: 10G, length: 50m }, fabricLink: { rate: 10G, length: 50m } }
priorities: { 2: { flowControl: pfc, sfc: true }, 6: ${method} }
discovery: { second: 3us }
devices: { h5: { discovery: { status: receive } } }
sfc: { pause: auto, receive: true }
load: [{ stream: { from: [h1, h2, h4, h5], to: h3 }, priority: 2 }]
`);
      assert.deepEqual(wrong, fine);
    });
  }
});

describe('a crowded account of a channel, behind which frames of another flow control wait', () => {
  it('is traced by its own frames: those of priorities without credit have no account', () => {
    const wrong = wrongWith(`
duration: 60us
fabric: { generator: star, hosts: 3, hostLink: { rate: 10G, length: 10m } }
priorities: { 3: credit, 4: pfc }
credit: { channels: [{ channel: 1, vlans: [7] }, { channel: 2, vlans: [8] }] }
load:
  - { incast: { from: [h1, h2], to: h3 }, bytes: 60KB, priority: 3 }
  - { stream: { from: [h1, h2], to: h3 }, rate: 50%, frame: 700, priority: 4 }
observe: { episodes: true }
`);
    assert.deepEqual(wrong, fine);
  });
});
