import { basename } from 'node:path';
import { ScenarioError } from '../settings/errors.js';
import { importHpcc, kindOf } from './hpcc/hpcc.js';
import { isTree, readTree } from './htsim/topology.js';
import { fabricOfTree } from './htsim/tree.js';
import { type Imported, type ImportNote, WordFile } from './imported.js';
import { type GivenFile, type ImportedJob, importJobs, KNOWN_JOBS } from './jobs.js';

/** Fabrics and flows that are known by their content, beside jobs. */
const KNOWN_FABRICS = [
  'topology.txt, flow.txt and config.txt of HPCC and ConWeave',
  'a .topo of htsim',
];
/** Of jobs that come without a fabric, and with one that says nothing of flow control. */
const HOST_LINK = { rate: '100G', delay: '500ns' };
const PRIORITY = 3;
/** More hosts than a switch of today has ports of that rate are no star. */
const STAR_MOST = 64;

interface BaseDocument {
  readonly selvage: number;
  readonly load?: readonly object[];
  readonly priorities?: object;
}

/** The fabric of files, what it has of loads, and its hosts. */
interface Base {
  readonly formats: readonly string[];
  readonly document: BaseDocument;
  readonly hosts: number;
  readonly files: ReadonlyMap<string, string>;
  readonly notes: readonly ImportNote[];
}

/** A scenario of files of other programs, in any order; throws their errors. */
export function importFiles(files: readonly GivenFile[]): Imported {
  const { jobs, rest } = importJobs(files);
  const base = baseOf(rest, jobs);
  checkNames(base, jobs);
  const notes = [...base.notes, ...jobs.flatMap((job) => job.notes)];
  const loads = jobs.map((job) => loadOf(job, base.hosts, notes));
  const isBare = jobs.length > 0 && base.document.priorities === undefined;
  if (isBare) {
    const how = `PFC at priority ${PRIORITY}, with headroom of Annex N`;
    notes.push({ fate: 'changed', what: 'flow control', how });
  }
  const document = {
    ...base.document,
    ...(isBare && { priorities: { [PRIORITY]: 'pfc' } }),
    load: [...(base.document.load ?? []), ...loads],
  };
  return {
    formats: [...new Set([...base.formats, ...jobs.map(({ format }) => format)])],
    document,
    files: new Map<string, string | Uint8Array>([
      ...base.files,
      ...jobs.flatMap(({ files: own }) => own.map(({ name, octets }) => [name, octets] as const)),
    ]),
    notes,
  };
}

function loadOf({ section, ranks }: ImportedJob, hosts: number, notes: ImportNote[]): object {
  const ranksPerHost = Math.ceil(ranks / hosts);
  if (ranksPerHost > 1) {
    const how = `${ranksPerHost} of ${ranks} ranks at each of ${hosts} hosts`;
    notes.push({ fate: 'changed', what: 'placement', how });
  }
  return {
    job: { ...section, ...(ranksPerHost > 1 && { ranksPerHost }) },
    priority: PRIORITY,
    transport: { reliable: { mtu: 4096 } },
  };
}

/** Each file has a place of its own beside the scenario. */
function checkNames(base: Base, jobs: readonly ImportedJob[]): void {
  const taken = new Set(['scenario.yaml', ...base.files.keys()]);
  for (const { path, name } of jobs.flatMap(({ files }) => files)) {
    if (taken.has(name)) {
      throw fileError(path, `another file goes beside the scenario as ${name}: rename this one`);
    }
    taken.add(name);
  }
}

function baseOf(files: readonly GivenFile[], jobs: readonly ImportedJob[]): Base {
  const kinds = new Map<string, WordFile>();
  for (const { path, text } of files) {
    const file = new WordFile(path, text);
    const kind = isTree(file) ? 'tree' : kindOf(file);
    if (isSimaiTopology(file)) {
      const what = 'GPUs of SimAI have links to a switch in their box beside that of a NIC';
      const remedy = 'take a generator, and ranksPerHost: and box: of the job';
      throw fileError(path, `${what}, and a host has one port here; ${remedy}`);
    }
    if (kind === null) {
      const known = [...KNOWN_FABRICS, ...KNOWN_JOBS].join('; ');
      throw fileError(path, `it is none of the files that are known by their content: ${known}`);
    }
    const other = kinds.get(kind);
    if (other !== undefined) {
      throw fileError(path, `${other.file} is the same kind of file, too: name one`);
    }
    kinds.set(kind, file);
  }
  const [topology, tree] = [kinds.get('topology'), kinds.get('tree')];
  const [flows, config] = [kinds.get('flows') ?? null, kinds.get('config') ?? null];
  if (topology !== undefined && tree !== undefined) {
    throw fileError(tree.file, `${topology.file} is a topology, too: name one`);
  }
  if (topology !== undefined) {
    const { tables, ...imported } = importHpcc({ topology, flows, config });
    return { formats: ['HPCC'], files: tables, ...imported };
  }
  const stray = flows ?? config;
  if (stray !== null) {
    throw fileError(stray.file, 'its nodes are those of a topology.txt: name it, too');
  }
  if (tree !== undefined) {
    const read = readTree(tree);
    const document = { selvage: 1, ...fabricOfTree(tree, read) };
    return {
      ...{ formats: ['htsim'], document, hosts: read.nodes, files: new Map() },
      notes: [
        { fate: 'used', what: basename(tree.file), how: `${read.tiers.length} tiers` },
        ...read.notes,
      ],
    };
  }
  return fabricFor(Math.max(...jobs.map(({ ranks }) => ranks)));
}

/** A host for each rank: at one switch, or in the least fat-tree that has so many. */
function fabricFor(ranks: number): Base {
  let k = 2;
  while (k ** 3 / 4 < ranks) k += 2;
  const hosts = ranks > STAR_MOST ? k ** 3 / 4 : ranks;
  const shape = ranks > STAR_MOST ? { generator: 'fat-tree', k } : { generator: 'star', hosts };
  const link = ranks > STAR_MOST ? { link: HOST_LINK } : { hostLink: HOST_LINK };
  const how = `a ${shape.generator} of ${hosts} hosts (${HOST_LINK.rate}): no file has one`;
  return {
    document: { selvage: 1, fabric: { ...shape, ...link } } as BaseDocument,
    ...{ formats: [], hosts, files: new Map() },
    notes: [{ fate: 'changed', what: 'fabric', how }],
  };
}

/** `nodes gpus_per_server nvswitches switches links gpu_type`, then ids and links. */
function isSimaiTopology({ lines }: WordFile): boolean {
  const [head] = lines;
  if (head?.words.length !== 6) return false;
  return lines.some(({ words }) => words.length === 5 && /^[\d.]+Gbps$/.test(words[2]!));
}

function fileError(file: string, message: string): ScenarioError {
  return new ScenarioError({ file, line: 1, column: 1 }, [], message);
}
