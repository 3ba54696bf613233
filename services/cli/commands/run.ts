import { setImmediate } from 'node:timers/promises';
import { evaluateExpectations } from '../../report/expectations.js';
import { RunDirectory, RunDirectoryError, summaryJson } from '../../report/run-directory.js';
import type { RunRecord } from '../../report/run-directory.js';
import { summaryText } from '../../report/summary-text.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import type { Session } from '../../runtime/session.js';
import { EXIT, InputError } from '../exit.js';
import type { DistributionOptions } from '../fleet/distribution.js';
import { fleetOptions } from '../fleet/distribution.js';
import type { FleetOptions } from '../fleet/fleet.js';
import { loadFabric } from '../load-fabric.js';
import { ProgressLine } from '../progress.js';
import { styleFor } from '../style.js';

export interface RunOptions extends DistributionOptions {
  readonly out?: string;
  readonly set: readonly string[];
  readonly seed?: string;
  readonly check?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** How long a run goes on before it looks up: short enough for a prompt answer to Ctrl-C. */
const SLICE_MS = 40;

export async function runCommand(file: string, options: RunOptions): Promise<number> {
  prepareEngine();
  const { Session } = await import('../../runtime/session.js');
  const set = [...options.set, ...(options.seed === undefined ? [] : [`seed=${options.seed}`])];
  const { loaded, fabric } = loadFabric(file, set);
  const directory = inputFault(() => new RunDirectory(options.out ?? null, fabric.scenario.name));
  const silent = options.json === true || options.quiet === true;
  const progress = new ProgressLine(!silent && process.stderr.isTTY ? process.stderr : null);
  const fleet = fleetOptions(file, set, fabric, options);
  const startedAt = performance.now();
  const { results, series } =
    fleet === null
      ? await runHere(new Session(fabric, { check: options.check === true }), progress)
      : await runElsewhere(fleet, progress);
  const wallSeconds = (performance.now() - startedAt) / 1000;
  const expectations = evaluateExpectations(fabric.scenario.expect, results);
  const { document } = loaded;
  const record: RunRecord = {
    results,
    expectations,
    document,
    series,
    wallSeconds,
  };
  const path = inputFault(() => directory.write(record));
  print(record, path, options);
  if (results.status === 'failed') return EXIT.RUN_FAILED;
  if (results.status === 'interrupted') return EXIT.INTERRUPTED;
  return expectations.every(({ ok }) => ok) ? EXIT.COMPLETE : EXIT.EXPECTATIONS_FAILED;
}

type Measured = Pick<RunRecord, 'results' | 'series'>;

async function runHere(session: Session, progress: ProgressLine): Promise<Measured> {
  const status = await drive(session, progress);
  return { results: session.results(status), series: session.series() };
}

/** In processes of its own, where the same actors do the same. */
async function runElsewhere(fleet: FleetOptions, progress: ProgressLine): Promise<Measured> {
  const { runDistributed } = await import('../fleet/distributed-run.js');
  const { SERIES_COLUMNS } = await import('../../runtime/series.js');
  const { results, rows } = await runDistributed(fleet, progress);
  return { results, series: { columns: SERIES_COLUMNS, rows } };
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

function print(record: RunRecord, path: string, options: RunOptions): void {
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
