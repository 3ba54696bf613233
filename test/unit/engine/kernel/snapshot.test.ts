import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { restore, save } from '../../../../services/engine/kernel/snapshot.js';

class Part {
  values = new Float64Array([1, 2]);
  count = 3;
}

class Whole {
  part = new Part();
  parts = [new Part(), null];
  words: Int32Array;
  bytes: Uint8Array;
  readonly #neighbour: unknown = () => 'wired';

  constructor() {
    const buffer = new ArrayBuffer(8);
    this.words = new Int32Array(buffer);
    this.bytes = new Uint8Array(buffer);
  }

  get neighbour(): unknown {
    return this.#neighbour;
  }
}

describe('snapshot', () => {
  it('restores plain state into another object and leaves its private fields alone', () => {
    const from = new Whole();
    from.part.values[1] = 7;
    from.part.count = 9;
    from.words[0] = 0x01020304;
    const saved = save(from);
    from.part.values[1] = 8;
    const to = new Whole();
    const { neighbour } = to;
    restore(to, saved);
    assert.deepEqual([...to.part.values], [1, 7]);
    assert.equal(to.part.count, 9);
    assert.equal(to.words[0], 0x01020304);
    assert.equal(to.neighbour, neighbour);
  });

  it('keeps two views of one buffer two views of one buffer', () => {
    const to = new Whole();
    restore(to, save(new Whole()));
    to.words[0] = 0x0a0b0c0d;
    assert.ok([...to.bytes].includes(0x0b));
  });

  it('takes over arrays that have grown', () => {
    const from = new Part();
    from.values = new Float64Array([1, 2, 3, 4]);
    const to = new Part();
    restore(to, save(from));
    assert.deepEqual([...to.values], [1, 2, 3, 4]);
  });

  it('lets a part of another kind begin anew', () => {
    const whole = (kind: string, own: object) => ({ part: { kind, ...own } });
    const saved = save(whole('round', { turn: 5 }));
    const same = whole('round', { turn: 0 });
    const other = whole('drawn', { last: -1 });
    restore(same, saved);
    restore(other, saved);
    assert.deepEqual([same, other], [whole('round', { turn: 5 }), whole('drawn', { last: -1 })]);
  });

  it('refuses what is neither plain state nor in a private field', () => {
    class Careless {
      callback = (): number => 1;
    }
    assert.throws(() => save(new Careless()), /actor\.callback is a function/);
  });
});
