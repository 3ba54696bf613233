import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EXCHANGE_TABLE } from '../../services/mechanisms/credit/exchange-table.js';
import { Session } from '../../services/runtime/session.js';
import {
  countOf,
  type Exchange,
  exchangesOf,
  stepSpans,
  unitsOf,
} from '../../services/mechanisms/credit/exchanges.js';
import { planEventTraces } from '../../services/telemetry/otlp/plan-event-traces.js';
import { eventsOf, type TimedEvent } from '../../services/telemetry/events/event-table.js';
import { fabricOf } from '../kit/emulate.js';
import { inThreads } from '../kit/threads.js';

const SCENARIO = `duration: 200us
fabric: { generator: star, hosts: 3, hostLink: { rate: 10G, length: 100m } }
priorities: { 3: credit }
credit: { request: ahead, unsolicited: false }
load:
  - { name: some, incast: { from: [h2, h3], to: h1 }, bytes: 20KB, transport: raw, frame: 1000, priority: 3 }
observe: { events: steps }
`;

function events(scenario: string): TimedEvent[] {
  const fabric = fabricOf(scenario);
  const session = new Session(fabric, { check: true });
  while (session.advance(1000) === 'running');
  return eventsOf(fabric, session.events()!, 0);
}

function exchanges(scenario: string): Exchange[] {
  return exchangesOf(events(scenario));
}

describe('the six steps of credit exchange', () => {
  const recorded = events(SCENARIO);
  const all = exchangesOf(recorded);
  const first = all.find(({ sender }) => sender === 'h2:p1')!;

  it('are recorded in their order at both ends of a link', () => {
    assert.equal(first.receiver, 's1:p2');
    const order = [...new Set(first.steps.map(({ step }) => step))];
    assert.deepEqual([...order].sort(), [
      ...['accounted', 'agreed', 'granted', 'received', 'requested', 'transmitted'],
    ]);
    assert.ok(order.indexOf('transmitted') > order.indexOf('granted'));
    assert.ok(order.indexOf('received') > order.indexOf('transmitted'));
    assert.ok(order.indexOf('accounted') > order.indexOf('received'));
    assert.equal(countOf(first, 'agreed'), 1);
    // Twenty frames of 1,000 octets and one that is shorter, in units of 64.
    const units = unitsOf(first, 'transmitted');
    assert.ok(units >= 20 * 16, String(units));
    assert.equal(unitsOf(first, 'received'), units);
    assert.equal(unitsOf(first, 'accounted'), units);
  });

  it('are a table with a row per link, priority and channel', () => {
    const columns = EXCHANGE_TABLE.columns.map(({ name }) => name);
    const rows = [...EXCHANGE_TABLE.lines(recorded)];
    assert.equal(rows.length, all.length);
    const row = rows.find(([sender]) => sender === 'h2:p1')!;
    const value = (name: string): number => Number(row[columns.indexOf(name)]);
    assert.equal(value('transmitted'), countOf(first, 'transmitted'));
    assert.equal(value('requested'), countOf(first, 'requested'));
    // An answer takes more than the 1 us there and back.
    assert.ok(value('mean_answer_ps') > 0.5e6 && value('longest_answer_ps') < 20e6);
  });

  it('are spans: from a request to its grant, from the start of a frame to its receipt', () => {
    const ofFirst = recorded.filter(({ port, partner }) => port === 'h2:p1' || partner === 'h2:p1');
    const spans = planEventTraces('d', ofFirst, 200e6).filter(
      ({ attributes }) => attributes['selvage.sender'] === 'h2:p1',
    );
    const [whole, ...steps] = spans;
    assert.equal(whole!.parent, null);
    assert.ok(steps.every(({ parent, trace }) => parent === whole!.id && trace === whole!.trace));
    assert.equal(new Set(spans.map(({ id }) => id)).size, spans.length);
    const frames = stepSpans(first).filter(({ step }) => step === 'transmitted');
    assert.equal(frames.length, countOf(first, 'transmitted'));
    // On the wire, 100 m away, and through the pipeline.
    for (const { fromPs, untilPs } of frames.slice(0, -1)) {
      assert.ok(Math.abs(untilPs! - fromPs - (800 * 1008 + 500_000 + 500_000)) < 100_000);
    }
    const stored = steps.filter(({ name }) => name === 'received');
    assert.ok(stored.every(({ device }) => device === 's1'));
  });

  it('are left out where they are not requested, and alike in threads', async () => {
    assert.deepEqual(exchanges(SCENARIO.replace('steps', 'true')), []);
    const fabric = fabricOf(SCENARIO);
    const measured = await inThreads(fabric, 2).run();
    assert.deepEqual(exchangesOf(eventsOf(fabric, measured.events!, 0)), all);
  });
});
