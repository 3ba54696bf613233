import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

const MAIN = join(ROOT, 'dist/programs/selvage.js');

const SCENARIO = `selvage: 1
duration: 100us
fabric: { generator: pair }
load: [ { stream: { from: h1, to: h2 } } ]
`;

describe('a scenario that comes from a pipe', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-test-'));
  after(() => {
    rmSync(folder, { recursive: true });
  });
  writeFileSync(join(folder, 'file.yaml'), SCENARIO);

  function bash(line: string, input = SCENARIO): { status: number | null; out: string } {
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['-c', line.replaceAll('selvage', `'${process.execPath}' '${MAIN}'`)],
      { cwd: folder, encoding: 'utf8', input },
    );
    return { status, out: stdout + stderr };
  }

  const digestOf = (run: string): string => readFileSync(join(folder, run, 'digest'), 'utf8');

  it('runs as it does from a file, by any name of the pipe and in threads', () => {
    assert.equal(bash('selvage run file.yaml --quiet --out file').status, 0);
    const lines = [
      'cat | selvage run - --quiet --out piped',
      'cat | selvage run /dev/stdin --quiet --out piped',
      'selvage run <(cat file.yaml) --quiet --out piped',
      'cat | selvage run - --threads 2 --quiet --out piped',
    ];
    for (const line of lines) {
      const { status, out } = bash(line);
      assert.equal(status, 0, `${line}: ${out}`);
      assert.equal(digestOf('piped'), digestOf('file'), line);
    }
  });

  it('can be repeated from the run directory', () => {
    const { status, out } = bash('cat | selvage run - --set duration=50us --out again');
    assert.equal(status, 0, out);
    const [, command = ''] = /^ {2}(selvage topology \S+)/m.exec(out) ?? [];
    assert.match(command, /again\/scenario\.json$/);
    assert.equal(bash(command).status, 0);
    assert.equal(bash('selvage run again/scenario.json --quiet --out repeated').status, 0);
    assert.equal(digestOf('repeated'), digestOf('again'));
  });

  it('finds base files in the working directory', () => {
    const { status, out } = bash('cat | selvage validate -', 'extends: file.yaml\nseed: 2\n');
    assert.equal(status, 0, out);
  });

  it('has its errors at lines of the pipe', () => {
    const { status, out } = bash('cat | selvage validate -', `${SCENARIO}durations: 1us\n`);
    assert.equal(status, 2);
    assert.match(out, /^-:5:1: .*durations/);
  });

  it('is refused where it does not end', () => {
    const { status, out } = bash('yes | selvage validate -');
    assert.equal(status, 2);
    assert.match(out, /^-:1:1: file too large; at most 4 MiB$/m);
  });
});
