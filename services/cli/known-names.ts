/** Names that help and completion list; loading them takes longer than most commands do. */

import { variantParts } from '../fabric/scenario/variants.js';
import { EXPERIMENTS } from '../sweep/experiments.js';
import type { KnownValues } from './completion.js';
import { exampleNames } from './examples.js';
import { FABRICS, LOADS, mechanismNames } from './starter.js';
import { TEMPLATE_NAMES } from './templates.js';

/** What `duel` runs a scenario under, in words. */
export function mechanismsHelp(): string {
  const { holds, behind } = variantParts();
  const plus = behind.map((part) => `+${part}`);
  return `${holds.join(', ')}; behind each ${plus.join(', ')}, and + a plugin of the scenario`;
}

export function knownValues(): KnownValues {
  const mechanisms = mechanismNames();
  return {
    scenario: exampleNames(),
    'examples name': exampleNames(),
    'experiment name': EXPERIMENTS.map(({ name }) => name),
    'completion shell': ['bash', 'zsh', 'fish'],
    'init --fabric': Object.keys(FABRICS),
    'init --load': Object.keys(LOADS),
    'init --mechanism': mechanisms,
    'init --template': TEMPLATE_NAMES,
    'duel --mechanisms': mechanisms,
    'topology --format': ['text', 'dot', 'svg'],
  };
}
