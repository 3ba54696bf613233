import { isDeepStrictEqual } from 'node:util';
import type { Engine } from '../../engine/device/engine.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Placement } from '../../fabric/placement/placement.js';
import { placeInServices } from '../../fabric/placement/parts.js';
import { together } from '../../fabric/placement/placement.js';
import { planPartitions } from '../../fabric/placement/partition-plan.js';
import { STALLED } from '../../runtime/checks/stall.js';
import { ThreadsRun } from '../../runtime/threads/run-threads.js';
import type { RunResults } from '../../runtime/results/results.js';
import { observersOf } from '../../runtime/observers.js';
import { Session } from '../../runtime/session.js';
import { Sampler } from './sampler.js';
import { PartitionsInStep } from './partitions-in-step.js';
import { mayStandStill, refusesAny, stuckFlow } from './progress.js';
import { Cluster, KIND } from './services-in-memory.js';

/** How a world is run besides in one thread. */
type Runner = (fabric: Fabric, sampler: Sampler) => RunResults;

const WALL_BUDGET_MS = 1000;
const UNKIND = { lose: 0.03, repeat: 0.03, reorder: 0.2 };

/** All of them, by name; each must give the results of one thread. */
const RUNNERS: Readonly<Record<string, Runner>> = {
  'windows of random length': inRandomWindows,
  'saved and restored': restored,
  'skipping what repeats': skipping,
  '2 parts in step': (fabric, sampler) => inParts(fabric, sampler, 2),
  '3 parts in step': (fabric, sampler) => inParts(fabric, sampler, 3),
  'services in memory': inServices,
};

/**
 * Runs a world in one thread and in all other ways; returns what is wrong, or null. The windows,
 * cuts and moments of these follow from the seed. `deep`: the second oracle judges the first run.
 */
export function whatIsWrong(fabric: Fabric, seed: number, deep = false): string | null {
  let expected: RunResults;
  try {
    const session = new Session(fabric, { check: true, deep });
    expected = run(session);
    const wrong =
      failureOf(fabric, session.engine, expected) ?? stuckFlow(fabric, session.engine, expected);
    if (wrong !== null) return wrong;
  } catch (error) {
    return `error: ${messageOf(error)}`;
  }
  // These execute windows of their own, up to a time that the scenario states.
  if (fabric.scenario.durationPs === null) return null;
  for (const [name, runner] of Object.entries(RUNNERS)) {
    try {
      const results = runner(fabric, new Sampler(seed, name));
      const difference = differenceOf(expected, results);
      if (difference !== null) return `${name}: ${difference}`;
    } catch (error) {
      return `${name}: error: ${messageOf(error)}`;
    }
  }
  return null;
}

/** The same for threads that run at the same time, of one process and of services. */
export async function wrongInThreads(fabric: Fabric, seed: number): Promise<string | null> {
  const sampler = new Sampler(seed, 'threads');
  const expected = run(new Session(fabric, { check: true }));
  const plans = planPartitions(fabric, placement(fabric, sampler, sampler.between(2, 3)));
  try {
    const { results } = await new ThreadsRun(fabric, plans, { check: true, from: null }).run();
    const difference = differenceOf(expected, results);
    if (difference !== null) return `${plans.length} threads: ${difference}`;
  } catch (error) {
    return `threads: error: ${messageOf(error)}`;
  }
  return wrongInThreadsOfServices(fabric, sampler, expected);
}

/** The same in two services of two threads each, over a broker that loses messages. */
function wrongInThreadsOfServices(
  fabric: Fabric,
  sampler: Sampler,
  expected: RunResults,
): string | null {
  const placed = placement(fabric, sampler, 2);
  const options = { unkindness: UNKIND, threads: 2 };
  const cluster = new Cluster(fabric, placed, sampler.stream, options);
  try {
    cluster.run();
    const difference = differenceOf(expected, cluster.results());
    return difference && `services of two threads: ${difference}`;
  } catch (error) {
    return `services of two threads: error: ${messageOf(error)}`;
  } finally {
    cluster.close();
  }
}

/**
 * A deadlock is a possible result of some fabrics, and so is a standstill where link partners have
 * not agreed on a priority, or where faults explain it; any other failure is a defect.
 */
function failureOf(fabric: Fabric, engine: Engine, results: RunResults): string | null {
  const reason = results.failure?.reason ?? null;
  if (reason === null || isDeadlock(reason)) return null;
  const isStill = reason === STALLED || reason.startsWith('no progress');
  if (isStill && mayStandStill(fabric, results)) return null;
  return reason === STALLED && refusesAny(engine) ? null : reason;
}

function isDeadlock(reason: string): boolean {
  return reason.startsWith('deadlock');
}

/**
 * Of runs of one scenario: a deadlock may be found at another moment, or at the end, and windows of
 * any length leave no moments at which a standstill is checked.
 */
function isSameFailure(reason: string, { failure, status }: RunResults): boolean {
  if (isDeadlock(reason)) return status === 'deadlocked';
  return failure === null || reason === failure.reason;
}

function differenceOf(expected: RunResults, results: RunResults): string | null {
  if (expected.failure !== null) {
    const { reason } = expected.failure;
    return isSameFailure(reason, results) ? null : `not: ${reason}`;
  }
  if (results.failure !== null) return results.failure.reason;
  if (results.digest !== expected.digest) return 'another digest';
  for (const key of Object.keys(expected) as (keyof RunResults)[]) {
    if (!isDeepStrictEqual(results[key], expected[key])) return `other ${key}`;
  }
  return null;
}

function messageOf(error: unknown): string {
  const { message, stack = '' } = error as Error;
  const place = /at (?:new )?([\w.<>]+) /.exec(stack)?.[1] ?? '';
  return `${message} (${place})`;
}

export function run(session: Session): RunResults {
  while (session.advance(WALL_BUDGET_MS) === 'running');
  return session.results('complete');
}

/** Without checks, and without records of frames, which exclude it. */
function skipping(fabric: Fabric): RunResults {
  const plan = { ...observersOf(fabric), traces: null, captures: null, events: false };
  return run(new Session(fabric, { check: false, skips: 'eagerly' }, plan));
}

/** Windows of random legal lengths, and the devices of each in random order. */
function inRandomWindows(fabric: Fabric, sampler: Sampler): RunResults {
  const session = new Session(fabric, { check: true });
  const { engine } = session;
  const endPs = fabric.scenario.durationPs ?? Infinity;
  const { horizon } = engine.shared;
  const order = engine.devices.map((_, d) => d);
  for (;;) {
    const next = Math.min(...horizon);
    if (next >= endPs || next === Infinity) break;
    const bound = Math.min(next + 1 + sampler.below(fabric.lookaheadPs), endPs);
    sampler.stream.shuffle(order);
    for (const d of order) if (horizon[d]! < bound) engine.run(d, bound);
  }
  return run(session);
}

/** Stopped at a random moment, and continued in another engine. */
function restored(fabric: Fabric, sampler: Sampler): RunResults {
  const stopped = new Session(fabric, { check: true });
  const untilPs = fabric.scenario.durationPs ?? LONGEST_PS;
  stopped.runTo(Math.floor(sampler.stream.uniform() * untilPs));
  const session = new Session(fabric, { check: true });
  session.restore(structuredClone(stopped.save()));
  return run(session);
}

const LONGEST_PS = 100e6;

function inParts(fabric: Fabric, sampler: Sampler, count: number): RunResults {
  const isRandom = sampler.chance(0.5);
  const lengthOf = (most: number): number => (isRandom ? 1 + sampler.below(most) : most);
  return new PartitionsInStep(fabric, placement(fabric, sampler, count), lengthOf).run().results;
}

/** As messages, over a broker that loses and reorders some; half of them lose a service. */
function inServices(fabric: Fabric, sampler: Sampler): RunResults {
  const placed = placement(fabric, sampler, sampler.between(2, 4));
  const isKind = sampler.chance(0.5);
  const cluster = new Cluster(fabric, placed, sampler.stream, {
    unkindness: isKind ? KIND : UNKIND,
  });
  if (!isKind) {
    cluster.run(sampler.stream.uniform() * (fabric.scenario.durationPs ?? LONGEST_PS));
    cluster.recover(sampler.chance(0.5) ? null : cluster.save());
  }
  cluster.run();
  return cluster.results();
}

/** Link partners together, or at random. */
function placement(fabric: Fabric, sampler: Sampler, count: number): Placement {
  const { topology } = fabric;
  const parts = Math.min(count, topology.devices.length);
  if (sampler.chance(0.6)) return placeInServices(fabric, parts);
  const order = topology.devices.map((_, d) => d);
  sampler.stream.shuffle(order);
  const scattered = Array.from({ length: parts }, (_, part) => ({
    name: `part${part + 1}`,
    devices: order.filter((_device, i) => i % parts === part).sort((a, b) => a - b),
  }));
  return together(scattered, topology);
}
