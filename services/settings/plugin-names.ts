import type { JsonSchema } from './decided-unions.js';

type Names = Readonly<Record<NonNullable<JsonSchema['ofPlugins']>, readonly string[]>>;

/**
 * A schema that lists the plugins there are where a value may name one: editors complete them, and
 * refuse other names. Without any, a union has one shape less.
 */
export function withPluginNames(root: JsonSchema, names: Names): JsonSchema {
  const definitions = root.$defs ?? {};
  const kindOf = ({ $ref, ofPlugins }: JsonSchema): JsonSchema['ofPlugins'] =>
    $ref === undefined ? ofPlugins : definitions[$ref.replace('#/$defs/', '')]!.ofPlugins;

  function named(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(named);
    if (typeof value !== 'object' || value === null) return value;
    const { anyOf, ...rest } = value as JsonSchema;
    const own = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, named(inner)]));
    if (anyOf === undefined) return own;
    const branches = anyOf.flatMap((branch): object[] => {
      const kind = kindOf(branch);
      if (kind === undefined) return [named(branch) as object];
      return names[kind].length === 0 ? [] : [{ type: 'string', enum: names[kind] }];
    });
    return branches.length === 1 ? { ...branches[0], ...own } : { ...own, anyOf: branches };
  }

  const { $defs = {}, ...whole } = named(root) as JsonSchema;
  const used = Object.entries($defs).filter(([, { ofPlugins }]) => ofPlugins === undefined);
  return { ...whole, $defs: Object.fromEntries(used) };
}
