import type { JobFiles } from '../../jobs/files.js';
import { COLLECTIVES } from '../../jobs/steps/collectives.js';
import { listed, unknownName } from '../../settings/errors.js';
import type { Path } from '../../settings/source-tree.js';
import type { Located } from './located.js';
import type { JobInput } from './schema-job.js';
import type { JobSection, JobStep } from './scenario.js';

type StepInput = NonNullable<JobInput['steps']>[number];

/** Keys that name files of other programs. */
const FILES = ['goal', 'chakra', 'simai', 'msccl', 'htsim'] as const;

/** Keys that go with some sources of a job only. */
const KEYS_OF: Readonly<Record<string, { readonly of: readonly string[]; readonly why: string }>> =
  {
    repeat: { of: ['steps', 'simai'], why: 'a file has its own repeat; it is for steps' },
    ranks: { of: ['steps'], why: 'a file has its own ranks; it is for steps' },
    edges: { of: ['chakra'], why: 'only traces of Chakra have edges of two kinds' },
    vector: { of: ['msccl'], why: 'only an algorithm of MSCCL asks for the size of its vector' },
    startUnit: { of: ['htsim'], why: 'only a connection matrix of htsim has starts without unit' },
  };

/** What is a job's own of a load, with every default in place. */
export function jobSection(
  input: JobInput,
  path: Path,
  located: Located,
): Omit<JobSection, 'hosts'> {
  const { steps, repeat, ranks = null, ranksPerHost, placement, sends } = input;
  const { groups, box } = input;
  const given = [...FILES, 'steps' as const].filter((key) => input[key] !== undefined);
  if (given.length !== 1) {
    const what = given.length === 0 ? 'it does nothing' : `both ${listed(given)}`;
    const files = FILES.map((key) => `${key}: FILE`).join(', ');
    throw located.errorAt(path, `${what}; write ${files}, or steps: [{ all-reduce: 4MiB }]`);
  }
  const [source] = given;
  for (const [key, { of, why }] of Object.entries(KEYS_OF)) {
    const isThere = located.has([...path, key]);
    if (isThere && !of.includes(source!)) throw located.errorAt([...path, key], why);
  }
  if (source === 'msccl' && input.vector === undefined) {
    throw located.errorAt(path, 'an algorithm of MSCCL is for any vector; write vector: 4MiB');
  }
  return {
    files: filesOf(input, path, located),
    steps: (steps ?? []).map((step, index) =>
      stepSection(step, input, [...path, 'steps', index], located),
    ),
    ...{ repeat, ranks, ranksPerHost, placement, sendsDone: sends, groups },
    slowdown: new Map(
      Object.entries(input.stragglers).map(([rank, factor]) => [Number(rank), factor]),
    ),
    boxBps: box.rate,
    boxPs: box.latency,
  };
}

function filesOf(input: JobInput, path: Path, located: Located): JobFiles | null {
  const { goal, chakra, simai, msccl, htsim, edges, repeat, vector, startUnit, sends } = input;
  const file = (key: string, name: string): string => located.fileAt([...path, key], name);
  if (goal !== undefined) return { format: 'goal', path: file('goal', goal) };
  if (simai !== undefined) return { format: 'simai', path: file('simai', simai), passes: repeat };
  if (msccl !== undefined) return { format: 'msccl', path: file('msccl', msccl), octets: vector! };
  if (htsim !== undefined) {
    const its = { unit: startUnit, areAcknowledged: sends === 'acknowledged' };
    return { format: 'htsim', path: file('htsim', htsim), ...its };
  }
  if (chakra === undefined) return null;
  const at = [...path, 'chakra'];
  const paths =
    typeof chakra === 'string'
      ? located.filesAt(at, (rank) => `${chakra}.${rank}.et`)
      : chakra.map((name, rank) => located.fileAt([...at, rank], name));
  if (paths.length === 0) {
    throw located.errorAt(at, `there is no file ${String(chakra)}.0.et, the trace of rank 0`);
  }
  return { format: 'chakra', paths, edges };
}

function stepSection(
  input: StepInput,
  { groups }: JobInput,
  path: Path,
  located: Located,
): JobStep {
  const { compute, barrier = false, in: group, algorithm, chunks, ...volumes } = input;
  const given = Object.entries(volumes).map(([what, octets]) => ({ what, octets: Number(octets) }));
  if (barrier) given.push({ what: 'barrier', octets: 0 });
  const verbs = [...(compute === undefined ? [] : ['compute']), ...given.map(({ what }) => what)];
  if (verbs.length !== 1) {
    const all = listed(['compute', ...Object.keys(COLLECTIVES)]);
    const what = verbs.length === 0 ? 'no step' : `several steps in one: ${listed(verbs)}`;
    throw located.errorAt(path, `${what}; one of ${all}`);
  }
  if (group !== undefined && !(group in groups)) {
    throw located.errorAt([...path, 'in'], unknownName('group', group, Object.keys(groups)));
  }
  const within = group ?? null;
  if (compute !== undefined) {
    const stray = algorithm === undefined ? null : 'algorithm';
    if (stray !== null) throw located.errorAt([...path, stray], 'a computation has none');
    return { kind: 'compute', durationPs: compute, within };
  }
  const [{ what, octets }] = given as [{ what: string; octets: number }];
  const algorithms = Object.keys(COLLECTIVES[what]!.algorithms);
  if (algorithm !== undefined && !algorithms.includes(algorithm)) {
    const message = `${what} has no algorithm ${algorithm}; it has ${listed(algorithms)}`;
    throw located.errorAt([...path, 'algorithm'], message);
  }
  return {
    ...{ kind: 'collective', what, octets, chunks, within },
    algorithm: algorithm ?? algorithms[0]!,
  };
}
