/** Wireshark reads in every LLDPDU of the examples what the ports that sent it go by. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { NullProbe } from '../../services/engine/contract/probe.js';
import { blankLldpFrame, decodeLldp } from '../../services/engine/wire/lldp/lldpdu.js';
import { TLV_ORGANIZATIONAL, type Tlv } from '../../services/engine/wire/lldp/tlv.js';
import { DiscoveryExchange } from '../../services/fabric/assembly/discovery-exchange.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import type { DiscoveryPortResult } from '../../services/runtime/results/discovery-results.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import type { Packet } from '../kit/tshark.js';
import { captureOfPort, dissect, ERROR, tsharkMissing, worstNote } from '../kit/tshark.js';

const PS_PER_NS = 1000;

interface Heard {
  readonly timeNs: number;
  readonly octets: Uint8Array;
}

/** Keeps every control frame that is sent. */
class Recorder extends NullProbe {
  readonly frames: Heard[] = [];

  override controlSent(_device: number, _port: number, now: number, octets: Uint8Array): void {
    this.frames.push({ timeNs: Math.floor(now / PS_PER_NS), octets: octets.slice() });
  }
}

interface Recorded {
  readonly frames: readonly Heard[];
  readonly ports: readonly DiscoveryPortResult[];
}

function recorded(example: string): Recorded {
  const session = new Session(fabricOf(`examples/${example}`), { check: false });
  const recorder = new Recorder();
  session.engine.listen(recorder);
  while (session.advance(1000) === 'running');
  return { frames: recorder.frames, ports: session.results('complete').discovery!.ports };
}

function packetsOf(frames: readonly Heard[]): Packet[] {
  const packets = frames.map(({ timeNs, octets }) => ({
    interfaceIndex: 0,
    timeNs,
    octets,
    originalOctets: octets.length,
    comment: '',
  }));
  return dissect(captureOfPort('all', packets), FIELDS);
}

const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7];
const FIELDS = [
  'eth.type',
  'lldp.port.desc',
  ...EIGHT.map((n) => `lldp.dcbx.feature.pg.per${n}`),
  ...EIGHT.map((n) => `lldp.dcbx.feature.pfc.prio${n}`),
  'lldp.dcbx.ieee.app.prio',
  '_ws.malformed',
  '_ws.expert.severity',
];

/** The first of the values of a field: the recommendation comes behind the configuration. */
const first = (packet: Packet, field: string): string => packet[field]!.split(',')[0]!;

/** Compares tshark's dissection of a port's last LLDPDU with the state of its machines. */
function compare(packet: Packet, { dcbx, local, operational, port }: DiscoveryPortResult): void {
  const said = dcbx === 'cee' ? local : operational;
  const hasShares = said.ets!.shares.some((share) => typeof share === 'number' && share > 0);
  EIGHT.forEach((n) => {
    const share = said.ets!.shares[n]!;
    const percent = String(typeof share === 'number' && hasShares ? share : 0);
    assert.equal(first(packet, `lldp.dcbx.feature.pg.per${n}`), percent, port);
    // Two unwilling ends each advertise their configuration.
    const enabled = (dcbx === 'ieee' && operational.pfc!.willing ? operational : local).pfc!;
    const isOn = /^(1|True)$/.test(first(packet, `lldp.dcbx.feature.pfc.prio${n}`));
    assert.equal(isOn, enabled.priorities.includes(n), port);
  });
  if (dcbx !== 'ieee') return;
  const priorities = local.applications.map(({ priority }) => String(priority));
  assert.equal(packet['lldp.dcbx.ieee.app.prio'], priorities.join(','), port);
}

describe('tshark reads control frames', { skip: tsharkMissing }, () => {
  const examples = readdirSync(join(ROOT, 'examples')).filter((name) =>
    name.startsWith('discovery-'),
  );
  for (const example of examples) {
    it(`of ${example}: nothing is malformed, and ports say what they go by`, () => {
      const { frames, ports } = recorded(example);
      const packets = packetsOf(frames);
      assert.equal(packets.length, frames.length);
      for (const packet of packets) {
        assert.equal(packet['_ws.malformed'], '');
        assert.ok(worstNote(packet) < ERROR);
      }
      for (const port of ports) {
        const last = packets.findLast((packet) => packet['lldp.port.desc'] === port.port);
        assert.ok(last !== undefined, port.port);
        compare(last, port);
      }
    });
  }
});

/** The last LLDPDU of every port of a fabric, without load. */
function spoken(fabric: Fabric): Heard[] {
  const exchange = new DiscoveryExchange(fabric.specs, fabric.linkEnds);
  exchange.settle();
  return exchange.mechanism.ports.flatMap((port) =>
    (port?.agents ?? []).flatMap(({ rx }) =>
      rx.neighbors.map(({ octets }) => ({ timeNs: 0, octets })),
    ),
  );
}

function isSound(packet: Packet): boolean {
  return packet['_ws.malformed'] === '' && worstNote(packet) < ERROR;
}

describe('tshark reads what ports would say in every example', { skip: tsharkMissing }, () => {
  it('and nothing is malformed', () => {
    const frames = readdirSync(join(ROOT, 'examples'))
      .filter((name) => name.endsWith('.yaml') && !name.startsWith('discovery-'))
      .flatMap((name) => spoken(fabricOf(`examples/${name}`, 'discovery=true')));
    const packets = packetsOf(frames);
    assert.ok(frames.length > 200 && packets.length === frames.length);
    assert.ok(packets.every(isSound));
  });
});

describe('tshark reads an LLDPDU with every kind of TLV', { skip: tsharkMissing }, () => {
  const fabric = (dcbx: string): Fabric =>
    fabricOf(`
fabric: { generator: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2 }
classes: { arbiter: { ets: { 0: 25%, 3: 55%, 5: 20%, 7: strict } } }
priorities: { 2: pfc, 3: { flowControl: pfc, sfc: true, ci: true }, 4: none, 5: credit }
ci: { priority: 2 }
qcn: { priorities: [4] }
credit: { channels: [{ channel: 0 }, { channel: 7, vlans: [100] }], tags: true }
discovery:
  recommend: true
  willing: [pfc, credit]
  dcbx: ${dcbx}
  applications: [{ udp: 4791, priority: 3 }, { ethertype: 0x8906, priority: 2 },
    { dscp: 46, priority: 6 }, { tcp: 3260, priority: 5 }]
`);
  const organizations = [
    ['00:80:c2', [1, 7, 8, 9, 0xa, 0xb, 0xc, 0x13, 0x14]],
    ['00:12:0f', [4]],
    ['02:ce:70', [1, 2]],
  ] as const;

  it('and finds each of them, with its values', () => {
    const frames = spoken(fabric('ieee'));
    const leaf = frames.reduce((a, b) => (b.octets.length > a.octets.length ? b : a));
    const kinds = tlvsOf(leaf.octets).map(({ type, value }) =>
      type === TLV_ORGANIZATIONAL
        ? Array.from(value.subarray(0, 4), (o) => o.toString(16).padStart(2, '0')).join(':')
        : type,
    );
    const named = organizations.flatMap(([oui, subtypes]) =>
      subtypes.map((subtype) => `${oui}:${subtype.toString(16).padStart(2, '0')}`),
    );
    assert.deepEqual(
      [...kinds].map(String).sort(),
      ['4', '5', '6', '7', ...named].map(String).sort(),
    );
    const packets = packetsOf(frames);
    assert.ok(packets.every(isSound));
    for (const packet of packets) {
      const shares = EIGHT.map((n) => packet[`lldp.dcbx.feature.pg.per${n}`]);
      const told = [25, 0, 0, 55, 0, 20, 0, 0].map((share) => `${share},${share}`);
      assert.deepEqual(shares, told);
      const isOn = EIGHT.filter((n) =>
        /^(1|True)$/.test(first(packet, `lldp.dcbx.feature.pfc.prio${n}`)),
      );
      assert.deepEqual(isOn, [2, 3]);
      assert.equal(packet['lldp.dcbx.ieee.app.prio'], '3,2,6,5');
    }
  });

  it('and the same of CEE', () => {
    const packets = packetsOf(spoken(fabric('cee')));
    assert.ok(packets.every(isSound));
    for (const packet of packets) {
      const shares = EIGHT.map((n) => packet[`lldp.dcbx.feature.pg.per${n}`]);
      assert.deepEqual(shares, ['25', '0', '0', '55', '0', '20', '0', '0']);
    }
  });
});

function tlvsOf(octets: Uint8Array): readonly Tlv[] {
  const frame = blankLldpFrame();
  assert.equal(decodeLldp(octets, 0, frame), 'ok');
  return frame.tlvs;
}
