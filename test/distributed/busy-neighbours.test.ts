import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../services/engine/kernel/random.js';
import type { PartitionPlan } from '../../services/fabric/placement/partition-plan.js';
import { planPartitions } from '../../services/fabric/placement/partition-plan.js';
import { placeInServices } from '../../services/fabric/placement/parts.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import { Pace } from '../../services/runtime/partition/pace.js';
import { Partition } from '../../services/runtime/partition/partition.js';
import { Cluster } from '../../services/hunt/worlds/services-in-memory.js';
import { fabricOf, run } from '../kit/emulate.js';

/** Links so long that thousands of events lie in a lookahead. */
const fabric = fabricOf(`
name: busy
fabric:
  generator: leaf-spine
  leaves: 4
  spines: 2
  hostsPerLeaf: 3
  link: { rate: 100G, delay: 20us }
duration: 300us
priorities: { 3: { flowControl: pfc, xoff: 98KB } }
load:
  - permutation: { hosts: all, shift: 7 }
    rate: line
    priority: 3
`);
const placement = placeInServices(fabric, 2);
const [plan] = planPartitions(fabric, placement) as [ReturnType<typeof planPartitions>[0]];

/** A part by itself, and when what it handed over will arrive. */
function alone(plan: PartitionPlan): { part: Partition; handedOver: () => number[] } {
  const part = new Partition(plan);
  const handedOver = (): number[] => {
    const times: number[] = [];
    part.take({
      frame: (_channel, _link, pool, frame) => times.push(pool.arrival(frame)),
      control: (_channel, _link, atPs) => times.push(atPs),
    });
    return times;
  };
  return { part, handedOver };
}

describe('services with much to do', () => {
  it('go a lookahead at a time, and take turns when there is little', () => {
    const pace = new Pace(1000);
    assert.ok(!pace.isBusy);
    pace.note(1000, 1_000_000);
    assert.deepEqual([pace.isBusy, pace.stepPs], [true, 1000]);
    pace.note(1000, 2);
    assert.deepEqual([pace.isBusy, pace.stepPs], [false, 512_000]);
  });

  it('execute first what other services wait for', () => {
    const whole = alone(plan);
    const halves = alone(plan);
    const stepPs = plan.channels[0]!.lookaheadOutPs;
    let seen = 0;
    let left = 0;
    for (let bound = stepPs; bound <= 200e6; bound += stepPs) {
      const events = whole.part.runTo(bound);
      const first = halves.part.runBorderTo(bound);
      const early = halves.handedOver();
      const rest = halves.part.runTo(bound);
      assert.equal(first + rest, events);
      assert.deepEqual(early, whole.handedOver());
      assert.deepEqual(halves.handedOver(), []);
      seen += early.length;
      left += rest;
    }
    assert.ok(seen > 100 && left > 100);
  });

  it('come to the results of one process, whatever the broker does', () => {
    const unkind = { lose: 0.05, repeat: 0.05, reorder: 0.3 };
    const cluster = new Cluster(fabric, placement, new RandomStream(1, 'busy'), {
      unkindness: unkind,
    });
    cluster.run();
    assert.deepEqual(cluster.results(), run(fabric));
  });
});

describe('a service whose port is sending', () => {
  it('promises that nothing follows before the rest of the frame is sent', () => {
    const pair = fabricOf(`
name: line-rate
fabric: { generator: pair, link: { rate: 100G, delay: 1us } }
duration: 10us
load:
  - stream: { from: h1, to: h2 }
    rate: line
`);
    const sender = planPartitions(pair, placeEachAlone(pair.topology))[0]!;
    const { part, handedOver } = alone(sender);
    const { lookaheadOutPs } = sender.channels[0]!;
    let promisedPs = 0;
    let beyond = 0;
    // A frame takes 123 ns.
    for (let bound = 50e3; bound <= 10e6; bound += 50e3) {
      part.runTo(bound);
      for (const atPs of handedOver()) assert.ok(atPs >= promisedPs);
      promisedPs = part.promisePs(0, bound);
      assert.ok(promisedPs >= bound + lookaheadOutPs);
      if (promisedPs > bound + lookaheadOutPs) beyond++;
    }
    assert.ok(beyond > 100);
  });
});
