import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Field } from '../../services/engine/kernel/fields.js';
import { SHAPE } from '../../services/engine/kernel/kinds.js';
import type { Difference, Recurrence } from '../../services/engine/recurrence/compare.js';
import { UNDECLARED } from '../../services/engine/recurrence/objects.js';
import { fabricOf, ROOT } from '../kit/emulate.js';
import { assertAsExecuted, Compared } from '../kit/recurrences.js';

const ring = (bytes: string, transport: string, more = ''): string => `
fabric: { generator: fat-tree, k: 4, hostLink: { rate: 400G, length: 5m },
  fabricLink: { rate: 400G, length: 20m } }
switches: { pipeline: 500ns, buffer: { size: 16MB } }
priorities:
  3: { flowControl: pfc, responseDelay: 200ns,
    ecn: { min: 400KB, max: 1600KB, probability: 20% } }
load:
  - name: gradients
    all-reduce: { algorithm: ring, hosts: all, chunks: 1 }
    bytes: ${bytes}
    priority: 3
    transport: { reliable: ${transport} }
${more}
`;

const INCAST = `
fabric: { generator: star, hosts: 4, hostLink: { rate: 400G, length: 5m } }
switches: { pipeline: 500ns, buffer: { size: 16MB } }
priorities: { 3: { flowControl: pfc, responseDelay: 200ns, xoff: 98KB } }
load:
  - name: incast
    incast: { to: h1, from: h2..h4 }
    bytes: 60MB
    priority: 3
    transport: { reliable: { mtu: 4096 } }
`;

/** The first state that comes back, and may so often. */
function repeated(engine: Compared, fromPs: number, frames: number): Recurrence {
  let nearest: Difference['by'] | null = null;
  for (const met of engine.repeats(fromPs, frames)) {
    if (met.isEqual && met.most.periods > 1) return met;
    nearest = met.isEqual ? met.most.by : met.by;
  }
  assert.fail(`nothing comes back: ${JSON.stringify(nearest)}`);
}

describe('a state that comes back', () => {
  for (const [what, text] of [
    ['a ring of messages of 1 MB', ring('16MB', '{ mtu: 4096 }')],
    ['a ring of messages of 3 MB', ring('48MB', '{ mtu: 4096 }')],
    ['short frames, and an answer to two', ring('24MB', '{ mtu: 1024, ackEvery: 2 }')],
    ['selective answers', ring('24MB', '{ mtu: 4096 }').replace('reliable', 'selective')],
    ['DCQCN without marks', ring('24MB', '{ mtu: 4096 }', '    congestion: dcqcn')],
  ] as const) {
    it(`goes on as if it were executed: ${what}`, () => {
      const fabric = fabricOf(text);
      const engine = new Compared(fabric);
      const met = repeated(engine, 10e6, 100);
      assert.ok(met.most.periods > 10, `${met.most.periods} periods`);
      assertAsExecuted(fabric, engine, met, met.most.periods);
    });
  }

  it('goes on as if it were executed where queues fill and senders are paused', () => {
    const fabric = fabricOf(INCAST);
    const engine = new Compared(fabric);
    const met = repeated(engine, 300e6, 8000);
    assertAsExecuted(fabric, engine, met, met.most.periods);
  });

  it('is another state one period behind the bound', () => {
    const fabric = fabricOf(ring('16MB', '{ mtu: 4096 }'));
    const engine = new Compared(fabric);
    const met = repeated(engine, 10e6, 100);
    const { by, periods } = met.most;
    assert.equal(by?.kind, 'limit');
    assert.throws(() => {
      assertAsExecuted(fabric, engine, met, periods + 1);
    });
  });
});

/** Packets are timed one by one: the number of one stands still for a round trip. */
const SWIFT = `
fabric: { generator: star, hosts: 4, hostLink: { rate: 400G, length: 500m } }
switches: { pipeline: 500ns, buffer: { size: 16MB } }
priorities: { 3: { flowControl: pfc, responseDelay: 200ns } }
swift: { initial: 300, most: 300 }
load:
  - name: gradients
    all-reduce: { algorithm: ring, hosts: all, chunks: 1 }
    bytes: 64MB
    priority: 3
    transport: { reliable: { mtu: 4096 } }
    congestion: swift
`;
const SWIFT_FROM_PS = 60e6;

describe('a packet that is timed', () => {
  it('is another one a frame later, though its number is the same', () => {
    const differences = [...new Compared(fabricOf(SWIFT)).repeats(SWIFT_FROM_PS, 200)];
    assert.ok(differences.length > 5 && differences.every(({ isEqual }) => !isEqual));
    const stands = differences.filter((met) => !met.isEqual && met.by.before === met.by.after);
    assert.ok(stands.length > 0);
    for (const met of stands) assert.equal('by' in met && met.by.field, 'timed');
  });

  it('would end a run late if its number were a shape', () => {
    const fabric = fabricOf(SWIFT);
    const engine = new Compared(fabric);
    const fields = engine.engine.shared.tables
      .layout()
      .flatMap((column) => column.fields)
      .filter(({ name }) => ['timed', 'timedAt', 'measuredTo'].includes(name));
    assert.equal(fields.length, 3);
    withKinds(fields, () => {
      const met = repeated(engine, SWIFT_FROM_PS, 200);
      assert.throws(() => {
        assertAsExecuted(fabric, engine, met, met.most.periods);
      });
    });
  });
});

/** Has these fields a shape meanwhile. */
function withKinds(fields: readonly Field[], run: () => void): void {
  const kinds = fields.map(({ kind }) => kind);
  const set = (field: Field, kind: Field['kind']): unknown => Object.assign(field, { kind });
  fields.forEach((field) => set(field, SHAPE));
  try {
    run();
  } finally {
    fields.forEach((field, i) => set(field, kinds[i]!));
  }
}

describe('state that checkpoints save', () => {
  it('has a kind, number by number, in every example', () => {
    const undeclared = new Set<string>();
    for (const name of readdirSync(join(ROOT, 'examples'))) {
      if (!name.endsWith('.yaml')) continue;
      const engine = new Compared(fabricOf(join('examples', name)));
      engine.run(5e6);
      for (const label of engine.imprint(5e6).labels) {
        if (label.kind === UNDECLARED) undeclared.add(label.name.replace(/\[\d+\]/g, ''));
      }
    }
    assert.deepEqual([...undeclared], []);
  });
});
