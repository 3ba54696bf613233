import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Tables } from '../../../../services/engine/kernel/tables.js';
import { makeCounters } from '../../../../services/engine/port/counters.js';
import type { PortRow, Priority } from '../../../../services/engine/units/indices.js';

function counters(): ReturnType<typeof makeCounters> {
  return makeCounters(new Tables({ device: 2, port: 4 }));
}

const port = 3 as PortRow;
const priority = 6 as Priority;

describe('the counters of ports', () => {
  it('keep place, priority and time of the first loss, and count the others', () => {
    const own = counters();
    own.lost(1, port, priority, 100);
    own.lost(1, 2, 5, 200);
    own.lost(1, 1, 4, 300);
    assert.equal(own.firstLoss(0), null);
    assert.deepEqual(own.firstLoss(1), { timePs: 100, port, priority, count: 3 });
  });

  it('refuse a loss before the first one', () => {
    const own = counters();
    own.lost(0, port, priority, 100);
    assert.throws(() => {
      own.lost(0, port, priority, 99);
    }, /first-loss-is-first/);
  });
});
