/**
 * Managed objects of one device, for the modules that IEEE has published. Those are not ours to
 * store: yanglint judges by the folder that SELVAGE_YANG names; names and forms are checked anyway.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { YangContainer } from '../../services/mechanisms/managed-objects.js';
import { publishedObjects } from '../../services/runtime/results/published-objects.js';
import { Session } from '../../services/runtime/session.js';
import { fabricOf } from '../kit/emulate.js';

const MODULES = process.env['SELVAGE_YANG'];
const isMissing =
  (MODULES === undefined &&
    'no SELVAGE_YANG, a folder of published modules: it is in the long suite') ||
  (spawnSync('yanglint', ['--version']).status !== 0 && 'no yanglint');

const CI = 'ieee802-dot1q-congestion-isolation-bridge';

const TEXT = `duration: 60us
fabric: { generator: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 2 }
priorities: { 2: pfc, 3: { flowControl: pfc, ci: true } }
discovery: { second: 1us, hold: 3, reach: [nearest-bridge, nearest-customer-bridge] }
devices: { h1: { discovery: { identifier: 0A-12-34 } } }
ci: { streams: 77, priority: 2 }
load:
  - { incast: { from: [h1, h2], to: h3 }, priority: 3, bytes: 60KB }
`;

function objectsOf(): (device: string) => YangContainer {
  const fabric = fabricOf(TEXT);
  const session = new Session(fabric, { check: false });
  session.runTo(Infinity);
  const names = fabric.specs.map(({ name }) => name);
  return (device) =>
    publishedObjects({ fabric, engine: session.engine, device: names.indexOf(device) });
}

type Tree = Record<string, never> & Record<string, unknown>;
const at = (tree: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce((node, key) => (node as Tree)[key as string], tree);

describe('managed objects by published modules', () => {
  const of = objectsOf();

  it('say what LLDP sent, received and stored', () => {
    const lldp = at(of('leaf1'), 'ieee802-dot1ab-lldp:lldp');
    assert.equal(at(lldp, 'message-tx-hold-multiplier'), 3);
    assert.equal(at(lldp, 'local-system-data', 'system-capabilities-enabled'), 'bridge');
    const ports = at(lldp, 'port') as Tree[];
    assert.equal(ports.length, 6, 'three ports, each with two destination addresses');
    const [nearest, customer] = ports as [Tree, Tree];
    assert.equal(nearest['dest-mac-address'], '01-80-C2-00-00-0E');
    assert.equal(customer['dest-mac-address'], '01-80-C2-00-00-00');
    assert.ok((at(nearest, 'tx-statistics', 'total-frames') as number) > 3);
    const remote = at(nearest, 'remote-systems-data', 0);
    assert.equal(at(remote, 'system-name'), 'h1');
    assert.equal(at(remote, 'system-capabilities-enabled'), 'station-only');
    assert.match(at(remote, 'chassis-id') as string, /^02(?:-[\dA-F]{2}){5}$/);
    const inserts = at(lldp, 'remote-statistics', 'remote-inserts');
    assert.equal(inserts, 6);
  });

  it('say what congestion isolation is configured for, by component and port', () => {
    const device = of('leaf2');
    const component = at(device, 'ieee802-dot1q-bridge:bridges', 'bridge', 0, 'component', 0);
    assert.equal(at(component, `${CI}:max-ci-stream-entries`), 77);
    const rows = at(device, 'ietf-interfaces:interfaces', 'interface') as Tree[];
    const maps = rows.map((row) =>
      (at(row, 'ieee802-dot1q-bridge:bridge-port', `${CI}:queue-map`) as Tree[]).map(
        (entry) => entry['abs-traffic-class-plus-one'],
      ),
    );
    assert.ok(maps.every((map) => map.length === 8));
    assert.ok(maps.some((map) => String(map[3]) === 'monitored-queue-tc-4'));
    assert.equal(
      maps.flat().filter((entry) => String(entry).startsWith('congesting')).length > 0,
      true,
    );
    assert.equal(at(of('h1'), 'ieee802-dot1q-bridge:bridges'), undefined);
  });

  it('are what yanglint accepts, and not less', { skip: isMissing }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-published-'));
    const judge = (data: string): number | null => {
      const file = join(folder, 'data.json');
      writeFileSync(file, data);
      const modules = [CI, 'ieee802-dot1ab-lldp', 'iana-if-type'].map((name) => `${name}.yang`);
      const words = ['-t', 'data', '-F', `${CI}:congestion-isolation-bridge`, ...modules, file];
      return spawnSync('yanglint', words, { cwd: MODULES }).status;
    };
    for (const device of ['leaf1', 'leaf2', 'spine1', 'h1', 'h3']) {
      assert.equal(judge(JSON.stringify(of(device))), 0, device);
    }
    const whole = JSON.stringify(of('leaf2'));
    for (const [right, wrong] of [
      ['"tx-and-rx"', '"both"'],
      ['"monitored-queue-tc-4"', '"monitored"'],
      ['"message-tx-interval":30', '"message-tx-interval":3601'],
    ] as const) {
      assert.ok(whole.includes(right), right);
      assert.notEqual(judge(whole.replace(right, wrong)), 0, wrong);
    }
    rmSync(folder, { recursive: true });
  });
});
