import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { SignedStorage } from '../../../../services/runtime/checkpoints/signed-storage.js';
import { CheckpointStore } from '../../../../services/runtime/checkpoints/store.js';
import { MemoryStorage } from '../../../kit/memory-storage.js';

const OCTETS = Uint8Array.of(1, 2, 3);

describe('what a run keeps where others may write', () => {
  let kept: MemoryStorage;
  let refused: string[];
  const signedWith = (key: number): SignedStorage =>
    new SignedStorage(kept, Uint8Array.of(key), (name) => refused.push(name));
  beforeEach(() => {
    kept = new MemoryStorage();
    refused = [];
  });

  it('is read as it was written', async () => {
    await signedWith(1).put('a', OCTETS);
    await signedWith(1).put('empty', new Uint8Array(0));
    assert.deepEqual(Uint8Array.from((await signedWith(1).get('a'))!), OCTETS);
    assert.equal((await signedWith(1).get('empty'))?.length, 0);
    assert.equal(await signedWith(1).get('b'), null);
    assert.deepEqual(refused, []);
  });

  it('is absent, and named, if it was changed, renamed, cut, or written by a stranger', async () => {
    await signedWith(1).put('a', OCTETS);
    const octets = kept.files.get('a')!;
    for (let i = 0; i < octets.length; i++) {
      const changed = Uint8Array.from(octets);
      changed[i] = changed[i]! ^ 1;
      kept.files.set('a', changed);
      assert.equal(await signedWith(1).get('a'), null);
      kept.files.set('a', octets.slice(0, i));
      assert.equal(await signedWith(1).get('a'), null);
    }
    kept.files.set('b', octets);
    assert.equal(await signedWith(1).get('b'), null);
    assert.equal(await signedWith(2).get('b'), null);
    assert.equal(refused.length, 2 * octets.length + 2);
  });

  it('numbers epochs by its own claims, whatever numbers a stranger claims', async () => {
    const store = new CheckpointStore(signedWith(1));
    await store.beginEpoch(3);
    for (const name of ['epoch-7', 'epoch-8.0123456789abcdef']) await kept.claim(name, 'x');
    await new CheckpointStore(signedWith(2)).beginEpoch(9);
    assert.equal(await store.lastEpoch(), 3);
    await store.beginEpoch(4);
    // The answer was lost, and the claim is its own.
    await store.beginEpoch(4);
    const another = new CheckpointStore(signedWith(1));
    await assert.rejects(another.beginEpoch(4), /another coordinator drives this run/);
  });
});
