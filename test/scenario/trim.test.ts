/** Packet trimming: what goes on, what comes back, and where it is refused. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import { readU16 } from '../../services/engine/wire/big-endian.js';
import { readCapture } from '../../services/engine/wire/pcapng/reader.js';
import { blankUetNack, decodeUetNack } from '../../services/engine/wire/uet.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import { Cluster } from '../../services/hunt/worlds/services-in-memory.js';
import { Session } from '../../services/runtime/session.js';
import { runsAlike } from '../kit/alike.js';
import { captureOctets } from '../kit/captures.js';
import { fabricOf, runScenario } from '../kit/emulate.js';
import { ERROR, dissect, tsharkMissing, worstNote } from '../kit/tshark.js';

const incast = (trim: string, more = '', transport = 'uet'): string => `
fabric: { generator: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 3 }
switches: { buffer: { size: 400KB } }
priorities: { 3: { ecn: { min: 10KB, max: 30KB, probability: 100% }, trim: ${trim} } }
load:
  - name: fan-in
    incast: { from: h2..h6, to: h1 }
    bytes: 200KB
    priority: 3
    transport: { ${transport}: { mtu: 1024, ackPriority: 6 } }
${more}
`;
const QUEUE = '{ queue: 40KB }';

describe('a switch that trims packets', () => {
  it('has all of them sent again at once, and no timeout expires', () => {
    const results = runScenario(incast(QUEUE));
    const sum = (key: 'retransmittedFrames' | 'trimmedFrames' | 'timeouts'): number =>
      results.flows.reduce((total, flow) => total + flow[key], 0);
    const trims = results.trims.map(({ port, counters }) => ({ port, ...counters }));
    assert.ok(trims.length > 0);
    const trimmed = trims.reduce((total, own) => total + own.SAI_PORT_STAT_TRIM_PACKETS, 0);
    assert.ok(trimmed > 50, `${trimmed}`);
    assert.deepEqual(results.priorities.find(({ priority }) => priority === 3)!.drops, { trimmed });
    assert.equal(sum('trimmedFrames'), trimmed);
    assert.equal(sum('retransmittedFrames'), trimmed);
    assert.equal(sum('timeouts'), 0);
    for (const { payloadOctets, offeredOctets, duplicateFrames } of results.flows) {
      assert.deepEqual([payloadOctets, duplicateFrames], [offeredOctets, 0]);
    }
    const last = (scenario: string): number =>
      Math.max(...runScenario(scenario).flows.map(({ completionPs }) => completionPs ?? Infinity));
    // In as much room as the queue has before it trims.
    assert.ok(last(incast(QUEUE)) < last(incast('off').replace('400KB', '40KB')));
  });

  it('drops trimmed packets beyond the limit of their queue, and timeouts find them', () => {
    const { trims, flows } = runScenario(incast('{ queue: 40KB, limit: 300B }'));
    const dropped = trims.reduce(
      (total, { counters }) => total + counters.SAI_PORT_STAT_DROPPED_TRIM_PACKETS,
      0,
    );
    assert.ok(dropped > 0);
    assert.ok(flows.some(({ timeouts }) => timeouts > 0));
    assert.ok(flows.every((flow) => flow.payloadOctets === flow.offeredOctets));
  });

  it('trims none of raw frames, and go-back-N learns nothing of it', () => {
    const raw = runScenario(
      incast(QUEUE)
        .replace(/transport: .*/, 'transport: raw')
        .replace('200KB\n', '200KB\n'),
    );
    assert.deepEqual(raw.trims, []);
    const ordered = runScenario(incast(QUEUE, '', 'reliable'));
    assert.ok(ordered.trims.length > 0);
    assert.ok(ordered.flows.every((flow) => flow.payloadOctets === flow.offeredOctets));
  });

  for (const [name, more] of Object.entries({
    'a healthy fabric': '',
    'loss, and a link that fails': `
faults:
  - { kind: loss, where: { device: leaf1, peer: h1 }, probability: 5%, at: 0ns, for: 100us }
  - { kind: link-down, where: { device: leaf2, peer: spine2 }, at: 5us, for: 20us }
`,
  })) {
    it(`has one digest in all runners, and is as the oracle says: ${name}`, async () => {
      const control = more === '' ? 'rccc' : 'both';
      const fabric = fabricOf(
        incast('{ queue: 20KB, size: 100B, limit: 1KB }', more).replace(
          'mtu: 1024',
          `mtu: 1024, control: ${control}`,
        ),
        'load.0.bytes=40KB',
      );
      const results = await runsAlike(fabric, Infinity, [3e6, 21e6]);
      assert.equal(results.status, 'complete');
      const cluster = new Cluster(fabric, placeEachAlone(fabric.topology), new RandomStream(1, ''));
      cluster.run();
      assert.deepEqual(cluster.results(false), results);
      const session = new Session(fabric, { check: true, deep: true });
      while (session.advance(1000) === 'running');
      assert.equal(session.results('complete').failure, null);
    });
  }
});

describe('a trimmed packet in a capture', () => {
  const captured = (trim: string, transport = 'uet'): Uint8Array => {
    const fabric = fabricOf(
      incast(trim, '', transport),
      'observe.captures.ports=["h1:p1"]',
      'observe.captures.frames=1500',
    );
    const session = new Session(fabric, { check: false });
    while (session.advance(1000) === 'running');
    return captureOctets(fabric, session.captures());
  };
  const packetsOf = (octets: Uint8Array): readonly Uint8Array[] =>
    readCapture(octets).packets.map((packet) => packet.octets);

  it('has its length, its DSCP and a right checksum, and the answer names it', () => {
    const packets = packetsOf(captured('{ queue: 40KB, size: 100B }'));
    const dscp = (packet: Uint8Array): number => packet[15]! >> 2;
    // In the fabric it has the first DSCP, at the last hop the next one.
    const trimmed = packets.filter((packet) => dscp(packet) === 49);
    assert.ok(trimmed.length > 10);
    for (const packet of trimmed) {
      assert.equal(packet.length, 96);
      assert.equal(readU16(packet, 16), 82);
      assert.equal(readU16(packet, 38), 62);
      let sum = 0;
      for (let at = 14; at < 34; at += 2) sum += readU16(packet, at);
      assert.equal(((sum & 0xffff) + (sum >> 16)) & 0xffff, 0xffff);
    }
    const nack = blankUetNack();
    const refused = packets.flatMap((packet) =>
      decodeUetNack(packet, 42, nack) === 'ok' ? [{ ...nack }] : [],
    );
    const early = packets.filter((packet) => dscp(packet) === 48 && packet.length === 96);
    assert.equal(refused.filter(({ code }) => code === 2).length, trimmed.length);
    assert.equal(refused.filter(({ code }) => code === 1).length, early.length);
    const psn = (packet: Uint8Array): number =>
      new DataView(packet.buffer, packet.byteOffset).getUint32(46);
    assert.deepEqual(
      new Set(refused.map((own) => own.psn)),
      new Set([...trimmed, ...early].map(psn)),
    );
  });

  it('is not told apart at the last hop where both DSCPs are one', () => {
    const nack = blankUetNack();
    const codes = packetsOf(captured('{ queue: 40KB, dscp: 9, lastHopDscp: 9 }')).flatMap(
      (packet) => (decodeUetNack(packet, 42, nack) === 'ok' ? [nack.code] : []),
    );
    assert.deepEqual([...new Set(codes)], [1]);
  });

  it('is opened by tshark, by each transport', { skip: tsharkMissing }, () => {
    for (const transport of ['uet', 'reliable']) {
      for (const size of [88]) {
        const octets = captured(`{ queue: 40KB, size: ${size}B }`, transport);
        const fields = ['_ws.malformed', '_ws.expert.severity', 'ip.len', 'ip.dsfield.dscp'];
        const packets = dissect(octets, fields);
        const trimmed = packets.filter((packet) => packet['ip.dsfield.dscp'] === '49');
        assert.ok(trimmed.length > 0, transport);
        assert.ok(trimmed.every((packet) => packet['ip.len'] === String(size - 18)));
        assert.ok(
          packets.every((packet) => packet['_ws.malformed'] === ''),
          transport,
        );
        assert.ok(
          packets.every((packet) => worstNote(packet) < ERROR),
          transport,
        );
      }
    }
  });
});

describe('trimming is refused', () => {
  const refused = (priorities: string, more = ''): string => {
    try {
      fabricOf(`
fabric: { generator: star, hosts: 3 }
priorities: ${priorities}
load: [ { stream: { from: h1, to: h2 }, bytes: 1KB, priority: 3, transport: uet } ]
${more}`);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  it('where nothing may be dropped, or headers would wait behind packets', () => {
    assert.equal(refused('{ 3: { trim: {} } }'), '');
    assert.match(
      refused('{ 3: { flowControl: pfc, trim: {} } }'),
      /:\d+:\d+: .*priority 3 is lossless at .* \(pfc\).*; set flowControl: none/,
    );
    assert.match(refused('{ 3: { flowControl: credit, trim: {} } }'), /lossless at .* \(credit\)/);
    assert.match(refused('{ 3: { trim: {} }, 6: pfc }'), /priority 6 is lossless/);
    assert.match(refused('{ 3: { trim: {} } }', 'pause: true'), /lossless at .* \(pause\)/);
    assert.match(refused('{ 3: { trim: { priority: 3 } } }'), /wait behind those of priority 3/);
    assert.match(
      refused('{ 3: { trim: {} } }', 'switches: { forwarding: bridged }'),
      /s1 is a bridge; switches that route/,
    );
    assert.match(refused('{ 3: { trim: { size: 60B } } }'), /60 bytes do not hold .*; write 88B/);
    assert.match(refused('{ 3: { trim: { priority: 8 } } }'), /priority: .*: 8; write/);
  });
});
