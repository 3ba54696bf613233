/** What plugins are shown: objects that no call can keep anything in but the declared fields. */

import { PS_PER_US } from '../engine/units/time.js';
import type { Numbers } from './api.js';
import { placeIn, reasonOf } from './thrown.js';

/** A plugin threw during a run. */
export class PluginError extends Error {
  constructor(message: string) {
    super(message);
    // An own property: what a thread throws arrives without its class.
    this.name = 'PluginError';
  }
}

/** The plugin of a file, as its failures name it. */
export interface NamedPlugin {
  readonly name: string;
  readonly file: string;
}

/** The error of a plugin at a time and a place, with what went wrong. */
export function failureOf(
  { name }: NamedPlugin,
  nowPs: number,
  where: string,
  reason: string,
): PluginError {
  return new PluginError(`${name} threw at ${nowPs / PS_PER_US} us in ${where}: ${reason}`);
}

/** What a plugin threw, with the place in its file. */
export function thrownBy({ file }: NamedPlugin, error: unknown): string {
  return `${reasonOf(error)} (${placeIn(file, error)})`;
}

/** Declared fields of one record of a table: `at` says where the record that is shown begins. */
export function fieldsOf(
  fields: Numbers,
  table: () => Float64Array,
  at: () => number,
): Record<string, number> {
  const view: Record<string, number> = {};
  Object.keys(fields).forEach((field, f) => {
    Object.defineProperty(view, field, {
      enumerable: true,
      get: () => table()[at() + f],
      set: (value: unknown) => {
        table()[at() + f] = numberOf(value, `state.${field}`);
      },
    });
  });
  return Object.freeze(view);
}

export function numberOf(value: unknown, what: string): number {
  if (typeof value === 'number' && !Number.isNaN(value)) return value;
  throw new TypeError(`${what} = ${String(value)} is not a number`);
}
