import { TIER_NAMES } from './tiers.js';
import type { Candidate, Verdict } from './trial.js';

export interface Tried extends Verdict {
  readonly id: string;
  readonly kind: string;
  /** `services/engine/port/queues.ts:100` */
  readonly at: string;
  readonly change: string;
}

export function triedOf({ module, mutation }: Candidate, verdict: Verdict): Tried {
  const { id, kind } = mutation;
  return { id, kind, at: placeOf({ module, mutation }), change: changeOf(mutation), ...verdict };
}

export function placeOf({ module, mutation }: Candidate): string {
  return `services/${module.name}.ts:${module.lineOf(mutation.start)}`;
}

export function changeOf({ from, to }: Candidate['mutation']): string {
  return `${from} -> ${to}`;
}

/** One line of a table in Markdown for each folder, and one for all of them. */
export function scoreTable(tried: readonly Tried[]): string {
  const folders = new Map<string, Tried[]>();
  for (const one of tried) {
    const folder = one.at.split('/').slice(1, 3).join('/');
    folders.set(folder, [...(folders.get(folder) ?? []), one]);
  }
  const rows = [...folders].sort(([a], [b]) => (a < b ? -1 : 1));
  const head = ['folder', 'defects', ...TIER_NAMES, 'survive', 'not executed'];
  return [
    row(head),
    row(head.map((_, i) => (i === 0 ? '---' : '--:'))),
    ...rows.map(([folder, some]) => row(cellsOf(`\`${folder}\``, some))),
    row(cellsOf('all', tried)),
    row(shares(tried)),
  ].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function countOf(tried: readonly Tried[], tier: string | null): number {
  return tried.filter((one) => one.tier === tier).length;
}

function cellsOf(name: string, tried: readonly Tried[]): string[] {
  const counts = [...TIER_NAMES, null].map((tier) => String(countOf(tried, tier)));
  const idle = tried.filter(({ isExecuted }) => !isExecuted).length;
  return [name, String(tried.length), ...counts, String(idle)];
}

/** Of all defects, how many were noticed up to each tier. */
function shares(tried: readonly Tried[]): string[] {
  let sum = 0;
  const percent = (count: number): string =>
    `${((100 * count) / Math.max(1, tried.length)).toFixed(1)} %`;
  const tiers = TIER_NAMES.map((tier) => percent((sum += countOf(tried, tier))));
  return ['noticed so far', '', ...tiers, percent(tried.length - sum), ''];
}

/** By tier: the least share of defects, in percent, that it and those before it should notice. */
const GOALS: ReadonlyMap<(typeof TIER_NAMES)[number], number> = new Map([
  ['plain', 60],
  ['--check=deep', 90],
  ['tests', 97],
]);

/** A line for each goal: whether it is met. */
export function goalsText(tried: readonly Tried[]): string {
  return [...GOALS]
    .map(([tier, goal]) => {
      const upTo = TIER_NAMES.slice(0, TIER_NAMES.indexOf(tier) + 1);
      const noticed = tried.filter((one) => (upTo as readonly unknown[]).includes(one.tier)).length;
      const share = (100 * noticed) / Math.max(1, tried.length);
      const what = upTo.length === TIER_NAMES.length ? 'anything' : tier;
      return `goal: ${goal} % noticed by ${what}: ${share < goal ? 'missed' : 'met'} (${share.toFixed(1)} %)`;
    })
    .join('\n');
}

export function survivorsText(tried: readonly Tried[]): string {
  return tried
    .filter(({ tier }) => tier === null)
    .map(({ at, change, kind, id, isExecuted }) => {
      const note = isExecuted ? '' : ' (nothing executes it)';
      return `${at}  ${kind}: ${change}${note}  [${id}]`;
    })
    .join('\n');
}
