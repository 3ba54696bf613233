/** Ordered sets in a capture: what stands in their octets is what tshark shows. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankCfUpdate, encodeCfUpdate } from '../../services/engine/wire/cf-update.js';
import { ORDERED_SET_OCTETS } from '../../services/engine/wire/ordered-set.js';
import { SECTION_BLOCK_OCTETS } from '../../services/engine/wire/pcapng/writer.js';
import { WITH_DISSECTORS } from '../kit/dissector-fields.js';
import type { Packet } from '../kit/tshark.js';
import { captureOfPort, dissect, tsharkMissing } from '../kit/tshark.js';

const USER0 = 147;
/** In an interface description, behind type and length of the block. */
const LINK_TYPE_AT = SECTION_BLOCK_OCTETS + 8;

function shown(sets: readonly ArrayLike<number>[], ...fields: string[]): Packet[] {
  const packets = sets.map((set, i) => {
    const octets = Uint8Array.from(set);
    return { interfaceIndex: 0, timeNs: i, octets, originalOctets: octets.length, comment: '' };
  });
  const capture = captureOfPort('s1:p1', packets);
  const view = new DataView(capture.buffer, capture.byteOffset);
  const isLittle = view.getUint16(LINK_TYPE_AT, true) === 1;
  view.setUint16(LINK_TYPE_AT, USER0, isLittle);
  return dissect(capture, fields, ...WITH_DISSECTORS);
}

describe('ordered sets', { skip: tsharkMissing }, () => {
  it('of CBFC name two channels and what they have freed', () => {
    const octets = new Uint8Array(ORDERED_SET_OCTETS);
    const update = blankCfUpdate();
    update.channels.set([3, 31]);
    update.counts.set([0x7abc, 0x0001]);
    encodeCfUpdate(octets, 0, update);
    assert.deepEqual(shown([octets], 'cbfc.freed.vc', 'cbfc.freed.count', 'cbfc.bad'), [
      { 'cbfc.freed.vc': '3,31', 'cbfc.freed.count': '31420,1', 'cbfc.bad': '' },
    ]);
  });

  it('show channels and counts, or a number, in the info column', () => {
    const sets = [
      [0x4b, 0x10, 0x1f, 0xab, 0xc6, 0xf8, 0x00, 0x10],
      [0x4b, 0x10, 0x18, 0x00, 0x56, 0x18, 0x00, 0x50],
      [0x4b, 0x01, 0xab, 0xcd, 0xe6, 0, 0, 0],
      [0x4b, 0x02, 0x00, 0x00, 0x16, 0, 0, 0],
    ];
    const read = shown(sets, '_ws.col.Info');
    assert.deepEqual(
      read.map((packet) => packet['_ws.col.Info']),
      ['CBFC CF_Update: vc3=31420 vc31=1', 'CBFC CF_Update: vc3=5', 'LLR_ACK 703710', 'LLR_NACK 1'],
    );
  });

  it('of LLR have a type, a sequence number of 20 bits, and the data of an INIT', () => {
    const sets = [
      [0x4b, 0x01, 0xab, 0xcd, 0xe6, 0, 0, 0],
      [0x4b, 0x02, 0x00, 0x00, 0x16, 0, 0, 0],
      [0x4b, 0x04, 0xff, 0xff, 0xf6, 0x34, 0x12, 0],
    ];
    const read = shown(sets, 'llr.type', 'llr.sequence', 'llr.init_data');
    assert.deepEqual(read, [
      { 'llr.type': '0x01', 'llr.sequence': String(0xabcde), 'llr.init_data': '' },
      { 'llr.type': '0x02', 'llr.sequence': '1', 'llr.init_data': '' },
      { 'llr.type': '0x04', 'llr.sequence': String(0xfffff), 'llr.init_data': '0x1234' },
    ]);
  });

  it('that a receiver discards have an expert note', () => {
    const sets = [
      // An ACK with init data, an INIT without, and reserved bits of each.
      [0x4b, 0x01, 0, 0, 0x16, 1, 0, 0],
      [0x4b, 0x03, 0, 0, 0x16, 0, 0, 0],
      [0x4b, 0x02, 0, 0, 0x16, 0, 0, 1],
      [0x4b, 0x10, 0, 0, 6, 0, 0, 1],
    ];
    const read = shown(sets, 'llr.bad', 'cbfc.bad');
    assert.deepEqual(
      read.map((packet) => packet['llr.bad'] !== '' || packet['cbfc.bad'] !== ''),
      [true, true, true, true],
    );
  });

  it('that are none are left alone', () => {
    const none = Uint8Array.from([0x4b, 0x01, 0, 0, 0x07, 0, 0, 0]);
    assert.deepEqual(shown([none], 'llr.type', 'cbfc.freed.vc'), [
      { 'llr.type': '', 'cbfc.freed.vc': '' },
    ]);
  });
});
