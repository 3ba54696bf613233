import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { DROP_REASONS } from '../engine/contract/probe.js';
import { MECHANISMS } from '../mechanisms/registry.js';
import type { FaultStep } from '../runtime/live-faults.js';
import type { NicResult } from '../runtime/results/nic-results.js';
import type { RunResults } from '../runtime/results/results.js';
import type { SeriesRow } from '../runtime/series.js';
import { isRateRow, RATE_COLUMNS } from '../runtime/series.js';
import type { WholeState } from '../runtime/whole-state.js';
import { packWhole, unpackWhole } from '../runtime/whole-state.js';
import { csv } from './csv.js';
import { ratesCsv } from './congestion-tables.js';
import type { FrameTrace } from '../telemetry/traces/frame-trace.js';
import type { TimedEvent } from '../telemetry/events/event-table.js';
import { eventsCsv } from './events-csv.js';
import type { ExpectationResult } from './expectations.js';
import { makeWritable } from './make-writable.js';
import { isPageBuilt, pageFile } from './page/page-file.js';
import type { ScenarioFacts } from './page/page-of-run.js';
import { pageOfRun } from './page/page-of-run.js';
import { runJson, RunDirectoryError } from './run-json.js';
import type { Why, WhySummary } from './why.js';
import { episodesCsv, whySummary } from './why.js';

/** What marks a folder as one of ours, so that it may be replaced. */
const MARKER = 'digest';
/** What a run was made of, and where it can go on; see `readRun`. */
const ORIGIN = 'origin.json';
const STATE = 'state';
const INJECTED = 'injected.yaml';
/** What neighbours came to; see `selvage dcbx`. */
export const DISCOVERY = 'discovery.json';
/** Who held whom back: see `readWhy`. */
const WHY = 'why.json';
/** What passed captured ports, for Wireshark. */
const CAPTURE = 'capture.pcapng';
const TRACES = 'traces.json';
/** Every 82599 at the end of the run. */
const NICS = 'nics.json';

export interface RunRecord {
  readonly results: RunResults;
  readonly expectations: readonly ExpectationResult[];
  /** The scenario with its base files and settings merged. */
  readonly document: unknown;
  readonly series: {
    readonly columns: readonly string[];
    readonly rows: Iterable<SeriesRow>;
  };
  /** What was run: the scenario's file and the settings on top of it. */
  readonly origin: {
    readonly scenario: string;
    readonly set: readonly string[];
    /** Faults that came and went while it was under way. */
    readonly steps: readonly FaultStep[];
  };
  /** What the report draws beside what was measured. */
  readonly facts: ScenarioFacts;
  /** Who held whom back; null where that was not observed. */
  readonly why: Why | null;
  /** The ways of sampled frames; null unless frames are sampled. */
  readonly traces: Iterable<FrameTrace> | null;
  /** A capture file, piece by piece; null unless something is captured. */
  readonly capture: Iterable<Uint8Array> | null;
  /** What happened to frames and priorities; null unless that is observed. */
  readonly events: readonly TimedEvent[] | null;
  /** Where an interrupted run can go on. */
  readonly state: WholeState | null;
  /** Seconds of the wall clock; the only figure that differs between equal runs. */
  readonly wallSeconds: number;
}

/** Where a run will be written: checked before it starts, and written all at once at its end. */
export class RunDirectory {
  private readonly parent: string;

  /** `out` is a folder's name, or null to have it named after scenario and digest. */
  constructor(
    private readonly out: string | null,
    private readonly scenario: string,
  ) {
    this.parent = resolve(out === null ? 'runs' : dirname(resolve(out)));
    this.prepare();
  }

  /** Writes everything into a folder beside the target and renames it; returns its path. */
  write(record: RunRecord): string {
    const target = this.target(record.results);
    let draft = target;
    try {
      draft = mkdtempSync(join(this.parent, `.${basename(target)}-`));
      for (const [name, text] of filesOf(record)) writeFileSync(join(draft, name), text);
      if (record.traces !== null) writePieces(join(draft, TRACES), tracesJson(record.traces));
      if (record.capture !== null) writePieces(join(draft, CAPTURE), record.capture);
      if (existsSync(target)) rmSync(target, { recursive: true });
      renameSync(draft, target);
    } catch (error) {
      if (draft !== target) rmSync(draft, { recursive: true, force: true });
      throw new RunDirectoryError(`${target} cannot be written: ${(error as Error).message}`);
    }
    return target;
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

/** A run that was written: what it was made of, and where it can go on. */
export interface StoredRun {
  readonly scenario: string;
  readonly set: readonly string[];
  readonly steps: readonly FaultStep[];
  readonly document: unknown;
  readonly status: string;
  readonly digest: string;
  readonly state: WholeState | null;
  /** Null: it was not observed. */
  readonly why: WhySummary | null;
}

/** Reads a file of a run directory, or says that it is none. */
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
  const document = json('scenario.json', {});
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

/** The summary as machines read it. */
export function summaryJson({ results, expectations, wallSeconds }: RunRecord): object {
  const { flows, ports, deviceDigests, discovery, nics, ...summary } = results;
  const converged = discovery && { convergence: discovery.convergence, lldpdus: discovery.lldpdus };
  return {
    ...summary,
    discovery: converged,
    nicLatencies: nics.map(({ device, latencies }) => ({ device, latencies })),
    expectations,
    deviceDigests,
    wall: { seconds: wallSeconds },
  };
}

function filesOf(record: RunRecord): [string, string | Uint8Array][] {
  const { results, document, series, origin, state, why } = record;
  const files: [string, string | Uint8Array][] = [
    ['scenario.json', json(document)],
    [ORIGIN, json({ ...origin, scenario: resolve(origin.scenario) })],
    [MARKER, digestFile(results)],
    ['status', `${results.status}\n`],
    ['summary.json', json(summaryJson(record))],
    ['flows.csv', flowsCsv(results)],
    ['ports.csv', portsCsv(results)],
    ['margins.csv', marginsCsv(results)],
  ];
  if (origin.steps.length > 0) files.push([INJECTED, injectedYaml(record)]);
  const rows = [...series.rows];
  const portRows = rows.filter((row) => !isRateRow(row));
  const rateRows = rows.filter(isRateRow);
  if (portRows.length > 0) files.push(['series.csv', csv(series.columns, portRows)]);
  if (rateRows.length > 0) files.push(['rate-series.csv', csv(RATE_COLUMNS, rateRows)]);
  if (results.rates.length > 0) files.push(['rates.csv', ratesCsv(results)]);
  if (results.credits.length > 0) files.push(['credits.csv', creditsCsv(results)]);
  if (isPageBuilt()) {
    files.push(['report.html', pageFile({ runs: [pageOfRun(record, record.facts)] })]);
  }
  if (results.discovery !== null) files.push([DISCOVERY, json(results.discovery)]);
  const tables = MECHANISMS.flatMap((slice) => slice.results.tables?.(results) ?? []);
  for (const { name, columns, rows: lines } of tables) {
    if (lines.length > 0) files.push([`${name}.csv`, csv(columns, lines)]);
  }
  if (results.nics.length > 0) files.push([NICS, json(results.nics)]);
  if (results.slots.length > 0) {
    files.push(['slots.csv', slotsCsv(results)], ['slot-ports.csv', slotPortsCsv(results)]);
  }
  if (why !== null) files.push([WHY, json(whySummary(why))], ['episodes.csv', episodesCsv(why)]);
  if (record.events !== null) files.push(['events.csv', eventsCsv(record.events)]);
  if (state !== null) files.push([STATE, packWhole(state)]);
  return files;
}

/** The digest, below the plugins without which another run cannot give it. */
function digestFile({ plugins, digest }: RunResults): string {
  const header = plugins.map(({ name, file, sha256 }) => `# plugin ${name} ${sha256} ${file}\n`);
  return `${header.join('')}${digest}\n`;
}

/** What was injected, declared: as a scenario, it gives the digest of this run. */
function injectedYaml({ origin, document, results }: RunRecord): string {
  const { scenario, set } = origin;
  const settings = set.map((change) => ` --set '${change}'`).join('');
  const { faults } = document as { readonly faults: unknown };
  const told =
    '# What was injected, at the virtual times at which it came. The same digest again:\n' +
    `# selvage run ${INJECTED}${settings}\n`;
  return told + stringify({ extends: resolve(scenario), name: results.scenario, faults });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A frame per line; what held it has a name, which is that of its episode in episodes.csv. */
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

function flowsCsv({ flows }: RunResults): string {
  const columns = [
    ...['flow', 'name', 'load', 'source', 'destination', 'priority', 'transport', 'start_ps'],
    ...['last_arrival_ps', 'completion_ps', 'ideal_ps', 'slowdown', 'frames', 'payload_octets'],
    ...['offered_octets', 'offered_until_ps', 'unfinished_ps'],
    ...['messages', 'goodput_bps', 'latency_mean_ps', 'latency_min_ps', 'latency_max_ps'],
    ...['sent_frames', 'retransmitted_frames', 'timeouts', 'marked_frames', 'unreachable_at'],
  ];
  const rows = flows.map((f) => [
    ...[f.flow, f.name, f.load, f.source, f.destination, f.priority, f.transport, f.startPs],
    ...[f.lastArrivalPs, f.completionPs, f.idealPs, f.slowdown, f.frames, f.payloadOctets],
    ...[f.offeredOctets, f.offeredUntilPs, f.unfinishedPs],
    ...[f.messages, f.goodputBps, f.latencyMeanPs, f.latencyMinPs, f.latencyMaxPs],
    ...[f.sentFrames, f.retransmittedFrames, f.timeouts, f.markedFrames, f.unreachableAt],
  ]);
  return csv(columns, rows);
}

function portsCsv({ ports }: RunResults): string {
  const columns = [
    ...['port', 'peer', 'rate_bps', 'priority', 'rx_frames', 'rx_octets', 'tx_frames', 'tx_octets'],
    ...['held_ps', 'held_count', 'stops_sent', 'marked_frames', 'peak_queue_octets'],
    ...['peak_ingress_octets', ...DROP_REASONS.map((reason) => `drops_${reason}`)],
  ];
  const rows = ports.flatMap((port) =>
    port.priorities.map((p) => [
      ...[port.port, port.peer, port.rateBps, p.priority, p.rxFrames, p.rxOctets, p.txFrames],
      ...[p.txOctets, p.heldPs, p.heldCount, p.stopsSent, p.markedFrames, p.peakQueueOctets],
      ...[p.peakIngressOctets, ...DROP_REASONS.map((reason) => p.drops[reason] ?? 0)],
    ]),
  );
  return csv(columns, rows);
}

function marginsCsv({ margins }: RunResults): string {
  const columns = [
    ...['port', 'priority', 'xoff_octets', 'peak_octets', 'headroom_octets'],
    ...['headroom_used_octets', 'needed_octets', 'wait_octets', 'control_octets', 'cable_octets'],
    ...['interface_octets', 'pipeline_octets', 'response_octets', 'frame_octets'],
    ...['full_pool_octets', 'cell_octets'],
  ];
  const rows = margins.map(({ needed, ...m }) => [
    ...[m.port, m.priority, finite(m.xoffOctets), m.peakOctets, m.headroomOctets],
    ...[m.headroomUsedOctets, needed.totalOctets, needed.waitOctets, needed.controlOctets],
    ...[needed.cableOctets, needed.interfaceOctets, needed.pipelineOctets],
    ...[needed.responseOctets, needed.frameOctets, needed.fullPoolOctets, needed.cellOctets],
  ]);
  return csv(columns, rows);
}

function creditsCsv({ credits }: RunResults): string {
  const columns = [
    ...['port', 'priority', 'channel', 'granted', 'spent', 'held', 'aged', 'revoked', 'stale'],
    ...['overflow', 'failed_syncs', 'blocked_ps', 'received', 'occupied', 'peak_occupied'],
    ...['recovered', 'resyncs', 'reclaims', 'violations'],
    ...['wrong_totals', 'contradictions'],
    ...['unit_octets', 'buffer_units', 'needed_units'],
  ];
  const rows = credits.map((c) => [
    ...[c.port, c.priority, c.channel, c.granted, c.spent, c.held, c.aged, c.revoked, c.stale],
    ...[c.overflow, c.failedSyncs, c.blockedPs, c.received, c.occupied, c.peakOccupied],
    ...[c.recovered, c.resyncs, c.reclaims, c.violations],
    ...[c.wrongTotals, c.contradictions],
    ...[c.unitOctets, c.bufferUnits, c.neededUnits],
  ]);
  return csv(columns, rows);
}

function slotsCsv({ slots }: RunResults): string {
  const columns = ['device', 'region', 'slots', 'used', 'peak'];
  const rows = slots.map((s) => [s.device, s.region, s.slots, s.used, s.peak]);
  return csv(columns, rows);
}

function slotPortsCsv({ slotPorts }: RunResults): string {
  const columns = [
    ...['port', 'flow_control', 'source_slots', 'peak_slots', 'xoff_slots', 'headroom_slots'],
    ...['needed_slots', 'xoffs', 'xons', 'stopped_ps', 'downgraded_frames'],
    ...['frames_without_slot', 'wred_drops'],
  ];
  const rows = slotPorts.map((p) => [
    ...[p.port, p.flowControl ? 1 : 0, p.sourceSlots, p.peakSlots, p.xoffSlots],
    ...[p.headroomSlots, p.neededSlots, p.xoffs, p.xons, p.stoppedPs, p.downgradedFrames],
    ...[p.framesWithoutSlot, p.wredDrops],
  ]);
  return csv(columns, rows);
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
