/** The published JSON Schema and the program judge alike, by a validator that is not ours. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { readPlugin } from '../../../../services/fabric/scenario/read-plugins.js';
import { ROOT } from '../../../kit/emulate.js';
import { assertJudgedAlike, editorErrors } from '../../../kit/json-schema.js';
import { fc } from '../../../kit/properties.js';

const EXAMPLES = join(ROOT, 'examples');

const examples = readdirSync(EXAMPLES)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => ({
    name,
    document: parse(readFileSync(join(EXAMPLES, name), 'utf8')) as Record<string, unknown>,
  }));

/** The published schema knows no plugins. */
const published = examples.filter(({ document }) => document['plugins'] === undefined);

/** A file that extends another may leave out what is required. */
const whole = published.filter(({ document }) => document['extends'] === undefined);

type Place = readonly (string | number)[];

function placesOf(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [place];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [place, ...entries.flatMap(([key, inner]) => placesOf(inner, [...place, key]))];
}

const WRONG: readonly unknown[] = [
  ...[null, true, '', 'x', -1, 0, 0.5, 1.5, 7, 4096, 1e99, [], {}, ['x'], [1, 2], { x: 1 }],
  ...['0', '0ns', '0B', '5us', '1.5us', '0.5ps', '1.0005ns', '7 ms', '500', '3 parsecs', 'us'],
  ...['10G', '2500M', '100Gb/s', '0.1T', '3G', '40 Gbps', '1.6T', '-1G', '5m', '12 km', '1.5mm'],
  ...['30%', '100.0%', '101%', '0%', '0.3', '1.5', '1 KiB', '1.5KB', '0.5B', '64KiB', '1e3'],
  ...['s1', 's*', 'h1..h4', 'h1:p1', 'pfc', 'auto', 'off', 'line', 'all', '10.0.0.300', '::1'],
];

interface Mistake {
  readonly name: string;
  readonly place: Place;
  readonly kind: 'removed' | 'unknown key' | 'replaced';
  readonly value: unknown;
}

const mistakes = fc.constantFrom(...whole).chain(({ name, document }) =>
  fc.record({
    name: fc.constant(name),
    place: fc.constantFrom(...placesOf(document).slice(1)),
    kind: fc.constantFrom<Mistake['kind']>('removed', 'unknown key', 'replaced', 'replaced'),
    value: fc.constantFrom(...WRONG),
  }),
);

function withMistake({ name, place, kind, value }: Mistake): unknown {
  const document = structuredClone(examples.find((example) => example.name === name)!.document);
  type Inner = Record<string | number, unknown>;
  const parent = place.slice(0, -1).reduce<Inner>((at, key) => at[key] as Inner, document);
  const key = place.at(-1)!;
  const old = parent[key];
  if (kind === 'unknown key' && typeof old === 'object' && old !== null && !Array.isArray(old)) {
    parent[key] = { ...old, unheardOf: value };
  } else if (kind === 'removed' && Array.isArray(parent)) parent.splice(Number(key), 1);
  else if (kind === 'removed') Reflect.deleteProperty(parent, key);
  else parent[key] = value;
  return document;
}

describe('the published JSON Schema', () => {
  it('accepts every example', () => {
    for (const { name, document } of published) assert.deepEqual(editorErrors(document), [], name);
  });

  it('accepts an example with plugins when it is made with them', () => {
    const others = examples.filter((example) => !published.includes(example));
    assert.ok(others.length > 0);
    for (const { name, document } of others) {
      const plugins = (document['plugins'] as string[]).map((file) =>
        readPlugin(join(EXAMPLES, file)),
      );
      assert.notDeepEqual(editorErrors(document), [], name);
      assert.deepEqual(editorErrors(document, plugins), [], name);
    }
  });

  it('judges one mistake in an example as the program does', () => {
    const judge = fc.property(mistakes, (mistake) => {
      assertJudgedAlike(withMistake(mistake));
    });
    fc.assert(judge, { numRuns: 400 });
  });

  it('gives one or two errors for one mistake', () => {
    const count = fc.property(mistakes, (mistake) => {
      const errors = editorErrors(withMistake(mistake));
      // A generator or a kind that goes leaves keys behind that were its own: each is an error.
      const isTag = ['generator', 'kind'].includes(String(mistake.place.at(-1)));
      const isMapping = mistake.kind === 'replaced' && typeof mistake.value === 'object';
      if (!isTag && !isMapping) assert.ok(errors.length <= 2, errors.join('\n'));
    });
    fc.assert(count, { numRuns: 400 });
  });
});
