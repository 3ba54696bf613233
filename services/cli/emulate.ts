import type { Fabric } from '../fabric/assembly/fabric.js';
import { planParts } from '../fabric/placement/part-plan.js';
import { placeInServices } from '../fabric/placement/placement.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';
import { evaluateExpectations } from '../report/expectations.js';
import type { RunRecord } from '../report/run-directory.js';
import { factsOf } from '../report/page/page-of-run.js';
import { RunDirectory, summaryJson } from '../report/run-directory.js';
import { RunDirectoryError } from '../report/run-json.js';
import { whyOf } from '../report/why.js';
import { summaryText } from '../report/summary-text.js';
import { prepareEngine } from '../runtime/engine-flags.js';
import { eventsOf } from '../telemetry/events/event-table.js';
import { captureFile } from '../telemetry/captures/capture-file.js';
import type { RunFigures } from '../telemetry/metrics/port-figures.js';
import type { FaultStep } from '../runtime/live-faults.js';
import { LiveFaults } from '../runtime/live-faults.js';
import type { MergedRun } from '../runtime/merge.js';
import { LiveSession } from '../live/live-session.js';
import { LiveThreads } from '../live/live-threads.js';
import { shownFaults } from '../live/shown-faults.js';
import type { WholeState } from '../runtime/whole-state.js';
import { capturesWanted, warnOfOmitted } from './captured.js';
import { EXIT, InputError } from './exit.js';
import type { DistributionOptions } from './fleet/distribution.js';
import { fleetOptions } from './fleet/distribution.js';
import type { Fleet, FleetOptions } from './fleet/fleet.js';
import { framesWanted } from './frame-ways.js';
import type { LiveOptions } from './live-options.js';
import { liveWish } from './live-options.js';
import { LiveView } from './live-view.js';
import type { LocalRun } from './local-desk.js';
import { ProgressLine } from './progress.js';
import { collectorFrom, exportTelemetry } from './telemetry-export.js';
import { styleFor } from './style.js';

export interface EmulateOptions extends DistributionOptions, LiveOptions {
  readonly threads?: string;
  readonly out?: string;
  readonly check?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** A collector for spans and figures. */
  readonly otlp?: string;
  /** False: tables are written as CSV only. */
  readonly parquet?: boolean;
  /** Be reachable by `selvage attach`, `pause`, `inject` and so on, in one process too. */
  readonly control?: boolean;
  /** A port of this machine, for Prometheus. */
  readonly metrics?: string;
}

/** A scenario that has been read, how it was asked for, and where to begin. */
export interface Emulation {
  readonly file: string;
  readonly set: readonly string[];
  readonly loaded: LoadedScenario;
  readonly fabric: Fabric;
  /** Null: at the beginning. */
  readonly from: WholeState | null;
  /** Faults that came and went before. */
  readonly steps: readonly FaultStep[];
}

/** How long a run goes on before it looks up: short enough for a prompt answer to Ctrl-C. */
const SHOW_MS = 40;
const IGNORED = 'machinery: only a run with --processes, all of its own, has processes to break';
/** Ports in other threads and processes are asked when the run has ended. */
const NO_PORTS = { ports: [], credits: [] };

/** Runs it, writes the run directory, prints what a person or a program wants; the exit code. */
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
  const fleet = fleetOptions(file, set, emulation.fabric, options);
  const threads = threadCount(emulation.fabric, options);
  const collector = collectorFrom(options.otlp);
  const metricsPort = metricsPortOf(options);
  const { machinery } = emulation.fabric.scenario;
  if (machinery.length > 0 && (fleet?.machinery.length ?? 0) === 0 && options.quiet !== true) {
    process.stderr.write(`${IGNORED}\n`);
  }
  const startedAt = performance.now();
  const measured =
    fleet !== null
      ? await runElsewhere(emulation, fleet, metricsPort, progress, view)
      : threads !== null
        ? await runInThreads(emulation, threads, options, metricsPort, progress, view)
        : await runHere(emulation, options, metricsPort, progress, view);
  const wallSeconds = (performance.now() - startedAt) / 1000;
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
  const told = { expectations, why, traces, document, origin, facts, wallSeconds };
  const captures = capturesWanted(fabric, measured.captures);
  const capture = captures && captureFile(fabric, captures);
  const events = measured.events && eventsOf(fabric, measured.events);
  const record: RunRecord = { results, series, state, ...told, capture, events };
  const path = inputFault(() => directory.write(record));
  print(record, path, options);
  if (captures !== null) warnOfOmitted(captures);
  if (options.parquet !== false) await addParquet(path);
  await view?.finish(record);
  if (collector !== null) {
    await exportTelemetry(collector, results, wallSeconds, congestion, traces);
  }
  if (results.status === 'failed') return EXIT.RUN_FAILED;
  if (results.status === 'interrupted') return EXIT.INTERRUPTED;
  return expectations.every(({ ok }) => ok) ? EXIT.COMPLETE : EXIT.EXPECTATIONS_FAILED;
}

type Measured = Pick<RunRecord, 'results' | 'series' | 'state'> &
  Pick<MergedRun, 'congestion' | 'hops' | 'captures' | 'events' | 'steps'>;

async function runHere(
  { loaded, fabric, from }: Emulation,
  options: EmulateOptions,
  metricsPort: number | null,
  progress: ProgressLine,
  view: LiveView | null,
): Promise<Measured> {
  const { Session } = await import('../runtime/session.js');
  const session = new Session(fabric, { check: options.check === true });
  if (from !== null) session.restore(from);
  const closeMetrics = await openMetrics(metricsPort, fabric.scenario.name, () => ({
    ...session.progress(),
    ...session.counted(),
  }));
  const run = new LiveSession(session, new LiveFaults(loaded, fabric), view?.beginsPaused ?? false);
  run.listener =
    view &&
    (await view.open(
      run,
      () => run.status,
      () => shownFaults(run.live.list(), session.boundPs),
    ));
  const closeControl = await controlOf(run, options);
  const letGo = onInterrupt(() => {
    run.stop();
  });
  const showProgress = (): void => {
    progress.show(() => run.progress());
  };
  const status = await run.drive(SHOW_MS, showProgress).finally(() => {
    progress.clear();
    letGo();
    closeControl();
  });
  await closeMetrics();
  const results = session.results(status);
  const state = results.status === 'interrupted' ? session.save() : null;
  const seen = {
    congestion: session.congestion(),
    hops: session.hops(),
    captures: session.captures(),
    events: session.events(),
  };
  return { results, series: session.series(), state, steps: run.live.steps, ...seen };
}

/** Opens the control plane of a run in this process if that was asked for. */
async function controlOf(run: LocalRun, { control }: EmulateOptions): Promise<() => void> {
  if (control !== true) return () => undefined;
  const { openControl } = await import('./local-desk.js');
  return openControl(run);
}

/** What a run says of itself while it goes on. */
type Look = () => Omit<RunFigures, 'wallSeconds'>;

/** Figures for Prometheus while the run goes on; a port that is taken is bad input. */
async function openMetrics(
  port: number | null,
  scenario: string,
  look: Look,
): Promise<() => Promise<void>> {
  if (port === null) return () => Promise.resolve();
  const { serveMetrics } = await import('../telemetry/metrics/serve-metrics.js');
  const startedAt = performance.now();
  const now = (): RunFigures => {
    return { ...look(), wallSeconds: (performance.now() - startedAt) / 1000 };
  };
  try {
    return await serveMetrics(port, scenario, now);
  } catch (error) {
    throw new InputError(`--metrics ${port}: ${(error as Error).message}`);
  }
}

/** In threads of this process, where the same actors do the same. */
async function runInThreads(
  { loaded, fabric, from }: Emulation,
  threads: number,
  options: EmulateOptions,
  metricsPort: number | null,
  progress: ProgressLine,
  view: LiveView | null,
): Promise<Measured> {
  const { ThreadsRun } = await import('../runtime/threads/run-threads.js');
  const { SERIES_COLUMNS } = await import('../runtime/series.js');
  const plans = planParts(fabric, placeInServices(fabric.topology, threads));
  const live = new LiveFaults(loaded, fabric);
  const run = new ThreadsRun(fabric, plans, { check: options.check === true, from, live });
  const seen = view && new LiveThreads(run);
  const page =
    seen &&
    (await view.open(
      seen,
      () => seen.status,
      () => shownFaults(live.list(), run.progress().virtualPs),
    ));
  if (page !== null) seen?.hear(page);
  if (view?.beginsPaused === true) run.hold(true);
  const closeControl = await controlOf(run, options);
  const letGo = onInterrupt(() => {
    run.stop();
  });
  const closeMetrics = await openMetrics(metricsPort, fabric.scenario.name, () => ({
    ...run.progress(),
    ...NO_PORTS,
  }));
  const timer = setInterval(() => {
    progress.show(() => run.progress());
    page?.look();
  }, SHOW_MS);
  try {
    const { rows, ...merged } = await run.run();
    return { ...merged, series: { columns: SERIES_COLUMNS, rows } };
  } finally {
    clearInterval(timer);
    await closeMetrics();
    progress.clear();
    letGo();
    closeControl();
  }
}

/** In processes of its own, where the same actors do the same. */
async function runElsewhere(
  { fabric, from, steps }: Emulation,
  options: FleetOptions,
  metricsPort: number | null,
  progress: ProgressLine,
  view: LiveView | null,
): Promise<Measured> {
  const { runDistributed } = await import('./fleet/distributed-run.js');
  const { SERIES_COLUMNS } = await import('../runtime/series.js');
  const { LiveFleet } = await import('./fleet/live-fleet.js');
  let live: InstanceType<typeof LiveFleet> | null = null;
  const open = async ({ client }: Fleet): Promise<void> => {
    if (view === null) return;
    const run = new LiveFleet(client);
    live = run;
    run.listener = await view.open(
      run,
      () => run.status,
      () => run.shownFaults(),
    );
  };
  let latest = { virtualPs: 0, share: 0, frameHops: 0 };
  const closeMetrics = await openMetrics(metricsPort, fabric.scenario.name, () => ({
    ...latest,
    ...NO_PORTS,
  }));
  try {
    const all = { ...options, from, steps, paused: view?.beginsPaused ?? false };
    const { rows, ...merged } = await runDistributed(all, progress, open, (status) => {
      const { virtualPs, share, frameHops } = status;
      latest = { virtualPs, share, frameHops };
      live?.heard(status);
    });
    return { ...merged, series: { columns: SERIES_COLUMNS, rows } };
  } finally {
    await closeMetrics();
  }
}

/** Ctrl-C asks for an end in order; a second one ends at once. Returns how to hear it no more. */
function onInterrupt(ask: () => void): () => void {
  let isAsked = false;
  const hear = (): void => {
    if (isAsked) process.exit(EXIT.INTERRUPTED);
    isAsked = true;
    ask();
  };
  process.on('SIGINT', hear).on('SIGTERM', hear);
  return () => {
    process.off('SIGINT', hear).off('SIGTERM', hear);
  };
}

/** Null: this thread alone. */
function threadCount(fabric: Fabric, { threads, ...options }: EmulateOptions): number | null {
  if (threads === undefined) return null;
  const most = fabric.specs.length;
  if (!/^[1-9]\d{0,3}$/.test(threads) || Number(threads) > most) {
    throw new InputError(`--threads ${threads}: not a number from 1 to ${most}, one per device`);
  }
  if (options.processes === true || options.services !== undefined) {
    throw new InputError('--threads and --processes exclude each other');
  }
  return Number(threads);
}

function viewOf(
  { file, set, fabric, loaded }: Emulation,
  options: EmulateOptions,
): LiveView | null {
  const wish = liveWish(options);
  if (wish === null) return null;
  const { document } = loaded;
  return new LiveView(wish, fabric, { document, origin: { scenario: file, set, steps: [] } });
}

function metricsPortOf({ metrics }: EmulateOptions): number | null {
  if (metrics === undefined) return null;
  if (!/^\d{1,5}$/.test(metrics) || Number(metrics) > 65_535 || Number(metrics) === 0) {
    throw new InputError(`--metrics ${metrics}: not a port from 1 to 65535`);
  }
  return Number(metrics);
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

/** The same tables for whatever reads columns; a run is none the worse without them. */
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
