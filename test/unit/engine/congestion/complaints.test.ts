import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../../../../services/engine/device/engine.js';
import {
  blankCnm,
  blankCnmEnvelope,
  decodeCnmFrame,
  encodeCnmFrame,
} from '../../../../services/engine/wire/cnm.js';
import { readU16, readU32 } from '../../../../services/engine/wire/big-endian.js';
import { QcnStation } from '../../../../services/mechanisms/qcn/station.js';
import type { RunResults } from '../../../../services/runtime/results/results.js';
import { Session } from '../../../../services/runtime/session.js';
import { fabricOf } from '../../../kit/emulate.js';
import { Tamperer } from '../../../kit/tamperer.js';

const FABRIC = `
duration: 2ms
fabric: { generator: dumbbell, left: 3, right: 1, hostLink: { rate: 10G }, fabricLink: { rate: 10G } }
switches: { buffer: { size: 4MB } }
`;
const QCN = `${FABRIC}
priorities: { 3: pfc }
load: [{ stream: { from: h1..h3, to: h4 }, frame: 1000, priority: 3, congestion: qcn }]
qcn: { priorities: [3], sampleBase: 30KB`;
const DCQCN = `${FABRIC}
priorities: { 3: { flowControl: pfc, ecn: { step: 20KB } } }
load: [{ stream: { from: h1..h3, to: h4 }, priority: 3, transport: reliable, congestion: dcqcn }]
`;

interface Outcome {
  readonly engine: Engine;
  readonly results: RunResults;
}

function emulate(text: string, change: (octets: Uint8Array) => void): Outcome {
  const session = new Session(fabricOf(text), { check: true });
  session.engine.listen(new Tamperer(session.engine, change));
  while (session.advance(1000) === 'running');
  return { engine: session.engine, results: session.results('complete') };
}

function total(counts: Float64Array): number {
  return counts.reduce((a, b) => a + b, 0);
}

function stationsOf({ engine }: Outcome): QcnStation[] {
  return engine.devices.flatMap(({ place }) => {
    const role = engine.rolesOf(place)['qcn'];
    return role instanceof QcnStation ? [role] : [];
  });
}

function told({ results }: Outcome): number {
  return results.rates.reduce((sum, { notifications }) => sum + notifications, 0);
}

describe('a message of a congestion point', () => {
  const [around, pdu] = [blankCnmEnvelope(), blankCnm()];

  it('quotes the configured octets of the sampled frame, and its destination', () => {
    const lengths = new Set<number>();
    const outcome = emulate(`${QCN}, quote: 22 }\n`, (octets) => {
      assert.equal(decodeCnmFrame(octets, 0, around, pdu), 'ok');
      lengths.add(pdu.msduOctets);
      assert.equal(pdu.priority, 3);
      // Its EtherType, then an IPv4 header of its own length, towards h4 as its address is.
      assert.equal(readU16(pdu.msdu, 0), 0x0800);
      assert.equal(pdu.msdu[2], 0x45);
      assert.equal(readU16(pdu.msdu, 4), 1000 - 18);
      assert.equal(readU32(pdu.msdu, 18) & 0xff, pdu.destination & 0xff);
      assert.equal(around.ethernet.destination & 0xff, pdu.msdu[17]);
    });
    assert.ok(told(outcome) > 3);
    assert.deepEqual([...lengths], [22]);
  });

  it('quotes nothing unless it is configured to', () => {
    const outcome = emulate(`${QCN} }\n`, (octets) => {
      assert.equal(decodeCnmFrame(octets, 0, around, pdu), 'ok');
      assert.equal(pdu.msduOctets, 0);
    });
    assert.ok(told(outcome) > 3);
  });

  it('is dropped and counted when it is malformed', () => {
    const outcome = emulate(`${QCN} }\n`, (octets) => {
      if (decodeCnmFrame(octets, 0, around, pdu) === 'ok') octets[around.pduAt] = 0xf0;
    });
    assert.equal(told(outcome), 0);
    assert.ok(stationsOf(outcome).reduce((sum, { malformed }) => sum + malformed, 0) > 3);
  });

  it('without a Flow ID is for a reaction point of its priority', () => {
    const untag = (octets: Uint8Array): void => {
      if (decodeCnmFrame(octets, 0, around, pdu) !== 'ok') return;
      around.flowId = 0;
      octets.fill(0);
      encodeCnmFrame(octets, 0, around, pdu);
    };
    const outcome = emulate(`${QCN} }\n`, untag);
    assert.ok(told(outcome) > 3);
    assert.ok(stationsOf(outcome).every(({ unclaimed }) => unclaimed === 0));
  });
});

describe('a notification from a receiver', () => {
  it('is dropped and counted when a bit of it is wrong', () => {
    const outcome = emulate(DCQCN, (octets) => {
      octets[octets.length - 10]! ^= 1;
    });
    assert.equal(told(outcome), 0);
    assert.ok(total(outcome.engine.hosting.notifications.malformed) > 3);
  });

  it('counts when it is for a queue pair without a rate limit', () => {
    const outcome = emulate(
      DCQCN.replace('congestion: dcqcn', 'congestion: none'),
      () => undefined,
    );
    assert.equal(told(outcome), 0);
  });
});
