import { chakraJob } from '../../services/jobs/chakra/chakra-job.js';
import { readTrace } from '../../services/jobs/chakra/read-trace.js';
import { jobOfFiles } from '../../services/jobs/files.js';
import { defectsOf } from '../../services/jobs/check-job.js';
import { encodeBinaryGoal } from '../../services/jobs/goal/binary-goal.js';
import { parseGoal } from '../../services/jobs/goal/parse-goal.js';
import { readGoal } from '../../services/jobs/goal/read-goal.js';
import { JobSource } from '../../services/jobs/source.js';
import { FramePool, LENGTH, SEQUENCE } from '../../services/engine/frame/frame-pool.js';
import { blankCeTag, decodeCeTag } from '../../services/engine/wire/ce-tag.js';
import { blankEthernetHeader, decodeEthernetHeader } from '../../services/engine/wire/ethernet.js';
import { blankIpv4Header, decodeIpv4Header } from '../../services/engine/wire/ipv4.js';
import { blankIpv6Header, decodeIpv6Header } from '../../services/engine/wire/ipv6.js';
import { blankCfUpdate, decodeCfUpdate } from '../../services/engine/wire/cf-update.js';
import { blankCcUpdate, decodeCcUpdate } from '../../services/engine/wire/mac-control/cc-update.js';
import { blankCeFrame, decodeCe } from '../../services/engine/wire/mac-control/ce-frame.js';
import {
  blankPauseFrame,
  decodePause,
} from '../../services/engine/wire/mac-control/pause-frame.js';
import { blankPfcFrame, decodePfc } from '../../services/engine/wire/mac-control/pfc-frame.js';
import { readCapture } from '../../services/engine/wire/pcapng/reader.js';
import {
  SECTION_BLOCK_OCTETS,
  writeSectionBlock,
} from '../../services/engine/wire/pcapng/writer.js';
import {
  blankBaseTransportHeader,
  decodeBaseTransportHeader,
} from '../../services/engine/wire/roce.js';
import { blankUdpHeader, decodeUdpHeader } from '../../services/engine/wire/udp.js';
import { buildFabric } from '../../services/fabric/assembly/fabric.js';
import { expandLoad } from '../../services/fabric/load/expand-load.js';
import { scenarioOfDocument } from '../../services/fabric/scenario/load-scenario.js';
import { parseSource } from '../../services/fabric/scenario/read-source.js';
import { plainValue } from '../../services/settings/source-tree.js';
import {
  decodeSnapshot,
  encodeSnapshot,
  packState,
  packStates,
} from '../../services/runtime/checkpoints/snapshots.js';
import { packPlain, unpackPlain } from '../../services/runtime/checkpoints/plain-octets.js';
import { FrameReceiver, FrameSender } from '../../services/runtime/partition/frame-batch.js';
import { MacKey } from '../../services/runtime/keys/mac.js';
import {
  decodeMessage,
  encodeMessage,
  isAuthentic,
  PROTOCOL,
} from '../../services/runtime/partition/messages.js';
import { packWhole, unpackWhole } from '../../services/runtime/whole-state.js';
import type { WholeState } from '../../services/runtime/whole-state.js';
import { DEVICE_TARGETS } from './device-targets.js';
import type { Target } from './fuzzer.js';
import { CONTROL, PROTOCOL_TARGETS } from './protocol-targets.js';
import { LIVE_TARGETS } from './live-targets.js';
import { RUN_TARGETS } from './run-targets.js';

const PACKET = Uint8Array.from({ length: 96 }, (_, i) => (i === 0 ? 0x45 : (i * 37) & 0xff));

function decoder<Into>(
  name: string,
  blank: () => Into,
  decode: (octets: Uint8Array, at: number, into: Into) => string,
  seeds: readonly Uint8Array[],
): Target {
  const into = blank();
  return { name, seeds, every: 1, take: (octets) => decode(octets, 0, into) };
}

/** Errors that are a plain answer to bad input, by the names of their classes. */
function answered(errors: readonly string[], attempt: () => void): string {
  try {
    attempt();
    return 'taken';
  } catch (error) {
    if (error instanceof Error && errors.includes(error.constructor.name)) return 'refused';
    throw error;
  }
}

const text = new TextDecoder();
const octetsOf = (content: string): Uint8Array => new TextEncoder().encode(content);

/** Replay files, as a scenario names them. */
function csvFile(): Target {
  const loaded = scenarioOfDocument('fuzz.yaml', {
    selvage: 1,
    fabric: { generator: 'star', hosts: 3 },
    load: [{ name: 'r', replay: 'x.csv' }],
  });
  const { topology } = buildFabric(
    scenarioOfDocument('fuzz.yaml', { selvage: 1, fabric: { generator: 'star', hosts: 3 } }),
  );
  return {
    name: 'csv',
    seeds: [octetsOf('time,source,destination,bytes\n1us,h1,h2,1000\n2us,h2,h3,64KB\n')],
    every: 20,
    take: (octets) =>
      answered(['ScenarioError'], () => {
        expandLoad(loaded.scenario.load, {
          topology,
          tags: [],
          groups: [],
          plugins: [],
          seed: 1,
          durationPs: null,
          fail: (path, message) => loaded.errorAt(path, message),
          readFile: () => text.decode(octets),
          readOctets: () => octets,
        });
      }),
  };
}

const ORIGIN = { run: 'r', epoch: 1, boundPs: 0, service: 0, planHash: Uint8Array.of(1, 2, 3) };
const { octets: SNAPSHOT, hash: stateHash } = encodeSnapshot(
  ORIGIN,
  packStates([packState({} as never)]),
);
const WHOLE: WholeState = {
  ...{ boundPs: 1e6, framesSeen: -1, latestPs: 5, devices: [], rows: [[1, 'h1:p1', 2]] },
  ...{ sampleDueAt: Infinity, sampled: { 'h1:p1': Float64Array.of(1, 2) }, observed: [null] },
};
const KEY = new MacKey(Uint8Array.of(1, 2));
const FIELDS = {
  protocol: PROTOCOL,
  epoch: 1,
  from: 1,
  to: 0,
  sequence: 1,
  promisePs: 1e12,
  frames: new Uint8Array(64),
};
const MESSAGE = encodeMessage(FIELDS, KEY);

/** A batch of three frames, of which the last two have brief records. */
function encodedBatch(): Uint8Array {
  const pool = new FramePool(1 << 16);
  const sender = new FrameSender(1 << 10);
  const frame = pool.allocate();
  pool.words[frame + LENGTH] = 64;
  for (let sequence = 0; sequence < 3; sequence++) {
    pool.words[frame + SEQUENCE] = sequence;
    sender.add(1, pool, frame);
  }
  return sender.takePieces()[0]!;
}

function readBatch(octets: Uint8Array): string {
  const receiver = new FrameReceiver(2);
  if (!receiver.accepts(octets)) return 'refused';
  while (receiver.next() >= 0);
  return 'taken';
}

/** Any octets as a file of a job: a graph, or errors with their places. */
function jobFile(format: 'simai' | 'msccl' | 'htsim', seeds: readonly string[]): Target {
  const files = {
    simai: { format: 'simai', path: 'fuzz', passes: 1 },
    msccl: { format: 'msccl', path: 'fuzz', octets: 64 },
    htsim: { format: 'htsim', path: 'fuzz', unit: 'us', areAcknowledged: true },
  } as const;
  return {
    ...{ name: format, every: 4, seeds: seeds.map((seed) => octetsOf(seed)) },
    take: (octets) =>
      answered(['ScenarioError', 'TooManyOperations'], () => {
        jobOfFiles(files[format], () => octets);
      }),
  };
}

export const TARGETS: readonly Target[] = [
  decoder('ethernet', blankEthernetHeader, decodeEthernetHeader, [PACKET, ...CONTROL]),
  decoder('ipv4', blankIpv4Header, decodeIpv4Header, [PACKET]),
  decoder('ipv6', blankIpv6Header, decodeIpv6Header, [PACKET]),
  decoder('udp', blankUdpHeader, decodeUdpHeader, [PACKET]),
  decoder('roce', blankBaseTransportHeader, decodeBaseTransportHeader, [PACKET]),
  decoder('pause', blankPauseFrame, decodePause, CONTROL),
  decoder('pfc', blankPfcFrame, decodePfc, CONTROL),
  decoder('ce', blankCeFrame, decodeCe, CONTROL),
  decoder('cc-update', blankCcUpdate, decodeCcUpdate, CONTROL),
  decoder(
    'cf-update',
    blankCfUpdate,
    (octets, at, into) => decodeCfUpdate(octets.subarray(at), octets.length - at, into),
    [Uint8Array.of(0x4b, 0x10, 0x19, 0x23, 0x46, 0xff, 0xff, 0xe0)],
  ),
  decoder('ce-tag', blankCeTag, decodeCeTag, CONTROL),
  {
    name: 'goal',
    seeds: [
      octetsOf('num_ranks 2\nrank 0 {\na: send 8b to 1 tag 1\nb: calc 5\nb requires a\n}\n'),
      octetsOf('num_ranks 1\nrank 0 {\n/* c */\nl: calc 9 cpu 1\n}\n'),
      encodeBinaryGoal(
        parseGoal(
          new JobSource('seed'),
          'num_ranks 2\nrank 0 {\na: send 8b to 1\nb: calc 5\nb irequires a\n}\nrank 1 {\nr: recv 8b from -1\n}\n',
        ),
      ),
    ],
    every: 4,
    take: (octets) =>
      answered(['ScenarioError'], () => {
        const source = new JobSource('fuzz');
        defectsOf(readGoal(source, octets));
      }),
  },
  {
    name: 'chakra',
    seeds: [
      Uint8Array.of(7, 10, 5, 48, 46, 48, 46, 52, 12, 8, 0, 18, 1, 97, 24, 4, 56, 10, 42, 1, 0, 10),
      octetsOf('{"workload_graph":[{"Id":0,"NodeType":4,"runtime":5,"data_deps":[]}]}'),
    ],
    every: 4,
    take: (octets) =>
      answered(['ScenarioError'], () => {
        const source = new JobSource('fuzz');
        defectsOf(chakraJob([{ source, nodes: readTrace(source, octets) }], { edges: 'data' }));
      }),
  },
  jobFile('simai', [
    'HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 all_gpus: 4\n1\n' +
      'l -1 1 ALLREDUCE 8 1 NONE 0 1 ALLTOALL_DP_EP 8 0\n',
  ]),
  jobFile('msccl', [
    '<algo nchunksperloop="1" ngpus="2" coll="broadcast">' +
      '<gpu id="0" i_chunks="1" o_chunks="0" s_chunks="0"><tb id="0" send="1" recv="-1" chan="0">' +
      '<step s="0" type="s" srcbuf="i" srcoff="0" cnt="1" depid="-1" deps="-1"/></tb></gpu>' +
      '<gpu id="1" i_chunks="1" o_chunks="0" s_chunks="0"><tb id="0" send="-1" recv="0" chan="0">' +
      '<op step="0" type="r" buf="i" off="0" cnt="1" depid="-1" deps="-1"/></tb></gpu></algo>',
  ]),
  jobFile('htsim', [
    'Nodes 3\nConnections 2\nTriggers 1\n0->1 id 1 start 0 size 9 recv_done_trigger 1\n' +
      '0->2 id 2 trigger 1 size 9 msg 1\ntrigger id 1 multishot\n',
  ]),
  {
    name: 'pcapng',
    seeds: [encodedSection()],
    every: 4,
    take: (octets) => readCapture(octets).outcome,
  },
  {
    name: 'batch',
    seeds: [encodedBatch()],
    every: 4,
    take: readBatch,
  },
  {
    name: 'message',
    seeds: [MESSAGE],
    every: 4,
    take: (octets: Uint8Array): string => {
      if (decodeMessage(octets) === null) return 'refused';
      return isAuthentic(octets, KEY) ? 'taken' : 'forged';
    },
  },
  {
    name: 'snapshot',
    seeds: [SNAPSHOT],
    every: 20,
    take: (octets) =>
      answered(['DamagedCheckpoint'], () => decodeSnapshot(octets, { ...ORIGIN, stateHash })),
  },
  {
    name: 'state',
    seeds: [packWhole(WHOLE)],
    every: 4,
    take: (octets) => answered(['StateError'], () => unpackWhole(octets)),
  },
  {
    name: 'plain values',
    seeds: [packPlain({ a: [1, 'b', { a: null }], b: Float64Array.of(0.5), c: -1e300 })],
    every: 4,
    take: (octets) => answered(['MalformedOctets'], () => unpackPlain(octets)),
  },
  {
    name: 'yaml',
    seeds: [
      octetsOf('selvage: 1\nfabric: { generator: pair }\nload: []\n'),
      octetsOf('selvage: 1\nfaults: [{ kind: loss, probability: 1%, where: { device: h* } }]\n'),
      octetsOf('{"selvage": 1, "seed": 3, "priorities": {"3": "pfc"}}'),
    ],
    every: 200,
    take: (octets) =>
      answered(['ScenarioError'], () => {
        const name = 'fuzz.yaml';
        const tree = parseSource(name, text.decode(octets), true);
        if (tree !== null) scenarioOfDocument(name, plainValue(tree));
      }),
  },
  csvFile(),
  ...PROTOCOL_TARGETS,
  ...DEVICE_TARGETS,
  ...RUN_TARGETS,
  ...LIVE_TARGETS,
];

function encodedSection(): Uint8Array {
  const into = new Uint8Array(SECTION_BLOCK_OCTETS);
  writeSectionBlock(into, 0);
  return into;
}
