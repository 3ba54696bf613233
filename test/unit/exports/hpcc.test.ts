import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFabric } from '../../../services/fabric/assembly/fabric.js';
import { scenarioOfText } from '../../../services/fabric/scenario/load-scenario.js';
import { fctFile } from '../../../services/exports/hpcc/fct.js';
import { IdealFct } from '../../../services/exports/hpcc/ideal-fct.js';
import { nodesOf } from '../../../services/exports/hpcc/nodes.js';
import { pausesFile } from '../../../services/exports/hpcc/pauses.js';
import type { Episode } from '../../../services/telemetry/congestion/congestion.js';
import { run } from '../../kit/emulate.js';

/** As an import of HPCC makes it: node 0 is the switch. */
const SCENARIO = `
selvage: 1
name: imported
fabric:
  generator: none
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: h4, kind: host }
    - { name: h3, kind: host }
    - { name: s0, kind: switch }
  links:
    - { between: [s0, h1], rate: 100G, delay: 1us }
    - { between: [s0, h2], rate: 100G, delay: 1us }
    - { between: [s0, h3], rate: 25G, delay: 1us }
    - { between: [s0, h4], rate: 100G, delay: 1us }
priorities:
  3: { flowControl: pfc }
load:
  - { stream: { from: h1, to: h4 }, bytes: 100000, priority: 3, transport: { reliable: { mtu: 1000 } } }
  - { stream: { from: h2, to: h4 }, bytes: 100000, start: 10us, priority: 3, transport: { reliable: { mtu: 1000 } } }
  - { stream: { from: h1, to: h4 }, bytes: 5000, start: 90us, priority: 3, transport: { reliable: { mtu: 1000 } } }
  - { stream: { from: h3, to: h2 }, bytes: 1GB, priority: 3, transport: { reliable: { mtu: 1000 } } }
duration: 150us
`;

const fabric = buildFabric(scenarioOfText('imported.yaml', SCENARIO));
const results = run(fabric);

describe('fct.txt', () => {
  const { text, flows, leftOut } = fctFile(fabric, results.flows, 'hpcc');
  const lines = text.trimEnd().split('\n');

  it('has flows that are complete in the order of their ends, and counts the others', () => {
    assert.deepEqual([flows, leftOut], [3, 1]);
    const words = lines.map((line) => line.split(' '));
    assert.deepEqual(
      words.map((line) => line.slice(0, 6).join(' ')),
      [
        '0b000101 0b000401 10000 100 100000 0',
        '0b000201 0b000401 10000 100 100000 10000',
        '0b000101 0b000401 10001 100 5000 90000',
      ],
    );
  });

  it('has the ideal time of that program, to the nanosecond', () => {
    // 2 us twice, 80 ns on two links, and 104,800 octets at 100 Gb/s.
    assert.ok(lines[0]!.endsWith(' 12544'));
    const ideal = new IdealFct(fabric.topology);
    // The slowest link counts: 320 + 80 ns, and 1,048 octets at 25 Gb/s in 335.
    assert.equal(ideal.ns(3, 1, 1000, 1000), 4000 + 400 + 335);
  });

  it('counts to the last acknowledgement, which comes after the last octet', () => {
    const [first] = results.flows;
    assert.ok(first!.acknowledgedPs! > first!.completionPs! + 2e6);
    assert.equal(Number(lines[0]!.split(' ')[6]), Math.floor(first!.acknowledgedPs! / 1000));
    assert.equal(results.flows[3]!.acknowledgedPs, null);
  });

  it('names nodes by number for ConWeave', () => {
    const own = fctFile(fabric, results.flows, 'conweave').text.split('\n');
    assert.match(own[0]!, /^1 4 10000 100 100000 0 /);
  });
});

describe('pfc.txt', () => {
  it('has each pause at the port that is paused, and its end', () => {
    const kind = 'blocked' as const;
    const pause: Episode = {
      ...{ id: 'x', kind, device: 'h2', port: 'h2:p1', priority: 3, mechanism: 'pfc' },
      ...{ startPs: 5_500, endPs: 9_999, parent: null, reason: null, fault: null, frameTimePs: 0 },
    };
    const episodes: Episode[] = [
      { ...pause, device: 's0', port: 's0:p4', startPs: 7_000, endPs: null },
      pause,
      { ...pause, mechanism: 'credit' },
      { ...pause, kind: 'queue' },
    ];
    assert.equal(pausesFile(fabric.topology, episodes), '5 2 0 1 1\n7 0 1 4 1\n9 2 0 1 0\n');
  });
});

describe('numbers of nodes', () => {
  it('are those of the files, or places where names are of our own', () => {
    assert.deepEqual(nodesOf(fabric.topology), [1, 2, 4, 3, 0]);
    const devices = ['h1', 'h2', 'leaf1'].map((name) => ({ name }) as never);
    assert.deepEqual(nodesOf({ devices }), [0, 1, 2]);
    const twice = ['h1', 's1', 'h0'].map((name) => ({ name }) as never);
    assert.deepEqual(nodesOf({ devices: twice }), [0, 1, 2]);
  });
});
