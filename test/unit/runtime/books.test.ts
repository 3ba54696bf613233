import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PartPlan } from '../../../services/fabric/placement/part-plan.js';
import { planParts } from '../../../services/fabric/placement/part-plan.js';
import { placeInServices } from '../../../services/fabric/placement/placement.js';
import type { Breach } from '../../../services/runtime/checks/breach.js';
import { HoldCheck } from '../../../services/runtime/checks/hold-check.js';
import { Part } from '../../../services/runtime/part/part.js';
import { fabricOf, runScenario } from '../../kit/emulate.js';

const DAMAGED_PS = 15e6;
const UNTIL_PS = 60e6;
/** Books are looked at so often. */
const LOOK_PS = 10e6;

/** The part of a run in two that has the leaf; nothing comes from the other. */
function planOf(example: string): PartPlan {
  const fabric = fabricOf(`examples/${example}.yaml`);
  const plans = planParts(fabric, placeInServices(fabric.topology, 2));
  return plans.find(({ specs }) => specs.some(({ name }) => name === 'leaf1'))!;
}

/** The breach that is found while a part with injected damage is executed. */
function breachOf(plan: PartPlan, damage: (part: Part) => void): Breach | null {
  const part = new Part(plan);
  const check = new HoldCheck(part.engine);
  for (let timePs = LOOK_PS / 2; timePs <= UNTIL_PS; timePs += LOOK_PS / 2) {
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
    const firstPort = ({ engine }: Part): number => engine.devices[leaf1]!.firstPort;

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
      assert.ok(breach!.timePs > DAMAGED_PS && breach!.timePs <= DAMAGED_PS + LOOK_PS);
    });

    it(`report a frame that is counted twice: ${example}`, () => {
      const breach = breachOf(plan, (part) => {
        part.engine.shared.counters.received(firstPort(part), 3, 1518);
      });
      assert.match(breach!.reason, /frames in = frames out, dropped, consumed and held/);
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
