import { SEND } from '../../engine/contract/operations.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';
import { type JobFiles, jobOfFiles } from '../../jobs/files.js';
import { type JobGraph, rankOf, TooManyOperations } from '../../jobs/graph.js';
import { type StepSpec, weaveSteps } from '../../jobs/steps/steps.js';
import type { JobSection, JobStep, LoadSection } from '../scenario/scenario.js';
import type { LoadEntry } from './load-entry.js';

/** A job's messages to other hosts as flows, which its operations release. */
export function expandJob(entry: LoadEntry, section: Extract<LoadSection, { kind: 'job' }>): void {
  const hosts = entry.hosts('hosts', section.hosts);
  const graph = graphOf(entry, section, hosts.length);
  const hostOfRank = placeRanks(entry, section, hosts, graph.ranks);
  const flowOf = new Int32Array(graph.count).fill(-1);
  const sends: number[] = [];
  for (let operation = 0; operation < graph.count; operation++) {
    if (graph.kind[operation] !== SEND) continue;
    const [from, to] = [rankOf(graph, operation), graph.peer[operation]!];
    if (hostOfRank[from] !== hostOfRank[to]) sends.push(operation);
  }
  entry.announce(sends.length);
  for (const operation of sends) {
    const [from, to] = [rankOf(graph, operation), graph.peer[operation]!];
    flowOf[operation] = entry.nextPlace;
    entry.add(hostOfRank[from]!, hostOfRank[to]!, {
      messages: 1,
      // A message without payload takes a frame, too.
      messageBytes: Math.max(1, graph.amount[operation]!),
      byOperation: true,
    });
  }
  entry.addJob({
    ...{ name: entry.label, graph, hostOfRank, flowOf, startPs: section.startPs },
    sendsDone: section.sendsDone,
    boxOctetPs: OCTET_BITS_PS / section.boxBps,
    boxPs: section.boxPs,
  });
}

function graphOf(entry: LoadEntry, section: JobSection, hosts: number): JobGraph {
  try {
    return section.files === null ? ofSteps(entry, section, hosts) : ofFiles(entry, section.files);
  } catch (error) {
    if (!(error instanceof TooManyOperations)) throw error;
    throw entry.fail(['job'], `${error.message}; take fewer ranks, layers or repeats`);
  }
}

function ofFiles(entry: LoadEntry, files: JobFiles): JobGraph {
  return jobOfFiles(files, (path) => entry.readOctets(['job', files.format], path));
}

function ofSteps(entry: LoadEntry, section: JobSection, hosts: number): JobGraph {
  const ranks = section.ranks ?? hosts * section.ranksPerHost;
  const { repeat, slowdown } = section;
  for (const rank of slowdown.keys()) {
    if (rank >= ranks) throw entry.fail(['job', 'stragglers'], noRank(rank, ranks));
  }
  for (const [name, lists] of Object.entries(section.groups)) {
    checkGroups(entry, name, lists, ranks);
  }
  const steps = section.steps.flatMap((step, index) => stepsOf(entry, step, index, section, ranks));
  return weaveSteps({ ranks, steps, repeat, slowdown });
}

function noRank(rank: number, ranks: number): string {
  return `there is no rank ${rank}: ${ranks} ranks are 0 to ${ranks - 1}`;
}

function checkGroups(
  entry: LoadEntry,
  name: string,
  lists: readonly (readonly number[])[],
  ranks: number,
): void {
  const path = ['job', 'groups', name];
  const seen = new Set<number>();
  for (const rank of lists.flat()) {
    if (rank >= ranks) throw entry.fail(path, noRank(rank, ranks));
    if (seen.has(rank)) throw entry.fail(path, `rank ${rank} is in it twice`);
    seen.add(rank);
  }
}

/** A step in each of its groups. */
function stepsOf(
  entry: LoadEntry,
  step: JobStep,
  index: number,
  { groups }: JobSection,
  ranks: number,
): StepSpec[] {
  const all = [Array.from({ length: ranks }, (_, rank) => rank)];
  const lists = step.within === null ? all : groups[step.within]!;
  return lists.map((group) => {
    if (step.kind === 'compute') return { ...step, group };
    const isPower = Number.isInteger(Math.log2(group.length));
    if (step.algorithm === 'halving-doubling' && !isPower) {
      const { length } = group;
      const message = `halving-doubling needs a power of two of ranks, and these are ${length}`;
      throw entry.fail(['job', 'steps', index, 'algorithm'], `${message} (ring takes any)`);
    }
    return { ...step, group };
  });
}

function placeRanks(
  entry: LoadEntry,
  { ranksPerHost, placement }: JobSection,
  hosts: readonly number[],
  ranks: number,
): Int32Array {
  const room = hosts.length * ranksPerHost;
  if (ranks > room) {
    const remedy = `ranksPerHost: ${Math.ceil(ranks / hosts.length)} makes room`;
    throw entry.fail(
      ['job', 'hosts'],
      `${ranks} ranks, and ${hosts.length} hosts have room for ${room}; ${remedy}`,
    );
  }
  return Int32Array.from({ length: ranks }, (_, rank) =>
    placement === 'packed' ? hosts[Math.floor(rank / ranksPerHost)]! : hosts[rank % hosts.length]!,
  );
}
