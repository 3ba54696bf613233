/** What is right, and what is wrong, of what `why` says of a world whose cause is known. */

import { storyOf } from '../../services/report/story.js';
import { PLAIN } from '../../services/report/style.js';
import { treesView } from '../../services/report/page/page-trees.js';
import { whyText } from '../../services/report/why-text.js';
import { whyOf, whySummary, type WhySummary } from '../../services/report/why.js';
import { repeatRun, type RepeatedRun } from '../../services/runtime/repeat-run.js';
import { fabricOf } from '../kit/emulate.js';
import { BESIDE, scaleOf, type Known, type World } from './worlds.js';

/** The longest delay has grown by so much, or such a part of the frames has not come. */
const SUFFERS_PS = 10e6;
const SUFFERS_PART = 0.1;
/** Neither has, nor the mean delay. */
const SPARED_PS = 0.05e6;
const SPARED_FRAMES = 1;

/** What does not hold of the first root that is named; none: all does. */
export function wrongsIn(world: World): string[] {
  const fabric = fabricOf(world.text);
  const run = repeatRun(fabric, null, null);
  const why = whyOf(fabric, run.results, run.congestion);
  const summary = whySummary(why);
  const first = wrongsOfCause(summary, world.known);
  if (first.length > 0) return first;
  const calm = repeatRun(fabricOf(world.calm), null, null);
  const suffers = sufferingOf(run, calm, scaleOf(world.method));
  return [
    ...wrongsOfFlows(summary, world.known, suffers),
    ...wrongsOfForms(summary, storyOf(run.results, why)),
  ];
}

/** Whether the flow beside suffers from the cause; null: hardly. */
function sufferingOf(run: RepeatedRun, calm: RepeatedRun, scale: number): boolean | null {
  const [own, before] = [run, calm].map(({ results }) =>
    results.flows.find(({ name }) => name === BESIDE),
  );
  const addedPs = ((own?.latencyMaxPs ?? 0) - (before?.latencyMaxPs ?? 0)) / scale;
  const frames = own?.frames ?? 0;
  // What is lost waits for nothing.
  const lacking = (before?.frames ?? 0) - frames - lostIn(run);
  if (addedPs > SUFFERS_PS || lacking > SUFFERS_PART * frames) return true;
  const meanPs = ((own?.latencyMeanPs ?? 0) - (before?.latencyMeanPs ?? 0)) / scale;
  const isSpared = Math.max(addedPs, meanPs) < SPARED_PS && lacking <= SPARED_FRAMES;
  return isSpared ? false : null;
}

function lostIn({ results }: RepeatedRun): number {
  return results.priorities
    .flatMap(({ drops }) => Object.values(drops))
    .reduce((sum, frames) => sum + frames, 0);
}

function wrongsOfCause({ trees: [worst] }: WhySummary, known: Known): string[] {
  if (worst === undefined) return ['nothing waits'];
  const { port, reason, fault } = worst.root;
  const isRight =
    port === known.port && known.reasons.includes(reason ?? '') && fault === known.fault;
  return isRight ? [] : [`cause: ${port} ${reason ?? ''} ${fault ?? ''}`];
}

/** By construction who fills the root; by the run without the cause who suffers. */
function wrongsOfFlows({ trees }: WhySummary, known: Known, suffers: boolean | null): string[] {
  const { root, culprits, victims } = trees[0]!;
  const wrongs: string[] = [];
  const named = culprits.map(({ flow }) => flow).filter((flow) => flow !== BESIDE);
  const isFilled = root.kind !== 'queue' || (known.isOnTrunk ? culprits : named).length > 0;
  // A sender that gets much less than its share waits for the others that fill the queue.
  const isRight =
    named.every((flow) => known.culprits.includes(flow)) &&
    known.culprits.every((flow) => named.length === 0 || [...named, ...victims].includes(flow));
  if (!isFilled || !isRight) wrongs.push(`culprits: ${named.join() || 'none'}`);
  const missing = (known.victims ?? []).filter((flow) => !victims.includes(flow));
  if (missing.length > 0) wrongs.push(`victims: no ${missing.join()}`);
  const isNamed =
    victims.includes(BESIDE) || (known.isOnTrunk && culprits.some(({ flow }) => flow === BESIDE));
  if (suffers === true && !isNamed) wrongs.push('victim not named');
  if (suffers === false && isNamed && !known.isOnTrunk) wrongs.push('named as a victim');
  return wrongs;
}

/** Text, JSON, page and its first sentence say the same. */
function wrongsOfForms(summary: WhySummary, story: string): string[] {
  const { root, culprits, victims } = summary.trees[0]!;
  const { trees } = JSON.parse(JSON.stringify(summary)) as WhySummary;
  const text = whyText(summary, PLAIN, false);
  const own = text.slice(text.indexOf('\n1. '), text.indexOf('\n2. ') >>> 0);
  const [page] = treesView(summary, [root.port]).trees;
  const names = [...culprits.map(({ flow }) => flow), ...victims];
  const shown = [...page!.culprits.map(({ flow }) => flow), ...page!.victims];
  const wrongs: string[] = [];
  if (trees[0]!.root.port !== root.port || trees[0]!.victims.length !== victims.length) {
    wrongs.push('JSON');
  }
  if (![root.port, ...names].every((name) => own.includes(name))) wrongs.push(`text: ${own}`);
  if (page!.root.name !== root.port || String(shown) !== String(names)) wrongs.push('page');
  if (root.fault !== null && !own.includes(root.fault)) wrongs.push(`text without fault: ${own}`);
  if (root.fault !== null && !page!.reason.includes(root.fault)) wrongs.push('page without fault');
  if (!story.includes(root.port)) wrongs.push(`sentence: ${story}`);
  return wrongs;
}
