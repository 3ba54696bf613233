import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Arena } from '../../../../services/engine/kernel/arena.js';
import { fc } from '../../../kit/properties.js';

it('what an arena gives is apart from all else, and so many lines of the cache from its first', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(600_000), { maxLength: 20 }), (sizes) => {
      const arena = new Arena();
      const rooms = sizes.map((octets) => ({ ...arena.take(octets), octets }));
      rooms.forEach(({ buffer, offset, octets }, i) => {
        const before = rooms.slice(0, i).filter((room) => room.buffer === buffer);
        for (const room of before) assert.ok(offset >= room.offset + room.octets);
        assert.equal((offset - (before[0]?.offset ?? offset)) % 64, 0);
        assert.ok(offset + octets <= buffer.byteLength);
      });
    }),
  );
});

it('records that take a lot of room get it', () => {
  const { buffer, offset } = new Arena().take(1 << 22);
  assert.ok(buffer.byteLength - offset >= 1 << 22);
});
