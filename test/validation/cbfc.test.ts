import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, run } from '../kit/emulate.js';

/** h1 to h2 over s1, whose links are long; nobody asks for credit. */
function scenario(length: string, bytes: string, frame: number): string {
  return `
fabric:
  generator: star
  hosts: 2
  hostLink: { rate: 10G, length: ${length}, interfaceDelay: 100ns }
switches: { buffer: { size: 256MB } }
priorities: { 3: credit }
credit: { codec: cbfc, request: never }
load: [{ name: l, stream: { from: h1, to: h2 }, bytes: ${bytes}, frame: ${frame}, priority: 3, start: 5ms }]
`;
}

/** From the first frame to the last arrival. */
function busyPs({ flows: [flow] }: RunResults): number {
  return flow!.lastArrivalPs! - flow!.startPs;
}

/** What reports take of the wire beside the data: one CC_Update every 20 us at 10 Gb/s. */
const REPORTS = 84 / ((20e-6 * 10e9) / 8);

describe('CBFC', () => {
  for (const [length, bytes] of [
    ['10m', '200KB'],
    ['100km', '5MB'],
  ] as const) {
    for (const frame of [64, 1518]) {
      it(`loses no time when the buffer covers the loop (${length}, ${frame} octets)`, () => {
        const text = scenario(length, bytes, frame);
        const results = run(fabricOf(text));
        const free = run(fabricOf(text, 'priorities.3=none'));
        assert.equal(results.status, 'complete');
        assert.deepEqual(results.priorities[0]!.drops, {});
        const slower = busyPs(results) / busyPs(free) - 1;
        assert.ok(slower < 1.1 * REPORTS, `${100 * slower} %`);
      });
    }
  }

  it('takes as long for an incast as requests and grants do', () => {
    const end = (codec: string): number =>
      Math.max(
        ...run(fabricOf('examples/incast-cbfc.yaml', `credit.codec=${codec}`)).flows.map(
          ({ lastArrivalPs }) => lastArrivalPs!,
        ),
      );
    assert.ok(Math.abs(end('cbfc') / end('ce') - 1) < 0.001);
  });

  it('counts in the order of the frames, round and round, and takes nothing for lost', () => {
    const { credits } = run(fabricOf('examples/incast-cbfc.yaml'));
    const most = Math.max(...credits.map(({ spent }) => spent));
    assert.ok(most > 0x10000, `${most}`);
    for (const { recovered, resyncs } of credits) assert.deepEqual([recovered, resyncs], [0, 1]);
  });

  it('keeps tenants apart as requests and grants do, with shares or by demand', () => {
    for (const grant of ['static', 'demand']) {
      const set = ['credit.codec=cbfc', `credit.grant=${grant}`];
      const { flows, priorities } = run(fabricOf('examples/credit-tenants.yaml', ...set));
      assert.deepEqual(priorities.find(({ priority }) => priority === 3)!.drops, {});
      const bps = (name: string): number =>
        flows
          .filter((flow) => flow.name.startsWith(name))
          .reduce((sum, flow) => sum + flow.goodputBps, 0);
      for (const name of ['red', 'blue']) assert.ok(bps(name) > 92e9, `${grant} ${bps(name)}`);
    }
  });

  it('stands still when a counter takes no update', () => {
    const fault = '{ kind: stuck-credit, where: { device: h2 } }';
    const set = ['duration=2ms', 'expect=[]', `faults=[${fault}]`];
    const { flows } = run(fabricOf('examples/incast-cbfc.yaml', ...set));
    const stuck = flows.filter(({ lastArrivalPs }) => lastArrivalPs === null);
    assert.deepEqual(
      stuck.map(({ name }) => name),
      ['burst/h2->h1'],
    );
  });

  for (const frames of ['cf-update', 'cc-update']) {
    for (const action of ['lose', 'duplicate', 'delay']) {
      it(`loses nothing when updates suffer: ${frames}, ${action}`, () => {
        const delay = action === 'delay' ? ', delay: 30us' : '';
        const fault = `{ kind: control, frames: ${frames}, action: ${action}, probability: 20%${delay} }`;
        const fabric = fabricOf('examples/incast-cbfc.yaml', `faults=[${fault}]`);
        const results = run(fabric);
        assert.equal(results.status, 'complete');
        assert.deepEqual(results.priorities.find(({ priority }) => priority === 3)!.drops, {});
        assert.ok(results.flows.every(({ lastArrivalPs }) => lastArrivalPs !== null));
      });
    }
  }
});
