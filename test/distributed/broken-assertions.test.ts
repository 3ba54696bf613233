/** An assertion of the engine that fails, in each runner. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { EXIT } from '../../services/cli/exit.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { EngineCopy } from '../kit/engine-copy.js';

const DEFECT = {
  file: 'services/engine/buffer/shared-buffer.js',
  from: 'function release(port, group, stored) {',
  to: 'function release(port, group, stored) { stored += 9;',
};
const WHAT =
  'assertion buffer.release failed: an ingress buffer gives back more octets than it was charged';
const AT_PS = 1_387_520;

describe('an assertion that fails', () => {
  const copy = new EngineCopy(['services']);
  copy.spoil(DEFECT);
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  after(() => {
    copy.remove();
    rmSync(folder, { recursive: true });
  });

  const ran = (out: string, ...words: string[]): ReturnType<EngineCopy['run']> =>
    copy.run('programs/selvage.js', [
      ...['run', 'examples/incast-pfc.yaml', '--no-parquet', '--out', join(folder, out)],
      ...words,
    ]);

  const homes = { 'one process': [], threads: ['--threads', '2'] };
  for (const [home, words] of Object.entries(homes)) {
    it(`fails the run with its code, device and time, and exit code 3, in ${home}`, () => {
      const { status, stderr } = ran(home, ...words);
      assert.deepEqual([status, stderr], [EXIT.RUN_FAILED, '']);
      const text = readFileSync(join(folder, home, 'summary.json'), 'utf8');
      const { status: verdict, failure } = JSON.parse(text) as RunResults;
      assert.equal(verdict, 'failed');
      assert.deepEqual(failure, {
        reason: `${WHAT} (s1, at ${AT_PS} ps)`,
        timePs: AT_PS,
        device: 's1',
        port: '',
        priority: null,
      });
    });
  }

  const skip = isInstalled() ? false : 'no nats-server on the PATH';
  for (const threads of ['1', '2']) {
    it(`ends it with the same from its service of ${threads} threads`, { skip }, () => {
      const words = ['--services', '2', '--threads', threads];
      const { status, stderr } = ran(`services of ${threads}`, ...words);
      assert.equal(status, EXIT.RUN_FAILED);
      assert.match(stderr, /^the run failed: service [01]: /);
      assert.ok(stderr.endsWith(`: ${WHAT} (s1, at ${AT_PS} ps)\n`));
    });
  }
});
