import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse, stringify } from 'yaml';
import { ScenarioError } from '../../../../services/settings/errors.js';
import { loadScenario } from '../../../../services/fabric/scenario/load-scenario.js';
import { readTable } from '../../../../services/fabric/scenario/read-source.js';
import { WHOLE } from './whole-scenario.js';
import { load, withFiles } from './written-files.js';
import { fc } from '../../../kit/properties.js';

type Content = string | Uint8Array;

/** Loads each content twice: anything but a scenario, or the same error each time, is a failure. */
function assertPlainFailures(contents: fc.Arbitrary<Content>, runs: number): void {
  withFiles({}, (directory) => {
    const file = join(directory, 'main.yaml');
    const outcome = (): string => {
      try {
        loadScenario(file);
        return 'loaded';
      } catch (error) {
        if (!(error instanceof ScenarioError)) throw error;
        assert.doesNotMatch(error.message, /\n|undefined|\[object/);
        assert.ok(error.line >= 1 && error.column >= 1, error.message);
        return error.message;
      }
    };
    const property = fc.property(contents, (content) => {
      writeFileSync(file, content);
      assert.equal(outcome(), outcome());
    });
    fc.assert(property, { numRuns: runs, seed: 1 });
  });
}

type Tree = Record<string, unknown> | unknown[];

/** Every place in a tree of plain values. */
function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, child]) => placesIn(child, [...path, key]));
  return [path, ...inner];
}

function replaced(tree: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  const copy = (Array.isArray(tree) ? [...(tree as unknown[])] : { ...(tree as object) }) as Tree;
  const branch = copy as Record<string, unknown>;
  branch[step] = replaced(branch[step], rest, value);
  return copy;
}

const whole: unknown = parse(WHOLE);

const scrap = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', 'all', 'pfc', 'h1..h0', '0ns', '1e9', '100G', '64KB'),
  fc.constantFrom<unknown>(-1, 0, 1, 0.5, 8, 4096, 1e300, [], {}, [[]], { a: { b: [] } }),
  fc.jsonValue({ maxDepth: 2 }),
);

describe('hostile input', () => {
  it('does not come from a device, which may never end', () => {
    assert.throws(() => loadScenario('/dev/zero'), /it is a device, not a file$/);
    assert.throws(() => readTable('/dev/zero'), /^Error: it is a device, not a file$/);
  });

  it('loads while it is unchanged', () => {
    assert.equal(load(WHOLE).scenario.name, 'whole');
    assert.equal(load(stringify(whole)).scenario.load.length, 7);
  });

  it('of random octets ends in a scenario error', () => {
    assertPlainFailures(fc.uint8Array({ maxLength: 200 }), 200);
  });

  it('of random text ends in a scenario error', () => {
    const letters = fc.constantFrom(...Array.from('ab1:-?,[]{}#&*!|>\'"%@`\\\t\n  '));
    assertPlainFailures(fc.string({ unit: letters, maxLength: 60 }), 300);
  });

  it('of a scenario cut and pasted anywhere ends in a scenario error', () => {
    const positions = fc.tuple(fc.nat(WHOLE.length), fc.nat(WHOLE.length), fc.nat(WHOLE.length));
    const shuffled = positions.map(
      ([from, to, at]) =>
        WHOLE.slice(0, at) +
        WHOLE.slice(Math.min(from, to), Math.max(from, to)) +
        WHOLE.slice(at + 9),
    );
    assertPlainFailures(shuffled, 100);
  });

  it('of a scenario with any value in any place ends in a scenario error', () => {
    const places = placesIn(whole);
    const tampered = fc
      .tuple(fc.constantFrom(...places), scrap)
      .map(([path, value]) => JSON.stringify(replaced(whole, path, value)));
    assertPlainFailures(tampered, 250);
  });

  it('of any setting ends in a scenario error', () => {
    const paths = placesIn(whole).map((path) => path.join('.'));
    withFiles({ 'main.yaml': WHOLE }, (directory) => {
      const property = fc.property(fc.constantFrom(...paths), fc.string(), (path, value) => {
        try {
          loadScenario(join(directory, 'main.yaml'), { set: [`${path}=${value}`] });
        } catch (error) {
          if (!(error instanceof ScenarioError)) throw error;
        }
      });
      fc.assert(property, { numRuns: 200, seed: 1 });
    });
  });
});
