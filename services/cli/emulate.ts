import { join, relative } from 'node:path';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';
import { isPipe } from '../fabric/scenario/read-source.js';
import { deepSentence } from '../oracle/verdict.js';
import { evaluateExpectations } from '../report/expectations.js';
import type { RunRecord } from '../report/run-directory.js';
import { factsOf } from '../report/page/page-of-run.js';
import { REPORT, RunDirectory, SCENARIO } from '../report/run-directory.js';
import { summaryJson } from '../report/summary/summary-json.js';
import { RunDirectoryError } from '../report/run-json.js';
import { whyOf } from '../report/why.js';
import { nextSteps } from '../report/next-steps.js';
import { skippingText } from '../report/skipping-text.js';
import { summaryText } from '../report/summary-text.js';
import { prepareEngine } from '../runtime/engine-flags.js';
import { eventsOf } from '../telemetry/events/event-table.js';
import { captureFile } from '../telemetry/captures/capture-file.js';
import { serveHealth } from '../runtime/links/health-server.js';
import { LiveFaults } from '../runtime/live-faults.js';
import type { S3Address } from '../runtime/object-storage/s3-address.js';
import { capturesWanted, warnOfOmitted } from './captured.js';
import type { EmulateOptions, Emulation } from './emulation.js';
import { EXIT, exitCodeOf, InputError } from './exit.js';
import { wordOfScenario } from './examples.js';
import { fleetOptions } from './fleet/distribution.js';
import type { FleetOptions } from './fleet/fleet.js';
import { isInsecureAccepted } from './fleet/encryption.js';
import { framesWanted, warnOfUnkept } from './traced-frames.js';
import { runElsewhere } from './runners/run-elsewhere.js';
import { runHere } from './runners/run-here.js';
import { runLive } from './runners/run-live.js';
import { runInThreads } from './runners/run-in-threads.js';
import { interruptedExit, isInterrupted } from './interruption.js';
import { openPage } from './open-page.js';
import { liveAddress } from './live-options.js';
import { LiveView } from './live-view.js';
import { ProgressLine } from './progress.js';
import type { MetricsAddress } from '../telemetry/metrics/serve-metrics.js';
import { collectorFrom, exportTelemetry } from './telemetry-export.js';
import { skipsOf } from './skip-options.js';
import { keepResults, resultsAddress } from './stored-results.js';
import { leaveOutcome } from './termination-message.js';
import { styleFor } from './style.js';

const LOOPBACK = '127.0.0.1';
const MOST_PORT = 65_535;
const IGNORED =
  'infrastructure: only a run with --processes, all of its own, has processes to break';

/** Runs it, writes the run directory, prints the summary or JSON; returns the exit code. */
export async function emulate(emulation: Emulation, options: EmulateOptions): Promise<number> {
  const view = viewOf(emulation, options);
  try {
    return await emulateSeen(emulation, options, view);
  } finally {
    view?.close();
  }
}

async function emulateSeen(
  emulation: Emulation,
  options: EmulateOptions,
  view: LiveView | null,
): Promise<number> {
  prepareEngine();
  const { file, set } = emulation;
  const { name } = emulation.fabric.scenario;
  const directory = inputFault(() => new RunDirectory(options.out ?? null, name));
  const silent = options.json === true || options.quiet === true;
  const progress = new ProgressLine(!silent && process.stderr.isTTY ? process.stderr : null);
  const threads = threadCount(emulation.fabric, options.threads);
  const fleet = readable(fleetOptions(file, set, emulation.fabric, options), emulation.loaded);
  if (options.checkRows === true && (fleet !== null || threads !== null)) {
    throw new InputError('--check-rows watches one process: leave out --threads and --processes');
  }
  if (options.checkDeep === true && (fleet !== null || threads !== null)) {
    throw new InputError(
      '--check=deep reads the wires in one process: leave out --threads and --processes',
    );
  }
  const skips = skipsOf(options.skip, {
    fabric: emulation.fabric,
    isChecked: options.check === true || options.checkRows === true || options.checkDeep === true,
    isDivided: fleet !== null || threads !== null,
  });
  const { paused = false } = options;
  if (paused && view === null && fleet === null && options.control !== true) {
    throw new InputError('--paused needs --ui or --control: nothing else can resume the run');
  }
  const collector = collectorFrom(options);
  const metricsAt = metricsAddressOf(options);
  const storage = storageFor(options);
  const { infrastructure } = emulation.fabric.scenario;
  if (
    infrastructure.length > 0 &&
    (fleet?.infrastructure.length ?? 0) === 0 &&
    options.quiet !== true
  ) {
    process.stderr.write(`${IGNORED}\n`);
  }
  const startedAt = performance.now();
  const measured =
    fleet !== null
      ? await runElsewhere(emulation, { ...fleet, paused }, metricsAt, progress, view)
      : threads !== null
        ? await runInThreads(emulation, threads, options, { metricsAt, progress, view })
        : options.attached !== undefined
          ? await runLive(emulation, options, progress, view)
          : await runHere({ ...emulation, skips: skips.pace }, options, metricsAt, progress, view);
  const wallSeconds = (performance.now() - startedAt) / 1000;
  // The process that answered probes has ended, and results may take their time.
  if (fleet !== null && fleet.elsewhere !== null) serveHealth(process.env, () => true, reportError);
  const { results, congestion, series, state } = measured;
  const live = new LiveFaults(emulation.loaded, emulation.fabric);
  live.repeat(measured.steps);
  const { fabric, loaded } = live;
  const traces = framesWanted(fabric, measured);
  const why = congestion && whyOf(fabric, results, congestion);
  const expectations = evaluateExpectations(fabric.scenario.expect, results);
  const origin = { scenario: file, set, steps: [...emulation.steps, ...measured.steps] };
  const { document } = loaded;
  const facts = factsOf(fabric);
  const isPageLeft = state !== null && isInterrupted() && options.open !== true;
  const outputs = { expectations, why, traces, document, origin, facts, wallSeconds, isPageLeft };
  const captures = capturesWanted(fabric, measured.captures);
  const capture = captures && captureFile(fabric, captures);
  const events = measured.events && eventsOf(fabric, measured.events, results.virtualPs);
  const inputs = measured.inputs?.file ?? null;
  const skipping = skips.told(measured.skipping ?? null, results.frameHops);
  const kept = { results, series, state, skipping };
  const record: RunRecord = { ...kept, ...outputs, capture, events, inputs };
  const path = inputFault(() =>
    directory.write(record, (name) => {
      progress.say(`writing ${name} …`);
    }),
  );
  measured.inputs?.remove();
  progress.clear();
  print(record, file, path, options);
  options.ended?.(results);
  if (options.open === true) openPage(join(path, REPORT));
  const { deep } = measured;
  if (deep !== undefined && deep !== null && options.quiet !== true) {
    // Standard output may be JSON and nothing else.
    const out = options.json === true ? process.stderr : process.stdout;
    out.write(`${deepSentence(deep)}\n`);
  }
  if (captures !== null) warnOfOmitted(captures);
  if (measured.hops !== null) warnOfUnkept(measured.hops);
  // A run that goes on later is left at once; its tables are complete as CSV.
  if (options.parquet !== false && state === null) {
    progress.say('writing the tables as Parquet …');
    await addParquet(path);
    progress.clear();
  }
  if (storage !== null) await keepResults(path, storage);
  leaveOutcome(record, process.env);
  await view?.finish(record);
  if (collector !== null) {
    const { operations = [], runtime } = measured;
    const shown = { fabric, traces, events, operations, ...(runtime && { runtime }) };
    await exportTelemetry(collector, results, wallSeconds, congestion, shown);
  }
  const code = exitCodeOf(results, expectations);
  return code === EXIT.INTERRUPTED ? interruptedExit() : code;
}

/** Other processes read the scenario again, which a pipe does not allow. */
function readable(fleet: FleetOptions | null, loaded: LoadedScenario): FleetOptions | null {
  const { file, files, document } = loaded;
  if (fleet === null || !isPipe(file)) return fleet;
  if (files.length === 0) return { ...fleet, document };
  const [{ file: named } = { file: '' }] = files;
  throw new InputError(`${file} is a pipe, and names ${named}: for services, write it to a file`);
}

function reportError({ message }: Error): void {
  process.stderr.write(`probes are not answered: ${message}\n`);
}

/** Null: this thread alone. */
function threadCount(fabric: Fabric, threads: string | undefined): number | null {
  if (threads === undefined) return null;
  const most = fabric.specs.length;
  if (!/^[1-9]\d{0,3}$/.test(threads) || Number(threads) > most) {
    throw new InputError(`--threads ${threads}: not a number from 1 to ${most}, one per device`);
  }
  return Number(threads);
}

/** Null: the run directory stays where it is. */
function storageFor(options: EmulateOptions): S3Address | null {
  if (options.results === undefined) return null;
  const isInsecure = isInsecureAccepted(options, process.env);
  return resultsAddress(options.results, isInsecure, '--results');
}

function viewOf(
  { file, set, fabric, loaded }: Emulation,
  options: EmulateOptions,
): LiveView | null {
  const address = liveAddress(options);
  if (address === null) return null;
  const { document } = loaded;
  return new LiveView(address, fabric, { document, origin: { scenario: file, set, steps: [] } });
}

function metricsAddressOf({ metrics }: EmulateOptions): MetricsAddress | null {
  if (metrics === undefined) return null;
  const { host = LOOPBACK, port } =
    /^((?<host>[^:]+):)?(?<port>[1-9]\d{0,4})$/.exec(metrics)?.groups ?? {};
  if (port === undefined || Number(port) > MOST_PORT) {
    throw new InputError(`--metrics ${metrics}: not a port from 1 to ${MOST_PORT}`);
  }
  return { host, port: Number(port) };
}

function print(record: RunRecord, file: string, path: string, options: EmulateOptions): void {
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify(summaryJson(record), null, 2)}\n`);
    return;
  }
  const { results, expectations, why, wallSeconds, skipping } = record;
  if (options.quiet !== true) {
    const text = summaryText(results, expectations, styleFor(process.stdout), why);
    const skipped = skipping ? `${skippingText(skipping, results.virtualPs)}\n` : '';
    const folder = relative('', path);
    const again = isPipe(file) ? join(folder, SCENARIO) : wordOfScenario(file);
    const next = `\nNext\n${nextSteps(results, again, folder)}`;
    process.stdout.write(`${text}\n${skipped}${path}  (${wallSeconds.toFixed(2)} s)\n${next}\n`);
  } else if (results.failure !== null) {
    process.stderr.write(`${results.failure.reason}: ${results.failure.port}\n`);
  }
}

/** The same tables in a columnar format; the run is complete without them. */
async function addParquet(path: string): Promise<void> {
  const { writeParquet } = await import('../report/tables/write-parquet.js');
  const trouble = await writeParquet(path);
  if (trouble !== null) process.stderr.write(`tables were not written as Parquet: ${trouble}\n`);
}

function inputFault<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw error instanceof RunDirectoryError ? new InputError(error.message) : error;
  }
}
