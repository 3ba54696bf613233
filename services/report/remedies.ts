/** What might help against the worst congestion of a run, to be tried by runs. */

import { LENSES } from '../measures/port-measures.js';
import { FLOW_CONTROLS, MECHANISMS, RATE_CONTROLS, WHOLE_PORT } from '../mechanisms/registry.js';
import type { LoadedScenario } from '../fabric/scenario/load-scenario.js';
import { settingsOfVariant, VariantError } from '../fabric/scenario/variants.js';
import type { Topology } from '../fabric/topology/topology.js';
import type { FaultResult, FlowResult, RunResults } from '../runtime/results/results.js';
import { formatCount, formatRate, formatTime } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';
import type { WhySummary } from './why.js';

const FAULTS_TRIED = 8;
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
  /** The fault that it is without; null: all have their effect. */
  readonly fault: string | null;
  /** All it does is to end that fault before it begins: until then, nothing differs. */
  readonly isEnd: boolean;
}

type Document = Readonly<Record<string, unknown>>;
type Named = Readonly<Record<string, unknown>>;

/** The run without what causes its worst congestion, and under each other mechanism. */
export function remediesOf(
  why: WhySummary,
  loaded: LoadedScenario,
  topology: Pick<Topology, 'links'>,
): Remedy[] {
  return [...withoutFaults(why, loaded), ...withoutLoads(why, loaded), ...others(loaded, topology)];
}

/**
 * Faults that had an effect, those first that hold most frames up. One that links were connected by
 * has to go; others end before they begin.
 */
function withoutFaults(
  { trees, faults }: WhySummary,
  { document, scenario }: LoadedScenario,
): Remedy[] {
  const written = ((document as Document)['faults'] ?? []) as readonly Named[];
  const named = trees.flatMap(({ root }) => root.fault ?? []);
  const acted = faults.filter(hasActed).map(({ fault }) => fault);
  return [...new Set([...named, ...acted])].slice(0, FAULTS_TRIED).map((fault) => {
    const place = scenario.faults.findIndex(({ name }) => name === fault);
    const isLasting = scenario.faults[place]!.kind === 'mis-cabling';
    return {
      name: `without fault ${fault}`,
      document: { ...(document as Document), faults: written.toSpliced(place, 1), expect: [] },
      ...{ set: [], isRemoval: false, fault, isEnd: !isLasting },
    };
  });
}

/** Where frames came: many effects count none that they hit. */
export function hasActed({ times, hits, flows }: FaultResult): boolean {
  return times > 0 && (hits > 0 || flows > 0);
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
    ...{ set: [], isRemoval: true, fault: null, isEnd: false },
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
      return { name, document, set, isRemoval: false, fault: null, isEnd: false };
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
  /** What it is without. */
  readonly fault: string | null;
  readonly results: RunResults | null;
  readonly refused: string | null;
}

/**
 * Who should be helped: flows that wait in the worst tree, or else those that fill it; all flows
 * where nothing waits.
 */
export function helpedBy(
  { trees: [worst] }: WhySummary,
  { flows }: Pick<RunResults, 'flows'>,
): { readonly title: Remedies['helped']; readonly flows: ReadonlySet<string> } {
  if (worst === undefined) return { title: 'flows', flows: new Set(flows.map(({ name }) => name)) };
  const { victims, culprits } = worst;
  if (victims.length > 0) return { title: 'victims', flows: new Set(victims) };
  return { title: 'culprits', flows: new Set(culprits.map(({ flow }) => flow)) };
}

/** What the runs came to: of those to be helped, and of all. Null: it has none, or is refused. */
interface TriedSummary {
  readonly name: string;
  readonly isRemoval: boolean;
  readonly refused: string | null;
  /** Per flow that should be helped. */
  readonly goodputBps: number | null;
  readonly completionPs: number | null;
  readonly allGoodputBps: number | null;
  readonly allCompletionPs: number | null;
  readonly blockedPs: number | null;
  readonly drops: number | null;
  /** Of a run without a fault: what the fault added to flows. */
  readonly added: FctAdded | null;
}

interface FctAdded {
  readonly fault: string;
  /** Flows that are complete with the fault, too, and take longer. */
  readonly flows: number;
  readonly sumPs: number;
  /** The most, and whose. */
  readonly mostPs: number;
  readonly worst: string | null;
  /** Flows that are complete only without it. */
  readonly unfinished: number;
}

export interface Remedies {
  readonly helped: 'victims' | 'culprits' | 'flows';
  readonly flows: readonly string[];
  /** The first is the run as it was. */
  readonly tried: readonly TriedSummary[];
  /** What helps most, with no more drops than there were; null: nothing does. */
  readonly best: string | null;
}

export function remediesSummary(
  tried: readonly Tried[],
  { title, flows }: ReturnType<typeof helpedBy>,
): Remedies {
  const rows = tried.map((own) => triedSummary(own, flows, tried[0]!.results));
  return { helped: title, flows: [...flows], tried: rows, best: bestOf(rows) };
}

function triedSummary(
  { name, isRemoval, fault, results, refused }: Tried,
  flows: ReadonlySet<string>,
  asItIs: RunResults | null,
): TriedSummary {
  const own = results?.flows.filter((flow) => flows.has(flow.name)) ?? [];
  return {
    ...{ name, isRemoval, refused },
    goodputBps: results && goodputOf(own),
    completionPs: results && slowestOf(own),
    allGoodputBps: results?.goodputBps ?? null,
    allCompletionPs: results && slowestOf(results.flows),
    blockedPs: results && longestBlocked(results),
    drops: results && dropsOf(results),
    added: fault === null || !results || !asItIs ? null : addedBy(fault, asItIs, results),
  };
}

/** FCT with a fault less that without it, where it is more. */
function addedBy(fault: string, asItIs: RunResults, without: RunResults): FctAdded {
  const times = new Map(without.flows.map(({ name, completionPs }) => [name, completionPs]));
  const slower = asItIs.flows.flatMap(({ name, completionPs }) => {
    const before = times.get(name) ?? null;
    const ps = completionPs === null || before === null ? 0 : completionPs - before;
    return ps > 0 ? [{ name, ps }] : [];
  });
  const sumPs = slower.reduce((sum, { ps }) => sum + ps, 0);
  const mostPs = slower.reduce((most, { ps }) => Math.max(most, ps), 0);
  const worst = slower.find(({ ps }) => ps === mostPs)?.name ?? null;
  const unfinished = asItIs.flows.filter(
    ({ name, completionPs }) => completionPs === null && (times.get(name) ?? null) !== null,
  ).length;
  return { fault, flows: slower.length, sumPs, mostPs, worst, unfinished };
}

/** What helped most, without more drops; null where nothing did. */
function bestOf([asItIs, ...tried]: readonly TriedSummary[]): string | null {
  const before = asItIs!.goodputBps ?? 0;
  const most = asItIs!.drops ?? 0;
  const cures = tried.filter(({ isRemoval, drops }) => !isRemoval && (drops ?? Infinity) <= most);
  const [best] = cures.sort((a, b) => b.goodputBps! - a.goodputBps!);
  return best === undefined || best.goodputBps! < WORTH * before ? null : best.name;
}

/** A line for each run. */
export function remediesText({ helped, tried, best }: Remedies, style: Style): string {
  const rows = tried.map((own) => {
    const { name, refused, goodputBps, allGoodputBps, blockedPs, drops } = own;
    if (goodputBps === null) return [name, refused ?? '–', '', '', '', '', ''];
    return [
      name,
      formatRate(goodputBps),
      formatTime(own.completionPs),
      formatRate(allGoodputBps!),
      formatTime(own.allCompletionPs),
      formatTime(blockedPs),
      formatCount(drops!),
    ];
  });
  const head = [
    'tried',
    `goodput of ${helped}`,
    'FCT max',
    'of all',
    'FCT max',
    'blocked',
    'drops',
  ];
  const verdict =
    best === null
      ? `none of it helps the ${helped}`
      : bestText(
          tried.find(({ name }) => name === best)!,
          tried[0]!,
          helped,
        );
  const added = tried.flatMap((own) => (own.added === null ? [] : addedText(own.added)));
  return [style.strong('Tried, each by a run'), table(head, rows), ...added, verdict].join('\n');
}

function bestText(best: TriedSummary, asItIs: TriedSummary, helped: Remedies['helped']): string {
  const [own, before] = [best, asItIs].map(({ drops }) => formatCount(drops ?? 0)) as Pair;
  const drops = best.drops === 0 ? 'without drops' : `with ${own} drops in place of ${before}`;
  const [rate, was] = [best, asItIs].map(({ goodputBps }) => formatRate(goodputBps ?? 0)) as Pair;
  return `${best.name} helps the ${helped} most, ${drops}: ${rate} in place of ${was}`;
}

type Pair = [string, string];

function addedText({ fault, flows, sumPs, mostPs, worst, unfinished }: FctAdded): string {
  const [sum, most] = [formatTime(sumPs), formatTime(mostPs)];
  const others = `${formatCount(unfinished)} ${unfinished === 1 ? 'flow is' : 'flows are'}`;
  const late = unfinished === 0 ? '' : `; ${others} complete only without it`;
  if (worst === null)
    return `fault ${fault} added nothing to the FCT of a flow that is complete${late}`;
  if (flows === 1) return `fault ${fault} added ${most} to the FCT of ${worst}${late}`;
  return (
    `fault ${fault} added ${sum} to the FCTs of ${formatCount(flows)} flows, ` +
    `at most ${most} to that of ${worst}${late}`
  );
}

/** Less is no help. */
const WORTH = 1.02;

/** Per flow. */
function goodputOf(flows: readonly FlowResult[]): number {
  const sum = flows.reduce((total, { goodputBps }) => total + goodputBps, 0);
  return flows.length === 0 ? 0 : sum / flows.length;
}

/** Null: not all of them are complete. */
function slowestOf(flows: readonly FlowResult[]): number | null {
  const times = flows.flatMap(({ completionPs }) => completionPs ?? []);
  return times.length < flows.length || times.length === 0
    ? null
    : times.reduce((most, ps) => Math.max(most, ps));
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
