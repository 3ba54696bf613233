/**
 * Negative controls of `--check=deep`: defects of one line, each written into a copy of the
 * compiled engine. Runs with `--check` are complete, and the second oracle names the rule that is
 * broken.
 */

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { EngineCopy } from '../kit/engine-copy.js';
import { DEEP_MUTANTS } from '../kit/deep/mutants.js';
import { isLong } from '../kit/long-suite.js';

const PROGRAM = 'test/kit/deep/main.js';

/** The first of every third rule; all of all rules in the long suite. */
const PLANTED = isLong
  ? DEEP_MUTANTS
  : DEEP_MUTANTS.filter(
      ({ rule }, i) => DEEP_MUTANTS.findIndex((other) => other.rule === rule) === i,
    ).filter((_, i) => i % 3 === 0);

describe('the second oracle', () => {
  const copy = new EngineCopy(['services', 'test/kit']);
  after(() => {
    copy.remove();
  });

  it('finds nothing in a sound engine', () => {
    const files = [...new Set(PLANTED.map(({ example }) => `examples/${example}.yaml`))];
    const { status, stdout, stderr } = copy.run(PROGRAM, ['deep', ...files]);
    assert.equal(status, 0, stdout + stderr);
  });

  for (const { name, rule, example, ...defect } of PLANTED) {
    it(`notices by ${rule}: ${name}`, () => {
      const file = `examples/${example}.yaml`;
      const { stdout, stderr } = copy.run(PROGRAM, ['both', file], defect);
      assert.doesNotMatch(stdout, /^check /m);
      assert.match(stdout, new RegExp(`"reason":"deep check, ${rule}: `), stdout + stderr);
    });
  }
});
