import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ROOT } from '../kit/emulate.js';

const MAIN = join(ROOT, 'dist/programs/selvage.js');

/** Two ports send at once to a third, which is paused in a storm for a while. */
const SCENARIO = `
selvage: 1
name: shown
duration: 400us
fabric:
  generator: none
  devices:
    - { name: leaf1, kind: switch, interfaces: [Ethernet0, Ethernet4, Ethernet8] }
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: h3, kind: host }
  links:
    - { between: ['leaf1:p1', h1] }
    - { between: ['leaf1:p2', h2] }
    - { between: ['leaf1:p3', h3] }
priorities: { 3: { flowControl: pfc, watchdog: { poll: 10us, detection: 50us, restoration: 50us } } }
switches:
  buffer:
    asic: { cell: 254 }
    pools:
      lossless: { size: 400KB, headroom: 400KB }
      lossy: { type: egress, size: 100KB }
    profiles:
      pg: { pool: lossless, alpha: 1, headroom: 60KB }
      queue: { pool: lossy, alpha: 1 }
    assign:
      - { groups: [3], profile: pg }
      - { queues: [0], profile: queue }
load:
  - { incast: { from: [h1, h2], to: h3 }, priority: 3, transport: raw, bytes: 3MB }
  - { incast: { from: [h1, h2], to: h3 }, priority: 0, transport: raw, bytes: 300KB }
faults:
  - { kind: storm, where: { device: h3 }, priority: 3, quanta: 1000, at: 100us, for: 120us }
`;

describe('selvage sonic show', () => {
  let folder = '';
  const selvage = (...words: string[]): string => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [MAIN, ...words], {
      encoding: 'utf8',
      cwd: folder,
    });
    assert.equal(status, 0, stderr);
    return stdout;
  };
  const shown = (what: string): string[] =>
    selvage('sonic', 'show', ...what.split(' '), 'run')
      .trimEnd()
      .split('\n');
  const rows = (what: string): string[][] => shown(what).map((line) => line.trim().split(/\s{2,}/));

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'selvage-show-'));
    writeFileSync(join(folder, 'shown.yaml'), SCENARIO);
    selvage('run', 'shown.yaml', '--out', 'run', '--quiet');
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('has the columns of pfcstat, received and sent', () => {
    const [head, rule, ...lines] = shown('pfc counters');
    assert.match(head!, /^ *Port Rx +PFC0 +PFC1 +PFC2 +PFC3 +PFC4 +PFC5 +PFC6 +PFC7$/);
    assert.match(rule!, /^-{9} +-{4}/);
    const received = lines
      .find((line) => line.includes('Ethernet8'))!
      .trim()
      .split(/\s+/);
    assert.notEqual(received[4], '0');
    assert.deepEqual(received.slice(5), ['0', '0', '0', '0']);
    const sent = lines.slice(lines.findIndex((line) => line.includes('Port Tx')));
    for (const port of ['Ethernet0', 'Ethernet4']) {
      assert.notEqual(
        sent
          .find((line) => line.includes(port))!
          .trim()
          .split(/\s+/)[4],
        '0',
      );
    }
  });

  it('counts queues, with what they did not take', () => {
    const all = rows('queue counters');
    assert.deepEqual(all[0], [
      ...['Port', 'TxQ', 'Counter/pkts', 'Counter/bytes', 'Drop/pkts', 'Drop/bytes'],
    ]);
    const lossy = all.find(([port, queue]) => port === 'Ethernet8' && queue === 'UC0')!;
    const number = (cell: string): number => Number(cell.replaceAll(',', ''));
    assert.ok(number(lossy[4]!) > 0);
    // Full frames, but for the last of a flow.
    assert.ok(number(lossy[5]!) > 1400 * number(lossy[4]!));
    assert.ok(number(lossy[5]!) <= 1518 * number(lossy[4]!));
    const lossless = all.find(([port, queue]) => port === 'Ethernet8' && queue === 'UC3')!;
    assert.ok(number(lossless[2]!) > 0);
  });

  it('has watermarks and drops of priority groups', () => {
    const [title, head, , first] = shown('priority-group watermark shared');
    assert.equal(title, 'Ingress shared pool occupancy per PG:');
    assert.match(head!, /^ *Port +PG0 +PG1/);
    const cells = first!.trim().split(/\s+/);
    assert.equal(cells[0], 'Ethernet0');
    assert.notEqual(cells[4], '0');
    assert.equal(shown('priority-group watermark headroom')[0], 'Ingress headroom per PG:');
    assert.equal(shown('priority-group drop counters')[0], 'Ingress PG dropped packets:');
  });

  it('has the storms of the watchdog', () => {
    const [head, , storm] = rows('pfcwd stats');
    assert.deepEqual(head, [
      ...['QUEUE', 'STATUS', 'STORM DETECTED/RESTORED', 'TX OK/DROP', 'RX OK/DROP'],
      ...['TX LAST OK/DROP', 'RX LAST OK/DROP'],
    ]);
    assert.deepEqual(storm!.slice(0, 3), ['Ethernet8:3', 'operational', '1/1']);
    assert.match(storm![3]!, /^\d+\/[1-9]\d*$/);
    assert.equal(storm![3], storm![5]);
  });

  it('says what else there is to show', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [MAIN, 'sonic', 'show', 'pfc', 'statistics', 'run'],
      { encoding: 'utf8', cwd: folder },
    );
    assert.equal(status, 2);
    assert.match(stderr, /one of: pfc counters RUN, queue counters RUN/);
  });
});
