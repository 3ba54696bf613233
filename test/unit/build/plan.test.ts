import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../../kit/emulate.js';

const { planProcesses } = (await import(join(ROOT, 'test/plan.mjs'))) as {
  readonly planProcesses: (
    paths: readonly string[],
    times: Readonly<Record<string, number>>,
  ) => { computing: string[][]; waiting: string[][] };
};

const times = JSON.parse(readFileSync(join(ROOT, 'test/times.json'), 'utf8')) as Record<
  string,
  number
>;
const paths = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && !path.includes('node_modules'))
  .map((path) => path.replace(/\.ts$/, '.js'));

describe('processes of tests', () => {
  it('run each file that is asked for, alone or with all others, once', () => {
    for (const asked of [paths, ...paths.map((path) => [path])]) {
      const { computing, waiting } = planProcesses(asked, times);
      const lists = [...computing, ...waiting];
      assert.deepEqual(lists.flat().sort(), [...asked].sort());
      assert.ok(lists.every((list) => list.length > 0));
    }
  });
});
