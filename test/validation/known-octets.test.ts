/** Codecs with a defect that both ends of a link share: no run begins with one. */

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { EngineCopy } from '../kit/engine-copy.js';

const WIRE = 'services/engine/wire';
const DEFECTS = [
  { file: `${WIRE}/mac-control/pfc-frame.js`, from: /\+ 2 \* n\b/g, to: '+ 2 * (n & 3)' },
  { file: `${WIRE}/llr.js`, from: '(number >> 12) & 0xff', to: '(number >> 11) & 0xff' },
];

describe('a codec that writes otherwise than it reads', () => {
  const copy = new EngineCopy(['services', 'test/kit']);
  after(() => {
    copy.remove();
  });
  for (const defect of DEFECTS) {
    it(`ends a run before it begins: ${defect.file}`, () => {
      const words = ['deep', 'examples/incast-pfc.yaml'];
      const { status, stderr } = copy.run('test/kit/deep/main.js', words, defect);
      assert.notEqual(status, 0);
      assert.match(stderr, /assertion wire\.known-octets failed: a codec does not write/);
    });
  }
});
