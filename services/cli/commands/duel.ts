import { writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { settingsOfVariant, VariantError } from '../../fabric/scenario/variants.js';
import type { LoadedScenario } from '../../fabric/scenario/load-scenario.js';
import type { DuelRun } from '../../report/duel.js';
import { compare } from '../../report/comparison/comparison.js';
import { comparisonText } from '../../report/comparison/comparison-text.js';
import { contendersOf, type SideRun } from '../../report/comparison/contenders.js';
import { duelMetrics } from '../../report/duel.js';
import { DuelWatch } from '../../report/duel-watch.js';
import { evaluateExpectations } from '../../report/expectations.js';
import { factsOf } from '../../report/page/page-of-run.js';
import { RunDirectory } from '../../report/run-directory.js';
import { RunDirectoryError } from '../../report/run-json.js';
import { whyOf } from '../../report/why.js';
import { prepareEngine } from '../../runtime/engine-flags.js';
import { observersOf } from '../../runtime/observers.js';
import type { RunResults } from '../../runtime/results/results.js';
import type { Session } from '../../runtime/session.js';
import { readVersion } from '../../runtime/version.js';
import type { Congestion } from '../../telemetry/congestion/congestion.js';
import { eventsOf } from '../../telemetry/events/event-table.js';
import { captureFile } from '../../telemetry/captures/capture-file.js';
import { capturesWanted } from '../captured.js';
import { EXIT, exitCodeOf, InputError } from '../exit.js';
import { framesWanted } from '../traced-frames.js';
import { loadFabric, loadRun } from '../load-fabric.js';
import { ProgressLine } from '../progress.js';
import { duelPage } from './report.js';
import { openPage } from '../open-page.js';
import { styleFor } from '../style.js';
import { wholeNumber } from '../whole-number.js';
import { prepareFolder } from '../write-out.js';

export interface DuelOptions {
  readonly mechanisms: string;
  readonly set: readonly string[];
  readonly seed?: string;
  /** So many seeds in turn, from that of the scenario on. */
  readonly seeds?: string;
  readonly out?: string;
  readonly open?: boolean;
  readonly json?: boolean;
  /** Run them however large they are. */
  readonly force?: boolean;
}

interface Side {
  readonly name: string;
  readonly set: readonly string[];
  readonly loaded: LoadedScenario;
  readonly fabric: Fabric;
}

const SLICE_MS = 40;
const MANIFEST = 'duel.json';
const PAGE = 'duel.html';

/** Runs one scenario under each mechanism, writes all of it, and prints one table. */
export async function duelCommand(file: string, options: DuelOptions): Promise<number> {
  prepareEngine();
  const base = [...options.set, ...(options.seed === undefined ? [] : [`seed=${options.seed}`])];
  const seeds = wholeNumber('--seeds', options.seeds ?? '1', 1);
  const sides = sidesOf(file, base, options);
  const folder = resolve(options.out ?? join('runs', `duel-${nameOf(sides[0]!)}`));
  const progress = new ProgressLine(
    options.json !== true && process.stderr.isTTY ? process.stderr : null,
  );
  prepareFolder(folder);
  const runs: DuelRun[] = [];
  const measured: { readonly name: string; readonly runs: SideRun[] }[] = [];
  for (const side of sides) {
    const own = await runSide(file, side, folder, progress);
    const others: SideRun[] = [];
    for (let i = 1; i < seeds; i++) others.push(await runSeed(file, side, i, progress));
    runs.push(own);
    const first = { results: own.results, trees: own.why.trees };
    measured.push({ name: side.name, runs: [first, ...others] });
  }
  const { devices } = sides[0]!.fabric.topology;
  const tierOf = new Map(devices.map(({ name, tier }) => [name, tier]));
  const metrics = runs.map((run) => duelMetrics(run, tierOf));
  const comparison = compare(contendersOf(measured));
  const manifest = {
    selvage: readVersion(),
    scenario: resolve(file),
    seeds,
    variants: runs.map(({ variant, set, results, folder: own }) => ({
      variant,
      set,
      digest: results.digest,
      run: basename(own),
    })),
    metrics,
    comparison,
  };
  writeFileSync(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
  duelPage(
    runs.map(({ folder: own }) => own),
    comparison,
    join(folder, PAGE),
  );
  process.stdout.write(
    options.json === true
      ? `${JSON.stringify(manifest, null, 2)}\n`
      : `${comparisonText(comparison, styleFor(process.stdout))}\n${folder}\n`,
  );
  if (options.open === true) openPage(join(folder, PAGE));
  return worstOf(runs);
}

/** Sides differ in their results, so only what they all must satisfy counts. */
function worstOf(runs: readonly DuelRun[]): number {
  const codes = runs.map(({ results, expectations }) => exitCodeOf(results, expectations));
  if (codes.includes(EXIT.RUN_FAILED)) return EXIT.RUN_FAILED;
  if (codes.includes(EXIT.STALLED)) return EXIT.STALLED;
  return codes.includes(EXIT.STARVED) ? EXIT.STARVED : EXIT.COMPLETE;
}

/** All of them are assembled before the first one runs: an error is reported at once. */
function sidesOf(
  file: string,
  base: readonly string[],
  { mechanisms, force }: Pick<DuelOptions, 'mechanisms' | 'force'>,
): Side[] {
  const names = mechanisms.split(',').map((name) => name.trim());
  if (new Set(names).size < names.length) {
    throw new InputError(`--mechanisms ${mechanisms}: one of them is named twice`);
  }
  const { loaded, fabric } = loadFabric(file, base);
  return names.map((name) => {
    try {
      const set = [...base, ...settingsOfVariant(name, loaded, fabric.topology)];
      return { name, set, ...loadRun(file, set, force) };
    } catch (error) {
      if (error instanceof VariantError) throw new InputError(`--mechanisms: ${error.message}`);
      throw error;
    }
  });
}

function nameOf({ fabric }: Side): string {
  return fabric.scenario.name.replace(/[^A-Za-z0-9._-]+/g, '-');
}

/** The same with another seed, of which nothing is written. */
async function runSeed(
  file: string,
  { set, fabric: first }: Side,
  offset: number,
  progress: ProgressLine,
): Promise<SideRun> {
  const seed = first.scenario.seed + offset;
  const { fabric } = loadFabric(file, [...set, `seed=${seed}`]);
  const { results, congestion } = await runToEnd(fabric, progress);
  return { results, trees: whyOf(fabric, results, congestion).trees };
}

interface Ended {
  readonly session: Session;
  readonly watch: DuelWatch;
  readonly results: RunResults;
  readonly congestion: Congestion;
}

/** Victims, deadlocks and storms are compared, whatever the scenario records. */
async function runToEnd(fabric: Fabric, progress: ProgressLine): Promise<Ended> {
  const { Session } = await import('../../runtime/session.js');
  const session = new Session(fabric, { check: false }, { ...observersOf(fabric), episodes: true });
  const watch = new DuelWatch(fabric, session.engine);
  while (session.advance(SLICE_MS) === 'running') {
    progress.show(() => session.progress());
    await setImmediate();
  }
  progress.clear();
  return {
    session,
    watch,
    results: session.results('complete'),
    congestion: session.congestion()!,
  };
}

async function runSide(
  file: string,
  { name, set, loaded, fabric }: Side,
  parent: string,
  progress: ProgressLine,
): Promise<DuelRun> {
  const startedAt = performance.now();
  const { session, watch, results, congestion } = await runToEnd(fabric, progress);
  const why = whyOf(fabric, results, congestion);
  const events = session.events();
  const captures = capturesWanted(fabric, session.captures());
  const expectations = evaluateExpectations(fabric.scenario.expect, results);
  try {
    const folder = new RunDirectory(join(parent, name), fabric.scenario.name).write({
      results,
      expectations,
      why,
      traces: framesWanted(fabric, { results, hops: session.hops(), state: null }),
      facts: factsOf(fabric),
      document: loaded.document,
      series: session.series(),
      origin: { scenario: file, set, steps: [] },
      state: null,
      capture: captures && captureFile(fabric, captures),
      events: events && eventsOf(fabric, events, results.virtualPs),
      wallSeconds: (performance.now() - startedAt) / 1000,
    });
    return { variant: name, set, results, expectations, why, watch, folder };
  } catch (error) {
    throw error instanceof RunDirectoryError ? new InputError(error.message) : error;
  }
}
