import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { RandomStream } from '../../../../services/engine/kernel/random.js';
import { isLongMac, longMac, MAC_OCTETS, MacKey } from '../../../../services/runtime/keys/mac.js';
import { drawSalt, RunKeys } from '../../../../services/runtime/keys/run-keys.js';

const KEY = Uint8Array.of(3, 1, 4, 1, 5);

describe('a MAC', () => {
  const random = new RandomStream(1, 'mac');
  const mac = new MacKey(KEY);

  it('is HMAC-SHA256, truncated, of messages of any length', () => {
    for (const length of [0, 1, 63, 64, 500, 70_000, 64]) {
      const octets = Buffer.alloc(length + MAC_OCTETS);
      for (let i = 0; i < length; i++) octets[i] = random.below(256);
      mac.sign(octets, length, length);
      const expected = createHmac('sha256', KEY).update(octets.subarray(0, length)).digest();
      assert.deepEqual(octets.subarray(length), expected.subarray(0, MAC_OCTETS));
      assert.ok(mac.verify(octets, length, length));
      octets[length] = octets[length]! ^ 1;
      assert.ok(!mac.verify(octets, length, length));
    }
  });

  it('of what is kept is the same, and whole', () => {
    const octets = Buffer.alloc(100 + MAC_OCTETS, 7);
    mac.sign(octets, 100, 100);
    const long = longMac(KEY, octets.subarray(0, 40), octets.subarray(40, 100));
    assert.deepEqual(long.subarray(0, MAC_OCTETS), octets.subarray(100));
    assert.ok(isLongMac(Buffer.from(long), long));
    assert.ok(!isLongMac(long.subarray(1), long));
  });

  it('that is cut is wrong', () => {
    const octets = Buffer.alloc(8 + MAC_OCTETS);
    mac.sign(octets, 8, 8);
    assert.ok(!mac.verify(octets.subarray(0, 8 + MAC_OCTETS - 1), 8, 8));
  });
});

describe('the keys of a run', () => {
  const signed = (key: MacKey): string => {
    const octets = Buffer.alloc(MAC_OCTETS);
    key.sign(octets, 0, 0);
    return octets.toString('hex');
  };
  const all = (run: string, secret: string): string[] => {
    const keys = new RunKeys(run, secret);
    const salts = [new Uint8Array(0), Uint8Array.of(1)];
    const channels = salts.flatMap((salt) =>
      [1, 2].flatMap((epoch) => {
        const of = keys.channels(epoch, salt);
        return [of(0, 1), of(1, 0)].map(signed);
      }),
    );
    return [keys.token, Buffer.from(keys.store).toString('hex'), ...channels];
  };

  it('differ by purpose, run, secret, epoch, salt and direction, and repeat', () => {
    const secret = '0123456789abcdef0123456789abcdef';
    const found = [all('a', secret), all('b', secret), all('a', secret.replace('0', '1'))].flat();
    assert.equal(new Set(found).size, found.length);
    assert.deepEqual(all('a', secret), all('a', secret));
    assert.ok(found.every((text) => !text.includes(secret)));
    assert.notDeepEqual(drawSalt(), drawSalt());
  });
});
