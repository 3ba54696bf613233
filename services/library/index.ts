/** The library, `import { load, run } from 'selvage'`: docs/library.md. */

import { resolve } from 'node:path';
import type { LiveSession } from '../live/live-session.js';
import type { ThreadsRun } from '../runtime/threads/run-threads.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { buildFabric } from '../fabric/assembly/fabric.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';
import { loadScenario, scenarioOfDocument } from '../fabric/scenario/load-scenario.js';
import type { ExpectationResult } from '../report/expectations.js';
import { evaluateExpectations } from '../report/expectations.js';
import { PluginError } from '../plugins/views.js';
import { prepareEngine } from '../runtime/engine-flags.js';
import type { RunResults } from '../runtime/results/results.js';
import type { Progress } from '../runtime/session.js';
import { ScenarioError, show, unknownName } from '../settings/errors.js';
import { ProgressFeed } from './progress-feed.js';
import type { Attendant, Measured } from './runners.js';
import { runInProcess, runInThreads } from './runners.js';

export type { Expectation } from '../fabric/scenario/scenario.js';
export type { ExpectationResult } from '../report/expectations.js';
export type { RunResults, RunStatus } from '../runtime/results/results.js';
export type { Progress } from '../runtime/session.js';
export { PluginError };
export { ScenarioError };

export interface LoadOptions {
  /** `path=value` settings on top of the scenario, in order, as `--set` has them. */
  readonly set?: readonly string[];
  /** Folder where relative paths of an object start; default: the working directory. */
  readonly folder?: string;
}

/** A scenario that was read and checked, with its fabric. */
export interface Scenario {
  readonly name: string;
  /** As one file would say it: with base files, settings and the text of plugins. */
  readonly document: unknown;
  /** Names of all devices, hosts first. */
  readonly devices: readonly string[];
  /** Warnings about probable mistakes. */
  readonly warnings: readonly string[];
}

export interface RunOptions {
  /** Threads to execute it in; default: this one. The results are the same. */
  readonly threads?: number;
  /** Checks every invariant while it runs. */
  readonly check?: boolean;
  /** Ends the run early: its status is then `interrupted`. */
  readonly signal?: AbortSignal;
}

/** Results of a run. */
export interface Outcome {
  readonly results: RunResults;
  /** What the scenario expects, and whether it holds. */
  readonly expectations: readonly ExpectationResult[];
}

/** A run in progress: iterate over it for its progress, await `outcome` for its results. */
export interface Run extends AsyncIterable<Progress> {
  readonly outcome: Promise<Outcome>;
}

interface Source {
  readonly loaded: LoadedScenario;
  readonly fabric: Fabric;
}

const sources = new WeakMap<Scenario, Source>();

/** Reads and checks a scenario, from a file or as an object; throws ScenarioError. */
export function load(scenario: string | object, options: LoadOptions = {}): Scenario {
  checkOptions(options, ['set', 'folder']);
  const { set = [], folder = '.' } = options;
  if (!Array.isArray(set)) throw new TypeError(`set: ${show(set)} is no list of path=value`);
  const source =
    typeof scenario === 'string'
      ? built(loadScenario(scenario, { set }))
      : sourceOfObject(resolve(folder, 'scenario.yaml'), scenario, set);
  const { loaded, fabric } = source;
  const result = {
    name: loaded.scenario.name,
    document: loaded.document,
    devices: fabric.topology.devices.map(({ name }) => name),
    warnings: fabric.warnings.map(({ message }) => message),
  };
  sources.set(result, source);
  return result;
}

/** A misspelt option would change nothing, without a word. */
function checkOptions(options: object, allowed: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !allowed.includes(name));
  if (unknown !== undefined) throw new TypeError(unknownName('option', unknown, allowed));
}

function built(loaded: LoadedScenario): Source {
  return { loaded, fabric: buildFabric(loaded) };
}

/** As of a file that does not exist: errors at its lines are errors at paths of the object. */
function sourceOfObject(file: string, scenario: object, set: readonly string[]): Source {
  try {
    return built(scenarioOfDocument(file, scenario, { set }));
  } catch (error) {
    throw error instanceof ScenarioError ? error.ofObject(file) : error;
  }
}

/** Executes a scenario from its beginning. */
export function run(scenario: Scenario, options: RunOptions = {}): Run {
  checkOptions(options, ['threads', 'check', 'signal']);
  const source = sources.get(scenario);
  if (source === undefined) throw new TypeError('not a scenario of load()');
  const feed = new ProgressFeed();
  const outcome = execute(source, options, feed)
    .then(({ results }) => ({
      results,
      expectations: evaluateExpectations(source.fabric.scenario.expect, results),
    }))
    .catch((error: unknown) => {
      throw withClass(error);
    });
  // A caller that only iterates learns of a failure by the iteration.
  outcome.then(
    () => {
      feed.end();
    },
    (error: unknown) => {
      feed.fail(error);
    },
  );
  return { outcome, [Symbol.asyncIterator]: () => feed.values() };
}

/** What a thread throws arrives without its class. */
function withClass(error: unknown): unknown {
  const isPlugins = error instanceof Error && error.name === PluginError.name;
  if (!isPlugins || error instanceof PluginError) return error;
  return new PluginError(error.message);
}

async function execute(
  source: Source,
  { threads, check = false, signal }: RunOptions,
  feed: ProgressFeed,
): Promise<Measured> {
  prepareEngine();
  const most = source.fabric.specs.length;
  const isFit = threads === undefined || (Number.isInteger(threads) && threads >= 1);
  if (!isFit || (threads ?? 1) > most) {
    throw new RangeError(`threads: ${threads}; a whole number from 1 to ${most}, one per device`);
  }
  const start = { ...source, from: null, check, paused: false };
  const attend = (under: Pick<LiveSession | ThreadsRun, 'controller' | 'progress'>): Attendant => {
    const stop = (): void => {
      under.controller.stop();
    };
    signal?.addEventListener('abort', stop);
    if (signal?.aborted === true) stop();
    return {
      progressed: () => {
        feed.say(under.progress());
      },
      close: () => {
        signal?.removeEventListener('abort', stop);
      },
    };
  };
  return threads === undefined ? runInProcess(start, attend) : runInThreads(start, threads, attend);
}
