import type { Document } from '../document.js';
import { smaller } from '../shrink.js';
import type { Verdict } from '../trial.js';

/** Sections that every scenario needs. */
const NEEDED = ['selvage', 'fabric', 'load', 'duration'];

/**
 * Smaller worlds: without whole sections first, then the reductions of any scenario, then without
 * single keys and items, however deep.
 */
export function* smallerWorlds(document: Document, verdict: Verdict): Generator<Document> {
  for (const section of Object.keys(document)) {
    if (!NEEDED.includes(section)) yield without(document, section);
  }
  yield* smaller(document, verdict);
  for (const section of Object.keys(document)) {
    for (const value of thinner(document[section])) yield { ...document, [section]: value };
  }
}

function without(document: Document, key: string): Document {
  return Object.fromEntries(Object.entries(document).filter(([name]) => name !== key));
}

/** The value without one of its keys or items, the outer ones first. */
function* thinner(value: unknown): Generator {
  if (Array.isArray(value)) {
    for (let i = value.length - 1; i >= 0; i--) yield value.filter((_item, j) => j !== i);
    for (const [i, item] of value.entries()) {
      for (const inner of thinner(item)) yield value.with(i, inner);
    }
  } else if (typeof value === 'object' && value !== null) {
    const mapping = value as Document;
    for (const key of Object.keys(mapping)) yield without(mapping, key);
    for (const [key, item] of Object.entries(mapping)) {
      for (const inner of thinner(item)) yield { ...mapping, [key]: inner };
    }
  }
}
