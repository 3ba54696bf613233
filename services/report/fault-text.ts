import type { FaultResult, RunResults } from '../runtime/results/results.js';
import { formatCount, formatTime } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';
import type { FaultInWhy } from './why.js';

const PLACES_SHOWN = 3;

/** Effects of declared faults; `why` knows what waited for them, and until when. */
export function faultTable(
  { faults }: RunResults,
  style: Style,
  effects: readonly FaultInWhy[],
): string {
  if (faults.length === 0) return '';
  const recovers = effects.some(({ hasEffect }) => hasEffect);
  const withheld = faults.some((f) => f.withheld > 0);
  const rows = faults.map((f) => [
    f.fault,
    f.kind,
    placesText(f),
    formatCount(f.times),
    f.spells.length === 0 ? '–' : formatTime(f.spells[0]!.startPs),
    formatTime(f.activePs),
    formatCount(f.hits),
    ...(withheld ? [formatCount(f.withheld)] : []),
    formatCount(f.flows),
    dropsText(f) || '–',
    ...(recovers ? effectCells(effects.find(({ fault }) => fault === f.fault)) : []),
  ]);
  const head = ['fault', 'kind', 'at', 'times', 'from', 'in all', 'hits'];
  if (withheld) head.push('withheld');
  const notes = faults.filter(({ overflows }) => overflows > 0).map((fault) => noteOf(fault));
  const effect = recovers ? ['frames waited', 'recovered after'] : [];
  const columns = [...head, 'flows', 'drops', ...effect];
  return [style.strong('Faults'), table(columns, rows), ...notes].join('\n');
}

/** How long frames waited for it, in all, and how long after its end the last of them. */
function effectCells(fault: FaultInWhy | undefined): string[] {
  if (fault?.hasEffect !== true) return ['–', '–'];
  const afterPs = afterEndPs(fault);
  const waited = fault.frameTimePs === 0 ? 'took part' : formatTime(fault.frameTimePs);
  return [waited, afterPs === null ? 'not yet' : formatTime(afterPs)];
}

/** Null: its effect has not cleared. */
function afterEndPs({ lastEffectPs, spells }: FaultInWhy): number | null {
  if (lastEffectPs === null) return null;
  return Math.max(0, lastEffectPs - (spells.at(-1)?.endPs ?? lastEffectPs));
}

/** Faults by their names, with what they are. */
export function faultNames(
  faults: readonly Pick<FaultResult, 'fault' | 'kind'>[],
): ReadonlyMap<string, string> {
  return new Map(faults.map(({ fault, kind }) => [fault, `${fault} (${kind})`]));
}

/** What each fault did, for `why`. */
export function faultsText(faults: readonly FaultInWhy[]): string {
  if (faults.length === 0) return '';
  const lines = faults.map((fault) => {
    const { fault: name, kind } = fault;
    const effect = effectText(fault);
    return `   ${name} (${kind}) at ${placesText(fault)}: ${faultText(fault)}${effect}`;
  });
  return ['faults:', ...lines].join('\n');
}

/** When a fault acted, and what it did to frames. */
export function faultText(fault: FaultResult): string {
  const { times, activePs, spells, hits, flows } = fault;
  if (times === 0) return 'it never began';
  const last = spells.at(-1)?.endPs ?? null;
  const until = last === null ? 'to the end' : `to ${formatTime(last)}`;
  const often = times === 1 ? '' : `, ${formatCount(times)} times, ${formatTime(activePs)} in all`;
  const drops = dropsText(fault);
  const acted = hits === 0 || drops !== '' ? '' : `, ${formatCount(hits)} hits`;
  const dropped = drops === '' ? '' : `, dropped ${drops}`;
  const passing = `${formatCount(flows)} ${flows === 1 ? 'flow passes' : 'flows pass'} it`;
  const from = formatTime(spells[0]?.startPs ?? 0);
  return `from ${from} ${until}${often}${acted}${dropped}; ${passing}`;
}

/** The last congestion that it explains. */
function effectText(fault: FaultInWhy): string {
  if (!fault.hasEffect) return '';
  const { frameTimePs, lastEffectPs } = fault;
  const waited =
    frameTimePs === 0 ? '' : `; frames waited ${formatTime(frameTimePs)}, summed over all of them`;
  const afterPs = afterEndPs(fault);
  if (afterPs === null) return `${waited}; congestion that it caused has not cleared`;
  const later = afterPs === 0 ? '' : `, ${formatTime(afterPs)} after its end`;
  return `${waited}; congestion that it caused cleared at ${formatTime(lastEffectPs)}${later}`;
}

function placesText({ at }: Pick<FaultResult, 'at'>): string {
  if (at.length === 0) return '–';
  const more = at.length - PLACES_SHOWN;
  return at.slice(0, PLACES_SHOWN).join(' ') + (more > 0 ? ` and ${formatCount(more)} more` : '');
}

/** Frames by reason. */
function dropsText({ drops }: Pick<FaultResult, 'drops'>): string {
  return Object.entries(drops)
    .map(([reason, frames]) => `${formatCount(frames)} ${reason}`)
    .join(', ');
}

/** Headroom is computed for control frames that leave and arrive in time. */
function noteOf({ fault, kind, overflows }: RunResults['faults'][number]): string {
  return (
    `  ${fault} (${kind}) disturbs flow control: ${formatCount(overflows)} lossless frames ` +
    'found headroom full'
  );
}
