/** What check says of paths and fabrics: maps at both ends, and buffers that wait for each other. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { checkSwitches, type SwitchVerdict } from '../../services/sonic/check.js';
import { asicOf, readSwitches } from '../../services/sonic/read.js';
import { scenarioOf } from '../../services/sonic/scenario.js';

type Tables = Record<string, Record<string, Record<string, string>>>;
const ASIC = '{ cell: 254 }';
const PORTS = ['Ethernet0', 'Ethernet4', 'Ethernet8'];

/** A switch whose first two ports are joined to others, and the third to a server. */
function tablesOf(name: string, neighbors: readonly string[], change: (t: Tables) => void): Tables {
  const each = (value: Record<string, string>): Record<string, Record<string, string>> =>
    Object.fromEntries(PORTS.map((port) => [port, { ...value }]));
  const tables: Tables = {
    DEVICE_METADATA: { localhost: { hostname: name, hwsku: 'none' } },
    PORT: each({ speed: '100000', lanes: '1,2,3,4', admin_status: 'up' }),
    CABLE_LENGTH: { AZURE: Object.fromEntries(PORTS.map((port) => [port, '5m'])) },
    BUFFER_POOL: {
      ingress_lossless_pool: { type: 'ingress', mode: 'dynamic', size: '400000', xoff: '4000000' },
    },
    BUFFER_PROFILE: {
      lossless: { pool: 'ingress_lossless_pool', size: '1270', xoff: '200000', dynamic_th: '0' },
    },
    BUFFER_PG: { [`${PORTS.join(',')}|3-4`]: { profile: 'lossless' } },
    PORT_QOS_MAP: each({ pfc_enable: '3,4' }),
    DEVICE_NEIGHBOR: {
      ...Object.fromEntries(
        neighbors.map((neighbor, i) => [PORTS[i]!, { name: neighbor, port: PORTS[1 - i]! }]),
      ),
      Ethernet8: { name: `${name}-server`, port: 'eth0' },
    },
  };
  change(tables);
  return tables;
}

function verdictsOf(all: readonly Tables[]): { verdicts: SwitchVerdict[]; text: string } {
  const folder = mkdtempSync(join(tmpdir(), 'selvage-fabric-'));
  try {
    const files = all.map((_, i) => join(folder, `${i}.json`));
    files.forEach((file, i) => {
      writeFileSync(file, JSON.stringify(all[i], null, 1));
    });
    const switches = readSwitches({ files });
    const asic = asicOf(ASIC, '');
    const verdicts = checkSwitches(switches, asic, files[0]!);
    return { verdicts, text: scenarioOf(switches, asic).text };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const plain = (): void => undefined;
/** The first port of each is joined to the second of the next. */
const ring = (names: readonly string[], change: (t: Tables) => void = plain): Tables[] =>
  names.map((name, i) =>
    tablesOf(
      name,
      [names[(i + 1) % names.length]!, names[(i + names.length - 1) % names.length]!],
      change,
    ),
  );

describe('selvage sonic check of a fabric', () => {
  it('finds a cyclic buffer dependency of a ring, and none of a line', () => {
    const { verdicts } = verdictsOf(ring(['a', 'b', 'c', 'd', 'e']));
    for (const { verdict, deadlock } of verdicts) {
      assert.equal(verdict, 'lossless');
      assert.match(deadlock!, /^cyclic buffer dependency of priority 3: \w( -> \w){5}$/);
    }
    const line = ring(['a', 'b', 'c', 'd', 'e']);
    delete line[0]!['DEVICE_NEIGHBOR']!['Ethernet4'];
    delete line[4]!['DEVICE_NEIGHBOR']!['Ethernet0'];
    assert.ok(verdictsOf(line).verdicts.every(({ deadlock }) => deadlock === null));
  });

  it('compares what a DSCP becomes at both ends of a link', () => {
    const [a, b] = [tablesOf('a', ['b'], plain), tablesOf('b', [], plain)];
    b['DEVICE_NEIGHBOR']!['Ethernet4'] = { name: 'a', port: 'Ethernet0' };
    b['DSCP_TO_TC_MAP'] = { AZURE: { '3': '1' } };
    b['PORT_QOS_MAP'] = Object.fromEntries(
      PORTS.map((port) => [port, { pfc_enable: '3,4', dscp_to_tc_map: 'AZURE' }]),
    );
    const { verdicts } = verdictsOf([a, b]);
    assert.deepEqual(verdicts[1]!.problems, [
      'Ethernet4: DSCP 3: lossless at a Ethernet0, and lossy here',
    ]);
    assert.equal(verdicts[1]!.verdict, 'not lossless');
  });

  it('finds PFC that pauses another queue of the next hop', () => {
    const [a, b] = [tablesOf('a', ['b'], plain), tablesOf('b', [], plain)];
    b['DEVICE_NEIGHBOR']!['Ethernet4'] = { name: 'a', port: 'Ethernet0' };
    a['MAP_PFC_PRIORITY_TO_QUEUE'] = { AZURE: { '3': '5' } };
    const { verdicts } = verdictsOf([a, b]);
    assert.match(
      verdicts[1]!.problems[0]!,
      /^Ethernet4: DSCP 3: group 3 sends PFC of priority 3, which pauses queue 5 of a Ethernet0, and its frames are in 3$/,
    );
    assert.match(
      verdicts[0]!.groups[0]!.problems[0]!,
      /PFC of priority 3 pauses queue 5, and its frames are in 3/,
    );
  });

  it('says which neighbours it does not know, and which WRED drops', () => {
    const [a, b] = [tablesOf('a', ['b'], plain), tablesOf('b', [], plain)];
    b['DEVICE_NEIGHBOR']!['Ethernet4'] = { name: 'a', port: 'Ethernet0' };
    b['WRED_PROFILE'] = {
      wred: { green_min_threshold: '9000', wred_green_enable: 'true', ecn: 'ecn_all' },
    };
    b['QUEUE'] = { 'Ethernet4,Ethernet8|3': { wred_profile: 'wred' } };
    const { verdicts, text } = verdictsOf([a, b]);
    assert.deepEqual(verdicts[1]!.warnings, [
      'wred drops frames of Ethernet4 queue 3 and 1 more beyond 9000 bytes that are not ECN capable',
      'not in the files, and not checked: b-server',
    ]);
    assert.match(text, /wred: \{ green: \{ min: 9000, probability: 100% \}, mark: \[green\] \}/);
    assert.match(text, /- \{ queues: \[3\], wred: wred \}/);
  });

  it('refuses ends of a link that say different things, and switches without file', () => {
    const [a, b] = [tablesOf('a', ['b'], plain), tablesOf('b', [], plain)];
    b['DEVICE_NEIGHBOR']!['Ethernet4'] = { name: 'a', port: 'Ethernet0' };
    b['PORT']!['Ethernet4']!['speed'] = '40000';
    b['CABLE_LENGTH']!['AZURE']!['Ethernet4'] = '40m';
    b['DEVICE_NEIGHBOR']!['Ethernet0'] = { name: 'spine1', port: 'Ethernet0' };
    b['DEVICE_NEIGHBOR_METADATA'] = {
      spine1: { type: 'SpineRouter' },
      'b-server': { type: 'Server' },
    };
    a['DEVICE_NEIGHBOR']!['Ethernet4'] = { name: 'b', port: 'Ethernet9' };
    assert.throws(
      () => verdictsOf([a, b]),
      (error: Error) => {
        const lines = error.message.split('\n').map((line) => line.replace(/^.*json:\d+: /, ''));
        assert.deepEqual(lines.sort(), [
          'DEVICE_NEIGHBOR Ethernet0: spine1, a SpineRouter, is not in the files: give its file, too',
          'DEVICE_NEIGHBOR Ethernet4: b has no port Ethernet9',
          'PORT Ethernet0: its cable is 5m, and 40m at b Ethernet4',
          'PORT Ethernet0: speed is 100000, and 40000 at b Ethernet4',
          'PORT Ethernet4: its cable is 40m, and 5m at a Ethernet0',
          'PORT Ethernet4: speed is 40000, and 100000 at a Ethernet0',
        ]);
        return true;
      },
    );
    // Of one switch alone its neighbours are stations.
    assert.equal(verdictsOf([b]).verdicts.length, 1);
  });

  it('finds maps of each port in the scenario', () => {
    const { text } = verdictsOf([
      tablesOf('a', [], (tables) => {
        delete tables['DEVICE_NEIGHBOR'];
        tables['DSCP_TO_TC_MAP'] = { one: { '9': '3' }, two: { '9': '4' } };
        tables['DOT1P_TO_TC_MAP'] = { tags: { '1': '3' } };
        tables['PORT_QOS_MAP'] = {
          Ethernet0: { pfc_enable: '3,4', dscp_to_tc_map: 'one' },
          Ethernet4: { pfc_enable: '3,4', dscp_to_tc_map: 'two' },
          Ethernet8: { pfc_enable: '4', dot1p_to_tc_map: 'tags' },
        };
        tables['PFC_PRIORITY_TO_PRIORITY_GROUP_MAP'] = { AZURE: { '0': '0' } };
      }),
    ]);
    assert.match(text, /where: \{ device: a \}, maps: \{ dscp: \{ 3: 3, 4: 4, 5: 2, 8: 0, 9: 3,/);
    assert.match(
      text,
      /where: \{ port: 'a:p2' \}, maps: \{ dscp: \{ 3: 3, 4: 4, 5: 2, 8: 0, 9: 4,/,
    );
    assert.match(text, /'a:p3' \}, defaultPriority: 0, regeneration: \{ 1: 3 \}, maps: \{ groups:/);
  });
});
