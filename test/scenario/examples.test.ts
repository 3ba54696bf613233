import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { EXIT, exitCodeOf } from '../../services/cli/exit.js';
import { evaluateExpectations } from '../../services/report/expectations.js';
import { intervalAt } from '../../services/fabric/assembly/series-interval.js';
import { factsOf } from '../../services/report/page/page-of-run.js';
import { summaryJson } from '../../services/report/summary/summary-json.js';
import { seriesOf } from '../../services/report/page/page-series.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import type { SeriesRow } from '../../services/runtime/series-rows.js';
import { Session } from '../../services/runtime/session.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { ROOT } from '../kit/emulate.js';
import { assertGolden, goldenFabric, recordedBy, resumedRun } from '../kit/golden.js';
import { isLong } from '../kit/long-suite.js';
import { assertSummary } from '../kit/summary-schema.js';

const examples = readdirSync(join(ROOT, 'examples')).filter((name) => name.endsWith('.yaml'));

/** Where a scenario samples nothing by itself. */
const SERIES = 'observe.series=7us';

function sampled(name: string): Fabric {
  const fabric = goldenFabric(name);
  return fabric.scenario.observe.series === null ? goldenFabric(name, SERIES) : fabric;
}

/** One of so many is resumed in each run, whole: `determinism` restores all, from other places. */
const RESUMED = 4;

describe('examples', () => {
  examples.forEach((name, place) => {
    const isResumed = isLong || place % RESUMED === 0;
    const how = isResumed ? 'resumed half way, too, ' : '';
    it(`${name} completes, leaves its fingerprints, ${how}and a summary by its schema, and what it expects holds`, () => {
      const fabric = sampled(name);
      const session = new Session(fabric, { check: true });
      while (session.advance(1000) === 'running');
      const recorded = recordedBy(session);
      const { results } = recorded;
      const expectations = evaluateExpectations(fabric.scenario.expect, results);
      assert.equal(exitCodeOf(results, expectations), EXIT.COMPLETE, results.status);
      assert.ok(expectations.length > 0);
      assert.deepEqual(
        expectations.filter(({ ok }) => !ok),
        [],
      );
      noPortIsPlottedAboveItsRate(fabric, results, session.series().rows);
      assertGolden(name, recorded);
      if (isResumed) assertGolden(name, resumedRun(fabric, recorded));
      assertSummary(summaryJson({ results, expectations, why: null, wallSeconds: 0.5 }));
    });
  });
});

/** Of one priority, and of all of a port together. */
function noPortIsPlottedAboveItsRate(
  fabric: Fabric,
  { ports, virtualPs }: RunResults,
  rows: Iterable<SeriesRow>,
): void {
  const { series } = factsOf(fabric);
  const { plots, heat } = seriesOf(rows, series && intervalAt(series, virtualPs), virtualPs, ports);
  assert.ok(heat !== null && plots.length > 0);
  const spans = heat.timesPs.length;
  assert.ok(heat.timesPs[spans - 1]! <= virtualPs);
  ports.forEach(({ port, rateBps }, place) => {
    const own = plots.filter((plot) => plot.port === place);
    for (let span = 0; span < spans; span++) {
      const sum = own.reduce((total, plot) => total + (plot.rateBps?.[span] ?? 0), 0);
      // Each priority is rounded to a whole bit per second.
      assert.ok(sum <= rateBps + own.length, `${port}: ${sum} of ${rateBps} b/s in span ${span}`);
    }
    for (const { blocked } of own) assert.ok((blocked ?? []).every((share) => share <= 1));
  });
}
