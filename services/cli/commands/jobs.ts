import { writeFileSync } from 'node:fs';
import { COMPUTE, SEND } from '../../engine/contract/operations.js';
import { PS_PER_NS } from '../../engine/units/time.js';
import type { Job } from '../../fabric/load/job.js';
import { chakraTraces } from '../../jobs/chakra/write-traces.js';
import { encodeBinaryGoal } from '../../jobs/goal/binary-goal.js';
import { LOGGOPS, type LogGops, runLogGops } from '../../jobs/loggops.js';
import { formatCount, formatOctets, formatTime } from '../../report/format.js';
import { table } from '../../report/table.js';
import { unknownName } from '../../settings/errors.js';
import { InputError } from '../exit.js';
import { loadFabric } from '../load-fabric.js';

export interface JobsOptions {
  readonly set: readonly string[];
  readonly job?: string;
  readonly loggops?: string;
  readonly goal?: string;
  readonly chakra?: string;
  readonly json?: boolean;
}

/** What a job of a scenario asks for, and its time on a network without frames. */
interface JobFacts {
  readonly job: string;
  readonly ranks: number;
  readonly operations: number;
  readonly messages: number;
  readonly bytes: number;
  /** Of the rank that computes longest. */
  readonly computingPs: number;
  /** By rank, in the LogGOPS model. */
  readonly loggopsPs: readonly number[];
}

export function jobsCommand(file: string, options: JobsOptions): void {
  const { fabric } = loadFabric(file, options.set);
  const jobs = chosen(
    fabric.jobs.map(({ job }) => job),
    options.job,
  );
  const model = modelOf(options.loggops);
  const { goal, chakra } = options;
  if (goal !== undefined || chakra !== undefined) {
    const [job] = jobs;
    if (jobs.length !== 1) throw new InputError('one job is written: name it with --job');
    if (goal !== undefined) {
      write(goal, encodeBinaryGoal(job!.graph));
      process.stdout.write(`${goal}  ${formatCount(job!.graph.count)} operations\n`);
    }
    if (chakra !== undefined) writeTraces(job!, chakra);
    return;
  }
  const facts = jobs.map((job) => factsOf(job, model));
  const text = options.json === true ? JSON.stringify(facts, null, 2) : textOf(facts);
  process.stdout.write(`${text}\n`);
}

/** A trace for each rank, as `PREFIX.RANK.et`. */
function writeTraces({ graph }: Job, prefix: string): void {
  const written = chakraTraces(graph);
  if (written === null) {
    throw new InputError('--chakra: a receive takes any message, and traces name its rank and tag');
  }
  const { traces, rounded, approximated } = written;
  traces.forEach((trace, rank) => {
    write(`${prefix}.${rank}.et`, trace);
  });
  const notes = [
    rounded > 0 ? `${formatCount(rounded)} computations rounded to microseconds` : '',
    approximated > 0
      ? `${formatCount(approximated)} operations that follow the start of another follow what ` +
        'that waits for'
      : '',
  ].filter((note) => note !== '');
  const said = notes.length === 0 ? '' : `; ${notes.join('; ')}`;
  process.stdout.write(`${prefix}.*.et  ${formatCount(traces.length)} traces${said}\n`);
}

function write(path: string, octets: Uint8Array): void {
  try {
    writeFileSync(path, octets);
  } catch (error) {
    throw new InputError(`${path} cannot be written: ${(error as Error).message}`);
  }
}

function chosen(jobs: readonly Job[], wanted: string | undefined): readonly Job[] {
  if (jobs.length === 0) throw new InputError('the scenario has no job among its loads');
  if (wanted === undefined) return jobs;
  const found = jobs.filter(({ name }) => name === wanted);
  if (found.length > 0) return found;
  const names = jobs.map(({ name }) => name);
  throw new InputError(`--job: ${unknownName('job', wanted, names)}`);
}

/** `L=2500,G=6`: what is not named is as LogGOPSim has it. */
function modelOf(written: string | undefined): LogGops {
  const model: Record<string, number> = { ...LOGGOPS };
  for (const part of (written ?? '').split(',').filter((one) => one !== '')) {
    const [, name = '', value = ''] = /^(\w)=(\d+(?:\.\d+)?)$/.exec(part) ?? [];
    if (!(name in model)) {
      const names = Object.keys(model).join(', ');
      throw new InputError(`--loggops ${part}: write L=2500,G=6 (of ${names}, in ns)`);
    }
    model[name] = Number(value);
  }
  return model as unknown as LogGops;
}

function factsOf({ name, graph }: Job, model: LogGops): JobFacts {
  const computing = new Float64Array(graph.ranks);
  let [messages, bytes] = [0, 0];
  for (let rank = 0; rank < graph.ranks; rank++) {
    for (let one = graph.firstOfRank[rank]!; one < graph.firstOfRank[rank + 1]!; one++) {
      if (graph.kind[one] === COMPUTE) computing[rank]! += graph.amount[one]!;
      if (graph.kind[one] !== SEND) continue;
      messages++;
      bytes += graph.amount[one]!;
    }
  }
  return {
    ...{ job: name, ranks: graph.ranks, operations: graph.count, messages, bytes },
    computingPs: Math.max(...computing),
    // A job that cannot end has been refused.
    loggopsPs: runLogGops(graph, model).map((ns) => ns! * PS_PER_NS),
  };
}

function textOf(facts: readonly JobFacts[]): string {
  const rows = facts.map((job) => [
    job.job,
    formatCount(job.ranks),
    formatCount(job.operations),
    formatCount(job.messages),
    formatOctets(job.bytes),
    formatTime(job.computingPs),
    formatTime(Math.max(...job.loggopsPs)),
  ]);
  const head = ['job', 'ranks', 'operations', 'messages', 'size', 'computing', 'LogGOPS'];
  return table(head, rows);
}
