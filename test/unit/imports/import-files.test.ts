/** Files of other programs become a scenario, whichever come together. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildFabric } from '../../../services/fabric/assembly/fabric.js';
import { scenarioOfDocument } from '../../../services/fabric/scenario/load-scenario.js';
import { readTree } from '../../../services/imports/htsim/topology.js';
import { fabricOfTree } from '../../../services/imports/htsim/tree.js';
import { importFiles } from '../../../services/imports/import-files.js';
import { type Imported, WordFile } from '../../../services/imports/imported.js';
import { isTrace } from '../../../services/jobs/chakra/read-trace.js';
import { errorsOf } from '../jobs/samples.js';

const GOAL = `// comment
num_ranks 2
rank 0 {
s: send 8b to 1
}
rank 1 {
r: recv 8b from 0
}
`;
const MATRIX = 'Nodes 8\nConnections 1\n0->7 start 0 size 100000\n';
const TWO_TIERS = `# 8 hosts, 2:1
Nodes 8
Tiers 2
Podsize 8
Tier 0
Downlink_speed_Gbps 100
Radix_Down 4
Radix_Up 2
Downlink_Latency_ns 500
Switch_Latency_ns 200
Oversubscribed 2
Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Downlink_Latency_ns 1000
Queue_Down 100000
`;
/** k = 4, with two links of half the rate in place of each below the top. */
const THREE_TIERS = `Nodes 16
Tiers 3
Podsize 4
Tier 0
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 100
Tier 1
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 4
Downlink_Latency_ns 200
Tier 2
Downlink_speed_Gbps 50
Radix_Down 8
Bundle 2
Downlink_Latency_ns 300
Switch_Latency_ns 700
`;
const TOPOLOGY = '3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n';

function imported(...texts: readonly string[]): Imported {
  const octets = new TextEncoder();
  return importFiles(
    texts.map((text, i) => ({ path: `in/${i}.txt`, octets: octets.encode(text), text })),
  );
}

interface TreeParts {
  readonly fabric: {
    readonly links: readonly { readonly between: readonly string[]; readonly rate: string }[];
  };
  readonly switches: object;
  readonly devices?: object;
}

const tree = (text: string): TreeParts => {
  const file = new WordFile('t.topo', text);
  return fabricOfTree(file, readTree(file)) as TreeParts;
};

describe('files of other programs', () => {
  it('of a job alone get a fabric with room for its ranks', () => {
    const { document, files, formats, notes } = imported(GOAL);
    const { scenario } = scenarioOfDocument('s.yaml', document);
    assert.deepEqual([formats, [...files.keys()]], [['GOAL'], ['0.txt']]);
    assert.equal(scenario.load[0]!.kind, 'job');
    assert.equal(notes.find(({ what }) => what === 'fabric')!.fate, 'changed');
    assert.equal(new TextDecoder().decode(files.get('0.txt') as Uint8Array), GOAL);
  });

  it('of a job of more ranks than a switch has ports get a fat-tree', () => {
    const { document, notes } = imported(MATRIX.replace('Nodes 8', 'Nodes 1024'));
    const bare = { ...document, load: [] };
    assert.equal(buildFabric(scenarioOfDocument('s.yaml', bare)).topology.links.length, 3072);
    assert.match(notes.find(({ what }) => what === 'fabric')!.how, /fat-tree of 1024 hosts/);
  });

  it('of a job are traces, too, where their metadata has attributes and no version', () => {
    const metadata = [0x12, 3, 0x0a, 1, 0x61];
    const node = [0x08, 1, 0x12, 1, 0x61, 0x18, 4, 0x30, 1];
    const octets = Uint8Array.from([metadata.length, ...metadata, node.length, ...node]);
    assert.ok(isTrace(octets));
    assert.ok(!isTrace(octets.subarray(0, 1)) && !isTrace(octets.with(1, 0x1a)));
  });

  it('of a job of too many operations are refused with their number', () => {
    const head = 'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1';
    const layer = 'layer -1 1 ALLREDUCE 4096 1 NONE 0 1 ALLREDUCE 4096 1\n';
    const text = `${head} ga: 1 all_gpus: 8192 checkpoints: 0 checkpoint_initiates: 0\n99\n`;
    const [message] = errorsOf(() => imported(text + layer.repeat(99)));
    assert.match(message!, /0\.txt:1:1: it has [\d,]{11,} operations, more than 16,777,216/);
  });

  it('of a fabric and a job become one scenario, in any order', () => {
    const [one, other] = [imported(TWO_TIERS, MATRIX), imported(MATRIX, TWO_TIERS)];
    assert.deepEqual(one.formats, ['htsim']);
    const { scenario } = scenarioOfDocument('s.yaml', one.document);
    assert.equal(scenario.fabric.links.length, 8 + 4);
    assert.deepEqual(
      [...one.files.values(), ...other.files.values()].map((own) => own.length),
      [MATRIX.length, MATRIX.length],
    );
  });

  it('whose ranks outnumber the hosts of their fabric share these', () => {
    const { document, notes } = imported(TOPOLOGY, MATRIX.replace('0->7', '0->3'));
    const { load } = document as { load: readonly { job: { ranksPerHost: number } }[] };
    assert.equal(load[0]!.job.ranksPerHost, 4);
    assert.match(notes.find(({ what }) => what === 'placement')!.how, /4 of 8 ranks/);
  });

  for (const [texts, expected] of [
    [['hello\n'], /in\/0\.txt:1:1: it is none of the files that are known .* MSCCL/],
    [[TOPOLOGY, TOPOLOGY], /in\/1\.txt:1:1: in\/0\.txt is the same kind of file, too/],
    [[TOPOLOGY, TWO_TIERS], /in\/1\.txt:1:1: in\/0\.txt is a topology, too/],
    [['1\n1 2 3 100 100 0\n'], /its nodes are those of a topology\.txt/],
    [['8 2 1 1 1 A100\n4 5\n0 4 2400Gbps 1us 0\n'], /a host has one port here; take a generator/],
    [[GOAL.replace('to 1', 'to 0')], /in\/0\.txt:4/],
  ] as const) {
    it(`are refused: ${expected.source}`, () => {
      assert.match(errorsOf(() => imported(...texts)).join('\n'), expected);
    });
  }

  it('with one name are refused, as each goes beside the scenario', () => {
    const octets = new TextEncoder().encode(GOAL);
    const files = ['a/w.txt', 'b/w.txt'].map((path) => ({ path, octets, text: GOAL }));
    const errors = errorsOf(() => importFiles(files));
    assert.match(errors.join('\n'), /b\/w\.txt:1:1: another file goes .* as w\.txt: rename/);
  });
});

describe('a tree of htsim', () => {
  it('of two tiers links each leaf to each spine', () => {
    const { fabric, switches, devices } = tree(TWO_TIERS);
    const up = fabric.links.slice(8).map(({ between }) => between.join(' '));
    assert.deepEqual(up, ['leaf0 spine0', 'leaf0 spine1', 'leaf1 spine0', 'leaf1 spine1']);
    assert.deepEqual(switches, { pipeline: '200ns' });
    assert.deepEqual(devices, { 'spine*': { pipeline: '0ns' } });
  });

  it('of three tiers has pods, and bundles', () => {
    const { fabric } = tree(THREE_TIERS);
    const links = fabric.links.map(({ between, rate }) => `${between.join(' ')} ${rate}`);
    assert.equal(links.length, 16 + 16 + 32);
    // The first of each pod has the same part of the top.
    for (const agg of ['agg0', 'agg2', 'agg4', 'agg6']) {
      assert.deepEqual(
        links.filter((link) => link.startsWith(`${agg} core`)),
        ['core0', 'core0', 'core1', 'core1'].map((core) => `${agg} ${core} 50G`),
      );
    }
    assert.ok(links.includes('tor3 agg2 100G') && !links.includes('tor3 agg1 100G'));
    const { scenario } = scenarioOfDocument('s.yaml', imported(THREE_TIERS, MATRIX).document);
    assert.equal(scenario.fabric.links.length, links.length);
  });

  it('is a fabric in which each host reaches each other', () => {
    const { document } = imported(THREE_TIERS, MATRIX);
    const load = [{ permutation: { hosts: 'all', shift: 5 }, bytes: '1KB' }];
    const fabric = buildFabric(scenarioOfDocument('s.yaml', { ...document, load }));
    assert.equal(fabric.flows.length, 16);
  });

  for (const [text, expected] of [
    [TWO_TIERS.replace('Oversubscribed 2', ''), /t\.topo:5:1: 4 x 100 Gb\/s down, and 2 x 100/],
    [TWO_TIERS.replace('Radix_Up 2', ''), /:5:1: the tier has no radix_up/],
    [TWO_TIERS.replace('Tiers 2', 'Tiers 4'), /Tiers is 4; 2 or 3/],
    [TWO_TIERS.replace('Tier 1', 'Tier 2'), /:12:1: tier 1 comes now/],
    [TWO_TIERS.replace('Queue_Down', 'Queue_Left'), /:16:1: Queue_Left is not known here/],
    [TWO_TIERS.replace('Nodes 8', 'Nodes 12'), /12 nodes are no whole pods of 8/],
    [TWO_TIERS.replace('Radix_Down 2', 'Radix_Down 3'), /the tier would have 1\.33 switches/],
    [THREE_TIERS.replace('Bundle 2', 'Bundle 3'), /8 links down in bundles of 3/],
    [TWO_TIERS.replace('100\n', 'fast\n'), /:6:1: Downlink_speed_Gbps fast: a name and a number/],
  ] as const) {
    it(`is refused: ${expected.source}`, () => {
      assert.match(errorsOf(() => tree(text)).join('\n'), expected);
    });
  }

  it('survives any octet that is wrong', () => {
    for (let at = 0; at < THREE_TIERS.length; at++) {
      for (const other of ['', '\n', ' ', '-', '7', 'é']) {
        const wrong = THREE_TIERS.slice(0, at) + other + THREE_TIERS.slice(at + 1);
        errorsOf(() => tree(wrong));
      }
    }
  });
});
