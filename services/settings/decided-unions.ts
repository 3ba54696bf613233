/**
 * JSON Schema in which every union is decided by the type of a value or by one of its keys, so that
 * a mistake gives the error of the probable shape, and not one for each shape.
 */

import type { WrittenForm } from './quantities.js';

/** The part of JSON Schema 2020-12 that scenarios use, and what `zod` adds from `meta`. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly propertyNames?: JsonSchema;
  /** Of a quantity, in place of a union of text and number. */
  readonly written?: WrittenForm;
  readonly keysByTag?: KeysByTag;
  /** What editors learn of several keys of a mapping, beside the sections that check them. */
  readonly rules?: readonly JsonSchema[];
  /** One of the names of plugins of this kind; without any there is no such value. */
  readonly ofPlugins?: 'marking' | 'balancing' | 'arbiter';
  /** Shown by editors instead of their own message. */
  readonly errorMessage?: string;
}

/** Keys of a mapping that depend on the value of one of them. */
interface KeysByTag {
  readonly tag: string;
  /** Those that every value allows. */
  readonly common: readonly string[];
  readonly keys: Readonly<Record<string, { must: readonly string[]; may: readonly string[] }>>;
}

export function withDecidedUnions(root: JsonSchema): JsonSchema {
  return new Decider(root.$defs ?? {}).decided(root);
}

/** Keywords whose value is a schema, a list of schemas, or a mapping to schemas. */
const ONE = ['items', 'additionalProperties'] as const;
const LISTS = ['prefixItems'] as const;
const MAPPINGS = ['properties', '$defs'] as const;

const SCALARS = new Set(['string', 'number', 'boolean']);

class Decider {
  constructor(private readonly definitions: Readonly<Record<string, JsonSchema>>) {}

  decided(schema: JsonSchema): JsonSchema {
    if (schema.written !== undefined || (schema.anyOf ?? schema.oneOf) !== undefined) {
      const { anyOf: _a, oneOf: _o, written: _w, ...rest } = schema;
      return { ...rest, ...this.union(this.branchesOf(schema), schema.title ?? '') };
    }
    const inner: Record<string, unknown> = { ...schema };
    for (const key of ONE) {
      const value = inner[key];
      if (typeof value === 'object') inner[key] = this.decided(value as JsonSchema);
    }
    if (schema.propertyNames !== undefined) {
      // Names and values together: a wrong name is one error, whatever its value.
      const { pattern = '' } = this.resolved(schema.propertyNames);
      inner['patternProperties'] = { [pattern]: inner['additionalProperties'] };
      inner['additionalProperties'] = false;
      delete inner['propertyNames'];
    }
    if (schema.keysByTag !== undefined) {
      delete inner['keysByTag'];
      inner['allOf'] = rulesOfKeys(schema.properties ?? {}, schema.keysByTag);
    }
    if (schema.rules !== undefined) {
      const others = (inner['allOf'] as readonly JsonSchema[] | undefined) ?? [];
      inner['allOf'] = [...others, ...schema.rules.map((rule) => this.ruled(rule))];
      delete inner['rules'];
    }
    for (const key of LISTS) {
      const value = inner[key] as readonly JsonSchema[] | undefined;
      if (value !== undefined) inner[key] = value.map((one) => this.decided(one));
    }
    for (const key of MAPPINGS) {
      const value = inner[key] as Readonly<Record<string, JsonSchema>> | undefined;
      if (value === undefined) continue;
      const entries = Object.entries(value).map(([name, one]) => [name, this.decided(one)]);
      inner[key] = Object.fromEntries(entries);
    }
    return inner;
  }

  private ruled(rule: JsonSchema): JsonSchema {
    return rule.then === undefined ? rule : { ...rule, then: this.decided(rule.then) };
  }

  /** The shapes of a union, those of unions within it included; none of them is a union. */
  private branchesOf(schema: JsonSchema): readonly JsonSchema[] {
    const resolved = this.resolved(schema);
    if (resolved.written !== undefined) {
      const { pattern, number } = resolved.written;
      const asText = { type: 'string', pattern };
      return number === null ? [asText] : [asText, { type: 'number', ...number }];
    }
    const branches = resolved.anyOf ?? resolved.oneOf;
    return branches === undefined ? [schema] : branches.flatMap((one) => this.branchesOf(one));
  }

  private union(branches: readonly JsonSchema[], title: string): JsonSchema {
    const byType = new Map<string, JsonSchema[]>();
    for (const branch of branches) {
      const type = this.typeOf(branch);
      byType.set(type, [...(byType.get(type) ?? []), branch]);
    }
    const types = [...byType.keys()];
    const shapes = [...byType].map(([type, ofType]) => ({
      type,
      shape: type === 'object' ? this.mappings(ofType, title) : this.values(ofType),
    }));
    if (shapes.length === 1) {
      const [{ type, shape }] = shapes as [(typeof shapes)[0]];
      const isRuled = shape.allOf !== undefined;
      return isRuled ? { type, if: { type }, then: shape } : { type, ...shape };
    }
    const rules = shapes
      .filter(({ shape }) => Object.keys(shape).length > 0)
      .map(({ type, shape }) => ({ if: { type }, then: shape }));
    const words = shapes.flatMap(({ type, shape }) =>
      SCALARS.has(type) ? (shape.examples ?? shape.enum ?? []) : [],
    );
    return {
      type: types,
      ...(words.length > 0 ? { examples: words } : {}),
      ...(rules.length > 0 ? { allOf: rules } : {}),
    };
  }

  /** Of one type, which is not `object`; the type itself is left out. */
  private values(branches: readonly JsonSchema[]): JsonSchema {
    const shapes = branches.map((branch) => this.resolved(branch));
    const words = shapes.flatMap((shape) => wordsOf(shape));
    const others = shapes.filter((shape) => wordsOf(shape).length === 0);
    if (others.length === 0) return { enum: words };
    if (branches.length === 1) return withoutType(this.decided(branches[0]!));
    const patterns = others.map(({ pattern }) => pattern);
    if (patterns.every((pattern) => pattern !== undefined)) {
      const escaped = words.map((word) => String(word).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
      const pattern = [...escaped.map((word) => `^${word}$`), ...patterns].join('|');
      return { pattern, ...(words.length > 0 ? { examples: words } : {}) };
    }
    return { anyOf: shapes.map(withoutType) };
  }

  private mappings(branches: readonly JsonSchema[], title: string): JsonSchema {
    if (branches.length === 1) return withoutType(this.decided(branches[0]!));
    const shapes = branches.map((branch) => ({ branch, shape: this.resolved(branch) }));
    const tag = this.tagOf(shapes.map(({ shape }) => shape));
    return tag === null ? this.byOwnKey(shapes, title) : this.byTag(shapes, tag);
  }

  /** A key that holds another constant in each shape; one of them may do without it. */
  private tagOf(shapes: readonly JsonSchema[]): string | null {
    const keys = Object.keys(shapes[0]!.properties ?? {});
    const constants = (key: string): unknown[] =>
      shapes.map(({ properties }) => this.constantOf(properties?.[key]));
    const isTag = (key: string): boolean =>
      new Set(constants(key)).size === shapes.length && !constants(key).includes(undefined);
    return keys.find(isTag) ?? null;
  }

  private byTag(shapes: readonly Shape[], tag: string): JsonSchema {
    const rules: JsonSchema[] = [];
    for (const { branch, shape } of shapes) {
      const value = this.constantOf(shape.properties![tag]);
      const isChosen = { properties: { [tag]: { const: value } }, required: [tag] };
      rules.push({ if: isChosen, then: this.decided(branch) });
      if (shape.required?.includes(tag) ?? false) continue;
      const foreign = keysOfOthers(shapes, shape);
      const hasForeign = { anyOf: foreign.map((key) => ({ required: [key] })) };
      const isAbsent = { not: { required: [tag] } };
      rules.push({ if: { allOf: [isAbsent, hasForeign] }, then: { required: [tag] } });
      rules.push({ if: { allOf: [isAbsent, { not: hasForeign }] }, then: this.decided(branch) });
    }
    const values = shapes.map(({ shape }) => this.constantOf(shape.properties![tag]));
    const optional = shapes.some(({ shape }) => !(shape.required?.includes(tag) ?? false));
    return {
      properties: { [tag]: { enum: values } },
      ...(optional ? {} : { required: [tag] }),
      allOf: rules,
    };
  }

  /** Each shape has a key that it needs and no other shape has. */
  private byOwnKey(shapes: readonly Shape[], title: string): JsonSchema {
    const earlier: JsonSchema[] = [];
    const rules = shapes.map(({ branch, shape }): JsonSchema => {
      const foreign = keysOfOthers(shapes, shape, true);
      const own = (shape.required ?? []).find((key) => !foreign.includes(key));
      if (own === undefined)
        throw new Error(`no key of its own decides for ${JSON.stringify(shape)}`);
      const isGiven = { required: [own] };
      const isChosen = { allOf: [isGiven, ...earlier.map((other) => ({ not: other }))] };
      earlier.push(isGiven);
      return { if: earlier.length === 1 ? isGiven : isChosen, then: this.decided(branch) };
    });
    const none = { not: { anyOf: earlier } };
    rules.push({ if: none, then: { not: {}, errorMessage: `write ${title}` } });
    return { allOf: rules };
  }

  private constantOf(schema: JsonSchema | undefined): unknown {
    return schema === undefined ? undefined : this.resolved(schema).const;
  }

  /** Keys beside a reference refine what it refers to. */
  private resolved(schema: JsonSchema): JsonSchema {
    if (schema.$ref === undefined) return schema;
    const { $ref, ...own } = schema;
    return { ...this.resolved(this.definitions[$ref.replace('#/$defs/', '')]!), ...own };
  }

  private typeOf(branch: JsonSchema): string {
    const { type, ...shape } = this.resolved(branch);
    if (typeof type === 'string') return type === 'integer' ? 'number' : type;
    const types = new Set(wordsOf(shape).map((word) => typeof word));
    const [only] = types;
    if (types.size !== 1 || only === undefined) {
      throw new Error(`a shape of no single type: ${JSON.stringify(shape)}`);
    }
    return only;
  }
}

interface Shape {
  /** In the form of the union, which may be a reference. */
  readonly branch: JsonSchema;
  readonly shape: JsonSchema;
}

function keysOfOthers(shapes: readonly Shape[], own: JsonSchema, all = false): readonly string[] {
  const others = shapes.filter(({ shape }) => shape !== own).map(({ shape }) => shape);
  const keys = others.flatMap(({ properties = {} }) => Object.keys(properties));
  return all ? keys : keys.filter((key) => own.properties?.[key] === undefined);
}

/** What each value of the tag needs, and that it has no key which is of other values only. */
function rulesOfKeys(
  properties: Readonly<Record<string, JsonSchema>>,
  { tag, common, keys }: KeysByTag,
): readonly JsonSchema[] {
  return Object.entries(keys).map(([value, { must, may }]) => {
    const known = new Set([...common, ...must, ...may]);
    const foreign = Object.keys(properties).filter((key) => !known.has(key));
    const refusal = { not: {}, errorMessage: `means nothing to ${value}` };
    return {
      if: { properties: { [tag]: { const: value } }, required: [tag] },
      then: {
        required: must,
        properties: Object.fromEntries(foreign.map((key) => [key, refusal])),
      },
    };
  });
}

/** The message where a mapping has both keys. */
export function bothText([one, other]: readonly [string, string]): string {
  return `both ${one} and ${other}: give one of them`;
}

function wordsOf(schema: JsonSchema): readonly unknown[] {
  return schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
}

/** An integer differs from other numbers anyway. */
function withoutType({ type, ...rest }: JsonSchema): JsonSchema {
  return type === 'integer' ? { type, ...rest } : rest;
}
