/**
 * Which of several runs comes first, in one sentence and one table: for the terminal, for JSON and
 * for pages. A contender is as good as the measure in which it is furthest behind the best one, so
 * that none comes first that is poor at something people decide by.
 */

import type { RunStatus } from '../../runtime/results/results.js';
import type { Comparison, ComparisonCell, ComparisonRow, Standing } from './comparison-data.js';
import type { Measured } from './measures.js';
import { CONFIDENCE, differs, type Median, medianOf, SEEDS_FOR_CONFIDENCE } from './median.js';

/** Values this close are alike. */
export const TIE = 1.02;
/** Contenders, or measures, that the sentence names. */
const NAMED_MOST = 3;

/** One side of a comparison: the same runs as others have, seed by seed. */
export interface Contender {
  readonly name: string;
  readonly runs: readonly ContenderRun[];
}

interface ContenderRun {
  readonly status: RunStatus;
  /** Frames that no transport sent again. */
  readonly lostFrames: number;
  /** In the order of the table. */
  readonly measures: readonly Measured[];
}

/** A measure of all contenders. */
interface Line {
  readonly label: string;
  readonly about: Measured;
  /** By contender and seed; a time that is not over is infinite. */
  readonly values: readonly (readonly number[])[];
  readonly texts: readonly string[];
  /** By contender: median of how much worse it is than the best, at the same seeds; 1: the same. */
  readonly ratios: readonly number[];
  readonly standings: readonly Standing[] | null;
}

export function compare(contenders: readonly Contender[]): Comparison {
  const lines = linesOf(contenders);
  const names = contenders.map(({ name }) => name);
  const tiers = contenders.map(tierOf);
  const order = orderOf(lines, tiers);
  const rows = lines
    .filter(({ values }) => values.some((own) => own.some((value) => value !== 0)))
    .map(rowOf);
  const zero = lines.filter(({ values }) => values.every((own) => own.every((v) => v === 0)));
  return {
    sentence: sentenceOf({ lines, names, tiers, order, contenders }),
    ...{ names, order, rows },
    behind: contenders.map((_, i) => finiteOrNull(regretOf(lines, i))),
    statuses: contenders.map(({ runs }) => statusOf(runs)),
    notes: [
      ...(zero.length === 0 ? [] : [`0 in all: ${zero.map(({ label }) => label).join(', ')}`]),
      ...marksNote(rows),
      ...seedsNote(contenders),
    ],
  };
}

/** Complete; complete, but frames are lost for good; not complete. */
function tierOf({ runs }: Contender): number {
  if (runs.some(({ status }) => status !== 'complete')) return 2;
  return runs.some(({ lostFrames }) => lostFrames > 0) ? 1 : 0;
}

function statusOf(runs: readonly ContenderRun[]): string {
  const counts = new Map<string, number>();
  for (const { status } of runs) counts.set(status, (counts.get(status) ?? 0) + 1);
  if (counts.size === 1) return runs[0]!.status;
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}

function linesOf(contenders: readonly Contender[]): Line[] {
  const byLabel = new Map<string, Measured>();
  for (const { measures } of contenders.flatMap(({ runs }) => runs)) {
    for (const one of measures) if (!byLabel.has(one.label)) byLabel.set(one.label, one);
  }
  return [...byLabel].flatMap(([label, about]) => {
    const found = contenders.map(({ runs }) =>
      runs.flatMap(({ measures }) => {
        const own = measures.find((one) => one.label === label);
        return (own?.value ?? null) === null ? [] : [own as Known];
      }),
    );
    if (found.every((own) => own.length === 0)) return [];
    return [lineOf(label, about, found, contenders[0]!.runs.length)];
  });
}

type Known = Measured & { readonly value: number };

function lineOf(
  label: string,
  about: Measured,
  found: readonly (readonly Known[])[],
  seeds: number,
): Line {
  const values = found.map((own) =>
    own.map(({ value, isOpen }) => (isOpen === true ? Infinity : value)),
  );
  const texts = found.map((own) => textOf(about, own));
  const isWhole = values.every((own) => own.length === seeds);
  if (!isWhole) {
    return { label, about, values, texts, ratios: found.map(() => 1), standings: null };
  }
  const medians = values.map((own) => medianOf(own).median);
  const bestOf = (a: number, b: number): number => ((about.lessIsBetter ? a < b : a > b) ? a : b);
  const best = medians.indexOf(medians.reduce(bestOf));
  const pairs = values.map((own) =>
    own.map((value, seed) => ratioOf(value, values[best]![seed]!, about.lessIsBetter)),
  );
  const medianRatios = pairs.map((ratios) => medianOf(ratios).median);
  const isReal = pairs.map((ratios) => seeds === 1 || differs(ratios));
  const ratios = medianRatios.map((ratio, i) => (isReal[i]! ? Math.max(1, ratio) : 1));
  const isContest =
    about.weight === 'decides' && medianRatios.some((ratio, i) => isReal[i]! && ratio > TIE);
  const standings = medianRatios.map((ratio, i): Standing => {
    if (ratio <= TIE) return 'best';
    return isReal[i]! ? 'behind' : 'unclear';
  });
  const hasUnclear = about.weight === 'decides' && standings.includes('unclear');
  return {
    ...{ label, about, values, texts, ratios },
    standings: isContest || hasUnclear ? standings : null,
  };
}

/** How much worse a value is than another. */
function ratioOf(value: number, best: number, lessIsBetter: boolean): number {
  if (value === best) return 1;
  return lessIsBetter ? value / best : best / value;
}

function rowOf({ label, values, texts, standings }: Line): ComparisonRow {
  return {
    label,
    cells: values.map((own, i): ComparisonCell => {
      const { median, low, high }: Median =
        own.length === 0 ? { median: NaN, low: NaN, high: NaN } : medianOf(own);
      return {
        ...{ value: finiteOrNull(median), low: finiteOrNull(low), high: finiteOrNull(high) },
        ...{ text: texts[i]!, standing: standings?.[i] ?? null },
      };
    }),
  };
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** A value; of several seeds the median and its interval. */
function textOf({ format }: Measured, own: readonly Known[]): string {
  if (own.length === 0) return '–';
  const show = (value: number): string => (value === 0 ? '0' : format(value));
  const open = own.filter(({ isOpen }) => isOpen === true);
  const { median, low, high } = medianOf(own.map(({ value }) => value));
  const isOpen = open.length * 2 > own.length;
  const text = isOpen ? (open[0]!.openText ?? `> ${show(median)}`) : show(median);
  return low === high ? text : `${text} [${rangeText(show(low), show(high))}]`;
}

/** Two values of one unit have it once. */
function rangeText(low: string, high: string): string {
  const [number, unit] = low.split(' ');
  return high.endsWith(` ${unit ?? ''}`) ? `${number!}, ${high}` : `${low}, ${high}`;
}

/** The best first: by tier, by how far each is behind, then by what breaks ties. */
function orderOf(lines: readonly Line[], tiers: readonly number[]): number[] {
  const behind = tiers.map((_, i) => regretOf(lines, i));
  return [...tiers.keys()].sort(
    (a, b) =>
      tiers[a]! - tiers[b]! ||
      compareNear(behind[a]!, behind[b]!) ||
      tieBreak(lines, a, b) ||
      behind[a]! - behind[b]! ||
      a - b,
  );
}

/** In the measure in which it is furthest behind. */
function regretOf(lines: readonly Line[], place: number): number {
  return lines
    .filter(({ about }) => about.weight === 'decides')
    .reduce((worst, { ratios }) => Math.max(worst, ratios[place]!), 1);
}

function compareNear(a: number, b: number): number {
  if (a === b) return 0;
  return Math.max(a, b) <= TIE * Math.min(a, b) ? 0 : a - b;
}

function tieBreak(lines: readonly Line[], a: number, b: number): number {
  for (const { about, ratios } of lines) {
    if (about.weight !== 'breaks-ties') continue;
    const order = compareNear(ratios[a]!, ratios[b]!);
    if (order !== 0) return order;
  }
  return 0;
}

interface Judged {
  readonly lines: readonly Line[];
  readonly names: readonly string[];
  readonly tiers: readonly number[];
  readonly order: readonly number[];
  readonly contenders: readonly Contender[];
}

function sentenceOf(judged: Judged): string {
  const { lines, names, tiers, order } = judged;
  const [first] = order as [number];
  const peers = order.filter((place) => tiers[place] === tiers[first]);
  const behind = regretOf(lines, first);
  const leaders = peers.filter(
    (place) =>
      compareNear(regretOf(lines, place), behind) === 0 && tieBreak(lines, first, place) === 0,
  );
  const isOnly = leaders.length === 1;
  const failing = failingText(judged);
  if (tiers[first] === 2) return failing;
  if (peers.length === 1)
    return sentence([`only ${names[first]!} ${GOOD[tiers[first]!]!}`, failing]);
  const lead = leadText(judged, first, peers);
  const cost = costText(judged, first, peers);
  const who =
    leaders.length > NAMED_MOST
      ? `${leaders.length} of ${names.length}`
      : leaders.map((place) => names[place]!).join(' and ');
  if (lead === null && cost === null) {
    const tie = tieText(judged, first, peers);
    const others = peers.length < names.length ? `of ${peers.length} ` : '';
    const isChance = lines.some(({ standings }) => standings?.includes('unclear'));
    const head = isChance
      ? `${others}no difference in goodput or FCT is significant`
      : `${others}none is ahead by more than 2 % in goodput or FCT`;
    return sentence([head, tie ?? '', failing]);
  }
  const verb = isOnly ? 'comes' : 'come';
  return sentence([`${who} ${verb} first${lead === null ? '' : `: ${lead}`}`, cost ?? '', failing]);
}

/** By tier. */
const GOOD: readonly string[] = ['completes without a loss', 'completes'];

function sentence(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('; ');
}

/** Where the first is furthest ahead of another, among those in which it is best. */
function leadText(judged: Judged, first: number, peers: readonly number[]): string | null {
  const { lines, names } = judged;
  let most = TIE;
  let text: string | null = null;
  for (const { label, about, texts, ratios } of lines) {
    if (about.weight !== 'decides' || ratios[first]! > TIE) continue;
    const last = peers.reduce((a, b) => (ratios[b]! > ratios[a]! ? b : a));
    // Of two that say the same, as goodput and FCT of one flow do, the first is named.
    if (ratios[last]! <= (text === null ? most : most * TIE)) continue;
    most = ratios[last]!;
    text = `${label} ${texts[first]!} against ${texts[last]!} of ${names[last]!}`;
  }
  return text;
}

function costText(judged: Judged, first: number, peers: readonly number[]): string | null {
  const { lines, names } = judged;
  let most = TIE;
  let text: string | null = null;
  for (const { label, about, texts, ratios } of lines) {
    if (about.weight !== 'decides' || ratios[first]! <= most) continue;
    most = ratios[first]!;
    const best = peers.reduce((a, b) => (ratios[b]! < ratios[a]! ? b : a));
    text = `behind in ${label}, ${texts[first]!} against ${texts[best]!} of ${names[best]!}`;
  }
  return text;
}

function tieText({ lines, names }: Judged, first: number, peers: readonly number[]): string | null {
  for (const { label, about, texts, ratios } of lines) {
    if (about.weight !== 'breaks-ties') continue;
    const last = peers.reduce((a, b) => (ratios[b]! > ratios[a]! ? b : a));
    if (compareNear(ratios[last]!, ratios[first]!) === 0) continue;
    const [own, other] = [texts[first]!, `${texts[last]!} of ${names[last]!}`];
    return `${names[first]!} has less ${label}: ${own} against ${other}`;
  }
  return null;
}

function failingText({ names, tiers, order, contenders }: Judged): string {
  const best = tiers[order[0]!]!;
  const parts = tiers.flatMap((tier, place) => {
    if (tier === best && tier < 2) return [];
    const { runs } = contenders[place]!;
    if (tier === 2) return [`${names[place]!}: ${statusOf(runs)}`];
    return tier === 1 ? [`${names[place]!} loses frames`] : [];
  });
  if (parts.length <= NAMED_MOST) return parts.join(', ');
  return `${parts.length} of ${names.length} lose frames or do not complete`;
}

function marksNote(rows: readonly ComparisonRow[]): string[] {
  const standings = rows.flatMap(({ cells }) => cells.map(({ standing }) => standing));
  return [
    ...(standings.includes('best') ? ['* best, or within 2 % of it'] : []),
    ...(standings.includes('unclear') ? ['~ its difference from the best is not significant'] : []),
  ];
}

function seedsNote(contenders: readonly Contender[]): string[] {
  const seeds = contenders[0]!.runs.length;
  if (seeds === 1) return [];
  const percent = `${100 * CONFIDENCE} %`;
  if (seeds >= SEEDS_FOR_CONFIDENCE) {
    return [`medians of ${seeds} seeds, and the interval that has the median with ${percent}`];
  }
  const few =
    `medians of ${seeds} seeds, with the least and the most: no difference is significant with ` +
    `fewer than ${SEEDS_FOR_CONFIDENCE} seeds (${percent})`;
  return [few];
}
