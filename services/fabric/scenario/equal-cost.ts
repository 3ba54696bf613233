/** `ecmp` of switches: how they choose among equal routes. */

import type { z } from 'zod';
import { BALANCINGS } from '../../mechanisms/registry.js';
import { choice, either, mapping, pluginName } from '../../settings/parts.js';
import { listed } from '../../settings/errors.js';

/** What a switch does that has no load balancing. */
export const BY_FLOW = 'flow';

export interface EcmpSection {
  readonly name: string;
  /** Of a built-in load balancing; those of a plugin have a section of their own. */
  readonly settings: object;
}

/** Names of all that are built in. */
export const EQUAL_COST: readonly string[] = [BY_FLOW, ...BALANCINGS.map(({ name }) => name)];

/** Whether a balancing is known to reorder frames of a flow; those of plugins may. */
export function reordersFrames(balancing: string): boolean {
  return BALANCINGS.some(({ name, reorders }) => name === balancing && reorders);
}

const allowed = `${listed(EQUAL_COST)}, or the name of a balancing of a plugin`;

type EcmpInput = string | Readonly<Record<string, object>>;

export const ecmpSchema: z.ZodType<EcmpInput> = either(
  [
    choice(EQUAL_COST),
    pluginName('balancing', allowed),
    ...BALANCINGS.map(({ name, settings, help }) => mapping({ [name]: settings.describe(help) })),
  ],
  'a choice among equal routes',
  `${allowed}; or one with settings, as { adaptive: { candidates: 2 } }`,
);

export function ecmpSection(input: EcmpInput): EcmpSection {
  const name = typeof input === 'string' ? input : Object.keys(input)[0]!;
  if (typeof input !== 'string') return { name, settings: input[name]! };
  const settings = BALANCINGS.find((own) => own.name === name)?.settings.parse({}) ?? {};
  return { name, settings };
}
