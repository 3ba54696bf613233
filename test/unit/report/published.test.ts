/** What run directories publish: names of tables and columns, and `summary.json`. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnType, TABLES } from '../../../services/report/tables/columns.js';
import { evaluateExpectations } from '../../../services/report/expectations.js';
import { readSummary, summaryJson } from '../../../services/report/summary/summary-json.js';
import { SUMMARY_VERSION } from '../../../services/report/summary/summary-schema.js';
import { runScenario } from '../../kit/emulate.js';
import { assertSummary, summaryErrors } from '../../kit/summary-schema.js';

/** Words that docs/glossary.md replaces, and units of the wire. */
const RETIRED = /octet|held|stopped|neighbour|cable|telling|told|asked|memory|wall/i;
/** Words of SQL that need quotes as a name. */
const RESERVED = new Set(['order', 'group', 'table', 'from', 'to', 'end', 'column', 'limit']);

const SCENARIO = `
fabric: { generator: star, hosts: 4, link: { rate: 10G, length: 10m } }
priorities: { 3: pfc }
load:
  - { name: burst, incast: { to: h1, from: [h2, h3] }, bytes: 50KB, priority: 3 }
  - { name: alone, incast: { to: h4, from: [h2] }, bytes: 20KB, priority: 3 }
`;

describe('tables', () => {
  it('have plain names, each once, in words of the field', () => {
    const names = TABLES.map(({ name }) => name);
    assert.deepEqual(names, [...new Set(names)]);
    for (const { name, columns } of TABLES) {
      const own = columns.map((column) => column.name);
      assert.deepEqual(own, [...new Set(own)], name);
      for (const plain of [name, ...own]) {
        assert.match(plain, /^[a-z][a-z0-9_]*$/, name);
        assert.doesNotMatch(plain, RETIRED, name);
        assert.ok(!RESERVED.has(plain), `${name}.${plain}`);
      }
    }
  });

  it('say the unit and the meaning of every column, and end a name with its unit', () => {
    for (const { name, columns } of TABLES) {
      for (const { name: column, type, unit, meaning } of columns) {
        const what = `${name}.${column}`;
        assert.equal(unit === '', type === 'VARCHAR', what);
        assert.match(meaning, /^([A-Z`0-9]|cpQSp).*\.$/s, what);
        assert.equal(column.endsWith('_ps'), unit === 'ps', what);
        assert.equal(/(^|_)bytes$/.test(column), unit === 'bytes', what);
        assert.equal(column.endsWith('_bps'), unit === 'bit/s', what);
        assert.equal(columnType(name, column), type);
      }
    }
    assert.equal(columnType('flows', 'of_another_version'), 'VARCHAR');
  });
});

describe('summary.json', () => {
  const results = runScenario(SCENARIO);
  const expectations = evaluateExpectations([], results);
  const summary = summaryJson({ results, expectations, why: null, wallSeconds: 1 }) as Record<
    string,
    unknown
  >;

  it('is what its schema says, and begins with its version', () => {
    assertSummary(summary);
    assert.equal(Object.keys(summary)[0], 'schemaVersion');
    assert.doesNotMatch(JSON.stringify(Object.keys(summary)), RETIRED);
  });

  it('differs from the schema with a key more, and with one less', () => {
    assert.equal(summaryErrors({ ...summary, other: 1 }).length, 1);
    const { digest: _, ...without } = summary;
    assert.equal(summaryErrors(without).length, 1);
  });

  it('has results of each load', () => {
    const loads = summary['loads'] as {
      load: string;
      payloadBytes: number;
      completionPs: { max: number };
    }[];
    assert.deepEqual(
      loads.map(({ load, payloadBytes }) => [load, payloadBytes]),
      [
        ['burst', 100_000],
        ['alone', 20_000],
      ],
    );
    for (const { load, completionPs } of loads) {
      const own = results.flows.filter((flow) => flow.load === load);
      assert.equal(completionPs.max, Math.max(...own.map((flow) => flow.completionPs!)));
    }
  });

  it('is read as it was written, but for what other files have', () => {
    const read = readSummary('summary.json', JSON.stringify(summary));
    for (const key of [
      'priorities',
      'margins',
      'buffers',
      'standingDeadlocks',
      'digest',
    ] as const) {
      const kept = JSON.parse(JSON.stringify(results[key])) as unknown;
      assert.deepEqual(read[key], kept, key);
    }
  });

  it('of another version is refused, with the remedy', () => {
    for (const schemaVersion of [undefined, SUMMARY_VERSION + 1, '1']) {
      const text = JSON.stringify({ ...summary, schemaVersion });
      assert.throws(
        () => readSummary('run/summary.json', text),
        /run\/summary\.json has schemaVersion .*: run its scenario again/,
      );
    }
  });
});
