/** The bench measures something: its cases run, and those that are compared carry the same. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { inProcess } from '../../bench/measure.js';
import { ROOT } from '../kit/emulate.js';

const SHORT_US = '100';

function hopsOf(...words: string[]): number {
  return inProcess(join(ROOT, 'dist/bench/case.js'), words)['hops']!;
}

describe('the bench', () => {
  const plain = hopsOf('engine', '4', SHORT_US);

  it('forwards the frames of the plain engine, observed, traced or without probes', () => {
    assert.ok(plain > 1000);
    for (const name of ['heard', 'silenced', 'tracing', 'episodes', 'metrics', 'capture']) {
      assert.equal(hopsOf(name, '4', SHORT_US), plain, name);
    }
  });

  it('has cases for other fabrics and mechanisms', () => {
    for (const name of ['yardstick', 'adapters', 'credit', 'linked']) {
      assert.ok(hopsOf(name, '4', SHORT_US) > 1000, name);
    }
    for (const mechanism of ['sfc', 'ci', 'qcn', 'dcqcn']) {
      assert.ok(hopsOf('idle', '4', SHORT_US, mechanism) > 1000, mechanism);
    }
    assert.ok(hopsOf('raw', '4', '50') > 1000);
  });
});
