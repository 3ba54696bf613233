/** Reads jobs from the engine's tables. */

import { COMPUTE, RECEIVE, SEND } from '../../engine/contract/operations.js';
import type { Engine } from '../../engine/device/engine.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { JobPlace } from '../../fabric/load/job.js';
import type {
  CollectiveResult,
  JobResult,
  OperationResult,
  RankSpread,
} from '../../jobs/job-rows.js';
import { COLLECTIVES } from '../../jobs/steps/collectives.js';
import { PS_PER_S } from '../../engine/units/time.js';
import { rooflinePs } from './roofline.js';

const OCTET_BITS = 8;

const KINDS: Readonly<Record<number, 'send' | 'receive'>> = {
  [SEND]: 'send',
  [RECEIVE]: 'receive',
};

export function jobResults(fabric: Fabric, engine: Engine): JobResult[] {
  return fabric.jobs.map((place) => {
    const times = timesOf(place, engine);
    const { graph, name, startPs } = place.job;
    const ranks = Array.from({ length: graph.ranks }, (_, rank) => ofRank(place, times, rank));
    const ends = ranks.map(({ endPs }) => endPs);
    const isDone = ends.every((end) => end !== null);
    const done = ends.filter((end) => end !== null);
    const present = (of: (rank: RankTimes) => number): RankSpread => spreadOf(ranks.map(of));
    return {
      job: name,
      ranks: graph.ranks,
      operations: graph.count,
      doneOperations: times.done.reduce((sum, end) => sum + (end >= 0 ? 1 : 0), 0),
      startPs,
      iterationPs: isDone ? Math.max(startPs, ...done) - startPs : null,
      rooflinePs: isDone ? rooflinePs(fabric, place.job) : null,
      finished: isDone ? spreadOf(done.map((end) => end - startPs)) : null,
      computing: present(({ computingPs }) => computingPs),
      exposed: isDone ? present(({ endPs, computingPs }) => endPs! - startPs - computingPs) : null,
      collectives: collectivesOf(place, times),
    };
  });
}

/** Every operation of every job. */
export function* operationResults(fabric: Fabric, engine: Engine): Generator<OperationResult> {
  for (const place of fabric.jobs) {
    const { graph, name, hostOfRank, flowOf } = place.job;
    for (let rank = 0; rank < graph.ranks; rank++) {
      const host = hostOfRank[rank]!;
      const operations = engine.hosting.parts(host).operations!;
      for (let one = graph.firstOfRank[rank]!; one < graph.firstOfRank[rank + 1]!; one++) {
        const at = place.firstAtHost[rank]! + one - graph.firstOfRank[rank]!;
        const { message, ...record } = operations.recordOf(at);
        const inJob = (local: number): number =>
          local < 0 ? -1 : local - place.firstAtHost[rank]! + graph.firstOfRank[rank]!;
        yield {
          ...record,
          ...{ job: name, rank, host: fabric.topology.devices[host]!.name, operation: one },
          ...{ name: graph.nameOf(one), kind: KINDS[graph.kind[one]!] ?? 'compute' },
          ...{ peer: graph.peer[one]!, amount: graph.amount[one]!, flow: flowOf[one]! },
          collective: graph.step[one]!,
          releasedBy: inJob(record.releasedBy),
          streamHeldBy: inJob(record.streamHeldBy),
          took:
            message < 0 ? -1 : place.sendsTo.get(host)![message - place.firstMessage.get(host)!]!,
        };
      }
    }
  }
}

/** By operation: -1 for what has not happened. */
interface Times {
  readonly started: Float64Array;
  readonly done: Float64Array;
}

function timesOf({ job, firstAtHost }: JobPlace, engine: Engine): Times {
  const { graph, hostOfRank } = job;
  const times = { started: new Float64Array(graph.count), done: new Float64Array(graph.count) };
  for (let rank = 0; rank < graph.ranks; rank++) {
    const operations = engine.hosting.parts(hostOfRank[rank]!).operations!;
    const first = graph.firstOfRank[rank]!;
    for (let one = first; one < graph.firstOfRank[rank + 1]!; one++) {
      const { startedPs, donePs } = operations.recordOf(firstAtHost[rank]! + one - first);
      times.started[one] = startedPs;
      times.done[one] = donePs;
    }
  }
  return times;
}

interface RankTimes {
  /** Null: some operation is not done. */
  readonly endPs: number | null;
  readonly computingPs: number;
}

function ofRank({ job }: JobPlace, { started, done }: Times, rank: number): RankTimes {
  const { graph, startPs } = job;
  const spans: [from: number, to: number][] = [];
  let endPs: number | null = startPs;
  for (let one = graph.firstOfRank[rank]!; one < graph.firstOfRank[rank + 1]!; one++) {
    if (done[one]! < 0) endPs = null;
    else if (endPs !== null) endPs = Math.max(endPs, done[one]!);
    const computes = graph.kind[one] === COMPUTE && done[one]! > started[one]!;
    if (computes) spans.push([started[one]!, done[one]!]);
  }
  return { endPs, computingPs: lengthOf(spans) };
}

/** Time that is in any of some spans. */
function lengthOf(spans: [from: number, to: number][]): number {
  let [length, until] = [0, -Infinity];
  for (const [from, to] of spans.sort(([a], [b]) => a - b)) {
    length += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return length;
}

function collectivesOf({ job }: JobPlace, { started, done }: Times): CollectiveResult[] {
  const { graph } = job;
  const begins = new Float64Array(graph.steps.length).fill(Infinity);
  const ends = new Float64Array(graph.steps.length).fill(-Infinity);
  for (let one = 0; one < graph.count; one++) {
    const step = graph.step[one]!;
    if (step < 0) continue;
    if (started[one]! >= 0) begins[step] = Math.min(begins[step]!, started[one]!);
    ends[step] = Math.max(ends[step]!, done[one]! < 0 ? Infinity : done[one]!);
  }
  const alike = new Map<string, number[]>();
  graph.steps.forEach(({ kind, group, octets }, step) => {
    // A group of one exchanges nothing.
    if (group.length < 2) return;
    const key = `${kind} ${group.length} ${octets}`;
    const steps = alike.get(key);
    if (steps === undefined) alike.set(key, [step]);
    else steps.push(step);
  });
  return [...alike.values()].map((steps) => {
    const { kind, group, octets } = graph.steps[steps[0]!]!;
    const times = steps.flatMap((step) => {
      const time = ends[step]! - begins[step]!;
      return Number.isFinite(time) ? [time] : [];
    });
    const timePs =
      times.length === 0 ? null : times.reduce((sum, time) => sum + time, 0) / times.length;
    const hasRate = timePs !== null && timePs > 0 && octets > 0;
    const algorithmBps = hasRate ? (octets * OCTET_BITS * PS_PER_S) / timePs : null;
    return {
      ...{ kind, ranks: group.length, vectorOctets: octets },
      ...{ count: steps.length, done: times.length, timePs, algorithmBps },
      slowestPs: times.length === 0 ? null : Math.max(...times),
      busBps: algorithmBps && algorithmBps * COLLECTIVES[kind]!.busFactor(group.length),
    };
  });
}

function spreadOf(values: readonly number[]): RankSpread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (place: number): number => sorted[place] ?? 0;
  return {
    minPs: at(0),
    p50Ps: at(Math.ceil(sorted.length / 2) - 1),
    maxPs: at(sorted.length - 1),
  };
}
