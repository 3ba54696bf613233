import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { buildFabric } from '../../../../services/fabric/assembly/fabric.js';
import { loadScenario } from '../../../../services/fabric/scenario/load-scenario.js';
import { ScenarioError } from '../../../../services/settings/errors.js';
import { PAIR, withFiles } from './written-files.js';

/** Places and beginnings of all errors of a file. */
function errorsOf(text: string): string[] {
  try {
    withFiles({ 'main.yaml': text }, (directory) => {
      buildFabric(loadScenario(join(directory, 'main.yaml'), {}, buildFabric));
    });
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

it('judges the keys of a fabric by the generator that was probably meant', () => {
  assertErrors(
    'selvage: 1\nfabric:\n  generator: leafspine\n  leaves: 0\n  hosts: 3\n' +
      '  hostLink: { rate: 100X }\nload: [{ stream: { from: h1, to: h2 }, prority: 3 }]',
    /^3:14 unknown generator: leafspine; .*did you mean leaf-spine\?$/,
    /^4:11 not a whole number in range: 0;/,
    /^5:3 unknown key: hosts;/,
    /^6:21 not a rate: 100X;/,
    /^7:40 unknown key: prority; .*did you mean priority\?$/,
  );
});

it('judges what every generator has where none is near', () => {
  assertErrors(
    'selvage: 1\nfabric:\n  generator: torus\n  leaves: 0\n  hostLink: { rate: 100X }',
    /^3:14 unknown generator: torus;/,
    /^5:21 not a rate: 100X;/,
  );
});

it('finds what later steps refuse in what is right', () => {
  assertErrors(
    `${PAIR}sede: 1\nfaults: [{ kind: loss }]\n` +
      'load: [{ stream: { from: h1, to: h9 } }, { stream: { from: h1, to: h2 }, bytes: 1MB }]\n' +
      'expect: [{ metric: drops, load: x, max: 0 }]\nduration: 1ms\n' +
      'devices: { s7: {} }\ninfrastructure: [{ kind: kill, of: service, device: s8, at: 1us }]',
    /^3:1 unknown key: sede;/,
    /^4:10 loss needs probability/,
    /^5:34 .*h9/,
    /^6:33 unknown load: x/,
    /^8:12 .*s7/,
    /^9:53 no device is called s8/,
  );
});

it('reports nothing that only follows from what is wrong', () => {
  assertErrors(
    'selvage: 1\nfabric: { generator: star, hots: 9 }\n' +
      'load: [{ stream: { from: h1, to: h9 }, bytes: 1XB }]',
    /^2:28 unknown key: hots;/,
    /^3:47 not .*1XB/,
  );
});
