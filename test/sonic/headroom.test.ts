import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HEADROOM_CHIPS } from '../../services/fabric/buffers/asics.js';
import { scriptedProfile } from '../../services/fabric/buffers/headroom-script.js';
import { FileErrors } from '../../services/sonic/file-errors.js';
import { readPgProfiles } from '../../services/fabric/buffers/pg-profiles.js';
import type { Vector } from './vectors.js';
import { numberOf, vectors } from './vectors.js';

const CHIP_OF = {
  'MELLANOX-SPECTRUM': 'spc1',
  'MELLANOX-SPECTRUM-2': 'spc2',
  'MELLANOX-SPECTRUM-3': 'spc3',
  'MELLANOX-SPECTRUM-4': 'spc4',
  'MELLANOX-SPECTRUM-5': 'spc5',
  'MELLANOX-SPECTRUM-6': 'spc6',
  'BAREFOOT-TOFINO': 'tofino',
  'BAREFOOT-TOFINO2': 'tofino2',
} as const;

const isGiven = (row: Vector, column: string): boolean =>
  Number(row[column]!.replace('-', '0')) > 0;

describe('headroom by the scripts of vendors', () => {
  it('is theirs for every input', () => {
    const rows = vectors('headroom-script');
    for (const row of rows) {
      const chip = HEADROOM_CHIPS[CHIP_OF[row['asic'] as keyof typeof CHIP_OF]];
      const profile = scriptedProfile(chip, {
        rateMbps: numberOf(row, 'speed_mbps'),
        cableMetres: numberOf(row, 'cable_m'),
        mtu: numberOf(row, 'port_mtu'),
        losslessMtu: numberOf(row, 'lossless_mtu'),
        smallPercent: numberOf(row, 'small_packet_percentage'),
        gearboxNs: numberOf(row, 'gearbox'),
        lanes: numberOf(row, 'lanes'),
        isShared: isGiven(row, 'shp_size') || isGiven(row, 'over_subscribe_ratio'),
      });
      const expected = {
        xon: numberOf(row, 'xon_out'),
        xoff: numberOf(row, 'xoff_out'),
        size: numberOf(row, 'size_out'),
      };
      assert.deepEqual(profile, expected, `row ${row['row']!}`);
    }
    assert.equal(rows.length, 95);
  });
});

describe('a profile table', () => {
  it('is read as it is, line by line', () => {
    const rows = vectors('profile-table');
    for (const file of new Set(rows.map(({ source }) => source!))) {
      const own = rows.filter(({ source }) => source === file);
      const lines = own.map((row) =>
        [
          ...[row['speed_mbps'], `${row['cable_m']!}m`, row['pg_size'], row['pg_xon']],
          ...[row['pg_xoff'], row['dynamic_th'], row['pg_xon_offset']],
        ].join('  '),
      );
      const errors = new FileErrors();
      const read = readPgProfiles(file, ['# speed cable', ...lines].join('\n'), errors).all();
      assert.deepEqual(errors.list, []);
      read.forEach((profile, i) => {
        const row = own[i]!;
        assert.deepEqual(
          [profile.speedMbps, profile.cable, profile.size, profile.xon, profile.xoff],
          [
            ...[numberOf(row, 'speed_mbps'), `${row['cable_m']!}m`, numberOf(row, 'pg_size')],
            ...[numberOf(row, 'pg_xon'), numberOf(row, 'pg_xoff')],
          ],
        );
        assert.equal(profile.threshold, numberOf(row, 'dynamic_th'));
        const offset = row['pg_xon_offset'] === '' ? null : numberOf(row, 'pg_xon_offset');
        assert.equal(profile.xonOffset, offset);
      });
      assert.equal(read.length, own.length);
    }
    assert.equal(rows.length, 584);
  });
});
