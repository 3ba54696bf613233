/** The vocabulary of the schema: each part has its own error message, with what is allowed. */

import { z } from 'zod';
import { bothText, type JsonSchema } from './decided-unions.js';
import { didYouMean, listed, show } from './errors.js';
import type { Quantity } from './quantities.js';
import { QuantityError } from './quantities.js';

type RawIssue = z.core.$ZodRawIssue;

/** Every part has its `allowed` as title too, for editors and for `explain`. */
export function titled<Part extends z.ZodType>(part: Part, allowed: string): Part {
  return part.meta({ title: allowed });
}

/** The error for a value that is invalid, or missing. */
function says(what: string, allowed: string): { error: (issue: RawIssue) => string } {
  return {
    error: ({ input }) =>
      input === undefined
        ? `missing; write ${allowed}`
        : `not ${what}: ${show(input)}; write ${allowed}`,
  };
}

/** A mapping with the given keys and no others. */
export function mapping<Shape extends z.ZodRawShape>(
  shape: Shape,
): z.ZodObject<Shape, z.core.$strict> {
  const keys = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') {
        return says('a mapping', `keys such as ${keys.slice(0, 3).join(', ')}`).error(issue);
      }
      // A line for each, in their order: `show` breaks no line.
      return issue.keys
        .map((key) => {
          const hint = didYouMean(key, keys);
          return `unknown key: ${show(key)}; allowed: ${keys.join(', ')}${hint}`;
        })
        .join('\n');
    },
  });
}

/** A mapping with rules for editors about several of its keys; its section checks them, too. */
export function ruled<Part extends z.ZodType>(part: Part, ...rules: readonly JsonSchema[]): Part {
  return part.meta({ rules });
}

/** The rule that a mapping has one of two keys at most. */
export function notBoth(...pair: readonly [string, string]): JsonSchema {
  return { not: { type: 'object', required: pair }, errorMessage: bothText(pair) };
}

/** A mapping whose keys are of one kind, `keys`, and whose values are all alike. */
export function keyed<Value extends z.ZodType>(
  keys: { readonly pattern: RegExp; readonly allowed: string },
  value: Value,
): z.ZodRecord<z.ZodString, Value> {
  const key = z.string().regex(keys.pattern, {
    error: ({ input }) => `unknown key: ${show(input)}; allowed: ${keys.allowed}`,
  });
  return z.record(key, value, says('a mapping', `keys that are ${keys.allowed}`));
}

export function list<Item extends z.ZodType>(item: Item, what: string): z.ZodArray<Item> {
  const allowed = `a list of ${what}`;
  return titled(z.array(item, says('a list', allowed)), allowed);
}

/** One of several shapes; if the value has none of them, the message lists `allowed`. */
export function either<const Options extends readonly [z.ZodType, ...z.ZodType[]]>(
  options: Options,
  what: string,
  allowed: string,
): z.ZodUnion<Options> {
  return titled(z.union(options, says(what, allowed)), allowed);
}

export function word<const Word extends string>(text: Word): z.ZodLiteral<Word> {
  return z.literal(text, says(text, text));
}

export function choice<const Words extends readonly string[]>(
  words: Words,
): z.ZodEnum<z.core.util.ToEnum<Words[number]>> {
  const error = ({ input }: RawIssue): string => {
    const hint = typeof input === 'string' ? didYouMean(input, words) : '';
    return input === undefined
      ? `missing; one of ${listed(words)}`
      : `unknown: ${show(input)}; one of ${listed(words)}${hint}`;
  };
  return titled(z.enum(words, { error }), listed(words));
}

/** One of some numbers. */
export function among<const Numbers extends readonly number[]>(
  what: string,
  numbers: Numbers,
): z.ZodLiteral<Numbers[number]> {
  const allowed = `one of ${numbers.join(', ')}`;
  return titled(z.literal([...numbers], says(what, allowed)), allowed);
}

export function flag(): z.ZodBoolean {
  return titled(z.boolean(says('true or false', 'true or false')), 'true or false');
}

export function integer(min: number, max: number): z.ZodNumber {
  const allowed = `a whole number from ${min} to ${max}`;
  const words = says('a whole number in range', allowed);
  return titled(z.number(words).int(words).min(min, words).max(max, words), allowed);
}

/** A finite number above zero. */
export function positive(): z.ZodNumber {
  const words = says('a number above 0', 'a number above 0');
  return titled(z.number(words).positive(words), 'a number above 0');
}

export function text(what: string, pattern: RegExp, allowed: string): z.ZodString {
  const words = says(what, allowed);
  return titled(z.string(words).regex(pattern, words), allowed);
}

/** What a plugin may be called. */
export const PLUGIN_NAME = /^[a-z][a-z0-9-]{0,39}$/;

/** The name of a plugin of a kind; whether there is one is known once all files are read. */
export function pluginName(
  kind: NonNullable<JsonSchema['ofPlugins']>,
  allowed: string,
): z.ZodString {
  return text('a name', PLUGIN_NAME, allowed).meta({ ofPlugins: kind });
}

/** `format` is that of JSON Schema. */
export function address(
  format: 'ipv4' | 'ipv6',
  what: string,
  isValid: (text: string) => boolean,
  allowed: string,
): z.ZodString {
  const words = says(what, allowed);
  return titled(z.string(words).refine(isValid, words), allowed).meta({ title: allowed, format });
}

export function freeText(): z.ZodString {
  return titled(z.string(says('text', 'text')), 'text');
}

export type QuantitySchema = z.ZodPipe<
  z.ZodUnion<readonly [z.ZodString, z.ZodNumber]>,
  z.ZodTransform<number, string | number>
>;

/** Text or a number that becomes base units. */
export function quantity(of: Quantity): QuantitySchema {
  const written = z.union([z.string(), z.number()], says(of.name, of.allowed));
  const inBaseUnits = written.transform((value, context) => {
    try {
      return of.parse(value);
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error;
      context.issues.push({ code: 'custom', message: error.message, input: value });
      return z.NEVER;
    }
  });
  return inBaseUnits.meta({ title: of.allowed, written: of.written });
}

type Unwrapped<Part extends z.core.SomeType> =
  Part extends z.ZodPrefault<infer Inner> ? Inner : Part;
type Shape = Readonly<Record<string, z.ZodType>>;

type Overriding<Parts extends Shape> = {
  [Key in keyof Parts]: z.ZodExactOptional<Unwrapped<Parts[Key]>>;
};

/** The same keys, all optional and without defaults: absent keys are unchanged. */
export function overriding<Parts extends Shape>(parts: Parts): Overriding<Parts> {
  const entries = Object.entries(parts).map(([key, part]) => {
    const inner = part instanceof z.ZodPrefault ? (part.unwrap() as z.ZodType) : part;
    return [key, inner.exactOptional()];
  });
  return Object.fromEntries(entries) as Overriding<Parts>;
}

/** As `overriding`, where the default still applies if no layer has the key: editors show it. */
export function layered<Parts extends Shape>(parts: Parts): Overriding<Parts> {
  const documented = Object.entries(parts).map(([key, part]) => {
    if (!(part instanceof z.ZodPrefault)) return [key, part];
    const inner = part.unwrap() as z.ZodType;
    return [key, inner.meta({ ...inner.meta(), default: part.def.defaultValue })];
  });
  return overriding(Object.fromEntries(documented) as Parts);
}

export const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** Of a device, a group, a load. */
export function name(): z.ZodString {
  return text('a name', NAME, 'letters, digits, _ and -, beginning with a letter');
}

/** A name in which `*` stands for any letters and `?` for one. */
export const GLOB = /^[A-Za-z_*?][A-Za-z0-9_*?-]*$/;
