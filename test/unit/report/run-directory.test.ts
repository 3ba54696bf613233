import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { factsOf } from '../../../services/report/page/page-of-run.js';
import type { RunRecord } from '../../../services/report/run-directory.js';
import { RunDirectory } from '../../../services/report/run-directory.js';
import { run, sourceOf } from '../../kit/emulate.js';

describe('a folder that two runs name', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  const out = join(folder, 'run');

  function recordOf(duration: string): RunRecord {
    const { loaded, fabric } = sourceOf(`
duration: ${duration}
fabric: { generator: pair }
load: [ { stream: { from: h1, to: h2 } } ]
`);
    return {
      results: run(fabric),
      expectations: [],
      document: loaded.document,
      series: { rows: [] },
      origin: { scenario: join(folder, 'file.yaml'), set: [], steps: [] },
      facts: factsOf(fabric),
      ...{ why: null, traces: null, capture: null, events: null, state: null, wallSeconds: 0 },
    };
  }

  it('has the results of the one that ends first; those of the other are beside it', () => {
    const [first, second] = [recordOf('10us'), recordOf('20us')];
    const [one, other] = [new RunDirectory(out, 'one'), new RunDirectory(out, 'other')];
    assert.equal(one.write(first), out);
    assert.throws(
      () => other.write(second),
      /another run wrote .*run while this one went on; the results of this one are in .*run-2$/,
    );
    const kept = readFileSync(join(out, 'digest'), 'utf8');
    assert.ok(kept.includes(first.results.digest));
    const beside = readFileSync(join(`${out}-2`, 'digest'), 'utf8');
    assert.ok(beside.includes(second.results.digest));
  });

  it('is replaced by a run that began when the results stood there', () => {
    const record = recordOf('30us');
    assert.equal(new RunDirectory(out, 'again').write(record), out);
    assert.ok(readFileSync(join(out, 'digest'), 'utf8').includes(record.results.digest));
  });
});
