import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NullProbe } from '../../services/engine/contract/probe.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { Session } from '../../services/runtime/session.js';
import { runsAlike } from '../kit/alike.js';
import { fabricOf, run } from '../kit/emulate.js';
import { BROADCAST, hexOf, macOf, pfcFrame, udpFrame } from '../kit/live-frames.js';

const US = 1e6;

interface Sent {
  readonly host: string;
  readonly at: string;
  readonly octets: Uint8Array;
}

function fabricWith(inputs: readonly Sent[], more = '', hosts = ''): Fabric {
  const frames = inputs.map(
    ({ host, at, octets }) => `    - { host: ${host}, at: ${at}, octets: '${hexOf(octets)}' }`,
  );
  return fabricOf(`duration: 5ms
fabric: { generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, link: { rate: 10G } }
live:
  hosts:
    h1: { vxlan: { vni: 1 }, mtu: 9000${hosts} }
    h3: { vxlan: { vni: 3 }, mtu: 9000${hosts} }
    h4: { vxlan: { vni: 4 }, mtu: 9000${hosts} }
  inputs: ${frames.length === 0 ? '[]' : `\n${frames.join('\n')}`}
${more}`);
}

interface Left {
  readonly device: number;
  readonly atPs: number;
  readonly octets: string;
  readonly isMarked: boolean;
}

class Outlet extends NullProbe {
  readonly left: Left[] = [];

  override liveSent(
    ...[device, , atPs, octets, isMarked]: Parameters<NullProbe['liveSent']>
  ): void {
    this.left.push({ device, atPs, octets: hexOf(octets), isMarked });
  }
}

function leftOf(fabric: Fabric): readonly Left[] {
  const session = new Session(fabric, { check: true });
  const outlet = new Outlet();
  session.engine.listen(outlet);
  while (session.advance(1000) === 'running');
  const { status, failure } = session.results('complete');
  assert.deepEqual([status, failure], ['complete', null]);
  return outlet.left;
}

const ARP = Uint8Array.from(Buffer.from(`${BROADCAST}${macOf(1)}0806${'01'.repeat(46)}`, 'hex'));
const inputs: readonly Sent[] = [
  { host: 'h1', at: '1us', octets: ARP },
  { host: 'h3', at: '9us', octets: udpFrame(1, 3, { payload: 8900 }) },
  { host: 'h4', at: '9us', octets: udpFrame(3, 4, { tag: '6064' }) },
  { host: 'h1', at: '9us', octets: udpFrame(3, 1, { payload: 18 }) },
];

describe('frames of real hosts', () => {
  it('leave the fabric octet for octet where they are sent to, and everywhere if to all', () => {
    const left = leftOf(fabricWith(inputs)).map(({ device, octets }) => [device, octets]);
    const expected = [
      [2, hexOf(ARP)],
      [3, hexOf(ARP)],
      [0, hexOf(inputs[1]!.octets)],
      [2, hexOf(inputs[2]!.octets)],
      [2, hexOf(inputs[3]!.octets)],
    ];
    assert.deepEqual(left.toSorted(), expected.toSorted());
  });

  it('take the time of their links, switches and padded length', () => {
    const [{ atPs }] = leftOf(fabricWith(inputs.slice(3))) as [Left];
    const near = leftOf(
      fabricWith([{ host: 'h3', at: '9us', octets: udpFrame(4, 3, { payload: 18 }) }]),
    );
    const hop = 0.8 * 72 * 1e3;
    assert.ok(atPs > 9 * US + 4 * hop && near[0]!.atPs < atPs, String(atPs));
  });

  it('do the same in threads, in any windows, and saved and restored', async () => {
    const results = await runsAlike(fabricWith(inputs), 5000 * US, [9 * US, 10 * US, 12 * US]);
    assert.deepEqual(
      results.live!.hosts.map(({ entered, refused, left }) => [entered, refused, left]),
      [
        [2, 0, 1],
        [1, 0, 3],
        [1, 0, 1],
      ],
    );
  });

  it('have the digest that a run has in which each came as it went on', () => {
    const fabric = fabricWith(inputs);
    const session = new Session(fabricWith([]), { check: true });
    const all = [0, 2, 3].flatMap((device) =>
      fabric.specs[device]!.ports[0]!.live!.inputs.map((input) => ({ device, input })),
    );
    for (const { device, input } of all.toSorted((a, b) => a.input.atPs - b.input.atPs)) {
      session.runTo(input.atPs);
      session.enter(device, 0, input);
    }
    while (session.advance(1000) === 'running');
    const digests = session.results('complete').deviceDigests;
    assert.deepEqual(digests, run(fabric).deviceDigests);
  });

  it('wait in the NIC while their priority is paused, and what has no room is not of the fabric', () => {
    const burst = Array.from({ length: 60 }, (_, i): Sent => {
      return {
        host: 'h1',
        at: `${10 + i}us`,
        octets: udpFrame(3, 1, { traffic: 24 << 2, payload: 1400 }),
      };
    });
    const storm = `priorities: { 3: { flowControl: pfc } }
faults: [{ kind: storm, where: { port: 'leaf1:p1' }, at: 1us, for: 1ms, priority: 3 }]`;
    const learned = [{ host: 'h3', at: '0us', octets: udpFrame(1, 3) }];
    const results = run(fabricWith([...learned, ...burst], storm, ', queue: 20KB'));
    const { entered, refused } = results.live!.hosts[0]!;
    assert.equal(entered + refused, 60);
    assert.ok(refused > 40 && refused < 50, String(refused));
    assert.equal(results.failure, null);
    assert.equal(results.live!.hosts[1]!.left, entered);
  });

  it('are marked where a queue is long, if their transport is capable', () => {
    const burst = [1, 4].flatMap((from) =>
      Array.from({ length: 60 }, (_, i): Sent => {
        const octets = udpFrame(3, from, { traffic: i % 2 === 0 ? 2 : 0, payload: 1400 });
        return { host: `h${from}`, at: `${10_000 + 10 * i}ns`, octets };
      }),
    );
    const ecn = 'priorities: { 0: { ecn: { min: 5KB, max: 10KB, probability: 100% } } }';
    const learned = [{ host: 'h3', at: '0us', octets: udpFrame(1, 3) }];
    const left = leftOf(fabricWith([...learned, ...burst], ecn)).filter(
      ({ device }) => device === 2,
    );
    const marked = left.filter(({ isMarked }) => isMarked);
    assert.ok(marked.length > 20, String(marked.length));
    for (const { octets } of marked) assert.equal(octets.slice(30, 32), '02');
  });
});

describe('a real host as the link partner of a switch', () => {
  const wire = ', mode: wire';
  const pfc = 'priorities: { 3: { flowControl: pfc } }';
  const packets = Array.from({ length: 20 }, (_, i): Sent => {
    return {
      host: 'h3',
      at: `${20 + i}us`,
      octets: udpFrame(1, 3, { traffic: 24 << 2, payload: 1400 }),
    };
  });
  const learned = { host: 'h1', at: '0us', octets: udpFrame(3, 1) };

  it('pauses the port of the switch for its quanta', () => {
    // 1000 quanta of 512 bit times at 10 Gb/s: 51.2 us.
    const pause = { host: 'h1', at: '10us', octets: pfcFrame(1 << 3, 1000) };
    const times = leftOf(fabricWith([learned, pause, ...packets], pfc, wire))
      .filter(({ device }) => device === 0)
      .map(({ atPs }) => atPs);
    assert.equal(times.length, 20);
    assert.ok(times[0]! > 61 * US && times[0]! < 65 * US, String(times[0]));
    const free = leftOf(fabricWith([learned, ...packets], pfc, wire));
    assert.ok(free.find(({ device }) => device === 0)!.atPs < 30 * US);
  });

  const burst = [3, 4].flatMap((from) =>
    Array.from({ length: 150 }, (_, i): Sent => {
      const octets = udpFrame(1, from, { traffic: 24 << 2, payload: 1400 });
      return { host: `h${from}`, at: `${20_000 + 20 * i}ns`, octets };
    }),
  );
  const small = 'priorities: { 3: { flowControl: pfc, xoff: 20KB, xonGap: 5KB } }';

  it('is sent the PFC frames of the switch, octet for octet', () => {
    const left = leftOf(fabricWith([learned, ...burst], small, `${wire}, queue: 1MB`));
    const frames = left.filter(({ octets }) => octets.startsWith('0180c2000001'));
    assert.ok(frames.length > 0);
    for (const { octets, device } of frames) {
      assert.deepEqual([octets.slice(24, 36), octets.length], ['880801010008', 120]);
      assert.ok(device === 2 || device === 3);
    }
  });

  it('loses what it sends while it is paused, which is no loss of the fabric', () => {
    const results = run(fabricWith([learned, ...burst], small, `${wire}, queue: 1MB`));
    assert.equal(results.status, 'complete');
    const [{ drops }] = results.priorities.filter(({ priority }) => priority === 3) as [
      (typeof results.priorities)[number],
    ];
    assert.deepEqual(Object.keys(drops), ['overflow-by-host']);
  });

  it('cannot grant credit, so its link has none', () => {
    for (const method of ['credit', 'cbfc']) {
      assert.throws(
        () => fabricWith([], `priorities: { 3: ${method} }`, wire),
        /scenario.yaml:\d+:\d+: nothing behind a wire grants credit: write mode: nic/,
      );
    }
  });
});
