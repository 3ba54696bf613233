/** Samples values of the scenario schema: a new key is generated as soon as it is in the schema. */

import { scenarioShapes } from '../../fabric/scenario/catalogue.js';
import type { JsonSchema } from '../../settings/decided-unions.js';
import {
  length,
  linkRate,
  LINK_RATES,
  multiple,
  rate,
  share,
  size,
  time,
} from '../../settings/quantities.js';
import type { Sampler } from './sampler.js';

type Path = readonly string[];

/** A list to pick from, or how to create a value; undefined: leave the key out. */
type Sample = readonly unknown[] | ((sampler: Sampler) => unknown);
/** By the last keys of a path, `*` and `[]` included; the longest match applies. */
export type Samples = Readonly<Record<string, Sample>>;

/** Values of a quantity without other samples. */
const OF_QUANTITIES: Readonly<Record<string, readonly unknown[]>> = {
  [time.allowed]: ['100ns', '1us', '5us', '20us', '100us'],
  [size.allowed]: ['1KB', '4KB', '20KB', '100KB'],
  [length.allowed]: ['1m', '30m', '300m'],
  [rate.allowed]: ['1G', '10G', '40G'],
  [linkRate.allowed]: LINK_RATES,
  [share.allowed]: ['1%', '20%', '50%', '100%'],
  // Above 100 % a pause expires, and lossless frames are lost.
  [multiple.allowed]: ['1%', '20%', '50%', '100%'],
};

const root = scenarioShapes();

/** The node with what it refers to. */
export function resolve(node: JsonSchema): JsonSchema {
  if (node.$ref === undefined) return node;
  const { $ref, ...own } = node;
  return { ...resolve(root.$defs![$ref.replace('#/$defs/', '')]!), ...own };
}

export function shapesOf(node: JsonSchema): readonly JsonSchema[] {
  const resolved = resolve(node);
  const shapes = resolved.anyOf ?? resolved.oneOf;
  if (shapes === undefined || (resolved.title ?? '') in OF_QUANTITIES) return [resolved];
  return shapes.flatMap(shapesOf);
}

/** The node of a section of the scenario. */
export function sectionNode(section: string): JsonSchema {
  return root.properties![section]!;
}

/** Samples values of nodes of the schema, by `Samples` where there are any. */
export class Drawer {
  constructor(
    readonly sampler: Sampler,
    private readonly samples: Samples,
    /** Keys that were added later, as in samples, and their stream. */
    private readonly later: { readonly keys: readonly string[]; readonly drawer: Drawer } | null,
  ) {}

  value(node: JsonSchema, path: Path): unknown {
    const sample = this.sampleOf(path);
    if (sample !== null)
      return typeof sample === 'function' ? sample(this.sampler) : this.sampler.pick(sample);
    const shape = this.sampler.pick(shapesOf(node));
    const values = OF_QUANTITIES[shape.title ?? ''];
    if (values !== undefined) return this.sampler.pick(values);
    if (shape.const !== undefined) return shape.const;
    if (shape.enum !== undefined) return this.sampler.pick(shape.enum);
    switch (shape.type) {
      case 'boolean':
        return this.sampler.chance(0.5);
      case 'integer':
      case 'number':
        return this.number(shape);
      case 'array':
        return this.list(shape, path);
      case 'object':
        return this.mapping(shape, path, 0.3);
      default:
        throw new Error(`no values are known for ${path.join('.')}: add them to the samples`);
    }
  }

  /** Each key with a probability; those that are required always. */
  mapping(node: JsonSchema, path: Path, probability: number): Record<string, unknown> {
    const { properties = {}, required = [], additionalProperties } = resolve(node);
    const sampled: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(properties)) {
      const at = [...path, key];
      const drawer = this.drawerOf(at);
      if (!required.includes(key) && !drawer.sampler.chance(probability)) continue;
      const value = drawer.value(inner, at);
      if (value !== undefined) sampled[key] = value;
    }
    if (typeof additionalProperties === 'object') {
      for (const key of this.keys(path)) {
        sampled[key] = this.value(additionalProperties, [...path, '*']);
      }
    }
    return sampled;
  }

  /** Only these keys of a mapping, those that it has. */
  chosen(node: JsonSchema, path: Path, keys: readonly string[]): Record<string, unknown> {
    const { properties = {} } = resolve(node);
    const sampled: Record<string, unknown> = {};
    for (const key of keys) {
      const value = this.value(properties[key]!, [...path, key]);
      if (value !== undefined) sampled[key] = value;
    }
    return sampled;
  }

  private keys(path: Path): readonly string[] {
    const sample = this.sampleOf([...path, 'KEYS']);
    if (!Array.isArray(sample)) {
      throw new Error(`no keys are known for ${path.join('.')}: add them to the samples`);
    }
    return this.sampler.some(sample as string[], 1, 3);
  }

  private list(shape: JsonSchema, path: Path): unknown[] {
    const { minItems = 0, maxItems = 3, items, prefixItems } = shape;
    if (prefixItems !== undefined)
      return prefixItems.map((item) => this.value(item, [...path, '[]']));
    const count = this.sampler.between(minItems, Math.max(minItems, Math.min(maxItems, 3)));
    const sampled = Array.from({ length: count }, () => this.value(items!, [...path, '[]']));
    return sampled.filter((item) => item !== undefined);
  }

  /** The ends of the range, or a value near its beginning. */
  private number({ type, minimum, maximum, exclusiveMinimum }: JsonSchema): number {
    if (type === 'number') return this.sampler.pick([0.5, 1, 2]);
    const least = minimum ?? (exclusiveMinimum ?? 0) + 1;
    const most = maximum ?? least + 1000;
    if (this.sampler.chance(0.1)) return this.sampler.pick([least, most]);
    return this.sampler.between(least, Math.min(most, Math.max(least, 0) + 9));
  }

  private drawerOf(path: Path): Drawer {
    if (this.later === null) return this;
    const { keys, drawer } = this.later;
    const written = path.join('.');
    return keys.some((key) => written === key || written.endsWith(`.${key}`)) ? drawer : this;
  }

  private sampleOf(path: Path): Sample | null {
    for (let from = 0; from < path.length; from++) {
      const sample = this.samples[path.slice(from).join('.')];
      if (sample !== undefined) return sample;
    }
    return null;
  }
}
