import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Vitals } from '../../../services/coordinator/vitals.js';
import { Watchdog } from '../../../services/coordinator/watchdog.js';

const LIMIT_MS = 1000;

describe('the watchdog of a run', () => {
  /** Three services that reported at a time, each with what it waits for. */
  const vitals = (atMs: number, waits: readonly (readonly number[])[]): Vitals => {
    const made = new Vitals(waits.length);
    waits.forEach((waitsFor, service) => {
      made.note(service, { epoch: 1, executedPs: 5, waitsFor: [...waitsFor] }, atMs);
    });
    return made;
  };
  const look = (
    watchdog: Watchdog,
    owing: readonly number[],
    seen: Vitals,
    nowMs: number,
  ): unknown => {
    const { kind, ...rest } = watchdog.check(owing, (service) => seen.of(service), nowMs);
    return 'services' in rest ? [kind, ...rest.services] : kind;
  };

  it('lets a run be that waits for no service, however long', () => {
    const watchdog = new Watchdog(LIMIT_MS, 0);
    assert.equal(look(watchdog, [], vitals(0, [[]]), 9e9), 'well');
    assert.equal(look(watchdog, [0], vitals(0, [[]]), 9e9), 'well');
  });

  it('calls a round late, once', () => {
    const watchdog = new Watchdog(LIMIT_MS, 0);
    const seen = vitals(0, [[], []]);
    assert.equal(look(watchdog, [1], seen, 200), 'well');
    assert.deepEqual(look(watchdog, [1], seen, 300), ['late', 1]);
    assert.equal(look(watchdog, [1], seen, 400), 'well');
    watchdog.progress(500);
    assert.deepEqual(look(watchdog, [1], seen, 800), ['late', 1]);
  });

  it('names services that say nothing, before those that wait for them', () => {
    const watchdog = new Watchdog(LIMIT_MS, 0);
    const seen = vitals(900, [[1], [], [1]]);
    const silent = new Vitals(3);
    assert.deepEqual(look(watchdog, [0, 1, 2], silent, 1001), ['silent', 0, 1, 2]);
    seen.forget(1);
    assert.deepEqual(look(new Watchdog(LIMIT_MS, 0), [0, 1, 2], seen, 1001), ['silent', 1]);
  });

  it('names a service that waits for no other, and else all that wait for each other', () => {
    const stuck = vitals(900, [[1], [], [1]]);
    assert.deepEqual(look(new Watchdog(LIMIT_MS, 0), [0, 1, 2], stuck, 1001), ['silent', 1]);
    const cycle = vitals(900, [[1], [0], []]);
    assert.deepEqual(look(new Watchdog(LIMIT_MS, 0), [0, 1], cycle, 1001), ['silent', 0, 1]);
  });

  it('gives a run up that comes no further, though services were replaced', () => {
    const watchdog = new Watchdog(LIMIT_MS, 0);
    const seen = vitals(0, [[]]);
    const verdicts = [1001, 2002, 3003, 4004].map((nowMs) => look(watchdog, [0], seen, nowMs));
    assert.deepEqual(verdicts, [
      ['silent', 0],
      ['silent', 0],
      ['silent', 0],
      ['hopeless', 0],
    ]);
    watchdog.advanced();
    assert.deepEqual(look(watchdog, [0], seen, 5005), ['silent', 0]);
  });

  it('sees progress where a service has executed more in the same epoch', () => {
    const seen = new Vitals(1);
    assert.equal(seen.note(0, { epoch: 1, executedPs: 5, cpuMs: 0, messages: 0 }, 0), false);
    const later = { epoch: 1, executedPs: 5, cpuMs: 500, messages: 8, elapsedMs: 1000 };
    // However late the one before was received.
    assert.equal(seen.note(0, later, 1), false);
    assert.deepEqual([seen.of(0).cpuShare, seen.of(0).messageRate], [0.5, 8]);
    assert.equal(seen.note(0, { epoch: 1, executedPs: 6 }, 2000), true);
    assert.equal(seen.note(0, { epoch: 2, executedPs: 9 }, 3000), false);
  });
});
