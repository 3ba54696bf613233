/** A queue that nothing blocks by design, and that does not move, fails a checked run. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findStandstill } from '../../services/engine/analysis/ledger/standstill.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { placeInServices } from '../../services/fabric/placement/parts.js';
import { planPartitions } from '../../services/fabric/placement/partition-plan.js';
import { mergePartitions } from '../../services/runtime/merge.js';
import type { PartitionState } from '../../services/runtime/partition/partition.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf } from '../kit/emulate.js';
import { mechanismOf } from '../../services/mechanisms/credit/mechanism.js';

const STAR = `
duration: 1ms
fabric: { generator: star, hosts: 3, link: { rate: 100G } }
priorities: { 3: METHOD }
credit: { keepAlive: 20us }
load: [ { incast: { from: [h1, h2], to: h3 }, transport: raw, bytes: 2MB, priority: 3 } ]
`;

const creditStar = fabricOf(STAR.replace('METHOD', 'credit'));

/** From a time on the switch grants no credit to h1, which still waits for it. */
function withoutGrants(fabric: Fabric, atPs: number): Session {
  const session = new Session(fabric, { check: true });
  session.runTo(atPs);
  const { devices } = session.engine;
  const { firstPort } = devices[3]!;
  const asked = {
    mode: 'cumulative',
    askedWide: false,
    askedDivided: false,
    askedBufferUnits: [],
  } as const;
  mechanismOf(session.engine).setOperational(firstPort, 0, {
    ...asked,
    tags: false,
    askedUnitOctets: 64,
  });
  return session;
}

function failureOf(session: Session): string | undefined {
  while (session.advance(1000) === 'running');
  return session.results('complete').failure?.reason;
}

describe('the rule of progress', () => {
  it('finds a queue that waits for credit which a link partner with an empty buffer withholds', () => {
    const reason = failureOf(withoutGrants(creditStar, 20e6));
    assert.match(reason ?? '', /^no progress since [\d.]+ us: frames wait for credit/);
  });

  it('finds it in a run in parts, too', () => {
    const session = withoutGrants(creditStar, 20e6);
    session.runTo(1e9);
    const { devices } = session.save();
    const plans = planPartitions(creditStar, placeInServices(creditStar, 2));
    const states = plans.map((plan): PartitionState => ({
      devices: plan.devices.map((device) => devices[device]!),
      rows: [],
      sampleDueAt: Infinity,
      sampled: new Float64Array(0),
      latestPs: 1e9,
      observed: plan.devices.map(() => null),
    }));
    const moment = { boundPs: 1e9, framesSeen: 0 };
    const { failure } = mergePartitions(creditStar, plans, states, {
      status: 'complete',
      failure: null,
      check: true,
      checkedPs: 0,
      moment,
      steps: [],
    }).results;
    assert.equal(failure?.reason, failureOf(session));
  });

  for (const [name, text] of [
    ['PFC', STAR.replace('METHOD', 'pfc')],
    ['credit', STAR.replace('METHOD', 'credit')],
    ['demand', STAR.replace('METHOD', 'credit').replace('keepAlive', 'grant: demand, keepAlive')],
    [
      'a host that reads nothing',
      `${STAR.replace('METHOD', 'credit')}faults: [ { kind: host-pause, where: { device: h3 }, at: 10us } ]`,
    ],
    [
      'a link that is down',
      `${STAR.replace('METHOD', 'credit')}faults: [ { kind: link-down, where: { device: h3 }, at: 10us } ]`,
    ],
    ['a slow priority', STAR.replace('METHOD', '{ flowControl: pfc, quanta: 2000 }')],
  ] as const) {
    it(`has nothing against queues that wait by design: ${name}`, () => {
      const session = new Session(fabricOf(text), { check: true });
      for (let us = 10; us <= 990; us += 10) {
        session.runTo(us * 1e6);
        assert.equal(findStandstill(session.engine, us * 1e6), null);
      }
      assert.equal(failureOf(session), undefined);
    });
  }
});
