/** Files of a switch with anything in them are read, or refused with a place: never a fault. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { SonicError } from '../../services/sonic/file-errors.js';
import { readSwitches } from '../../services/sonic/read.js';
import { fc } from '../kit/properties.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'selvage-hostile-'));
after(() => {
  rmSync(FOLDER, { recursive: true });
});

const TABLES = {
  DEVICE_METADATA: { localhost: { hostname: 'leaf1', hwsku: 'none', type: 'ToRRouter' } },
  PORT: { Ethernet0: { speed: '100000', lanes: '1,2', mtu: '9100', admin_status: 'up' } },
  CABLE_LENGTH: { AZURE: { Ethernet0: '5m' } },
  BUFFER_POOL: { in: { type: 'ingress', mode: 'dynamic', size: '400000', xoff: '200000' } },
  BUFFER_PROFILE: { p: { pool: 'in', size: '0', xoff: '9000', dynamic_th: '-1' } },
  BUFFER_PG: { 'Ethernet0|3-4': { profile: 'p' } },
  PORT_QOS_MAP: { Ethernet0: { pfc_enable: '3,4', dscp_to_tc_map: 'AZURE' } },
  DSCP_TO_TC_MAP: { AZURE: { '3': '3' } },
  WRED_PROFILE: { W: { ecn: 'ecn_all', green_min_threshold: '1', green_max_threshold: '2' } },
  QUEUE: { 'Ethernet0|3': { wred_profile: 'W' } },
  PFC_WD: { Ethernet0: { action: 'drop', detection_time: '200', restoration_time: '200' } },
};
const DUMP = Object.fromEntries(
  Object.entries(TABLES).flatMap(([table, entries]) =>
    Object.entries<unknown>(entries).map(([key, value]) => [
      `${table}|${key}`,
      { type: 'hash', value },
    ]),
  ),
);
const INI = '100000 5m 1248 2288 160000 0 2288\n100000 40m 1248 2288 170000 -3\n';
const FORMS = {
  config: JSON.stringify(TABLES, null, 1),
  dump: JSON.stringify(DUMP, null, 1),
  deep: `{"PORT": ${'['.repeat(5000)}`,
};

/** A part is cut out, one is repeated (keys come twice), or something else is put in its place. */
const damage = (text: string): fc.Arbitrary<string> =>
  fc
    .record({
      at: fc.nat(text.length),
      gone: fc.nat(40),
      put: fc.oneof(
        fc.string({ maxLength: 6 }),
        fc.constantFrom('"', '{', '}', '-', '1e999', 'null', '|', '[[[[', '\u0000', '__proto__'),
        fc.record({ from: fc.nat(text.length), length: fc.nat(200) }).map(({ from, length }) => {
          return text.slice(from, from + length);
        }),
      ),
      isCut: fc.boolean(),
    })
    .map(
      ({ at, gone, put, isCut }) => text.slice(0, at) + put + (isCut ? '' : text.slice(at + gone)),
    );

function read(json: string, ini: string): void {
  const [file, table] = [join(FOLDER, 'a.json'), join(FOLDER, 'p.ini')];
  writeFileSync(file, json);
  writeFileSync(table, ini);
  try {
    readSwitches({ files: [file], pgProfiles: table });
  } catch (error) {
    assert.ok(error instanceof SonicError, String((error as Error).stack));
    for (const own of error.errors) {
      assert.ok(own.line >= 1 && own.message.length > 3, JSON.stringify(own));
      assert.ok([file, table].includes(own.file), own.file);
    }
  }
}

for (const [form, text] of Object.entries(FORMS)) {
  it(`is refused where it stands: ${form}`, () => {
    fc.assert(
      fc.property(damage(text), damage(INI), fc.boolean(), (json, ini, isIni) => {
        read(isIni ? text : json, isIni ? ini : INI);
      }),
      { numRuns: 150 },
    );
  });
}
