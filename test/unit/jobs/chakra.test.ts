import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import protobuf from 'protobufjs/minimal.js';
import { COMPUTE, RECEIVE, SEND } from '../../../services/engine/contract/operations.js';
import { chakraJob } from '../../../services/jobs/chakra/chakra-job.js';
import { readTrace } from '../../../services/jobs/chakra/read-trace.js';
import { defectsOf } from '../../../services/jobs/check-job.js';
import { type JobGraph, rankOf } from '../../../services/jobs/graph.js';
import { JobSource, settleAll } from '../../../services/jobs/source.js';
import { errorsOf } from './samples.js';

interface Node {
  readonly id: number;
  readonly name?: string;
  readonly type: number;
  readonly after?: readonly number[];
  readonly control?: readonly number[];
  readonly us?: number;
  readonly groups?: string;
  readonly attributes?: Readonly<Record<string, number | string | boolean>>;
}

/** A trace as mlcommons/chakra writes it; dependencies packed, or one by one. */
function encode(nodes: readonly Node[], isPacked = true): Uint8Array {
  const file = protobuf.Writer.create();
  file.bytes(protobuf.Writer.create().uint32(10).string('0.0.4').finish());
  for (const {
    id,
    name = '',
    type,
    after = [],
    control = [],
    us,
    groups,
    attributes = {},
  } of nodes) {
    const node = protobuf.Writer.create().uint32(8).uint64(id).uint32(18).string(name);
    node.uint32(24).int32(type);
    for (const [field, ids] of [
      [4, control],
      [5, after],
    ] as const) {
      if (isPacked && ids.length > 0) {
        node.uint32((field << 3) | 2).fork();
        for (const one of ids) node.uint64(one);
        node.ldelim();
      } else for (const one of ids) node.uint32(field << 3).uint64(one);
    }
    if (us !== undefined) node.uint32(56).uint64(us);
    if (groups !== undefined) node.uint32(66).fork().uint32(10).string(groups).ldelim();
    for (const [key, value] of Object.entries(attributes)) {
      node.uint32(82).fork().uint32(10).string(key);
      if (typeof value === 'number') node.uint32((9 << 3) | 0).int64(value);
      else if (typeof value === 'boolean') node.uint32((27 << 3) | 0).bool(value);
      else node.uint32((29 << 3) | 2).string(value);
      node.ldelim();
    }
    file.bytes(node.finish());
  }
  return file.finish();
}

const [METADATA, CALC, SENDS, RECEIVES, COLLECTIVE] = [1, 4, 5, 6, 7];

const STEP: readonly Node[] = [
  { id: 0, name: 'forward', type: CALC, us: 10 },
  {
    ...{ id: 1, name: 'all-reduce', type: COLLECTIVE, after: [0] },
    attributes: { is_cpu_op: false, comm_type: 0, comm_size: 4_194_304 },
  },
  { id: 2, name: 'optimizer', type: CALC, us: 20, after: [1] },
];

function jobOf(files: readonly Uint8Array[], edges: 'data' | 'data+control' = 'data'): JobGraph {
  const traces = files.map((octets, rank) => {
    const source = new JobSource(`t.${rank}.et`);
    return { source, nodes: source.attempt(() => readTrace(source, octets)) ?? [] };
  });
  settleAll(traces.map(({ source }) => source));
  return chakraJob(traces, { edges });
}

const shape = ({ kind, amount, peer, steps }: JobGraph): unknown => ({
  ...{ kind: [...kind], amount: [...amount], peer: [...peer], steps },
});

const messagesOf = (graph: JobGraph): string[] =>
  Array.from({ length: graph.count }, (_, one) => one)
    .filter((one) => graph.kind[one] === SEND)
    .map((one) => `${rankOf(graph, one)}>${graph.peer[one]!} ${graph.amount[one]!}`);

describe('an execution trace of Chakra', () => {
  const four = Array.from({ length: 4 }, () => encode(STEP));

  it('is computations and a collective of all ranks', () => {
    const graph = jobOf(four);
    assert.deepEqual(graph.steps, [{ kind: 'all-reduce', group: [0, 1, 2, 3], octets: 4_194_304 }]);
    const computing = [...graph.kind.keys()].filter(
      (one) => graph.kind[one] === COMPUTE && graph.amount[one]! > 0,
    );
    assert.deepEqual([...new Set(computing.map((one) => graph.amount[one]!))], [10e6, 20e6]);
    assert.equal(messagesOf(graph).length, 4 * 6);
    assert.deepEqual(defectsOf(graph), []);
  });

  it('is the same packed and not, gzipped, and as JSON in any case of its keys', () => {
    const json = JSON.stringify({
      workload_graph: [
        { Id: 0, Name: 'forward', NodeType: 4, runtime: 10 },
        {
          Id: 1,
          Name: 'all-reduce',
          NodeType: 7,
          comm_type: 0,
          comm_size: 4_194_304,
          data_deps: [0],
        },
        { id: 2, name: 'optimizer', nodetype: 4, runtime: 20, data_deps: [1], ctrlDeps: [] },
      ],
    });
    const mixed = [
      encode(STEP, false),
      gzipSync(encode(STEP)),
      new TextEncoder().encode(json),
      encode(STEP),
    ];
    assert.deepEqual(shape(jobOf(mixed)), shape(jobOf(four)));
  });

  it('has dependencies of control only where they are asked for', () => {
    const nodes = [
      { id: 10, type: CALC, us: 5 },
      {
        ...{ id: 11, type: SENDS, after: [10] },
        attributes: { comm_dst: 1, comm_tag: 3, comm_size: 1_000_000 },
      },
      { id: 12, type: CALC, us: 7, after: [10], control: [11] },
    ];
    const other = [
      { id: 20, type: RECEIVES, attributes: { comm_src: 0, comm_tag: 3, comm_size: 1_000_000 } },
    ];
    const files = [encode(nodes), encode(other)];
    const waitsOf = (graph: JobGraph): number => {
      const last = [...graph.amount].findIndex((ps) => ps === 7e6);
      return graph.needs[last]!;
    };
    assert.deepEqual([waitsOf(jobOf(files)), waitsOf(jobOf(files, 'data+control'))], [1, 2]);
    assert.deepEqual(messagesOf(jobOf(files)), ['0>1 1000000']);
  });

  it('has groups, within which the k-th collective of each rank is one', () => {
    const groups = '["[{"pg_name": "1", "ranks": [0, 1]}, {"pg_name": "2", "ranks": [2, 3]}]"]';
    const files = [0, 1, 2, 3].map((rank) =>
      encode([
        { id: 0, type: METADATA, groups },
        {
          ...{ id: 1, type: COLLECTIVE },
          attributes: { comm_type: 2, comm_size: 65_536, pg_name: rank < 2 ? '1' : '2' },
        },
      ]),
    );
    const graph = jobOf(files);
    // What each rank contributes is the half of the whole.
    assert.deepEqual(
      graph.steps.map(({ kind, group, octets }) => [kind, group, octets]),
      [
        ['all-gather', [0, 1], 131_072],
        ['all-gather', [2, 3], 131_072],
      ],
    );
    assert.deepEqual(messagesOf(graph), ['0>1 65536', '1>0 65536', '2>3 65536', '3>2 65536']);
  });

  it('has collectives of the host without comm_type, which are computations', () => {
    const wrapper = { id: 0, type: COLLECTIVE, us: 3, attributes: { is_cpu_op: true } };
    const graph = jobOf([encode([wrapper]), encode([wrapper])]);
    assert.deepEqual([[...graph.kind], graph.steps.length], [[COMPUTE, COMPUTE], 0]);
    assert.ok(!graph.kind.includes(RECEIVE));
  });

  const broken = (change: (node: Node) => Node, ranks = 1): string[] =>
    errorsOf(() => {
      const graph = jobOf(Array.from({ length: ranks }, () => encode(STEP.map(change))));
      const [defect] = defectsOf(graph);
      if (defect !== undefined) throw new JobSource('t.0.et').errorAt(0, defect.message);
    });

  for (const [title, change, expected] of [
    [
      'a dependency that is not there',
      { after: [77] },
      /node 1 \(all-reduce\) depends on node 77, which is/,
    ],
    ['a node twice', { id: 0 }, /two nodes have the id 0/],
    ['a node that waits for itself', { after: [1] }, /node 1 \(all-reduce\) depends on itself/],
    ['a cycle', { after: [2] }, /a cycle, .*rank 0 all-reduce \(communication\), rank 0 optimizer/],
    ['an unknown type', { type: 9 }, /node 1 \(all-reduce\) has type 9; 1 to 7/],
    ['a gather', { attributes: { comm_type: 3 } }, /comm_type 3 \(gather\) is not supported/],
    ['an unknown group', { attributes: { comm_type: 0, pg_name: '5' } }, /there is no group 5/],
    ['a size below 0', { attributes: { comm_type: 0, comm_size: -1 } }, /comm_size is -1; a whole/],
    [
      'a peer that is not there',
      { type: SENDS, attributes: { comm_dst: 3 } },
      /comm_dst is 3; anoth/,
    ],
  ] as const) {
    it(`is refused with ${title}`, () => {
      const errors = broken((node) => (node.id === 1 ? { ...node, ...change } : node));
      assert.equal(errors.length > 0, true);
      assert.match(errors.join('\n'), expected);
    });
  }

  it('is refused where a rank is short of a collective, or has another one', () => {
    const short = errorsOf(() => jobOf([encode(STEP), encode(STEP.slice(0, 1))]));
    assert.match(short.join(), /node 1 .* of rank 0 waits for ever: rank 1 has 0 collectives/);
    const smaller = STEP.map((node) =>
      node.id === 1 ? { ...node, attributes: { comm_type: 0, comm_size: 4 } } : node,
    );
    const other = errorsOf(() => jobOf([encode(STEP), encode(smaller)]));
    assert.match(
      other.join(),
      /all-reduce of 4194304 octets, and node 1 .* rank 1 is all-reduce of 4/,
    );
  });

  it('survives any octet that is wrong, and any end', () => {
    const octets = encode(STEP);
    for (let at = 0; at < octets.length; at++) {
      for (const flip of [1, 0x10, 0x80, 0xff]) {
        const wrong = octets.slice();
        wrong[at]! ^= flip;
        errorsOf(() => defectsOf(jobOf([wrong])));
      }
      errorsOf(() => defectsOf(jobOf([octets.subarray(0, at)])));
    }
  });
});
