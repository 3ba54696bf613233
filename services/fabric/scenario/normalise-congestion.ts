/** Sections of rate controls: each checked by its slice. */

import type { QcnSettings } from '../../mechanisms/qcn/settings.js';
import { RATE_CONTROLS } from '../../mechanisms/registry.js';
import type { Located } from './located.js';
import type { QcnSection, RateControlSections } from './scenario.js';
import { hostSelector } from './selector.js';

/** `input` has a section for each kind, as the schema of the scenario puts them there. */
export function rateControlSections(
  input: Readonly<Record<string, unknown>>,
  located: Located,
): RateControlSections {
  const sections = RATE_CONTROLS.map((slice) => {
    const { kind } = slice;
    slice.check?.(input[kind], located);
    return [kind, input[kind]] as const;
  });
  return { ...Object.fromEntries(sections), qcn: qcnSection(input['qcn'] as QcnSettings, located) };
}

function qcnSection(input: QcnSettings, located: Located): QcnSection {
  const { outside } = input;
  return {
    ...input,
    priorities: [...new Set(input.priorities)],
    outside: outside.length === 0 ? [] : hostSelector(outside, ['qcn', 'outside'], located),
  };
}
