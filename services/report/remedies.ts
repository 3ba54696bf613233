/** What might help against the worst congestion of a run, to be tried by runs. */

import { LENSES } from '../measures/port-measures.js';
import { FLOW_CONTROLS, MECHANISMS, RATE_CONTROLS, WHOLE_PORT } from '../mechanisms/registry.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';
import { settingsOfVariant, VariantError } from '../fabric/scenario/variants.js';
import type { Topology } from '../fabric/topology/topology.js';
import type { FlowResult, RunResults } from '../runtime/results/results.js';
import { formatCount, formatRate, formatTime } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';
import type { WhySummary } from './why.js';

const FAULTS_TRIED = 3;
const LOADS_TRIED = 3;

/** A change of a scenario. */
export interface Remedy {
  readonly name: string;
  /** Its values, after those of the run. */
  readonly document: object;
  /** `path=value` settings on top of them. */
  readonly set: readonly string[];
  /** It takes away load, which shows what that costs others, and is no cure. */
  readonly isRemoval: boolean;
}

type Document = Readonly<Record<string, unknown>>;
type Named = Readonly<Record<string, unknown>>;

/** The run without what causes its worst congestion, and under each other mechanism. */
export function remediesOf(
  why: WhySummary,
  loaded: LoadedScenario,
  topology: Pick<Topology, 'links'>,
): Remedy[] {
  const document = loaded.document as Document;
  return [
    ...withoutFaults(why, document),
    ...withoutLoads(why, loaded),
    ...others(loaded, topology),
  ];
}

/** Faults are told by name; one without a name has that of its place. */
function withoutFaults({ trees, faults }: WhySummary, document: Document): Remedy[] {
  const written = (document['faults'] ?? []) as readonly Named[];
  const named = new Set(trees.flatMap(({ root }) => root.fault ?? []));
  return faults
    .map(({ fault }, place) => ({ fault, place }))
    .filter(({ fault }) => named.has(fault))
    .slice(0, FAULTS_TRIED)
    .map(({ fault, place }) => ({
      name: `without fault ${fault}`,
      document: { ...document, faults: written.filter((_, i) => i !== place), expect: [] },
      ...{ set: [], isRemoval: false },
    }));
}

/** Loads whose flows fill the worst root, where others are left. */
function withoutLoads(
  { trees: [worst] }: WhySummary,
  { document, scenario }: LoadedScenario,
): Remedy[] {
  const { load: loads } = scenario;
  const filling = new Set(worst?.culprits.map(({ flow }) => flow));
  const names = loads.map(({ name }) => name);
  const guilty = names.filter((name) => [...filling].some((flow) => flow.startsWith(`${name}/`)));
  if (guilty.length === names.length) return [];
  const written = ((document as Document)['load'] ?? []) as readonly Named[];
  return guilty.slice(0, LOADS_TRIED).map((name) => ({
    name: `without load ${name}`,
    document: {
      ...(document as Document),
      load: written.filter((_, i) => names[i] !== name),
      expect: [],
    },
    ...{ set: [], isRemoval: true },
  }));
}

/** Every flow control, and what may run beside the present one. */
function others(loaded: LoadedScenario, topology: Pick<Topology, 'links'>): Remedy[] {
  const { scenario } = loaded;
  const document = { ...(loaded.document as Document), expect: [] };
  const ruled = scenario.priorities.find(({ flowControl }) => flowControl !== 'none');
  const wholePort = (document as Document)['pause'] === undefined ? 'none' : WHOLE_PORT;
  const present = ruled?.flowControl ?? wholePort;
  const beside = [
    ...MECHANISMS.flatMap(({ name, priority }) => (priority?.isFlag === true ? [name] : [])),
    ...RATE_CONTROLS.map(({ kind }) => kind),
  ];
  const names = [
    ...FLOW_CONTROLS.filter((name) => name !== present),
    ...beside.map((name) => `${present}+${name}`),
  ];
  return names.flatMap((name) => {
    try {
      const set = settingsOfVariant(name, loaded, topology);
      return { name, document, set, isRemoval: false };
    } catch (error) {
      if (error instanceof VariantError) return [];
      throw error;
    }
  });
}

/** What a run with a remedy measured; null: the scenario cannot have it, for a reason. */
export interface Tried {
  readonly name: string;
  readonly isRemoval: boolean;
  readonly results: RunResults | null;
  readonly refused: string | null;
}

/** Who should be helped: flows that wait in the worst tree, or else those that fill it. */
export function helpedBy({ trees: [worst] }: WhySummary): {
  readonly title: string;
  readonly flows: ReadonlySet<string>;
} {
  const victims = worst?.victims ?? [];
  if (victims.length > 0) return { title: 'victims', flows: new Set(victims) };
  const filling = worst?.culprits.map(({ flow }) => flow) ?? [];
  return { title: 'culprits', flows: new Set(filling) };
}

/** A line for each run; the first is the run as it was. */
export function remediesText(
  tried: readonly Tried[],
  helped: ReturnType<typeof helpedBy>,
  style: Style,
): string {
  const { title, flows } = helped;
  const rows = tried.map(({ name, results, refused }) => {
    if (results === null) return [name, refused ?? '–', '', '', '', '', ''];
    const own = results.flows.filter((flow) => flows.has(flow.name));
    return [
      name,
      formatRate(goodputOf(own)),
      slowestOf(own),
      formatRate(results.goodputBps),
      slowestOf(results.flows),
      formatTime(longestBlocked(results)),
      formatCount(dropsOf(results)),
    ];
  });
  const head = ['tried', `goodput of ${title}`, 'FCT max', 'of all', 'FCT max', 'blocked', 'drops'];
  return [style.strong('Tried, each by a run'), table(head, rows), bestText(tried, helped)]
    .filter((part) => part !== '')
    .join('\n');
}

/** What helped most; empty where nothing did. */
function bestText(
  [asItIs, ...tried]: readonly Tried[],
  { title, flows }: ReturnType<typeof helpedBy>,
): string {
  const rateOf = ({ results }: Tried): number =>
    goodputOf(results?.flows.filter(({ name }) => flows.has(name)) ?? []);
  const before = rateOf(asItIs!);
  const lossless = tried.filter(
    ({ results, isRemoval }) => !isRemoval && results !== null && dropsOf(results) === 0,
  );
  const [best] = [...lossless].sort((a, b) => rateOf(b) - rateOf(a));
  if (best === undefined || rateOf(best) < WORTH * before) return `none of it helps the ${title}`;
  return (
    `${best.name} helps the ${title} most, without drops: ` +
    `${formatRate(rateOf(best))} in place of ${formatRate(before)}`
  );
}

/** Less is no help. */
const WORTH = 1.02;

/** Per flow. */
function goodputOf(flows: readonly FlowResult[]): number {
  const sum = flows.reduce((total, { goodputBps }) => total + goodputBps, 0);
  return flows.length === 0 ? 0 : sum / flows.length;
}

function slowestOf(flows: readonly FlowResult[]): string {
  const times = flows.flatMap(({ completionPs }) => completionPs ?? []);
  return times.length < flows.length || times.length === 0 ? '–' : formatTime(Math.max(...times));
}

function longestBlocked({ ports }: RunResults): number {
  const times = ports.flatMap(({ priorities }) => priorities.map((row) => row[LENSES.blocked]));
  return times.reduce((most, ps) => Math.max(most, ps), 0);
}

function dropsOf({ priorities }: RunResults): number {
  return priorities
    .flatMap(({ drops }) => Object.values(drops))
    .reduce((sum, frames) => sum + frames, 0);
}
