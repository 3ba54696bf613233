/** Credit that ages: at which moment, how much, and where results, events and spans show it. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EXCHANGE_TABLE } from '../../services/mechanisms/credit/exchange-table.js';
import { exchangesOf, stepSpans, unitsOf } from '../../services/mechanisms/credit/exchanges.js';
import type { CreditResult } from '../../services/mechanisms/credit/results.js';
import { exchangeTraces } from '../../services/mechanisms/credit/traces.js';
import { cardsOf } from '../../services/report/cards.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { eventsOf, type TimedEvent } from '../../services/telemetry/events/event-table.js';
import { fabricOf } from '../kit/emulate.js';

const AGE_PS = 20e6;
const KEEP_UNITS = 24;

interface Ran {
  readonly results: RunResults;
  readonly events: readonly TimedEvent[];
}

function ran(...set: string[]): Ran {
  const fabric = fabricOf('examples/credit-ageing.yaml', ...set);
  const session = new Session(fabric, { check: true });
  while (session.advance(1000) === 'running');
  const results = session.results('complete');
  assert.equal(results.failure, null);
  return { results, events: eventsOf(fabric, session.events()!, 0) };
}

function accountAt({ results }: Ran, port: string, channel: number): CreditResult {
  return results.credits.find((own) => own.port === port && own.channel === channel)!;
}

describe('credit that ages', () => {
  const lossy = ran();
  const sound = ran('faults=[]');

  it('is recovered to the unit, whether reports are lost or not', () => {
    for (const run of [lossy, sound]) {
      const [sender, receiver] = [accountAt(run, 'h3:p1', 2), accountAt(run, 's1:p3', 2)];
      assert.ok(sender.aged > 1000);
      assert.equal(receiver.recovered, sender.aged);
      assert.equal(sender.available, KEEP_UNITS);
      const { granted, spent, available, aged, revoked } = sender;
      assert.equal(granted, spent + available + aged + revoked);
      assert.deepEqual(run.results.lostCredits, []);
    }
  });

  it('does so when it has been idle for its age, and at once where the report arrives', () => {
    const { events } = sound;
    const blue = events.filter(({ detail }) => detail === 2);
    const aged = blue.filter(({ event, port }) => event === 'aged' && port === 'h3:p1');
    assert.ok(aged.length >= 3);
    const sentBefore = (atPs: number): number =>
      blue.findLast(
        (own) => own.event === 'transmitted' && own.port === 'h3:p1' && own.timePs < atPs,
      )!.timePs;
    for (const { timePs, units } of aged) {
      // What is granted later ages when it comes: nothing is used meanwhile.
      assert.ok(timePs - sentBefore(timePs) >= AGE_PS);
      const back = blue.find(
        (own) => own.event === 'recovered' && own.port === 's1:p3' && own.timePs >= timePs,
      )!;
      assert.equal(back.units, units);
      assert.ok(back.timePs - timePs < 1e6, `${back.timePs - timePs} ps`);
    }
    const [{ timePs }] = aged as [TimedEvent];
    assert.equal(timePs, sentBefore(timePs) + AGE_PS);
  });

  it('is in the events, in the table of exchanges and in spans', () => {
    const { events } = lossy;
    const blue = exchangesOf(events).find((own) => own.sender === 'h3:p1' && own.channel === 2)!;
    assert.equal(unitsOf(blue, 'aged'), accountAt(lossy, 'h3:p1', 2).aged);
    assert.equal(unitsOf(blue, 'recovered'), accountAt(lossy, 's1:p3', 2).recovered);
    const columns = EXCHANGE_TABLE.columns.map(({ name }) => name);
    for (const name of ['aged_units', 'revoked_units', 'recovered_units']) {
      assert.ok(columns.includes(name), name);
    }
    const spans = stepSpans(blue).filter(({ step }) => step === 'aged');
    assert.ok(spans.every(({ fromPs, untilPs }) => untilPs !== null && untilPs > fromPs));
    const trace = exchangeTraces(events).find(
      ({ key }) => key.startsWith('h3:p1') && key.includes('channel 2'),
    )!;
    const names = new Set(trace.steps.map(({ name }) => name));
    assert.ok(names.has('aged') && names.has('recovered'));
    const { device } = trace.steps.find(({ name }) => name === 'recovered')!;
    assert.equal(device, 's1');
  });

  it('is on a card of the summary and of the page', () => {
    const title = 'Credit aged, revoked and recovered, in units';
    const card = cardsOf(lossy.results).find((own) => own.title === title)!;
    assert.deepEqual(card.rows![0], ['h3:p1', '3', '2', '1,728', '0', '0', '1', '0']);
    assert.ok(card.rows!.every((row) => row.slice(3, 6).some((units) => units !== '0')));
    const none = ran('credit.age=off', 'faults=[]', 'expect=[]');
    assert.equal(accountAt(none, 'h3:p1', 2).aged, 0);
    const others = cardsOf(none.results).find((own) => own.title === title)?.rows ?? [];
    assert.ok(others.every(([, , , aged]) => aged === '0'));
  });
});
