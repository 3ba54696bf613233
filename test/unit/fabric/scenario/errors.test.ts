import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  didYouMean,
  listed,
  nearestName,
  ScenarioError,
  show,
  unknownName,
} from '../../../../services/settings/errors.js';

describe('the nearest name', () => {
  const names = ['leaf1', 'leaf2', 'spine1', 'h1'];

  it('is the one with the fewest letters to change', () => {
    assert.equal(nearestName('lef2', names), 'leaf2');
    assert.equal(nearestName('spin', names), 'spine1');
  });

  it('ignores case', () => {
    assert.equal(nearestName('H1', names), 'h1');
  });

  it('is none if every letter would have to change', () => {
    assert.equal(nearestName('core', names), null);
    assert.equal(nearestName('x', ['y']), null);
    assert.equal(nearestName('', names), null);
  });

  it('is the first of equally near ones, so that errors repeat', () => {
    assert.equal(nearestName('leaf9', names), 'leaf1');
  });

  it('ends a message, or is silent', () => {
    assert.equal(didYouMean('leaf11', names), '; did you mean leaf1?');
    assert.equal(didYouMean('nothing alike', names), '');
    assert.equal(
      unknownName('device', 'hl', names),
      'unknown device: hl; there is leaf1, leaf2, spine1, h1; did you mean h1?',
    );
    assert.equal(unknownName('load', 'big', []), 'unknown load: big; there is none');
  });
});

describe('a scenario error', () => {
  it('begins with file, line and column', () => {
    const error = new ScenarioError({ file: 'a.yaml', line: 3, column: 7 }, ['load', 0], 'wrong');
    assert.equal(error.message, 'a.yaml:3:7: wrong');
    assert.deepEqual([error.file, error.line, error.column], ['a.yaml', 3, 7]);
    assert.deepEqual(error.path, ['load', 0]);
  });

  it('shows values on one line and not endlessly', () => {
    assert.equal(show('two\nlines'), '"two\\nlines"');
    assert.equal(show(''), '""');
    assert.equal(show({}), 'a mapping');
    assert.equal(show([]), 'a list');
    assert.equal(show(null), 'nothing');
    assert.equal(show(1.5), '1.5');
    assert.equal(show(Infinity), 'Infinity');
    assert.equal(show('x'.repeat(1000)).length, 61);
    assert.match(listed(Array.from({ length: 99 }, (_, i) => `h${i}`)), /h29, …$/);
  });
});
