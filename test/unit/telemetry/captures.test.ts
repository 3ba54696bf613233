import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCapture } from '../../../services/engine/wire/pcapng/reader.js';
import {
  blankEthernetHeader,
  decodeEthernetHeader,
  ethernetHeaderOctets,
  tagPriority,
  tagVlan,
} from '../../../services/engine/wire/ethernet.js';
import { blankIpv4Header, decodeIpv4Header } from '../../../services/engine/wire/ipv4.js';
import {
  blankBaseTransportHeader,
  decodeBaseTransportHeader,
  ROCE_SEND_FIRST,
  ROCE_SEND_LAST,
  ROCE_SEND_MIDDLE,
} from '../../../services/engine/wire/roce.js';
import { blankUdpHeader, decodeUdpHeader } from '../../../services/engine/wire/udp.js';
import { Session } from '../../../services/runtime/session.js';
import { captureOctets } from '../../kit/captures.js';
import { fabricOf } from '../../kit/emulate.js';

const PAIR = `
fabric: { generator: star, hosts: 2, link: { rate: 100G, delay: 10ns } }
priorities: { 3: pfc }
load:
  - stream: { from: h1, to: h2 }
    bytes: 2500B
    priority: 3
    vlan: 100
    transport: { reliable: { mtu: 1024 } }
observe: { captures: { ports: ['h1:p1'], filters: [{ type: data }] } }
`;

describe('a captured packet', () => {
  const fabric = fabricOf(PAIR);
  const session = new Session(fabric, { check: true });
  while (session.advance(1000) === 'running');
  const { packets, interfaces, outcome } = readCapture(captureOctets(fabric, session.captures()));
  const wire = packets.map(({ octets }) => {
    const [ethernet, ip] = [blankEthernetHeader(), blankIpv4Header()];
    const [udp, bth] = [blankUdpHeader(), blankBaseTransportHeader()];
    assert.equal(decodeEthernetHeader(octets, 0, ethernet), 'ok');
    const at = ethernetHeaderOctets(ethernet);
    assert.equal(decodeIpv4Header(octets, at, ip), 'ok');
    assert.equal(decodeUdpHeader(octets, at + 20, udp), 'ok');
    assert.equal(decodeBaseTransportHeader(octets, at + 28, bth), 'ok');
    return { ethernet, ip, udp, bth };
  });

  it('stands at the port that it passed', () => {
    assert.equal(outcome, 'ok');
    assert.deepEqual(
      interfaces.map(({ name }) => name),
      ['h1:p1'],
    );
  });

  it('has the tag, the lengths and the addresses of its frame', () => {
    const lengths = [1024, 1024, 452];
    assert.equal(wire.length, lengths.length);
    wire.forEach(({ ethernet, ip, udp }, i) => {
      assert.equal(tagPriority(ethernet.cTag), 3);
      assert.equal(tagVlan(ethernet.cTag), 100);
      assert.deepEqual([ethernet.source, ethernet.destination], [0x020000000001, 0x020000000002]);
      assert.deepEqual([ip.source, ip.destination], [0x0a000001, 0x0a000002]);
      assert.equal(udp.totalOctets, 8 + 12 + lengths[i]! + 4);
      assert.equal(ip.totalOctets, 20 + udp.totalOctets);
      assert.equal(packets[i]!.originalOctets, 18 + ip.totalOctets);
    });
  });

  it('is numbered, and says which place it has in its message', () => {
    const { sends } = fabric.specs[0] as { sends: readonly { remote: number }[] };
    assert.deepEqual(
      wire.map(({ bth }) => [bth.opcode, bth.sequence, bth.destinationQueuePair]),
      [ROCE_SEND_FIRST, ROCE_SEND_MIDDLE, ROCE_SEND_LAST].map((opcode, sequence) => [
        ...[opcode, sequence, sends[0]!.remote + 2],
      ]),
    );
    assert.equal(wire[2]!.bth.acknowledgeRequest, true);
  });

  it('has its exact time beside the rounded one', () => {
    for (const { timeNs, comment } of packets) {
      const ps = Number(/^(\d+) ps; flow 0 /.exec(comment)![1]);
      assert.equal(timeNs, Math.round(ps / 1000));
    }
    assert.ok(packets[1]!.timeNs > packets[0]!.timeNs);
  });
});
