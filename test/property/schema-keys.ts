import { scenarioShapes } from '../../services/fabric/scenario/catalogue.js';
import { shapesOf } from '../../services/hunt/worlds/schema-values.js';
import type { JsonSchema } from '../../services/settings/decided-unions.js';

const root = scenarioShapes();

/** Every key of the schema and every word that a key may be, as paths such as `load.[].name`. */
export function keysOfSchema(): string[] {
  const found = new Set<string>();
  const visit = (node: JsonSchema, path: string): void => {
    for (const shape of shapesOf(node)) {
      for (const word of wordsOf(shape)) found.add(`${path} = ${String(word)}`);
      for (const [key, inner] of Object.entries(shape.properties ?? {})) {
        const at = path === '' ? key : `${path}.${key}`;
        found.add(at);
        visit(inner, at);
      }
      if (typeof shape.additionalProperties === 'object')
        visit(shape.additionalProperties, `${path}.*`);
      if (shape.items !== undefined) visit(shape.items, `${path}.[]`);
    }
  };
  visit(root, '');
  return [...found];
}

function wordsOf({ const: word, enum: words = [], type }: JsonSchema): unknown[] {
  if (type === 'boolean') return [true, false];
  return [...words, ...(word === undefined ? [] : [word])].filter((one) => typeof one !== 'number');
}

/** The same of a document: its keys, and its enumeration values. */
export function keysOfDocument(document: unknown): string[] {
  const found = new Set<string>();
  const visit = (node: JsonSchema, value: unknown, path: string): void => {
    for (const shape of shapesOf(node)) {
      if (wordsOf(shape).includes(value)) found.add(`${path} = ${String(value)}`);
      if (Array.isArray(value)) {
        if (shape.items === undefined) continue;
        for (const item of value) visit(shape.items, item, `${path}.[]`);
      } else if (typeof value === 'object' && value !== null) {
        for (const [key, inner] of Object.entries(value)) {
          const known = shape.properties?.[key];
          const at = path === '' ? key : `${path}.${key}`;
          if (known !== undefined) {
            found.add(at);
            visit(known, inner, at);
          } else if (typeof shape.additionalProperties === 'object') {
            visit(shape.additionalProperties, inner, `${path}.*`);
          }
        }
      }
    }
  };
  visit(root, document, '');
  return [...found];
}
