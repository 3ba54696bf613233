/** A series at a wider interval is the one that would have been sampled at it. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Fabric } from '../../../services/fabric/assembly/fabric.js';
import { intervalAt, seriesIntervalOf } from '../../../services/fabric/assembly/series-interval.js';
import type { SeriesRow } from '../../../services/runtime/series-rows.js';
import { coarseRows } from '../../../services/runtime/series-rows.js';
import { Session } from '../../../services/runtime/session.js';
import { fabricOf } from '../../kit/emulate.js';

const SCENARIO = 'examples/incast-pfc.yaml';

function sampled(fabric: Fabric): readonly SeriesRow[] {
  const session = new Session(fabric, { check: false });
  while (session.advance(1000) === 'running');
  return [...session.series().rows];
}

describe('the series', () => {
  it('adds up what intervals counted and takes levels at their end', () => {
    const rows = [
      [10, 'a:p1', 3, 1, 100, 0, 5, 7, 8, 9],
      [10, 'b:p1', 3, 4, 400, 1, 0, 2, 2, 0],
      [20, 'a:p1', 3, 2, 200, 0, 6, 4, 3, 8],
      [30, 'a:p1', 3, 1, 50, 0, 0, 9, 9, 8],
    ];
    assert.deepEqual(coarseRows(rows, 20), [
      [20, 'a:p1', 3, 3, 300, 0, 11, 4, 3, 8],
      [20, 'b:p1', 3, 4, 400, 1, 0, 0, 0, 0],
      [40, 'a:p1', 3, 1, 50, 0, 0, 0, 0, 8],
    ]);
    assert.deepEqual(coarseRows(coarseRows(rows, 20), 40), coarseRows(rows, 40));
  });

  it('that is automatic has as many samples as fit, and what an exact interval gives', () => {
    const fabric = fabricOf(SCENARIO, 'observe.series=auto', 'expect=[]');
    const rows = sampled(fabric);
    const times = [...new Set(rows.map(([timePs]) => timePs as number))];
    const { firstPs } = seriesIntervalOf(fabric)!;
    const intervalPs = intervalAt(seriesIntervalOf(fabric)!, times.at(-1)!);
    assert.ok(intervalPs > 2 * firstPs);
    assert.ok(times.length > 128 - 20 && times.length <= 257, `${times.length} samples`);
    const exact = fabricOf(SCENARIO, `observe.series=${intervalPs / 1000}ns`, 'expect=[]');
    // What was transmitted, dropped and paused; an exact series ends with the last event.
    const counted = (all: typeof rows): (number | string)[][] =>
      all
        .filter((row) => row.slice(3, 7).some((value) => value !== 0))
        .map((row) => row.slice(0, 7));
    const known = new Set(counted(sampled(exact)).map(String));
    const missing = counted(rows).filter((row) => !known.has(String(row)));
    assert.ok(missing.every(([timePs]) => timePs === times.at(-1)));
  });

  it('of a run with a duration begins with the interval that it keeps', () => {
    const fabric = fabricOf('examples/pair-line-rate.yaml', 'observe.series=auto');
    const { firstPs, most } = seriesIntervalOf(fabric)!;
    assert.equal(most, null);
    assert.ok(fabric.scenario.durationPs! / firstPs <= 256);
  });
});
