import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { METRICS } from '../../../services/fabric/scenario/metrics.js';
import { columnOf, type Measure, publishedKey } from '../../../services/mechanisms/measure.js';
import { FLOW_MEASURES } from '../../../services/measures/flow-measures.js';
import { PORT_MEASURES } from '../../../services/measures/port-measures.js';
import { COMPARED, SWEPT } from '../../../services/measures/run-totals.js';
import { evaluateExpectations } from '../../../services/report/expectations.js';
import { FLOW_FIGURES, PORT_FIGURES } from '../../../services/report/page/figures.js';
import { summaryJsonSchema } from '../../../services/report/summary/summary-schema.js';
import { TABLES } from '../../../services/report/tables/columns.js';
import { describeInstruments } from '../../../services/telemetry/metrics/instruments.js';
import { runScenario } from '../../kit/emulate.js';

const OWNERS: Readonly<Record<string, Readonly<Record<string, Measure<never>>>>> = {
  ports: PORT_MEASURES,
  flows: FLOW_MEASURES,
};

describe('a measure', () => {
  const instruments = new Set(describeInstruments().map(({ name }) => name));
  const schema = JSON.stringify(summaryJsonSchema());
  const figures = [...PORT_FIGURES, ...FLOW_FIGURES];
  for (const [table, measures] of Object.entries(OWNERS)) {
    const columns = TABLES.find(({ name }) => name === table)!.columns;
    for (const [key, measure] of Object.entries(measures)) {
      it(`is where it asks to be: ${key} of ${table}`, () => {
        const { meaning, unit } = measure;
        const column = columns.find(({ name }) => name === columnOf(key, measure));
        assert.deepEqual([column?.unit, column?.meaning], [unit, meaning]);
        const { expected, monitored, compared, swept, summarised, onPage } = measure;
        if (expected) assert.equal(METRICS[expected[0]]?.meaning, expected[1]);
        if (monitored) {
          const name = `selvage_${monitored.name.replaceAll('.', '_')}`;
          assert.ok(instruments.has(monitored.kind === 'counter' ? `${name}_total` : name));
        }
        if (compared) assert.ok(COMPARED.some((total) => total.key === key));
        if (swept) assert.ok(SWEPT.some((total) => total.key === key));
        if (summarised)
          assert.ok(schema.includes(`"${publishedKey(key)}":{"description":"${meaning}"`));
        if (onPage) assert.ok(figures.some(({ by }) => by === (onPage.by ?? key)));
      });
    }
  }
});

it('the mean of pauses is of the priority and port whose pauses are longest', () => {
  const results = runScenario(`
fabric: { generator: star, hosts: 3 }
priorities: { 3: pfc }
switches: { buffer: { size: 500KB } }
load:
  - stream: { from: h1, to: h3 }
    bytes: 4MB
    priority: 3
  - stream: { from: h2, to: h3 }
    bytes: 4MB
    priority: 3
`);
  const rows = results.ports.flatMap(({ priorities }) => priorities);
  const paused = rows.filter(({ blockedCount }) => blockedCount > 0);
  assert.ok(paused.length >= 2);
  for (const row of paused) assert.equal(row.pauseMeanPs, row.blockedPs / row.blockedCount);
  for (const row of rows) if (row.blockedCount === 0) assert.equal(row.pauseMeanPs, 0);
  const longest = Math.max(...paused.map(({ pauseMeanPs }) => pauseMeanPs));
  const none = { load: null, flow: null, device: null, port: null, min: null, equals: null };
  const [found] = evaluateExpectations(
    [{ ...none, metric: 'pause.mean', priority: 3, max: longest }],
    results,
  );
  assert.deepEqual([found!.actual, found!.ok], [longest, true]);
});
