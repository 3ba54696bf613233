/**
 * One digest under every supported line of Node: the newest here, all of them in the long suite.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { engineFlags } from '../../services/runtime/engine-flags.js';
import { isInstalled } from '../../services/cli/fleet/own-broker.js';
import { ROOT } from '../kit/emulate.js';
import { isLong, skipUnlessLong } from '../kit/long-suite.js';
import { LINES } from './lines.js';

const SELVAGE = 'dist/programs/selvage.js';
const NO_BROKER = isInstalled() ? false : 'no nats-server on the PATH';

/** What crosses most often, and all faults; the long suite takes all examples. */
const IN_THREADS = ['credit-tenants', 'chaos'];
const IN_SERVICES = ['chaos'];

/** In one thread: every fourth, and in the long suite all. */
const ALONE = readdirSync(join(ROOT, 'examples'))
  .filter((name) => name.endsWith('.yaml'))
  .filter((_, i) => isLong || i % 4 === 0);

const { NODE_TEST_CONTEXT: _, ...environment } = process.env;

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(binary: string, ...words: string[]): Outcome {
  const options = { cwd: ROOT, env: environment, encoding: 'utf8', maxBuffer: 1 << 28 } as const;
  return spawnSync(binary, words, options);
}

function assertPasses({ status, stdout, stderr }: Outcome): void {
  assert.equal(status, 0, `${stdout.slice(-8000)}\n${stderr.slice(-2000)}`);
}

for (const { name, binary, skip } of LINES) {
  describe(name, { skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-nodes-'));
    after(() => {
      rmSync(folder, { recursive: true });
    });

    it('has the flags that are set there, and no others that we request for', () => {
      const [v8, listed] = [
        run(binary, '-p', 'process.versions.v8').stdout.trim(),
        run(binary, '--v8-options').stdout,
      ];
      const known = engineFlags(v8, () => assert.fail(`${name}: V8 ${v8} is not known`));
      assert.deepEqual(
        known,
        engineFlags('0.0', () => listed),
      );
    });

    it('prints nothing but the run', () => {
      const words = ['run', 'examples/pair-line-rate.yaml', '--quiet', '--out', join(folder, 'a')];
      const { status, stderr } = run(binary, SELVAGE, ...words);
      assert.equal(stderr, '');
      assert.equal(status, 0);
    });

    it('leaves the golden fingerprints of examples in one thread', () => {
      assertPasses(run(binary, 'dist/test/golden/main.js', ...ALONE));
    });

    it('leaves them in threads', () => {
      assertPasses(
        run(binary, '--test', ...only('one thread: NAMES', IN_THREADS), distributed('threads')),
      );
    });

    it('leaves them in services', { skip: NO_BROKER }, () => {
      assertPasses(
        run(binary, '--test', ...only('NAMES in processes', IN_SERVICES), distributed('processes')),
      );
    });

    it('passes the fast tests', { skip: skipUnlessLong }, () => {
      assertPasses(run(binary, 'test/run.mjs', '--fast'));
    });
  });
}

function distributed(name: string): string {
  return `dist/test/distributed/${name}.test.js`;
}

/** Names of tests: all of them in the long suite. */
function only(pattern: string, examples: readonly string[]): string[] {
  if (isLong) return [];
  const names = `(${examples.join('|')})\\.yaml`;
  return ['--test-name-pattern', pattern.replace('NAMES', names)];
}
