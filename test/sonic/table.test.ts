import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { BufferSpec } from '../../services/engine/contract/memory.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { loadFabric } from '../../services/cli/load-fabric.js';

const FOLDER = mkdtempSync(join(tmpdir(), 'selvage-table-'));
after(() => {
  rmSync(FOLDER, { recursive: true });
});

const INI = '# speed cable size xon xoff threshold xon_offset\n100000 5m 1270 0 45000 0 2540\n';
const scenario = (keys: string, cable = '5m', pool = ''): string => `selvage: 1
fabric: { generator: star, hosts: 2, hostLink: { rate: 100G, length: ${cable} } }
priorities: { 3: { flowControl: pfc } }
switches:
  buffer:
    asic: { cell: 254 }
    pools: { ingress: { size: 4MB${pool} } }
    profiles: { lossless: { pool: ingress, headroom: { table: pg.ini }${keys} } }
    assign: [{ groups: [3], profile: lossless }]
`;

function load(text: string, ini: string | null = INI): ReturnType<typeof loadFabric> {
  rmSync(join(FOLDER, 'pg.ini'), { force: true });
  if (ini !== null) writeFileSync(join(FOLDER, 'pg.ini'), ini);
  writeFileSync(join(FOLDER, 's.yaml'), text);
  return loadFabric(join(FOLDER, 's.yaml'), []);
}

function bufferOf(fabric: Fabric): BufferSpec {
  const own = fabric.specs[2]!;
  assert.ok(own.kind === 'switch');
  return own.buffer;
}

describe('headroom by a table', () => {
  it('is that of the line of speed and cable, with its thresholds', () => {
    const { fabric, loaded } = load(scenario('', '5m', ', headroom: 100KB'));
    const { accounts, pools } = bufferOf(fabric);
    const cells = (bytes: number): number => Math.floor(bytes / 254) * 254;
    const { headroomOctets, reservedOctets } = accounts[0]![3]!;
    assert.deepEqual([headroomOctets, reservedOctets], [cells(45_000), cells(1270)]);
    const { alpha, xonOffsetOctets } = pools!.groups[0]![3]!;
    assert.deepEqual([alpha, xonOffsetOctets], [1, 2540]);
    // The file goes where the scenario goes.
    assert.deepEqual(
      loaded.files.map(({ file }) => file),
      [join(FOLDER, 'pg.ini')],
    );
  });

  it('leaves the profile its own threshold', () => {
    const { fabric } = load(scenario(', limit: 50KB'));
    assert.equal(bufferOf(fabric).pools!.groups[0]![3]!.alpha, Infinity);
  });

  const refused: readonly (readonly [string, string | null, string, RegExp])[] = [
    [
      'a pair that it lacks',
      INI,
      '40m',
      /:8:.*pg\.ini has no line for 100000 40m; nearest: 100000 5m \(line 2\); without one s1:p1 would have no headroom/,
    ],
    ['a speed that it lacks', INI.replace('100000', '40000'), '5m', /speeds of the table: 40000/],
    ['no file', null, '5m', /pg\.ini: cannot read the file: there is no such file/],
    ['an empty file', '# nothing\n', '5m', /there are no lines in it/],
    ['numbers that are not', '100000 5m x y 1 1\n1 2\n', '5m', /pg\.ini:1: 100000 5m: size is "x"/],
  ];
  for (const [what, ini, cable, reason] of refused) {
    it(`is refused: ${what}`, () => {
      assert.throws(() => load(scenario('', cable), ini), reason);
    });
  }
});
