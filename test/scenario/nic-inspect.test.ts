/** `selvage inspect` of a run directory, and of a scenario at a time. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { Nic82599Result } from '../../services/mechanisms/nic-82599/results.js';
import { ROOT } from '../kit/emulate.js';

describe('selvage inspect', () => {
  it('prints the tables of a run directory, and of a scenario at a time', () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-inspect-'));
    const selvage = (...words: string[]): { code: number | null; out: string; err: string } => {
      const main = join(ROOT, 'dist/programs/selvage.js');
      const child = spawnSync(process.execPath, [main, ...words], {
        cwd: folder,
        encoding: 'utf8',
      });
      return { code: child.status, out: child.stdout, err: child.stderr };
    };
    const example = join(ROOT, 'examples/nic-drift.yaml');
    try {
      assert.equal(selvage('run', example, '--quiet').code, 0);
      const { code, out } = selvage('inspect', 'h1');
      assert.equal(code, 0);
      for (const title of ['T1 virtual', 'T2 traffic', 'T4 receive', 'Rate sch', 'Packet buf']) {
        assert.ok(out.includes(title), title);
      }
      assert.match(out, /no queue is rate controlled/);
      // The drift of the example ends after 78 intervals of 20 us.
      const controlled = (at: string): string =>
        selvage('inspect', 'h1', '--run', example, '--at', at, '--reg', 'RTTBCNRC[3].RS_ENA').out;
      assert.match(controlled('1559us'), / = 1/);
      assert.match(controlled('1561us'), / = 0/);
      const words = ['inspect', 'h1', '--run', example, '--at', '100us', '--json'];
      const nic = JSON.parse(selvage(...words).out) as Nic82599Result;
      assert.equal(nic.rates[0]!.enabled, true);
      assert.equal(nic.timePs, 100e6);
      assert.ok(nic.registers['RTTBCNRC[3]']! > 0x80000000);
      const field = (...more: string[]): string =>
        selvage('inspect', 'h1', '--run', example, '--at', '100us', ...more).out;
      assert.equal(field('--reg', 'RTTBCNRC[3].RS_ENA'), 'RTTBCNRC[3].RS_ENA = 1\n');
      const set = ['--set', 'devices.h1.nic.regs.RTTPT2C[3].CRQ=77', '--quiet', '--out', 'set'];
      assert.equal(selvage('run', example, ...set).code, 0);
      const read = selvage('inspect', 'h1', '--run', 'set', '--reg', 'RTTPT2C[3].CRQ');
      assert.equal(read.out, 'RTTPT2C[3].CRQ = 77\n');
      const typo = selvage('inspect', 'h1', '--run', 'set', '--reg', 'RTTPT2C[9].CRQ');
      assert.match(typo.err, /--reg: RTTPT2C\[9\]\.CRQ: RTTPT2C has an index 0 to 7/);
      const all = selvage('inspect', 'set');
      assert.match(all.out, /^h1 \(82599 at [^]*\n\nh2 \(82599 at /);
      const both = JSON.parse(selvage('inspect', '--json', '--run', 'set').out) as Nic82599Result[];
      assert.deepEqual(
        both.map(({ device }) => device),
        ['h1', 'h2'],
      );
      const wrong = selvage('inspect', 'h3');
      assert.equal(wrong.code, 2);
      assert.match(wrong.err, /unknown device with an 82599: h3; there is h1, h2/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
