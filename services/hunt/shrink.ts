import type { Document, FaultEntry } from './document.js';
import { entriesOf, withEntries } from './document.js';
import { smallerFabrics } from './smaller-fabrics.js';
import type { Verdict } from './trial.js';
import { signatureOf } from './trial.js';
import { withoutWatchdogs } from './watchdogs.js';
import { returnMemory } from './return-memory.js';

export interface Shrunk {
  readonly document: Document;
  readonly verdict: Verdict;
  /** Runs that it took. */
  readonly trials: number;
}

/** Runs a document; null if it is no scenario. */
type Trial = (document: Document) => Verdict | null;

/** Documents that are smaller than one that fails, those that shrink most first. */
export type Smaller = (document: Document, verdict: Verdict) => Iterable<Document>;

/** Keys of a fault that can be removed, and simpler values for others. */
const SIMPLER: readonly FaultEntry[] = [
  { for: undefined, every: undefined, random: undefined, times: undefined, recover: undefined },
  { every: undefined, random: undefined, times: undefined },
  { random: undefined },
  { probability: '100%' },
  { at: '0ns' },
  { jitter: undefined },
];

/**
 * Shrinks a failing scenario as long as it fails with the same signature: fewer faults and loads, a
 * smaller fabric, a shorter run, simpler faults. Greedy: the first smaller one that still fails is
 * the new start.
 */
export function shrink(
  document: Document,
  verdict: Verdict,
  trial: Trial,
  most: number,
  smallerOnes: Smaller = smaller,
): Shrunk {
  const signature = signatureOf(verdict.reason!);
  let best = { document, verdict };
  let trials = 0;
  const tried = new Set<string>();
  for (let progress = true; progress;) {
    progress = false;
    for (const candidate of smallerOnes(best.document, best.verdict)) {
      const text = JSON.stringify(candidate);
      if (tried.has(text)) continue;
      if (trials === most) return { ...best, trials };
      tried.add(text);
      trials++;
      const outcome = trial(candidate);
      returnMemory();
      if (outcome?.reason === undefined || outcome.reason === null) continue;
      if (signatureOf(outcome.reason) !== signature) continue;
      best = { document: candidate, verdict: outcome };
      progress = true;
      break;
    }
  }
  return { ...best, trials };
}

/** The largest reductions come first. */
export function* smaller(document: Document, verdict: Verdict): Generator<Document> {
  yield* without(document, 'faults', 0);
  const unwatched = withoutWatchdogs(document);
  if (unwatched !== null) yield unwatched;
  yield* withoutLoads(document);
  yield* simplerFaults(document);
  yield* smallerFabrics(document);
  yield* without(document, 'expect', 0);
  yield* shorter(document, verdict);
}

function* without(document: Document, section: string, least: number): Generator<Document> {
  const entries = entriesOf(document, section);
  if (entries.length <= least) return;
  if (least === 0 && entries.length > 2) yield withEntries(document, section, []);
  for (let i = entries.length - 1; i >= 0; i--) {
    yield withEntries(
      document,
      section,
      entries.filter((_, j) => j !== i),
    );
  }
}

/** Expectations about a load are removed with it. */
function* withoutLoads(document: Document): Generator<Document> {
  for (const smallerOne of without(document, 'load', 1)) {
    const names = new Set(entriesOf(smallerOne, 'load').map(({ name }) => name));
    const expect = entriesOf(smallerOne, 'expect').filter(
      ({ load }) => load === undefined || names.has(load),
    );
    yield withEntries(smallerOne, 'expect', expect);
  }
}

/** Not longer than it took to fail, and half of that. */
function* shorter(document: Document, { virtualPs }: Verdict): Generator<Document> {
  const before = document['duration'];
  for (const ps of [Math.ceil(virtualPs / 2), virtualPs]) {
    const duration = `${ps}ps`;
    if (ps > 0 && duration !== before) yield { ...document, duration };
  }
}

function* simplerFaults(document: Document): Generator<Document> {
  const faults = entriesOf(document, 'faults');
  for (const [i, fault] of faults.entries()) {
    for (const change of SIMPLER) {
      const simpler = changed(fault, change);
      if (JSON.stringify(simpler) === JSON.stringify(fault)) continue;
      yield withEntries(
        document,
        'faults',
        faults.map((other, j) => (j === i ? simpler : other)),
      );
    }
  }
}

/** Only keys that the fault has are changed. */
function changed(fault: FaultEntry, change: FaultEntry): FaultEntry {
  const entries = Object.entries(fault).map(([key, value]): [string, unknown] => [
    key,
    key in change ? change[key] : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
