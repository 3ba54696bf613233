import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { isPipe } from '../fabric/scenario/read-source.js';
import { MECHANISMS } from '../mechanisms/registry.js';
import type { ResultTable } from '../mechanisms/result-table.js';
import type { FaultStep } from '../runtime/live-faults.js';
import type { NicResult } from '../mechanisms/nic-context.js';
import type { RunResults } from '../runtime/results/results.js';
import type { SeriesRow } from '../runtime/series-rows.js';
import { isRateRow } from '../runtime/series-rows.js';
import type { SkippingResult } from '../runtime/skipping/skipping.js';
import type { WholeState } from '../runtime/whole-state.js';
import { packWhole, unpackWhole } from '../runtime/whole-state.js';
import { csv } from './csv.js';
import { withoutDefaults } from './default-observation.js';
import type { FrameTrace } from '../telemetry/traces/frame-trace.js';
import type { TimedEvent } from '../telemetry/events/event-table.js';
import type { ExpectationResult } from './expectations.js';
import { makeWritable } from './make-writable.js';
import { isPageBuilt, pageFile } from './page/page-file.js';
import type { ScenarioFacts } from './page/page-of-run.js';
import { pageOfRun } from './page/page-of-run.js';
import { runJson, RunDirectoryError } from './run-json.js';
import { SUMMARY_FILE, summaryJson } from './summary/summary-json.js';
import { EPISODE_TABLE, EVENT_TABLE, RATE_SERIES, SERIES } from './tables/observed-tables.js';
import { ALWAYS, RUN_TABLES } from './tables/run-tables.js';
import type { Why, WhySummary } from './why.js';
import { whySummary } from './why.js';

/** Marks a folder as a run directory, so that it may be replaced. */
const MARKER = 'digest';
/** Input of a run, and where it can continue; see `readRun`. */
const ORIGIN = 'origin.json';
/** The scenario with its base files and settings merged. */
export const SCENARIO = 'scenario.json';
const STATE = 'state';
const INJECTED = 'injected.yaml';
/** Results of discovery; see `selvage dcbx`. */
export const DISCOVERY = 'discovery.json';
/** Congestion episodes and deadlocks; see `selvage why`. */
const WHY = 'why.json';
/** Frames at captured ports, for Wireshark. */
export const CAPTURE = 'capture.pcapng';
/** What real hosts sent: see `selvage replay`. */
export const INPUTS = 'inputs.pcapng';
export const TRACES = 'traces.json';
/** Its page. */
export const REPORT = 'report.html';
/** Every NIC that is not a plain one, at the end of the run. */
const NICS = 'nics.json';

export interface RunRecord {
  readonly results: RunResults;
  readonly expectations: readonly ExpectationResult[];
  /** The scenario with its base files and settings merged. */
  readonly document: unknown;
  readonly series: { readonly rows: Iterable<SeriesRow> };
  /** The input: the scenario's file and the settings on top of it. */
  readonly origin: {
    readonly scenario: string;
    readonly set: readonly string[];
    /** Faults that were injected or ended during the run. */
    readonly steps: readonly FaultStep[];
  };
  /** Facts of the scenario that the report shows beside the results. */
  readonly facts: ScenarioFacts;
  /** Congestion episodes; null where they were not recorded. */
  readonly why: Why | null;
  /** Traces of sampled frames; null unless frames are sampled. */
  readonly traces: Iterable<FrameTrace> | null;
  /** A capture file, piece by piece; null unless something is captured. */
  readonly capture: Iterable<Uint8Array> | null;
  /** A file with what came in by live ports; null: no real host was there. */
  readonly inputs?: string | null;
  /** Events of frames and priorities; null unless they are recorded. */
  readonly events: readonly TimedEvent[] | null;
  /** What was skipped; null or absent: every event was executed. */
  readonly skipping?: SkippingResult | null;
  /** Where an interrupted run can continue. */
  readonly state: WholeState | null;
  /** Whether its page is left to `selvage report`, as a run that is to end at once leaves it. */
  readonly isPageLeft?: boolean;
  /** Elapsed wall-clock time in s; the only number that differs between equal runs. */
  readonly wallSeconds: number;
}

/** The directory of a run: checked before it starts, and written all at once at its end. */
export class RunDirectory {
  private readonly parent: string;
  /** What stood there when the run began. */
  private readonly before: string | null;

  /** `out` is a folder's name, or null to have it named after scenario and digest. */
  constructor(
    private readonly out: string | null,
    private readonly scenario: string,
  ) {
    this.parent = resolve(out === null ? 'runs' : dirname(resolve(out)));
    this.prepare();
    this.before = out === null ? null : identityOf(resolve(out));
  }

  /**
   * Writes everything into a folder beside the target and renames it; returns its path. `began` is
   * told which file is made.
   */
  write(given: RunRecord, began: (name: string) => void = () => undefined): string {
    const target = this.target(given.results);
    const record = repeatable(given, target);
    const isTaken = (): boolean => this.out !== null && identityOf(target) !== this.before;
    let draft = target;
    let place = target;
    try {
      draft = mkdtempSync(join(this.parent, `.${basename(target)}-`));
      for (const [name, text] of filesOf(record)) {
        began(name);
        writeFileSync(join(draft, name), text());
      }
      if (record.traces !== null) writePieces(join(draft, TRACES), tracesJson(record.traces));
      if (record.inputs) copyFileSync(record.inputs, join(draft, INPUTS));
      if (record.capture !== null) writePieces(join(draft, CAPTURE), record.capture);
      if (isTaken()) place = freeBeside(target);
      else if (existsSync(target)) rmSync(target, { recursive: true });
      renameSync(draft, place);
    } catch (error) {
      if (draft !== target) rmSync(draft, { recursive: true, force: true });
      throw new RunDirectoryError(`${target} cannot be written: ${(error as Error).message}`);
    }
    if (place === target) return target;
    throw new RunDirectoryError(
      `another run wrote ${target} while this one went on; the results of this one are in ${place}`,
    );
  }

  private target(results: RunResults): string {
    if (this.out !== null) return resolve(this.out);
    const slug = this.scenario.replace(/[^A-Za-z0-9._-]+/g, '-');
    return join(this.parent, `${slug}-${results.digest.slice(0, 8)}`);
  }

  private prepare(): void {
    if (this.out !== null) refuseForeign(resolve(this.out));
    try {
      makeWritable(this.parent);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new RunDirectoryError(
        `the run directory cannot be written into ${this.parent} (${code ?? 'unknown'}); ` +
          'name another with --out',
      );
    }
  }
}

/** Tells a folder from one that takes its name later; null: nothing stands there. */
function identityOf(folder: string): string | null {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.ino} ${stats.birthtimeMs}`;
}

function freeBeside(target: string): string {
  let number = 2;
  while (existsSync(`${target}-${number}`)) number++;
  return `${target}-${number}`;
}

/** A pipe is gone after the run; the folder has its text, with base files and settings merged. */
function repeatable(record: RunRecord, target: string): RunRecord {
  const { origin } = record;
  if (!isPipe(origin.scenario)) return record;
  return { ...record, origin: { ...origin, scenario: join(target, SCENARIO), set: [] } };
}

/** Files that may be larger than memory. */
function writePieces(path: string, pieces: Iterable<string | Uint8Array>): void {
  const file = openSync(path, 'w');
  try {
    for (const piece of pieces) writeFileSync(file, piece);
  } finally {
    closeSync(file);
  }
}

function refuseForeign(target: string): void {
  if (!existsSync(target)) return;
  let names: string[];
  try {
    names = readdirSync(target);
  } catch {
    throw new RunDirectoryError(`${target} is not a folder; name another with --out`);
  }
  if (names.length > 0 && !names.includes(MARKER)) {
    throw new RunDirectoryError(
      `${target} holds something that is not a run; name a new or empty folder with --out`,
    );
  }
}

/** A run that was written: its input, and where it can continue. */
export interface StoredRun {
  readonly scenario: string;
  readonly set: readonly string[];
  readonly steps: readonly FaultStep[];
  readonly document: unknown;
  readonly status: string;
  readonly digest: string;
  readonly state: WholeState | null;
  /** Null: they were not recorded. */
  readonly why: WhySummary | null;
}

/** Reads a file of a run directory, or throws if it is none. */
export function readRunFile(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    throw new RunDirectoryError(`${folder} is no run directory: it has no ${name}`);
  }
}

export function readRun(folder: string): StoredRun {
  const text = (name: string): string => readRunFile(folder, name);
  const json = (name: string, keys: Parameters<typeof runJson>[2]): object =>
    runJson(join(folder, name), text(name), keys);
  const { scenario, set, steps } = json(ORIGIN, {
    scenario: 'string',
    set: 'list',
    steps: 'list',
  }) as RunRecord['origin'];
  const document = json(SCENARIO, {});
  const state = existsSync(join(folder, STATE))
    ? unpackWhole(readFileSync(join(folder, STATE)))
    : null;
  const why = existsSync(join(folder, WHY)) ? (json(WHY, {}) as WhySummary) : null;
  const status = text('status').trim();
  const digest = text(MARKER).trim().split('\n').at(-1)!;
  return { scenario, set, steps, document, status, digest, state, why };
}

/** The NICs of a run that was written; none where it has only plain ones. */
export function readNics(folder: string): readonly NicResult[] {
  readRun(folder);
  const file = join(folder, NICS);
  return existsSync(file) ? (runJson(file, readFileSync(file, 'utf8'), {}) as NicResult[]) : [];
}

type MadeFile = readonly [string, () => string | Uint8Array];

function* filesOf(record: RunRecord): Generator<MadeFile> {
  const { results, document, origin, state, why } = record;
  yield [SCENARIO, () => json(document)];
  yield [ORIGIN, () => json({ ...origin, scenario: resolve(origin.scenario) })];
  yield [MARKER, () => digestFile(results)];
  yield ['status', () => `${results.status}\n`];
  yield [SUMMARY_FILE, () => json(summaryJson(record))];
  yield* tablesOf(record);
  if (origin.steps.length > 0) yield [INJECTED, () => injectedYaml(record)];
  if (isPageBuilt() && record.isPageLeft !== true) {
    yield [REPORT, () => pageFile({ runs: [pageOfRun(record, record.facts)] })];
  }
  if (results.discovery !== null) yield [DISCOVERY, () => json(results.discovery)];
  if (results.nics.length > 0) yield [NICS, () => json(results.nics)];
  if (why !== null) yield [WHY, () => json(whySummary(why))];
  if (state !== null) yield [STATE, () => packWhole(state)];
}

/** The tables of a run; those that may be left out have rows. */
function* tablesOf({ results, series, why, events }: RunRecord): Generator<MadeFile> {
  const rows = [...series.rows];
  const own = MECHANISMS.flatMap((slice) => slice.results.tables ?? []);
  const ofEvents = MECHANISMS.flatMap((slice) => slice.results.eventTables ?? []);
  yield* filledOf([...RUN_TABLES, ...own], results);
  yield* filledOf(
    [SERIES],
    rows.filter((row) => !isRateRow(row)),
  );
  yield* filledOf([RATE_SERIES], rows.filter(isRateRow));
  yield* filledOf(ofEvents, events ?? []);
  if (why !== null) yield fileOf(EPISODE_TABLE, [...EPISODE_TABLE.lines(why.congestion.episodes)]);
  if (events !== null) yield fileOf(EVENT_TABLE, [...EVENT_TABLE.lines(events)]);
}

function* filledOf<Source>(
  tables: readonly ResultTable<Source>[],
  source: Source,
): Generator<MadeFile> {
  for (const table of tables) {
    const lines = [...table.lines(source)];
    if (lines.length > 0 || ALWAYS.has(table.name)) yield fileOf(table, lines);
  }
}

function fileOf<Source>(
  { name, columns }: ResultTable<Source>,
  lines: Parameters<typeof csv>[1],
): MadeFile {
  return [
    `${name}.csv`,
    () =>
      csv(
        columns.map((column) => column.name),
        lines,
      ),
  ];
}
/** The digest, below the plugins without which another run cannot reproduce it. */
function digestFile({ plugins, digest }: RunResults): string {
  const header = plugins.map(({ name, file, sha256 }) => `# plugin ${name} ${sha256} ${file}\n`);
  return `${header.join('')}${digest}\n`;
}

/** Injected faults, declared: as a scenario, it gives the digest of this run. */
function injectedYaml({ origin, document, results }: RunRecord): string {
  const { scenario, set } = origin;
  const settings = withoutDefaults(set)
    .map((change) => ` --set '${change}'`)
    .join('');
  const { faults } = document as { readonly faults: unknown };
  const header =
    '# What was injected, at the virtual times at which it came. The same digest again:\n' +
    `# selvage run ${INJECTED}${settings}\n`;
  return header + stringify({ extends: resolve(scenario), name: results.scenario, faults });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A frame per line; a pause has the name of its episode in episodes.csv. */
function* tracesJson(traces: Iterable<FrameTrace>): Generator<string> {
  let before = '[';
  for (const trace of traces) {
    const steps = trace.steps.map((step) => {
      const parts = step.parts.map(({ hold, ...part }) => ({ ...part, ...hold }));
      return { ...step, parts };
    });
    yield `${before}\n${JSON.stringify({ ...trace, steps })}`;
    before = ',';
  }
  yield before === '[' ? '[\n\n]\n' : '\n]\n';
}
