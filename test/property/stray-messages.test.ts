/** Messages and forged frames reach NICs whose user priority is another than on the wire. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runScenario } from '../kit/emulate.js';

const METHODS = ['credit', 'pfc', 'none'] as const;
const NICS = {
  plain: 'model: plain',
  carried: 'model: "82599", vlan: { untagged: carried }',
  table: 'model: "82599", vlan: { untagged: table }',
  seven: 'model: "82599", vlan: { untagged: seven }',
  'without DCB': 'model: "82599", dcb: false',
} as const;
const MESSAGES = ['cnm', 'cnp', 'sfcm'] as const;
/** Priorities that an untagged frame has by itself, in a table, by the note, and as a message. */
const PRIORITIES = [0, 6, 7];

/** A load each way, of another priority than messages have, beside the forged ones. */
function world(nic: string, message: string, methods: Readonly<Record<number, string>>): string {
  const priorities = Object.entries(methods).map(([priority, method]) => `${priority}: ${method}`);
  return `
duration: 40us
fabric: { generator: star, hosts: 3 }
priorities: { ${priorities.join(', ')} }
devices: { h1: { nic: { ${nic} } } }
load:
  - { stream: { from: h1, to: h3 }, priority: 3, bytes: 20KB, vlan: 7 }
  - { stream: { from: h3, to: h1 }, priority: 3, bytes: 20KB, vlan: 7 }
faults:
  - { kind: forge, where: { device: h2 }, frames: ${message}, to: h1, interval: 300ns, for: 20us }
`;
}

describe('a message whose user priority in a NIC is not that of the wire', () => {
  for (const [name, nic] of Object.entries(NICS)) {
    for (const message of MESSAGES) {
      it(`is charged by the priority of the wire, whatever its flow control: ${name}, ${message}`, () => {
        for (const priority of PRIORITIES) {
          for (const method of METHODS) {
            for (const ofFlows of METHODS) {
              const where = `${name}, ${message}: ${priority} has ${method}, 3 has ${ofFlows}`;
              const methods = { [priority]: method, 3: ofFlows };
              let results;
              try {
                results = runScenario(world(nic, message, methods));
              } catch (error) {
                // A NIC without classes has one flow control.
                assert.equal((error as Error).name, 'ScenarioError', where);
                continue;
              }
              assert.equal(results.failure, null, `${where}: ${results.failure?.reason}`);
              const [{ hits }] = results.faults as [(typeof results.faults)[number]];
              assert.ok(hits > 50, where);
              const flows = results.flows.map(({ completionPs }) => completionPs !== null);
              assert.deepEqual(flows, [true, true], where);
            }
          }
        }
      });
    }
  }

  it('gives back the credit that it used, so messages go on for good', () => {
    const text = world(NICS.seven, 'cnm', { 6: 'credit', 3: 'pfc' });
    const { ports } = runScenario(text, 'credit.buffer=2KB');
    const h1 = ports.find(({ port }) => port === 'h1:p1')!;
    assert.ok(h1.priorities.find(({ priority }) => priority === 6)!.rxFrames > 60);
  });
});
