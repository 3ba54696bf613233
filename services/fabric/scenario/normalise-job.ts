import { COLLECTIVES } from '../../jobs/steps/collectives.js';
import { listed, unknownName } from '../../settings/errors.js';
import type { Path } from '../../settings/source-tree.js';
import type { Located } from './located.js';
import type { JobInput } from './schema-job.js';
import type { JobFiles, JobSection, JobStep } from './scenario.js';

type StepInput = NonNullable<JobInput['steps']>[number];

/** What is a job's own of a load, with every default in place. */
export function jobSection(
  input: JobInput,
  path: Path,
  located: Located,
): Omit<JobSection, 'hosts'> {
  const { goal, chakra, steps, repeat, ranks = null, ranksPerHost, placement, sends } = input;
  const { groups, box } = input;
  const given = Object.entries({ goal, chakra, steps }).flatMap(([key, value]) =>
    value === undefined ? [] : [key],
  );
  if (given.length !== 1) {
    const what = given.length === 0 ? 'it does nothing' : `both ${listed(given)}`;
    const remedy = 'write goal: FILE, chakra: NAME, or steps: [{ all-reduce: 4MiB }]';
    throw located.errorAt(path, `${what}; ${remedy}`);
  }
  if (steps === undefined && (repeat > 1 || ranks !== null)) {
    const key = repeat > 1 ? 'repeat' : 'ranks';
    throw located.errorAt([...path, key], `a file has its own ${key}; it is for steps`);
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

function filesOf({ goal, chakra, edges }: JobInput, path: Path, located: Located): JobFiles | null {
  if (goal !== undefined) return { format: 'goal', path: located.fileAt([...path, 'goal'], goal) };
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
