import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LINKTYPE_USER0 } from '../../../../services/engine/wire/pcapng/blocks.js';
import { readCapture } from '../../../../services/engine/wire/pcapng/reader.js';
import {
  type CapturedPacket,
  interfaceBlockOctets,
  packetBlockOctets,
  SECTION_BLOCK_OCTETS,
  writeInterfaceBlock,
  writePacketBlock,
  writeSectionBlock,
} from '../../../../services/engine/wire/pcapng/writer.js';
import { hexOf, octetsOf, PAUSE_FFFF } from './vectors.js';
import { fc } from '../../../kit/properties.js';

const SEED = { seed: 6 };
const PLAIN = { noNullPrototype: true };
const port = { name: 'leaf3:p5', snapOctets: 128 };
const packet: CapturedPacket = {
  interfaceIndex: 0,
  timeNs: 2 ** 32 * 5 + 7,
  octets: PAUSE_FFFF,
  originalOctets: 60,
  comment: 'at 21474836487123 ps',
};

/** As it is read of an interface whose unit is a nanosecond. */
const asRead = (one: CapturedPacket) => ({ ...one, ticks: one.timeNs });

function captureOf(packets: readonly CapturedPacket[]): Uint8Array {
  const length = packets.reduce(
    (sum, each) => sum + packetBlockOctets(each),
    SECTION_BLOCK_OCTETS + interfaceBlockOctets(port),
  );
  const octets = new Uint8Array(length).fill(0xee);
  let at = writeInterfaceBlock(octets, writeSectionBlock(octets, 0), port);
  for (const each of packets) at = writePacketBlock(octets, at, each);
  assert.equal(at, length);
  return octets;
}

/** Every 16- and 32-bit field turned round, for a block layout that the test spells out. */
const BIG_ENDIAN = octetsOf(`
  0a0d0d0a 0000001c 1a2b3c4d 0001 0000 ffffffffffffffff 0000001c
  00000001 00000020 0001 0000 00000000 0009 0001 03000000 00000000 00000020
  00000005 00000010 12345678 00000010
  00000006 00000024 00000000 00000001 00000002 00000003 00000040 aabbcc00 00000024`);

describe('a capture', () => {
  it('begins with a section header and an interface, octet by octet', () => {
    assert.equal(
      hexOf(captureOf([])),
      hexOf(
        octetsOf(`0a0d0d0a 1c000000 4d3c2b1a 0100 0000 ffffffffffffffff 1c000000
          01000000 34000000 0100 0000 80000000 0200 0800 6c656166333a7035
          0900 0100 09000000 0d00 0100 00000000 00000000 34000000`),
      ),
    );
  });

  it('has link types of the registry: Ethernet 1, USER0 147', () => {
    const linkTypeOf = (linkType?: number): number => {
      const own = linkType === undefined ? port : { ...port, linkType };
      const octets = new Uint8Array(interfaceBlockOctets(own));
      writeInterfaceBlock(octets, 0, own);
      return octets[8]! | (octets[9]! << 8);
    };
    assert.deepEqual([linkTypeOf(), linkTypeOf(LINKTYPE_USER0)], [1, 147]);
  });

  it('is read back with name, snap length, time, octets, length and comment', () => {
    const read = readCapture(captureOf([packet]));
    assert.deepEqual(read, {
      outcome: 'ok',
      interfaces: [{ ...port, linkType: 1, nsPerTick: 1 }],
      packets: [asRead(packet)],
    });
  });

  it('of any packets comes back as it was', () => {
    const packets = fc.array(
      fc.record(
        {
          interfaceIndex: fc.constant(0),
          timeNs: fc.nat(Number.MAX_SAFE_INTEGER),
          octets: fc.uint8Array({ maxLength: 40 }),
          originalOctets: fc.nat(9216),
          comment: fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
        },
        PLAIN,
      ),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(packets, (chosen) => {
        const read = readCapture(captureOf(chosen));
        assert.equal(read.outcome, 'ok');
        assert.deepEqual(read.packets, chosen.map(asRead));
      }),
      SEED,
    );
  });

  it('is read in the other byte order, blocks of other types left out', () => {
    const read = readCapture(BIG_ENDIAN);
    assert.deepEqual(read, {
      outcome: 'ok',
      interfaces: [{ name: '', snapOctets: 0, linkType: 1, nsPerTick: 1e6 }],
      packets: [
        {
          interfaceIndex: 0,
          ticks: 2 ** 32 + 2,
          timeNs: (2 ** 32 + 2) * 1e6,
          octets: octetsOf('aabbcc'),
          originalOctets: 64,
          comment: '',
        },
      ],
    });
  });

  it('of two sections counts interfaces on', () => {
    const octets = new Uint8Array([...captureOf([packet]), ...captureOf([packet])]);
    const read = readCapture(octets);
    assert.equal(read.outcome, 'ok');
    assert.equal(read.interfaces.length, 2);
    assert.deepEqual(
      read.packets.map((each) => each.interfaceIndex),
      [0, 1],
    );
  });

  it('cut short is read up to the cut', () => {
    const octets = captureOf([packet, packet]);
    const read = readCapture(octets.subarray(0, octets.length - 1));
    assert.equal(read.outcome, 'too-short');
    assert.deepEqual(read.packets, [asRead(packet)]);
  });

  it('that is none is refused with the reason', () => {
    const octets = captureOf([packet]);
    const altered = (at: number, value: number): Uint8Array =>
      octets.map((octet, i) => (i === at ? value : octet));
    assert.equal(readCapture(altered(0, 0)).outcome, 'wrong-type');
    assert.equal(readCapture(altered(12, 2)).outcome, 'wrong-version');
    assert.equal(readCapture(altered(4, 30)).outcome, 'bad-length');
    assert.equal(readCapture(altered(SECTION_BLOCK_OCTETS - 4, 0)).outcome, 'bad-length');
    const packetAt = SECTION_BLOCK_OCTETS + interfaceBlockOctets(port);
    assert.equal(readCapture(altered(packetAt + 8, 1)).outcome, 'wrong-type');
    assert.equal(readCapture(altered(packetAt + 20, 200)).outcome, 'bad-length');
  });

  it('keeps a text of other letters readable as far as it is ASCII', () => {
    const read = readCapture(captureOf([{ ...packet, comment: 'häuser' }]));
    assert.equal(read.packets[0]?.comment, 'h?user');
  });

  it('is not written where there is no room', () => {
    assert.throws(() => writeSectionBlock(new Uint8Array(27), 0), RangeError);
  });
});
