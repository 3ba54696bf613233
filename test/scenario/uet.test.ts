/** Ultra Ethernet Transport beside a published simulator, on fabrics that drop, and refused. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import {
  blankUetAck,
  blankUetRequest,
  decodeUetAck,
  decodeUetRequest,
  UET_UDP_PORT,
} from '../../services/engine/wire/uet.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import { Cluster } from '../../services/hunt/worlds/services-in-memory.js';
import { Session } from '../../services/runtime/session.js';
import { runsAlike } from '../kit/alike.js';
import { captureOctets } from '../kit/captures.js';
import { fabricOf, runScenario } from '../kit/emulate.js';
import { readCapture } from '../../services/engine/wire/pcapng/reader.js';

/** Last flow, in us, of htsim_uec and of its single flow of 2 MB, on one fabric and its loads. */
const ALONE_US = 176.2;
const LAST_US = {
  mixed: 195.5,
  bitmap: 196.4,
  reps: 198.5,
  'adaptive switches': 187.1,
  'receiver credit': 194.2,
} as const;
const WITHIN = 0.03;

const FABRIC = `
fabric:
  generator: fat-tree
  k: 4
  hostLink: { rate: 100G, length: 200m, interfaceDelay: 0ns }
  fabricLink: { rate: 100G, length: 200m, interfaceDelay: 0ns }
switches: { pipeline: 0ns, buffer: { size: 714KB } }
priorities: { 0: { ecn: { min: 37350, max: 145250, probability: 100% } } }
`;
const load = (what: string, bytes: string, more = ''): string =>
  `load: [ { name: p, ${what}, bytes: ${bytes},
    transport: { uet: { mtu: 4086, entropies: 128, ackPriority: 6 ${more} } } } ]`;
const SHIFT = load('permutation: { shift: 5 }', '2MB');

/** Median over seeds. */
function lastUs(scenario: string, ...set: string[]): number {
  const lasts = [1, 2, 13].map((seed) => {
    const { flows } = runScenario(scenario, `seed=${seed}`, ...set);
    return Math.max(...flows.map(({ completionPs }) => completionPs ?? Infinity)) / 1e6;
  });
  return lasts.sort((a, b) => a - b)[1]!;
}

describe('Ultra Ethernet Transport beside htsim, as ratios to a flow alone', () => {
  const aloneUs = lastUs(FABRIC + load('stream: { from: h1, to: h16 }', '2MB'));
  const uet = 'load.p.transport.uet';
  const settings = {
    mixed: [],
    bitmap: [`${uet}.entropy=bitmap`],
    reps: [`${uet}.entropy=reps`],
    'adaptive switches': [`${uet}.entropies=1`, 'switches.ecmp=adaptive'],
    'receiver credit': [`${uet}.control=rccc`],
  } as const;
  for (const [name, set] of Object.entries(settings)) {
    it(`ends within 3 % of it: ${name}`, () => {
      const ratio = lastUs(FABRIC + SHIFT, ...set) / aloneUs;
      const expected = LAST_US[name as keyof typeof LAST_US] / ALONE_US;
      assert.ok(Math.abs(ratio / expected - 1) < WITHIN, `${ratio}, not ${expected}`);
    });
  }
});

describe('eight flows to one host, where switches trim', () => {
  /** Last flow of htsim_uec, over the time of what the last link carries, and packets sent again. */
  const known = { nscc: [681.1, 403], rccc: [665.3, 305] } as const;
  const PACKETS = 8 * 245;
  const HTSIM_US = (PACKETS * 4150 * 8) / 1e5;

  for (const [control, [lastUsThere, resentThere]] of Object.entries(known)) {
    it(`ends within 3 % of it, and resends as much: ${control}`, () => {
      const trimming = FABRIC.replace('100% }', '100% }, trim: { queue: 178450, size: 88B }');
      const { flows } = runScenario(
        trimming + load('incast: { from: h5..h12, to: h1 }', '1MB', `, control: ${control}`),
        ...['seed=13', 'switches.buffer.size=4MB'],
      );
      const last = Math.max(...flows.map(({ completionPs }) => completionPs ?? Infinity)) / 1e6;
      const wireUs = (PACKETS * (4086 + (control === 'rccc' ? 126 : 122)) * 8) / 1e5;
      const [ratio, expected] = [last / wireUs, lastUsThere / HTSIM_US];
      assert.ok(Math.abs(ratio / expected - 1) < WITHIN, `${ratio}, not ${expected}`);
      const resent = flows.reduce((sum, flow) => sum + flow.retransmittedFrames, 0);
      assert.ok(Math.abs(resent / resentThere - 1) < 0.2, `${resent}`);
      const first = Math.min(...flows.map(({ completionPs }) => completionPs ?? Infinity)) / 1e6;
      // By credit of one pacer all end together.
      assert.equal(first > 0.95 * last, control === 'rccc');
    });
  }
});

describe('Ultra Ethernet Transport with one entropy value', () => {
  it('collides as hashes of flows do', () => {
    const last = (entropies: number): number =>
      lastUs(FABRIC + SHIFT, `load.p.transport.uet.entropies=${entropies}`);
    assert.ok(last(1) > 2 * last(128));
  });
});

const LOSSY = `
fabric: { generator: leaf-spine, leaves: 3, spines: 4, hostsPerLeaf: 2 }
switches: { buffer: { size: 60KB } }
priorities: { 0: { ecn: { min: 10KB, max: 30KB, probability: 100% } } }
load:
  - { incast: { from: h2..h6, to: h1 }, bytes: 200KB, transport: { uet: { mtu: 1024 } } }
  - name: ring
    all-reduce: { hosts: h1..h6, chunks: 3 }
    bytes: 90KB
    transport: { uet: { mtu: 512, entropy: reps, entropies: 16, ackPriority: 6, control: both } }
  - name: credit
    incast: { from: [h2, h4], to: h6 }
    bytes: 50KB
    transport: { uet: { mtu: 1024, control: rccc, rccc: { grant: 2KB } } }
faults:
  - { kind: loss, where: { device: spine1, peer: leaf1 }, probability: 2%, at: 0ns, for: 100us }
  - { kind: link-down, where: { device: leaf1, peer: spine2 }, at: 5us, for: 20us }
`;

describe('Ultra Ethernet Transport where frames are lost', () => {
  it('delivers each octet once, and has one digest in all runners', async () => {
    const fabric = fabricOf(LOSSY);
    const results = await runsAlike(fabric, Infinity, [3e6, 21e6, 317_123_456]);
    assert.equal(results.status, 'complete');
    const dropped = Object.values(results.priorities[0]!.drops).reduce((a, b) => a + b, 0);
    assert.ok(dropped > 50, `${dropped}`);
    for (const flow of results.flows) {
      assert.equal(flow.payloadOctets, flow.offeredOctets);
      assert.notEqual(flow.completionPs, null);
    }
    const cluster = new Cluster(fabric, placeEachAlone(fabric.topology), new RandomStream(1, ''));
    cluster.run();
    assert.deepEqual(cluster.results(false), results);
  });

  it('finds other paths where one loses everything', () => {
    const black = (entropies: number): number =>
      Math.max(
        ...runScenario(`
fabric: { generator: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 2 }
load:
  - { name: p, permutation: { shift: 2 }, bytes: 300KB, transport: { uet: { entropies: ${entropies} } } }
faults:
  - { kind: loss, where: { device: spine1, peer: leaf1 }, probability: 100%, at: 0ns, for: 3ms }
`).flows.map(({ completionPs }) => completionPs ?? Infinity),
      );
    // With one value, what goes by that spine waits until the fault is over.
    assert.ok(black(1) > 3e9);
    assert.ok(black(64) < 1e9, `${black(64)}`);
  });
});

describe('many short messages to all by Ultra Ethernet Transport', () => {
  // Windows shrink below what is in flight, and speculation ends, behind packets that ask nothing.
  for (const control of ['nscc', 'rccc', 'both']) {
    it(`wait for no timer: ${control}`, () => {
      const { flows, jobs, status } = runScenario(`
fabric: { generator: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4 }
switches: { buffer: { size: 4MB } }
priorities: { 3: { ecn: { min: 40KB, max: 150KB, probability: 100% } } }
load:
  - name: all
    job: { steps: [ { all-to-all: 1MiB, algorithm: direct } ] }
    priority: 3
    transport: { uet: { ackPriority: 6, control: ${control} } }
`);
      assert.equal(status, 'complete');
      const waited = flows.filter(
        ({ timeouts, retransmittedFrames }) => timeouts + retransmittedFrames > 0,
      );
      assert.deepEqual(waited, []);
      assert.ok(jobs[0]!.iterationPs! < 200e6, `${jobs[0]!.iterationPs}`);
    });
  }
});

describe('the octets of Ultra Ethernet Transport', () => {
  it('are in captures: numbers, answers about them, an entropy value in the source port', () => {
    const fabric = fabricOf(
      `fabric: { generator: pair }
load: [ { stream: { from: h1, to: h2 }, bytes: 100KB, transport: { uet: { mtu: 1000, ackEvery: 4 } } } ]`,
      'observe.captures.ports=["h1:p1"]',
    );
    const session = new Session(fabric, { check: true });
    while (session.advance(1000) === 'running');
    const { packets } = readCapture(captureOctets(fabric, session.captures()));
    const [request, ack] = [blankUetRequest(), blankUetAck()];
    const numbers: number[] = [];
    const ports = new Set<number>();
    let answers = 0;
    for (const { octets } of packets) {
      const view = new DataView(octets.buffer, octets.byteOffset);
      assert.equal(view.getUint16(36), UET_UDP_PORT);
      if (decodeUetRequest(octets, 42, request) === 'ok') {
        numbers.push(request.psn);
        ports.add(view.getUint16(34));
        assert.equal(view.getUint16(38), 8 + 12 + 44 + 1000);
        assert.ok(request.ackRequested || request.psn < 99);
      } else {
        assert.equal(decodeUetAck(octets, 42, ack), 'ok');
        answers++;
        assert.ok(ack.cumulativePsn <= 100 && ack.cumulativePsn + ack.ackOffset < 100);
        assert.equal(view.getUint16(38), 8 + 32);
      }
    }
    assert.deepEqual(numbers, [...new Array(100).keys()]);
    assert.ok(ports.size > 1, `${ports.size}`);
    assert.ok(answers >= 25 && answers <= 100, `${answers}`);
    // 100 packets of 1,104 nominal octets, in units of 256, rounded up.
    assert.equal(ack.receivedUnits, Math.ceil(110_400 / 256));
  });
});

describe('Ultra Ethernet Transport is refused', () => {
  const refused = (more: string, extra = ''): string => {
    try {
      fabricOf(`
fabric: { generator: pair }
priorities: { 0: { ecn: { step: 10KB } } }
load: [ { stream: { from: h1, to: h2 }, bytes: 1KB, ${more} } ]
${extra}`);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  it('beside a rate control, behind a NIC of its own, and with settings out of range', () => {
    assert.match(
      refused('transport: uet, congestion: dcqcn'),
      /:\d+:\d+: Ultra Ethernet Transport has a congestion control of its own; leave dcqcn out/,
    );
    assert.match(refused('transport: uet', 'hosts: { nic: { model: 82599 } }'), /plain NICs/);
    assert.match(refused('transport: { uet: { entropies: 48 } }'), /entropies: .*48; write one of/);
    assert.match(refused('transport: { uet: { window: 4000 } }'), /window: .*: 4000; write/);
    assert.match(refused('transport: { uet: { entropy: spray } }'), /entropy: unknown: spray/);
    assert.match(refused('transport: { uet: { nscc: { gain: 0% } } }'), /gain/);
    assert.match(
      refused('transport: { uet: { nscc: { maxWindow: 0.05 } } }'),
      /:\d+:\d+: .*0\.05 bandwidth-delay products are \d+ bytes here, less than a packet/,
    );
    assert.equal(refused('transport: { uet: { nscc: { target: 9us } } }'), '');
    assert.match(refused('transport: { uet: { control: credit } }'), /control: unknown: credit/);
    assert.match(refused('transport: { uet: { rccc: { grant: 0B } } }'), /grant/);
    assert.match(
      refused('transport: { uet: { control: rccc } }', 'devices: { s*: { model: mvtx2802 } }'),
      /:\d+:\d+: .*needs switches with shared buffers, not mvtx2802/,
    );
  });
});
