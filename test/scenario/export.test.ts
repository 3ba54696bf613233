/** A run whose scenario names files is read again, and written as files of others. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

const MAIN = join(ROOT, 'dist/programs/selvage.js');
const SCENARIO = `
selvage: 1
fabric: { generator: star, hosts: 5 }
priorities: { 3: { flowControl: pfc, alpha: 0.0625 } }
switches: { buffer: { size: 1MB } }
load:
  - { replay: flows.csv, priority: 3, transport: { reliable: { mtu: 1000 } } }
`;
const SENDERS = ['h2', 'h3', 'h4', 'h5'];
const FLOWS = ['time,source,destination,bytes', ...SENDERS.map((host) => `0us,${host},h1,200KB`)];

describe('a run of a table of flows', () => {
  let folder = '';
  const selvage = (...words: string[]): { code: number | null; out: string; err: string } => {
    const options = { cwd: folder, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words], options);
    return { code: status, out: stdout, err: stderr };
  };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'selvage-export-'));
    mkdirSync(join(folder, 'own'));
    writeFileSync(join(folder, 'own/s.yaml'), SCENARIO);
    writeFileSync(join(folder, 'own/flows.csv'), `${FLOWS.join('\n')}\n`);
    const { code, err } = selvage('run', 'own/s.yaml', '--out', 'r', '--no-parquet', '--quiet');
    assert.equal(code, 0, err);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('has its page again, though the table is not in its directory', () => {
    rmSync(join(folder, 'r/report.html'));
    const { code, err } = selvage('report', 'r');
    assert.equal(code, 0, err);
    assert.ok(existsSync(join(folder, 'r/report.html')));
  });

  it('is written as fct.txt and pfc.txt', () => {
    const { code, out, err } = selvage('export', 'r', '--out', 'plots');
    assert.equal(code, 0, err);
    const fct = readFileSync(join(folder, 'plots/fct.txt'), 'utf8').trimEnd().split('\n');
    assert.equal(fct.length, SENDERS.length);
    for (const line of fct) assert.match(line, /^0b000\d01 0b000\d01 10000 100 200000 0 \d+ \d+$/);
    const pauses = readFileSync(join(folder, 'plots/pfc.txt'), 'utf8').trimEnd().split('\n');
    // Hosts are paused, and each pause ends.
    for (const line of pauses) assert.match(line, /^\d+ [1-4] 0 1 [01]$/);
    const begun = pauses.filter((line) => line.endsWith('1')).length;
    assert.ok(begun > 0 && 2 * begun === pauses.length, `${begun} of ${pauses.length}`);
    assert.match(out, /fct\.txt {2}4 flows\n.*pfc\.txt {2}\d+ times at which a pause begins/);
  });

  it('is refused in a dialect that is not known, and where there is no run', () => {
    const { code, err } = selvage('export', 'r', '--dialect', 'ns3');
    assert.equal(code, 2);
    assert.match(err, /--dialect ns3: it is one of hpcc, conweave/);
    assert.equal(selvage('export', 'own').code, 2);
  });
});
