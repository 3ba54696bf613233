/** The scenario language described by its own schema: for editors, and for `explain`. */

import { z } from 'zod';
import type { JsonSchema } from '../../settings/decided-unions.js';
import { withDecidedUnions } from '../../settings/decided-unions.js';
import { show } from '../../settings/errors.js';
import type { PluginSource } from '../../plugins/source.js';
import { arbitersOf, balancingsOf, markingsOf } from '../../plugins/plugins.js';
import { withPluginNames } from '../../settings/plugin-names.js';
import { SCHEMA_VERSION, scenarioSchemaWith } from './schema.js';

export interface CatalogueEntry {
  /** `load[].incast.to`; `*` is a name or number that the user chooses. */
  readonly path: string;
  readonly description: string;
  /** In the notation of a file; null: none, or in the description. */
  readonly default: string | null;
  readonly allowed: string;
}

/** JSON Schema 2020-12 of a file: one mistake gives one error, or two. */
export function scenarioJsonSchema(plugins: readonly PluginSource[] = []): JsonSchema {
  const $id = `urn:selvage:scenario:${SCHEMA_VERSION}`;
  const { required, ...whole } = withDecidedUnions(scenarioShapes(plugins));
  const { fabric, ...others } = whole.properties!;
  // A file that extends another needs neither the version nor the generator: the base has them.
  const { description } = fabric!;
  return {
    $id,
    title: 'Selvage scenario',
    ...whole,
    properties: { ...others, fabric: { type: 'object', description: description! } },
    if: { not: { required: ['extends'] } },
    then: { required: required!, properties: { fabric: fabric! } },
  };
}

/** The same with plain unions, and with quantities as such. */
export function scenarioShapes(plugins: readonly PluginSource[] = []): JsonSchema {
  const shapes = z.toJSONSchema(scenarioSchemaWith(plugins), {
    io: 'input',
    reused: 'ref',
    override: ({ zodSchema, jsonSchema }) => {
      // The default is in the notation of the file, though zod expects that of the result.
      const written = z.globalRegistry.get(zodSchema)?.['default'];
      if (written !== undefined) Object.assign(jsonSchema, { default: written });
    },
  }) as JsonSchema;
  const names = {
    marking: markingsOf(plugins).map(({ name }) => name),
    balancing: balancingsOf(plugins).map(({ name }) => name),
    arbiter: arbitersOf(plugins).map(({ name }) => name),
  };
  return withPluginNames(shapes, names);
}

/**
 * Every key of the language, in the order of the schema; a key of several shapes is listed once.
 */
export function describeScenario(plugins: readonly PluginSource[] = []): readonly CatalogueEntry[] {
  const root = scenarioShapes(plugins);
  const entries = new Map<string, CatalogueEntry>();
  new Describer(root.$defs ?? {}, entries).keysOf(root, '');
  return [...entries.values()];
}

class Describer {
  constructor(
    private readonly definitions: Readonly<Record<string, JsonSchema>>,
    private readonly entries: Map<string, CatalogueEntry>,
  ) {}

  keysOf(schema: JsonSchema, path: string): void {
    const resolved = this.resolve(schema);
    for (const shape of [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? [])]) {
      this.keysOf(shape, path);
    }
    for (const [key, value] of Object.entries(resolved.properties ?? {})) {
      this.add(value, path === '' ? key : `${path}.${key}`);
    }
    if (typeof resolved.additionalProperties === 'object') {
      this.add(resolved.additionalProperties, `${path}.*`);
    }
    if (resolved.items) this.keysOf(resolved.items, `${path}[]`);
  }

  private add(schema: JsonSchema, path: string): void {
    const resolved = this.resolve(schema);
    if (resolved.description !== undefined) {
      const entry: CatalogueEntry = {
        path,
        description: resolved.description,
        default: resolved.default === undefined ? null : written(resolved.default),
        allowed: this.allowed(resolved),
      };
      const same = this.entries.get(path);
      this.entries.set(path, same ? together(same, entry) : entry);
    }
    this.keysOf(resolved, path);
  }

  /** Keys beside a reference refine what it refers to. */
  private resolve(schema: JsonSchema): JsonSchema {
    if (schema.$ref === undefined) return schema;
    const { $ref, ...own } = schema;
    return { ...this.resolve(this.definitions[$ref.replace('#/$defs/', '')]!), ...own };
  }

  private allowed(schema: JsonSchema): string {
    const shape = this.resolve(schema);
    if (shape.title !== undefined) return shape.title;
    return shape.const === undefined ? 'a mapping' : written(shape.const);
  }
}

/** One key that several shapes have, each with a description: they are joined. */
function together(a: CatalogueEntry, b: CatalogueEntry): CatalogueEntry {
  return {
    path: a.path,
    description: joined(a.description, b.description, ' '),
    default: a.default === b.default ? a.default : null,
    allowed: joined(a.allowed, b.allowed, ', '),
  };
}

const joined = (a: string, b: string, by: string): string => (a.includes(b) ? a : a + by + b);

function written(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : show(value);
}
