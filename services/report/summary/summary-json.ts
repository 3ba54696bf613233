/** `summary.json`, from results and back. */

import type { SkippingResult } from '../../runtime/skipping/skipping.js';
import { completionOf, slowdownOf } from '../../measures/flow-statistics.js';
import { FLOW_MEASURES } from '../../measures/flow-measures.js';
import { having, publishedKey, totalOf } from '../../mechanisms/measure.js';
import type { FlowResult, RunResults } from '../../runtime/results/results.js';
import { rolesOf } from '../../telemetry/congestion/flow-roles.js';
import type { WhySummary } from '../why.js';
import type { ExpectationResult } from '../expectations.js';
import { RunDirectoryError, runJson } from '../run-json.js';
import { BYTES_ANYWAY, SUMMARY_VERSION } from './summary-schema.js';

export const SUMMARY_FILE = 'summary.json';

interface Summarised {
  readonly results: RunResults;
  readonly expectations: readonly ExpectationResult[];
  /** Null where episodes were not recorded. */
  readonly why: Pick<WhySummary, 'trees'> | null;
  readonly wallSeconds: number;
  /** Null or absent: every event was executed. */
  readonly skipping?: SkippingResult | null;
}

/** What `summary.json` has of results; the rest is in other files. */
type StoredResults = Omit<RunResults, 'flows' | 'operations' | 'ports' | 'nics' | 'discovery'> & {
  readonly expectations: readonly ExpectationResult[];
};

/** The summary as JSON. */
export function summaryJson(record: Summarised): object {
  const { results, expectations, why, wallSeconds, skipping = null } = record;
  const { flows, ports, deviceDigests, discovery, nics, loads, ...others } = results;
  const { operations: _, ...rest } = others;
  const converged = discovery && { convergence: discovery.convergence, lldpdus: discovery.lldpdus };
  const byLoad = new Map<string, FlowResult[]>(loads.map(({ load }) => [load, []]));
  for (const flow of flows) byLoad.get(flow.load)!.push(flow);
  const summary = {
    ...rest,
    loads: loads.map((load) => ({ ...load, ...ofFlows(byLoad.get(load.load)!) })),
    roles: why && rolesOf(why.trees, flows),
    discovery: converged,
    nicLatencies: nics.map(({ device, latencies }) => ({ device, latencies })),
    expectations,
    deviceDigests,
    elapsedSeconds: wallSeconds,
    skipping,
  };
  const published = renamed(summary, publishedKey);
  return { schemaVersion: SUMMARY_VERSION, ...(published as object) };
}

/** What the flows of a load did together. */
function ofFlows(flows: readonly FlowResult[]): object {
  const totals = having(FLOW_MEASURES, 'summarised').map(([key, { total }]) => {
    return [
      key,
      totalOf(
        total,
        flows.map((flow) => flow[key]),
      ),
    ];
  });
  return {
    completionPs: completionOf(flows),
    slowdown: slowdownOf(flows),
    ...(Object.fromEntries(totals) as Record<string, number>),
  };
}

/** Keys of every summary. */
const KEYS = {
  scenario: 'string',
  seed: 'number',
  status: 'string',
  virtualPs: 'number',
  digest: 'string',
  plugins: 'list',
  priorities: 'list',
  loads: 'list',
  stalls: 'list',
  standingDeadlocks: 'list',
  margins: 'list',
  buffers: 'list',
  expectations: 'list',
  deviceDigests: 'list',
} as const;

/** Reads a summary, or says that it is damaged, or of another version of Selvage. */
export function readSummary(file: string, text: string): StoredResults {
  const stored = runJson(file, text, {}) as { readonly schemaVersion?: unknown };
  const { schemaVersion = 'none' } = stored;
  if (schemaVersion !== SUMMARY_VERSION) {
    throw new RunDirectoryError(
      `${file} has schemaVersion ${JSON.stringify(schemaVersion)}, and this version of selvage ` +
        `reads ${SUMMARY_VERSION}: run its scenario again`,
    );
  }
  runJson(file, text, KEYS);
  return renamed(stored, ownName) as StoredResults;
}

function ownName(key: string): string {
  if (BYTES_ANYWAY.has(key)) return key;
  return key.replace(/Bytes$/, 'Octets');
}

function renamed(value: unknown, name: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((inner) => renamed(inner, name));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [name(key), renamed(inner, name)]);
  return Object.fromEntries(entries) as unknown;
}
