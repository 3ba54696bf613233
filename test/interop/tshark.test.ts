/** Wireshark's dissectors read our captures and find in them what we wrote. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { captureOfPort, COMMENT, dissect, ERROR, tsharkMissing, worstNote } from '../kit/tshark.js';
import { knownFrames } from './frames.js';

const PORT = 'leaf3:p5';

describe('tshark', { skip: tsharkMissing }, () => {
  const frames = knownFrames();
  const packets = frames.map(({ name, octets }, index) => ({
    interfaceIndex: 0,
    timeNs: 1_000_000_000 * index + 123_456_789,
    octets,
    originalOctets: octets.length,
    comment: name,
  }));
  const everyField = [...new Set(frames.flatMap(({ fields }) => Object.keys(fields)))];
  const general = ['frame.time_epoch', 'frame.comment', 'frame.len', 'frame.interface_name'];
  const complaints = ['_ws.malformed', '_ws.expert.severity', '_ws.expert.message'];
  const dissected = tsharkMissing
    ? []
    : dissect(captureOfPort(PORT, packets), [...everyField, ...general, ...complaints]);

  it('reads every packet, with its time, comment, length and port', () => {
    assert.deepEqual(
      dissected.map((packet) => general.map((field) => packet[field])),
      packets.map(({ comment, originalOctets }, index) => [
        `${index}.123456789`,
        comment,
        String(originalOctets),
        PORT,
      ]),
    );
  });

  frames.forEach(({ name, fields }, index) => {
    it(`reads the fields of ${name}`, () => {
      const packet = dissected[index] ?? {};
      const read = Object.fromEntries(Object.keys(fields).map((field) => [field, packet[field]]));
      assert.deepEqual(read, fields);
    });

    it(`finds nothing wrong with ${name}`, () => {
      const packet = dissected[index] ?? {};
      assert.equal(packet['_ws.malformed'], '');
      assert.equal(worstNote(packet), COMMENT, packet['_ws.expert.message']);
    });
  });

  it('finds a wrong octet: an IPv4 checksum that does not fit', () => {
    const broken = packets[2]!.octets.slice();
    broken[24]! ^= 1;
    const [packet] = dissect(captureOfPort(PORT, [{ ...packets[2]!, octets: broken }]), complaints);
    assert.equal(worstNote(packet), ERROR);
  });

  it('takes a frame that was cut short for one, not for a malformed frame', () => {
    const cut = { ...packets[2]!, octets: packets[2]!.octets.slice(0, 58) };
    const [packet] = dissect(captureOfPort(PORT, [cut]), [
      'frame.len',
      'frame.cap_len',
      ...complaints,
    ]);
    assert.equal(packet?.['frame.len'], String(cut.originalOctets));
    assert.equal(packet['frame.cap_len'], '58');
    assert.equal(packet['_ws.malformed'], '');
    assert.equal(worstNote(packet), COMMENT, packet['_ws.expert.message']);
  });
});
