import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { QcnStation } from '../../services/mechanisms/qcn/station.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { RX_FRAMES, RX_OCTETS } from '../../services/engine/port/counters.js';
import type { Engine } from '../../services/engine/device/engine.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, flowOf, run } from '../kit/emulate.js';

/** Frames are of 1 000 octets, 954 of them payload. */
const FRAME = 1000;
const PAYLOAD = 954;
const BYTES = 1000 * PAYLOAD;

function star(qcn: string, more = ''): string {
  return `
fabric: { generator: star, hosts: 4, hostLink: { rate: 10G, length: 10m } }
switches: { buffer: { size: 4MB } }
priorities: { 3: pfc }
qcn: { priorities: [3], sampleBase: 30KB, byteReset: 30KB, timeReset: 1ms, ${qcn} }
load:
  - { name: l, stream: { from: h2..h4, to: h1 }, bytes: ${BYTES}, frame: ${FRAME},
      priority: 3, congestion: qcn }
${more}`;
}

function finished(text: string): { engine: Engine; results: RunResults } {
  const session = new Session(fabricOf(text), { check: true });
  while (session.advance(1000) === 'running');
  const results = session.results('complete');
  assert.equal(results.status, 'complete');
  return { engine: session.engine, results };
}

/** What h1 received of a priority, octets per frame. */
function receivedAtH1({ engine }: { engine: Engine }, priority: number): [number, number] {
  const { counters } = engine.shared;
  const port = engine.devices[0]!.firstPort;
  const frames = counters.get(port, priority, RX_FRAMES);
  return [frames, counters.get(port, priority, RX_OCTETS) / frames];
}

describe('a congestion notification domain', () => {
  it('tags frames from end to end and sends CNMs to every source', () => {
    const done = finished(star(''));
    assert.deepEqual(receivedAtH1(done, 3), [3000, FRAME + 4]);
    assert.deepEqual(
      done.results.flows.map(({ payloadOctets }) => payloadOctets),
      [BYTES, BYTES, BYTES],
    );
    for (const { notifications, leastBps } of done.results.rates) {
      assert.ok(notifications > 0 && leastBps < 10e9);
    }
    const [point, ...others] = done.results.congestionPoints.filter((p) => p.messages > 0);
    assert.equal(others.length, 0);
    assert.equal(point!.port, 's1:p1');
    const taken = done.results.rates.reduce((sum, rate) => sum + rate.notifications, 0);
    assert.equal(point!.messages, taken);
  });

  it('remaps frames from outside, and sends no CNM there', () => {
    const done = finished(star('outside: [h4], alternatePriority: 1'));
    assert.deepEqual(receivedAtH1(done, 1), [1000, FRAME]);
    assert.deepEqual(receivedAtH1(done, 3), [2000, FRAME + 4]);
    assert.equal(flowOf(done.results, 'h4->h1').payloadOctets, BYTES);
    assert.deepEqual(
      done.results.rates.map(({ name }) => name),
      ['l/h2->h1', 'l/h3->h1'],
    );
  });

  it('removes the tag at an interior port whose link partner does not support it', () => {
    const done = finished(star("ports: { 's1:p1': interior }"));
    assert.deepEqual(receivedAtH1(done, 3), [3000, FRAME]);
    assert.equal(flowOf(done.results, 'h2->h1').payloadOctets, BYTES);
    assert.ok(done.results.rates.every(({ notifications }) => notifications > 0));
  });

  it('has no congestion points where it is disabled', () => {
    const { results } = finished(star('defence: disabled'));
    assert.deepEqual(results.congestionPoints, []);
  });

  it('sends CNMs to sources across switches, bridged with VLANs as well as routed', () => {
    for (const [forwarding, vlan] of [
      ['routed', ''],
      ['bridged', ', vlan: 1'],
      ['bridged', ''],
    ]) {
      const results = run(
        fabricOf(`
fabric:
  { generator: dumbbell, left: 3, right: 1, hostLink: { rate: 10G }, fabricLink: { rate: 10G } }
switches: { forwarding: ${forwarding}, buffer: { size: 4MB } }
priorities: { 3: pfc }
qcn: { priorities: [3], sampleBase: 30KB, byteReset: 30KB, timeReset: 1ms }
load:
  - { stream: { from: h1..h3, to: h4 }, bytes: ${BYTES}, frame: ${FRAME}, priority: 3,
      congestion: qcn${vlan} }
  # So that bridges know where h4 is.
  - { stream: { from: h4, to: h1 }, bytes: 1KB, frame: 64 }
`),
      );
      assert.equal(results.status, 'complete');
      for (const { notifications } of results.rates) assert.ok(notifications > 0, forwarding);
    }
  });

  it('sends CNMs to sources without a rate limit, too, which count them', () => {
    const text = star('', '').replace('congestion: qcn', 'congestion: none');
    const { engine, results } = finished(text);
    const messages = results.congestionPoints.reduce((sum, point) => sum + point.messages, 0);
    const unclaimed = engine.devices.reduce((sum, { place }) => {
      const role = engine.rolesOf(place)['qcn'];
      return sum + (role instanceof QcnStation ? role.unclaimed : 0);
    }, 0);
    assert.ok(messages > 0);
    assert.equal(unclaimed, messages);
  });
});
