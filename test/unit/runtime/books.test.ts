import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PartitionPlan } from '../../../services/fabric/placement/partition-plan.js';
import { planPartitions } from '../../../services/fabric/placement/partition-plan.js';
import { placeInServices } from '../../../services/fabric/placement/parts.js';
import type { Breach } from '../../../services/runtime/checks/breach.js';
import { HoldCheck } from '../../../services/runtime/checks/hold-check.js';
import { Partition } from '../../../services/runtime/partition/partition.js';
import { fabricOf, runScenario } from '../../kit/emulate.js';

const DAMAGED_PS = 15e6;
const UNTIL_PS = 60e6;
/** Books are looked at so often. */
const SAMPLE_PS = 10e6;

/** The part of a run in two that has the leaf; nothing comes from the other. */
function planOf(example: string): PartitionPlan {
  const fabric = fabricOf(`examples/${example}.yaml`);
  const plans = planPartitions(fabric, placeInServices(fabric, 2));
  return plans.find(({ specs }) => specs.some(({ name }) => name === 'leaf1'))!;
}

/** The breach that is found while a part with injected damage is executed. */
function breachOf(plan: PartitionPlan, damage: (part: Partition) => void): Breach | null {
  const part = new Partition(plan);
  const check = new HoldCheck(part.engine);
  for (let timePs = SAMPLE_PS / 2; timePs <= UNTIL_PS; timePs += SAMPLE_PS / 2) {
    part.runTo(timePs);
    check.lookAtBooks(timePs, plan.specs.length);
    if (timePs === DAMAGED_PS) damage(part);
  }
  return check.breach;
}

describe('books of a run in parts', () => {
  for (const example of ['victim-behind-pfc', 'credit-tenants', 'incast-ci']) {
    const plan = planOf(example);
    const leaf1 = plan.specs.findIndex(({ name }) => name === 'leaf1');
    const firstPort = ({ engine }: Partition): number => engine.devices[leaf1]!.firstPort;

    it(`balance where nothing is wrong, with link partners elsewhere: ${example}`, () => {
      assert.ok(plan.proxyDevices.length > 0);
      assert.equal(
        breachOf(plan, () => undefined),
        null,
      );
    });

    it(`are looked at long before the end: ${example}`, () => {
      const breach = breachOf(plan, (part) => {
        part.engine.shared.buffer.admit(firstPort(part), 3, 1, 0);
      });
      assert.match(breach!.reason, /octets charged = octets stored/);
      assert.equal(breach!.device, leaf1);
      assert.ok(breach!.timePs > DAMAGED_PS && breach!.timePs <= DAMAGED_PS + SAMPLE_PS);
    });

    it(`report a frame that is counted twice: ${example}`, () => {
      const breach = breachOf(plan, (part) => {
        part.engine.shared.counters.received(firstPort(part), 3, 1518);
      });
      assert.match(breach!.reason, /frames in = frames out, dropped, consumed and buffered/);
    });
  }
});

describe('books of credit that is negotiated', () => {
  it('may hold more than was promised where DCBX comes to no credit', () => {
    const { status, credits, failure } = runScenario(
      'examples/discovery-credit-change.yaml',
      'priorities.3={ xoff: 60KB }',
      'duration=60us',
    );
    assert.equal(status, 'complete', JSON.stringify(failure));
    assert.ok(credits.some(({ peakOccupied, bufferUnits }) => peakOccupied > bufferUnits));
  });
});
