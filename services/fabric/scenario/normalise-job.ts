import { COLLECTIVES } from '../../jobs/steps/collectives.js';
import { listed, unknownName } from '../../settings/errors.js';
import type { Path } from '../../settings/source-tree.js';
import type { Located } from './located.js';
import type { JobInput } from './schema-job.js';
import type { JobSection, JobStep } from './scenario.js';

type StepInput = NonNullable<JobInput['steps']>[number];

/** What is a job's own of a load, with every default in place. */
export function jobSection(
  input: JobInput,
  path: Path,
  located: Located,
): Omit<JobSection, 'hosts'> {
  const { goal, steps, repeat, ranks = null, ranksPerHost, placement, sends, groups, box } = input;
  if ((goal === undefined) === (steps === undefined)) {
    const what = goal === undefined ? 'it does nothing' : 'both goal and steps';
    throw located.errorAt(path, `${what}; write goal: FILE, or steps: [{ all-reduce: 4MiB }]`);
  }
  if (goal !== undefined && (repeat > 1 || ranks !== null)) {
    const key = repeat > 1 ? 'repeat' : 'ranks';
    throw located.errorAt([...path, key], `a file has its own ${key}; it is for steps`);
  }
  return {
    goal: goal === undefined ? null : located.fileAt([...path, 'goal'], goal),
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
