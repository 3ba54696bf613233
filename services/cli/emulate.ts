import { setImmediate } from 'node:timers/promises';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';
import { evaluateExpectations } from '../report/expectations.js';
import type { RunRecord } from '../report/run-directory.js';
import { RunDirectory, RunDirectoryError, summaryJson } from '../report/run-directory.js';
import { summaryText } from '../report/summary-text.js';
import { prepareEngine } from '../runtime/engine-flags.js';
import type { Session } from '../runtime/session.js';
import type { WholeState } from '../runtime/whole-state.js';
import { EXIT, InputError } from './exit.js';
import type { DistributionOptions } from './fleet/distribution.js';
import { fleetOptions } from './fleet/distribution.js';
import type { FleetOptions } from './fleet/fleet.js';
import { ProgressLine } from './progress.js';
import { styleFor } from './style.js';

export interface EmulateOptions extends DistributionOptions {
  readonly out?: string;
  readonly check?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** A scenario that has been read, how it was asked for, and where to begin. */
export interface Emulation {
  readonly file: string;
  readonly set: readonly string[];
  readonly loaded: LoadedScenario;
  readonly fabric: Fabric;
  /** Null: at the beginning. */
  readonly from: WholeState | null;
}

/** How long a run goes on before it looks up: short enough for a prompt answer to Ctrl-C. */
const SLICE_MS = 40;

/** Runs it, writes the run directory, prints what a person or a program wants; the exit code. */
export async function emulate(emulation: Emulation, options: EmulateOptions): Promise<number> {
  prepareEngine();
  const { file, set, fabric, loaded, from } = emulation;
  const directory = inputFault(() => new RunDirectory(options.out ?? null, fabric.scenario.name));
  const silent = options.json === true || options.quiet === true;
  const progress = new ProgressLine(!silent && process.stderr.isTTY ? process.stderr : null);
  const fleet = fleetOptions(file, set, fabric, options);
  const startedAt = performance.now();
  const measured =
    fleet === null
      ? await runHere(emulation, options, progress)
      : await runElsewhere({ ...fleet, from }, progress);
  const wallSeconds = (performance.now() - startedAt) / 1000;
  const { results } = measured;
  const expectations = evaluateExpectations(fabric.scenario.expect, results);
  const origin = { scenario: file, set };
  const { document } = loaded;
  const record: RunRecord = { ...measured, expectations, document, origin, wallSeconds };
  const path = inputFault(() => directory.write(record));
  print(record, path, options);
  if (results.status === 'failed') return EXIT.RUN_FAILED;
  if (results.status === 'interrupted') return EXIT.INTERRUPTED;
  return expectations.every(({ ok }) => ok) ? EXIT.COMPLETE : EXIT.EXPECTATIONS_FAILED;
}

type Measured = Pick<RunRecord, 'results' | 'series' | 'state'>;

async function runHere(
  { fabric, from }: Emulation,
  options: EmulateOptions,
  progress: ProgressLine,
): Promise<Measured> {
  const { Session } = await import('../runtime/session.js');
  const session = new Session(fabric, { check: options.check === true });
  if (from !== null) session.restore(from);
  const status = await drive(session, progress);
  const results = session.results(status);
  const state = results.status === 'interrupted' ? session.save() : null;
  return { results, series: session.series(), state };
}

/** In processes of its own, where the same actors do the same. */
async function runElsewhere(fleet: FleetOptions, progress: ProgressLine): Promise<Measured> {
  const { runDistributed } = await import('./fleet/distributed-run.js');
  const { SERIES_COLUMNS } = await import('../runtime/series.js');
  const { results, rows, state } = await runDistributed(fleet, progress);
  return { results, series: { columns: SERIES_COLUMNS, rows }, state };
}

/** Runs to the end, or until somebody asks to stop; a second request stops at once. */
async function drive(
  session: Session,
  progress: ProgressLine,
): Promise<'complete' | 'interrupted'> {
  const stop = { asked: false };
  const ask = (): void => {
    if (stop.asked) process.exit(EXIT.INTERRUPTED);
    stop.asked = true;
  };
  process.on('SIGINT', ask).on('SIGTERM', ask);
  try {
    while (session.advance(SLICE_MS) === 'running') {
      progress.show(() => session.progress());
      await setImmediate();
      if (stop.asked) return 'interrupted';
    }
    return 'complete';
  } finally {
    progress.clear();
    process.off('SIGINT', ask).off('SIGTERM', ask);
  }
}

function print(record: RunRecord, path: string, options: EmulateOptions): void {
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(summaryJson(record), null, 2)}\n`);
    return;
  }
  const { results, expectations, wallSeconds } = record;
  if (options.quiet !== true) {
    const text = summaryText(results, expectations, styleFor(process.stdout));
    process.stdout.write(`${text}\n${path}  (${wallSeconds.toFixed(2)} s)\n`);
  } else if (results.failure !== null) {
    process.stderr.write(`${results.failure.reason}: ${results.failure.port}\n`);
  }
}

function inputFault<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof RunDirectoryError ? new InputError(error.message) : error;
  }
}
