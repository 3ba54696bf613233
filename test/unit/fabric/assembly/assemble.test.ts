import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HostSpec, SwitchSpec } from '../../../../services/engine/contract/spec.js';
import type { Fabric } from '../../../../services/fabric/assembly/fabric.js';
import type { Scenario } from '../../../../services/fabric/scenario/scenario.js';
import { allReduce, load, RELIABLE, stream } from '../load/loads.js';
import { section } from '../topology/fabrics.js';
import { fabric, override, PAUSING, priorities, run, scenario, SWITCHES } from './scenarios.js';

const BRIDGED = { ...SWITCHES, forwarding: 'bridged' as const };
const TAGS = { inner: 10, outer: null, dei: false };

function hostOf(built: Fabric, name: string): HostSpec {
  return built.specs.filter((spec) => spec.kind === 'host').find((spec) => spec.name === name)!;
}

function switchOf(built: Fabric): SwitchSpec {
  return built.specs.find((spec) => spec.kind === 'switch')!;
}

/** Frames and payload octets that came at every receiving end of a flow. */
function receivedBy(built: Fabric, flow = 0): { frames: number; payload: number }[] {
  const outcome = run(built);
  return built.flowEnds[flow]!.receives.map((end) => outcome.received(end));
}

test('devices are specified in topology order with their names and ports', () => {
  const { specs, topology } = fabric({});
  assert.deepEqual(
    specs.map(({ index, name }) => [index, name]),
    topology.devices.map(({ name }, index) => [index, name]),
  );
  assert.deepEqual(
    specs.map(({ ports }) => ports.map((port) => port.name)),
    [['h1:p1'], ['h2:p1'], ['h3:p1'], ['s1:p1', 's1:p2', 's1:p3']],
  );
});

test('a raw stream with a volume arrives complete, its last frame padded', () => {
  const built = fabric({ load: [stream({ bytes: 2 * 1454 + 5 })] });
  assert.deepEqual(receivedBy(built), [{ frames: 3, payload: 2 * 1454 + 5 }]);
  const [send] = hostOf(built, 'h1').sends;
  assert.equal(send!.fullFrameOctets, 1500);
  assert.equal(send!.lastFrameOctets, 64);
});

test('a reliable message arrives complete, with tags on data and acknowledgements', () => {
  const built = fabric({ load: [stream({ bytes: 2500, transport: RELIABLE, vlan: TAGS })] });
  assert.deepEqual(receivedBy(built), [{ frames: 3, payload: 2500 }]);
  const [send] = hostOf(built, 'h1').sends;
  const [receive] = hostOf(built, 'h2').receives;
  assert.equal(send!.fullFrameOctets, 1066);
  assert.equal(send!.lastFrameOctets, 566);
  assert.equal(receive!.ackOctets, 70);
  assert.equal(receive!.ackVlan, 10);
});

test('every flow of a reduction finds the connections that it waits for', () => {
  const built = fabric({ load: [allReduce({ bytes: 9000, chunks: 2 })] });
  const { arrivedPs } = run(built);
  assert.equal(arrivedPs.size, 3 * 8);
});

test('a stream to a group reaches each member but its sender', () => {
  const built = fabric({
    fabric: section({ kind: 'leaf-spine', leaves: 2, spines: 2, hostsPerLeaf: 3 }),
    groups: [{ name: 'g', members: ['h1', 'h2', 'h5'] }],
    load: [
      stream({ from: ['h4'], to: ['h2'], bytes: 100 }),
      stream({ from: ['h1', 'h3'], to: ['g'], group: true, bytes: 3000 }),
    ],
  });
  const members = [1, 2].map((flow) => built.flowEnds[flow]!.receives.map((end) => end.device));
  assert.deepEqual(members, [
    [1, 4],
    [0, 1, 4],
  ]);
  const expected = { frames: 3, payload: 3000 };
  assert.deepEqual(receivedBy(built, 1), [expected, expected]);
  assert.deepEqual(receivedBy(built, 2), [expected, expected, expected]);
  assert.deepEqual(receivedBy(built, 0), [{ frames: 1, payload: 100 }]);
});

test('what bridges flood to a group completes at its members only', () => {
  const built = fabric({
    switches: BRIDGED,
    groups: [{ name: 'g', members: ['h2'] }],
    load: [
      stream({ from: ['h1'], to: ['g'], group: true, bytes: 3000 }),
      stream({ from: ['h1'], to: ['h3'], bytes: 100 }),
    ],
  });
  assert.deepEqual(receivedBy(built), [{ frames: 3, payload: 3000 }]);
  assert.deepEqual([...run(built).arrivedPs.keys()].sort(), ['0/0', '1/0']);
});

test('payload is counted right where bridges put tags on and take them off', () => {
  const ports = [{ port: 2, native: 1, tagged: [10], slots: {} }];
  const toTagged = fabric({
    switches: BRIDGED,
    overrides: [
      override('s1', {
        switch: {
          ports: [{ port: 1, native: 10, tagged: [], slots: {} }, ...ports],
        },
      }),
    ],
    load: [stream({ bytes: 3000, transport: RELIABLE })],
  });
  assert.deepEqual(receivedBy(toTagged), [{ frames: 3, payload: 3000 }]);
  assert.deepEqual(toTagged.longestFrameOctets[3], 1066);
  const toNative = fabric({
    switches: BRIDGED,
    overrides: [
      override('s1', {
        switch: {
          ports: [{ port: 3, native: 10, tagged: [], slots: {} }, ...ports],
        },
      }),
    ],
    load: [stream({ from: ['h2'], to: ['h3'], bytes: 3000, transport: RELIABLE, vlan: TAGS })],
  });
  assert.deepEqual(receivedBy(toNative), [{ frames: 3, payload: 3000 }]);
});

test('arbiters of hosts, switches and single devices replace the general one', () => {
  const built = fabric({
    hosts: { ...scenario().hosts, arbiter: { kind: 'round-robin' } },
    overrides: [override('h2', { host: { arbiter: { kind: 'dwrr', weights: [1, 2] } } })],
  });
  const kinds = built.specs.map(({ ports }) => ports[0]!.arbiter.kind);
  assert.deepEqual(kinds, ['round-robin', 'dwrr', 'round-robin', 'strict']);
});

test('the lookahead is the least of data through a pipeline and control to its effect', () => {
  const shortest = 72 * 80 + 25_000;
  const least = (part: Partial<Scenario>): number => fabric(part).lookaheadPs;
  const lossless = priorities({
    flowControl: 'pfc',
    pausing: { ...PAUSING, responseDelay: 100_000 },
  });
  const pair = section({ kind: 'pair' });
  assert.equal(least({}), shortest);
  assert.equal(least({ fabric: pair }), shortest);
  const apart = section({ kind: 'ring', switches: 3, hostsPerSwitch: 1 });
  const far = { ...apart.hostLink, propagationPs: 9e6 };
  const ring = { fabric: { ...apart, hostLink: far } };
  assert.equal(least(ring), 72 * 20 + 500_000 + 500_000);
  assert.equal(least({ ...ring, priorities: lossless }), 72 * 20 + 500_000 + 100_000);
});

test('a lossless group gets headroom and a margin, others only what they reserve', () => {
  const built = fabric({
    priorities: priorities({ flowControl: 'pfc', ingressReservedBytes: 2000 }, [3, 4]),
    classes: { ...scenario().classes, receive: [0, 1, 1, 3, 3, 1, 1, 1] },
    load: [load({ kind: 'incast', from: ['h2', 'h3'], to: 'h1', bytes: 9000 })],
  });
  const { accounts, sizeOctets } = switchOf(built).buffer;
  assert.deepEqual(
    accounts[0]!.map(({ lossless, headroomOctets }) => [lossless, headroomOctets]),
    Array.from({ length: 8 }, (_, group) => (group === 3 ? [true, 13_999] : [false, 0])),
  );
  const [margin] = built.margins;
  assert.deepEqual(margin!.priorities, [3, 4]);
  // 1,520 wait, 84 control, 625 link, 6,250 pipeline, 2,500 response, 1,520 frame, 1,500 full pool.
  assert.equal(margin!.terms.totalOctets, 13_999);
  assert.equal(margin!.xoffOctets, 2000 + sizeOctets - 3 * (13_999 + 2000));
});

test('headroom is handed out in whole cells', () => {
  const buffer = { ...SWITCHES.buffer, cellBytes: 208 };
  const { margins } = fabric({
    switches: { ...SWITCHES, buffer },
    priorities: priorities({ flowControl: 'pfc' }, [3]),
  });
  assert.equal(margins.length, 3);
  for (const { headroomOctets, terms } of margins) {
    assert.equal(headroomOctets % 208, 0);
    assert.ok(headroomOctets >= terms.totalOctets && headroomOctets < terms.totalOctets + 208);
  }
});

test('with pause all priorities share one lossless account', () => {
  const built = fabric({ pause: { ...scenario().pause, enabled: true } });
  const { ports, buffer } = switchOf(built);
  assert.deepEqual(ports[0]!.groupOf, [0, 0, 0, 0, 0, 0, 0, 0]);
  const { mechanism, responseDelayPs } = ports[0]!.pausing!;
  assert.deepEqual([mechanism, responseDelayPs], ['pause', 200_000]);
  assert.deepEqual(
    buffer.accounts[0]!.map(({ lossless }) => lossless),
    [true, false, false, false, false, false, false, false],
  );
});
