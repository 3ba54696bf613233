import { basename } from 'node:path';
import { isTrace } from '../jobs/chakra/read-trace.js';
import { type JobFiles, jobOfFiles } from '../jobs/files.js';
import { isGoal } from '../jobs/goal/read-goal.js';
import { TooManyOperations } from '../jobs/graph.js';
import { isMatrix } from '../jobs/htsim/read-matrix.js';
import { isAlgorithm } from '../jobs/msccl/read-algorithm.js';
import { isWorkload } from '../jobs/simai/read-workload.js';
import { ScenarioError } from '../settings/errors.js';
import type { ImportNote } from './imported.js';

// Files that a job is in are kept as they are: a scenario names them.

/** A file by its content. */
export interface GivenFile {
  readonly path: string;
  readonly octets: Uint8Array;
  readonly text: string;
}

export interface ImportedJob {
  readonly format: string;
  /** Files that go beside the scenario, by their names there. */
  readonly files: readonly (Omit<GivenFile, 'text'> & { readonly name: string })[];
  /** What the scenario says of the job. */
  readonly section: Readonly<Record<string, unknown>>;
  readonly ranks: number;
  readonly notes: readonly ImportNote[];
}

/** Octets of a vector where the file is for any. */
const VECTOR = { octets: 4 * 2 ** 20, written: '4MiB' };

interface JobKind {
  readonly format: string;
  readonly known: string;
  readonly is: (file: GivenFile) => boolean;
  /** Of all files of the kind: they are one job, or each is one. */
  readonly together?: boolean;
  readonly filesOf: (paths: readonly string[]) => JobFiles;
  readonly sectionOf: (names: readonly string[]) => Readonly<Record<string, unknown>>;
  readonly notes: readonly ImportNote[];
}

/** In the order in which they are tried. */
const KINDS: readonly JobKind[] = [
  {
    format: 'GOAL',
    known: 'GOAL of LogGOPSim and ATLAHS, as text or octets',
    is: ({ octets }) => isGoal(octets),
    filesOf: ([path]) => ({ format: 'goal', path: path! }),
    sectionOf: ([name]) => ({ goal: name }),
    notes: [],
  },
  {
    format: 'MSCCL',
    known: 'algorithms of MSCCL',
    is: ({ text }) => isAlgorithm(text),
    filesOf: ([path]) => ({ format: 'msccl', path: path!, octets: VECTOR.octets }),
    sectionOf: ([name]) => ({ msccl: name, vector: VECTOR.written }),
    notes: [
      {
        ...{ fate: 'changed', what: 'size of the vector' },
        how: `${VECTOR.written}, as the algorithm is for any; vector: has another`,
      },
      { fate: 'ignored', what: 'proto, minBytes, maxBytes', how: 'messages are of RDMA' },
    ],
  },
  {
    format: 'SimAI',
    known: 'workloads of SimAI',
    is: ({ text }) => isWorkload(text),
    filesOf: ([path]) => ({ format: 'simai', path: path!, passes: 1 }),
    sectionOf: ([name]) => ({ simai: name }),
    notes: [
      {
        ...{ fate: 'ignored', what: 'pp_comm, vpp, ga' },
        how: 'stages of a pipeline send nothing to each other, as in packets of SimAI',
      },
      { fate: 'changed', what: 'passes', how: 'one; repeat: has more' },
    ],
  },
  {
    format: 'htsim',
    known: 'connection matrices of htsim',
    is: ({ text }) => isMatrix(text),
    filesOf: ([path]) => ({ format: 'htsim', path: path!, unit: 'us', areAcknowledged: true }),
    sectionOf: ([name]) => ({ htsim: name, startUnit: 'us', sends: 'acknowledged' }),
    notes: [
      {
        ...{ fate: 'changed', what: 'unit of start' },
        how: 'us, as htsim_uec reads it; startUnit: ps for htsim_roce, htsim_ndp and htsim_hpcc',
      },
      {
        ...{ fate: 'changed', what: 'triggers of other nodes' },
        how: 'a call is a message of one octet: nothing is known there without one',
      },
      { fate: 'ignored', what: 'prio, failure', how: 'say it by priorities: and faults:' },
    ],
  },
  {
    format: 'Chakra',
    known: 'traces of Chakra, one of each rank',
    is: ({ octets }) => isTrace(octets),
    together: true,
    filesOf: (paths) => ({ format: 'chakra', paths, edges: 'data' }),
    sectionOf: (names) => ({ chakra: names }),
    notes: [
      {
        ...{ fate: 'ignored', what: 'dependencies of control, times of start' },
        how: 'edges: data+control has the former; the latter are what is asked for',
      },
    ],
  },
];

/** What the formats of jobs are called. */
export const KNOWN_JOBS: readonly string[] = KINDS.map(({ known }) => known);

/** The jobs of files, and the files that have none; throws the errors of the first that has any. */
export function importJobs(files: readonly GivenFile[]): {
  readonly jobs: readonly ImportedJob[];
  readonly rest: readonly GivenFile[];
} {
  const kinds = new Map(files.map((file) => [file, KINDS.find(({ is }) => is(file))]));
  const jobs = KINDS.flatMap((kind) => {
    const own = files.filter((file) => kinds.get(file) === kind);
    if (own.length === 0) return [];
    const each = kind.together === true ? [own.toSorted(byRank)] : own.map((file) => [file]);
    return each.map((job) => jobOf(kind, job));
  });
  return { jobs, rest: files.filter((file) => kinds.get(file) === undefined) };
}

function jobOf(kind: JobKind, files: readonly GivenFile[]): ImportedJob {
  const { format, filesOf, sectionOf, notes } = kind;
  const octetsOf = new Map(files.map(({ path, octets }) => [path, octets]));
  const ranks = ranksOf(filesOf([...octetsOf.keys()]), octetsOf);
  const names = files.map(({ path }) => basename(path));
  const used = { fate: 'used', what: names.join(', '), how: `ranks: ${ranks}` } as const;
  return {
    format,
    files: files.map(({ path, octets }, i) => ({ path, name: names[i]!, octets })),
    ranks,
    section: sectionOf(names),
    notes: [used, ...notes],
  };
}

function ranksOf(files: JobFiles, octetsOf: ReadonlyMap<string, Uint8Array>): number {
  try {
    return jobOfFiles(files, (path) => octetsOf.get(path)!).ranks;
  } catch (error) {
    if (!(error instanceof TooManyOperations)) throw error;
    const [file] = octetsOf.keys();
    const message = `${error.message}; take fewer ranks or layers`;
    throw new ScenarioError({ file: file!, line: 1, column: 1 }, [], message);
  }
}

/** NAME.RANK.et: rank 10 comes after rank 9. */
function byRank(a: GivenFile, b: GivenFile): number {
  return rankIn(a.path) - rankIn(b.path);
}

function rankIn(path: string): number {
  return Number(/(\d+)(?:\.[a-z]+)*$/i.exec(basename(path))?.[1] ?? 0);
}
