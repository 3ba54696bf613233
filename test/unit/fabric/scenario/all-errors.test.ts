import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ScenarioError } from '../../../../services/settings/errors.js';
import { load, PAIR } from './written-files.js';

/** Places and beginnings of all errors of a file. */
function errorsOf(text: string): string[] {
  try {
    load(text);
  } catch (error) {
    assert.ok(error instanceof ScenarioError);
    const all = [error, ...error.others].sort((a, b) => a.line - b.line || a.column - b.column);
    return all.map(
      ({ line, column, message }) =>
        `${line}:${column} ${/: (?:[A-Za-z.0-9]+: )?(.*)$/.exec(message)![1]!}`,
    );
  }
  return [];
}

function assertErrors(text: string, ...expected: readonly RegExp[]): void {
  const found = errorsOf(text);
  assert.equal(found.length, expected.length, found.join('\n'));
  expected.forEach((pattern, i) => {
    assert.match(found[i]!, pattern);
  });
}

it('lists every unknown key and every wrong value of a file', () => {
  assertErrors(
    `${PAIR}lod: []\nsede: 1\nduration: 5\nswitches: { bufer: {}, cutThrough: yes }`,
    /^3:1 unknown key: lod;/,
    /^4:1 unknown key: sede; .*did you mean seed\?$/,
    /^5:11 not a time: 5;/,
    /^6:13 unknown key: bufer;/,
    /^6:36 not true or false: yes;/,
  );
});

it('lists what is wrong in the shape that a value was meant to have', () => {
  assertErrors(
    `${PAIR}load: [{ stream: { from: h1, to: h2 }, rate: 10Q, priority: 9 }]`,
    /not a rate: 10Q;/,
    /not a whole number in range: 9;/,
  );
});

it('reports no missing key beside the unknown one that was meant', () => {
  assertErrors(
    `${PAIR}load: [{ incast: { from: h1, to: h2 }, byts: 1MB }]`,
    /unknown key: byts; .*did you mean bytes\?$/,
  );
});

it('lists errors of different sections, and of different checks', () => {
  assertErrors(
    `${PAIR}faults: [{ kind: loss }]\nexpect: [{ metric: drops, load: x, max: 0 }]`,
    /loss needs probability/,
    /unknown load: x/,
  );
  assertErrors(
    `${PAIR}priorities: { 3: { flowControl: pfc, xoff: 1KB, xonGap: 5KB } }\n` +
      'load: [{ stream: { from: h1, to: h2 } }]',
    /xonGap 5000 is more than xoff 1000/,
    /never ends/,
  );
});
