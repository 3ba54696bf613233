import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results.js';
import { flowOf, runScenario } from '../kit/emulate.js';

function xoffs(results: RunResults): number[] {
  return results.slotPorts.map((port) => port.xoffs);
}

describe('an MVTX2802 with VLANs', () => {
  /** h1's VLAN goes to h3 and h4; h2 and h3 have one of their own. */
  const scenario = (registers: string, busy: string): string => `
duration: 10ms
fabric: { generator: star, hosts: 4, hostLink: { rate: 1G, length: 100m } }
switches:
  model: mvtx2802
  forwarding: bridged
  mvtx2802: { multicast: managed, congestion: 8, responseDelay: 1024ns, ${registers} }
devices:
  s1: { ports: { 1: { native: 10 }, 2: { native: 20 }, 3: { native: 10, tagged: [20] }, 4: { native: 10 } } }
groups: { both: [h3, h4] }
load:
  - { name: hello, stream: { from: ${busy}, to: h2 }, bytes: 64, frame: 64, priority: 6${busy === 'h3' ? ', vlan: 20' : ''} }
  - { name: cast, stream: { from: h1, to: both }, rate: 90%, frame: 1000, priority: 5, start: 10us }
  - { name: cross, stream: { from: h2, to: ${busy} }, rate: 90%, frame: 1000, priority: 5, start: 10us }
`;

  it('is stopped by a congested destination of the VLAN of the frame', () => {
    const results = runScenario(scenario('flowControl: true', 'h3'));
    assert.ok(xoffs(results)[0]! > 5);
    assert.deepEqual(xoffs(results).slice(1), [0, 0, 0]);
    assert.equal(results.status, 'complete');
    assert.deepEqual(results.priorities.find(({ priority }) => priority === 5)!.drops, {});
  });

  it('has frames of several sizes by port, as tags come and go', () => {
    const results = runScenario(scenario('flowControl: true', 'h3'));
    assert.ok(flowOf(results, 'cross/h2->h3').frames > 500);
    const tx = results.ports.find(({ port }) => port === 's1:p3')!.priorities;
    const { txOctets, txFrames } = tx.find(({ priority }) => priority === 5)!;
    const mean = txOctets / txFrames;
    assert.ok(mean > 1000 && mean < 1004);
  });
});
