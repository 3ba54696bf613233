/** The watchdog that polls, as SONiC's does: what it sees is what holds from one poll to the next. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NullProbe } from '../../services/engine/contract/probe.js';
import { type WatchdogChip, WATCHDOG_CHIPS } from '../../services/engine/contract/spec.js';
import {
  isQuietPoll,
  isStormPoll,
  type PolledPriority,
} from '../../services/mechanisms/pfc/machine.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf, runScenario } from '../kit/emulate.js';

const STORM = 'examples/storm-watchdog.yaml';
const PS_PER_US = 1e6;

/** Times at which the watchdog of s2:p1 began and ceased to act. */
function actions(...set: string[]): { readonly on: boolean; readonly atUs: number }[] {
  const session = new Session(fabricOf(STORM, ...set), { check: true });
  const acted: { on: boolean; atUs: number }[] = [];
  class Witness extends NullProbe {
    override watchdogActed(...[, , now, , on]: Parameters<NullProbe['watchdogActed']>): void {
      acted.push({ on, atUs: now / PS_PER_US });
    }
  }
  session.engine.listen(new Witness());
  while (session.advance(1000) === 'running');
  return acted;
}

const polled = (poll: number, times: string): string =>
  `priorities.3.watchdog={ poll: ${poll}us, ${times} }`;

describe('a watchdog that polls', () => {
  it('acts at polls alone, between its detection time and two polls more', () => {
    const [without] = actions();
    for (const poll of [10, 25, 50]) {
      const [stepIn, stepBack] = actions(polled(poll, 'detection: 50us, restoration: 50us'));
      assert.equal(stepIn!.atUs % poll, 0);
      assert.equal(stepBack!.atUs % poll, 0);
      assert.ok(stepIn!.atUs >= without!.atUs - poll, `${stepIn!.atUs}`);
      assert.ok(stepIn!.atUs <= without!.atUs + 2 * poll, `${stepIn!.atUs}`);
    }
  });

  it('needs its condition at successive polls', () => {
    const base: PolledPriority = {
      ...{ isPaused: true, wasPaused: true, hasResumed: false, hasReceived: true },
      ...{ hasSent: false, waits: true, pausedShare: 1 },
    };
    const storms = (change: Partial<PolledPriority>): WatchdogChip[] =>
      WATCHDOG_CHIPS.filter((chip) => isStormPoll(chip, { ...base, ...change }));
    assert.deepEqual(storms({}), WATCHDOG_CHIPS);
    // Broadcom's does not look at the queue, NVIDIA's has no storm without frames that wait.
    assert.deepEqual(storms({ waits: false }), [
      ...['broadcom', 'cisco-8000', 'barefoot', 'marvell-teralynx'],
    ]);
    assert.deepEqual(storms({ hasResumed: true }), WATCHDOG_CHIPS.slice(1));
    // Broadcom's takes a queue for stormed that is paused at this poll and was at the last one.
    assert.deepEqual(storms({ wasPaused: false }), WATCHDOG_CHIPS.slice(1));
    assert.deepEqual(storms({ isPaused: false }), ['mellanox', 'barefoot', 'marvell-teralynx']);
    assert.deepEqual(storms({ hasSent: true }), ['broadcom', 'cisco-8000']);
    assert.deepEqual(storms({ hasReceived: false }), ['mellanox', 'cisco-8000']);
    assert.deepEqual(storms({ pausedShare: 0.9 }), [
      ...['broadcom', 'cisco-8000', 'barefoot', 'marvell-teralynx'],
    ]);
    assert.deepEqual(storms({ pausedShare: 0.5 }), ['broadcom', 'cisco-8000', 'barefoot']);
    const quiet = (change: Partial<PolledPriority>): WatchdogChip[] =>
      WATCHDOG_CHIPS.filter((chip) => isQuietPoll(chip, { ...base, ...change }));
    assert.deepEqual(quiet({ hasReceived: false }), [
      ...['broadcom', 'mellanox', 'barefoot', 'marvell-teralynx'],
    ]);
    assert.deepEqual(quiet({ isPaused: false }), ['cisco-8000']);
  });

  it('sees the storm of a broken NIC on every chip, and its end', () => {
    for (const chip of WATCHDOG_CHIPS) {
      const acted = actions(polled(10, `detection: 50us, restoration: 50us, chip: ${chip}`));
      assert.deepEqual(
        acted.map(({ on }) => on),
        [true, false],
        chip,
      );
    }
  });

  it('that only alerts counts the storm, and leaves its priority paused', () => {
    const alert = 'detection: 50us, restoration: 50us, action: alert';
    for (const set of [polled(10, alert), `priorities.3.watchdog={ ${alert} }`]) {
      const results = runScenario(STORM, set, 'expect=[]');
      const [watch] = results.watchdogs;
      assert.deepEqual([watch!.action, watch!.storms, watch!.restored], ['alert', 1, 1]);
      assert.deepEqual(results.priorities[0]!.drops, {});
      assert.equal(watch!.frames.txDropped, 0);
    }
  });

  it('without a restoration time stays where it is', () => {
    const results = runScenario(
      STORM,
      polled(10, 'detection: 50us, restoration: never'),
      'expect=[]',
    );
    const [watch] = results.watchdogs;
    assert.deepEqual([watch!.storms, watch!.restored], [1, 0]);
    assert.ok(watch!.frames.txDropped > 0);
    assert.deepEqual(watch!.frames, watch!.lastFrames);
  });

  it('drops from the beginning under the big red switch', () => {
    const set = 'priorities.3.watchdog={ bigRedSwitch: true }';
    const results = runScenario(STORM, set, 'expect=[]');
    assert.ok(results.watchdogs.length > 0);
    for (const { storms, stormPs } of results.watchdogs) {
      assert.deepEqual([storms, stormPs], [1, results.virtualPs]);
    }
    assert.equal(results.priorities.find(({ priority }) => priority === 3)!.deliveredFrames, 0);
  });

  it('may watch single ports', () => {
    const rule =
      '{ where: { port: "s2:p1" }, priorities: { 3: { watchdog: { poll: 10us, detection: 50us } } } }';
    const results = runScenario(
      STORM,
      'priorities.3.watchdog=false',
      `ports=[${rule}]`,
      'expect=[]',
    );
    assert.deepEqual(
      results.watchdogs.map(({ port }) => port),
      ['s2:p1'],
    );
  });

  it('is refused where no two polls are within its times', () => {
    assert.throws(
      () => fabricOf(STORM, polled(100, 'detection: 50us')),
      /polled every 100us, a watchdog cannot tell 50us/,
    );
  });

  it('that forwards turns a cycle without a loss, and a partner knows that it may', () => {
    const set = polled(10, 'detection: 100us, action: forward, chip: cisco-8000');
    const expect = 'expect=[{ metric: deadlocks, min: 0 }]';
    const results = runScenario('examples/ring-deadlock.yaml', set, expect);
    assert.equal(results.status, 'complete');
    assert.deepEqual(results.priorities[0]!.drops, {});
    assert.ok(results.watchdogs.length > 0);
  });
});
