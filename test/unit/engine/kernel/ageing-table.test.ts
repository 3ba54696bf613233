import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AgeingTable } from '../../../../services/engine/kernel/ageing-table.js';
import { restore, save } from '../../../../services/engine/kernel/snapshot.js';
import { fc } from '../../../kit/properties.js';

type Step = readonly ['see' | 'forget', number];

const steps = fc.array(
  fc.tuple(fc.constantFrom('see' as const, 'see' as const, 'forget' as const), fc.nat(12)),
  { maxLength: 80 },
);

/** The same in a plain map, whose order is that of the last sight. */
function follow(
  table: AgeingTable,
  model: Map<number, number>,
  chosen: readonly Step[],
  from = 0,
): void {
  chosen.forEach(([what, key], i) => {
    const now = from + i;
    const slot = table.find(key);
    assert.equal(slot >= 0, model.has(key));
    if (what === 'forget') {
      if (slot >= 0) table.remove(slot);
      model.delete(key);
    } else if (slot >= 0) {
      table.touch(slot, now);
      model.delete(key);
      model.set(key, now);
    } else if (table.add(key, now) >= 0) model.set(key, now);
    else assert.equal(model.size, table.capacity);
    assert.deepEqual(contents(table), [...model]);
  });
}

function contents(table: AgeingTable): [number, number][] {
  const found: [number, number][] = [];
  for (let slot = table.oldest; slot >= 0; slot = table.after(slot)) {
    found.push([table.keyOf(slot), table.seenAt(slot)]);
  }
  assert.equal(found.length, table.count);
  return found;
}

describe('an ageing table', () => {
  it('keeps its entries in the order in which they were last seen, up to its capacity', () => {
    const property = fc.property(fc.integer({ min: 1, max: 9 }), steps, (capacity, chosen) => {
      follow(new AgeingTable(capacity), new Map(), chosen);
    });
    fc.assert(property, { seed: 3, numRuns: 300 });
  });

  it('is saved and restored as it is', () => {
    const property = fc.property(steps, steps, (before, after) => {
      const first = new AgeingTable(5);
      const model = new Map<number, number>();
      follow(first, model, before);
      const second = new AgeingTable(5);
      restore(second, save(first));
      follow(second, model, after, before.length);
    });
    fc.assert(property, { seed: 4, numRuns: 100 });
  });

  it('keeps what it has where there is room for less, and takes no more until it has left', () => {
    const table = new AgeingTable(4);
    for (const key of [1, 2, 3]) table.add(key, key);
    table.limit(2);
    assert.deepEqual([table.count, table.isFull, table.add(4, 4)], [3, true, -1]);
    table.remove(table.oldest);
    assert.equal(table.add(4, 4), -1);
    table.remove(table.oldest);
    assert.ok(table.add(4, 4) >= 0);
  });
});
