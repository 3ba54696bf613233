import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  blankPauseFrame,
  decodePause,
  encodePause,
} from '../../../../services/engine/wire/mac-control/pause-frame.js';
import {
  blankPfcFrame,
  decodePfc,
  encodePfc,
  type PfcFrame,
} from '../../../../services/engine/wire/mac-control/pfc-frame.js';
import {
  decodeMacControl,
  MAC_CONTROL_OCTETS,
} from '../../../../services/engine/wire/mac-control/mac-control-header.js';
import { OPCODE_PAUSE, OPCODE_PFC } from '../../../../services/engine/wire/mac-control/opcodes.js';
import { PAUSE_FFFF, PAUSE_ZERO, PFC_P3_FFFF, PFC_P3_OFF_P4_ON } from './vectors.js';
import { fc } from '../../../kit/properties.js';

const SOURCE = 0x02000000000a;
const SEED = { seed: 31 };

const header = { destination: 0, source: 0, opcode: 0 };

function pauseOctets(quanta: number): Uint8Array {
  const octets = new Uint8Array(MAC_CONTROL_OCTETS).fill(0xee);
  assert.equal(encodePause(octets, 0, { ...blankPauseFrame(), source: SOURCE, quanta }), 60);
  return octets;
}

function pfcFrame(times: Readonly<Record<number, number>>): PfcFrame {
  const frame = { ...blankPfcFrame(), source: SOURCE };
  for (const [priority, quanta] of Object.entries(times)) {
    frame.enableVector |= 1 << Number(priority);
    frame.quanta[Number(priority)] = quanta;
  }
  return frame;
}

function pfcOctets(frame: PfcFrame): Uint8Array {
  const octets = new Uint8Array(MAC_CONTROL_OCTETS).fill(0xee);
  assert.equal(encodePfc(octets, 0, frame), 60);
  return octets;
}

/** A copy with some octets replaced. */
function altered(octets: Uint8Array, changes: Readonly<Record<number, number>>): Uint8Array {
  return Uint8Array.from(octets, (octet, at) => changes[at] ?? octet);
}

describe('PAUSE', () => {
  it('is encoded as the standard has it', () => {
    assert.deepEqual(pauseOctets(0xffff), PAUSE_FFFF);
    assert.deepEqual(pauseOctets(0), PAUSE_ZERO);
  });

  it('is decoded at any offset, whatever follows', () => {
    const octets = new Uint8Array(80).fill(0xee);
    octets.set(PAUSE_FFFF, 7);
    const frame = blankPauseFrame();
    assert.equal(decodePause(octets, 7, frame), 'ok');
    assert.deepEqual(frame, { ...blankPauseFrame(), source: SOURCE, quanta: 0xffff });
  });

  it('is taken at a unicast address, which the port compares with its own', () => {
    const frame = blankPauseFrame();
    assert.equal(decodePause(altered(PAUSE_FFFF, { 0: 2 }), 0, frame), 'ok');
    assert.equal(frame.destination, 0x0280c2000001);
  });

  it('to another group is refused', () => {
    const octets = altered(PAUSE_FFFF, { 5: 2 });
    assert.equal(decodePause(octets, 0, blankPauseFrame()), 'wrong-destination');
  });

  it('does not fit where less than 60 octets are left', () => {
    assert.throws(() => encodePause(new Uint8Array(60), 1, blankPauseFrame()), RangeError);
  });
});

describe('PFC', () => {
  it('is encoded as the standard has it', () => {
    assert.deepEqual(pfcOctets(pfcFrame({ 3: 0xffff })), PFC_P3_FFFF);
    assert.deepEqual(pfcOctets(pfcFrame({ 3: 256, 4: 0 })), PFC_P3_OFF_P4_ON);
  });

  it('is decoded into vector and times', () => {
    const frame = blankPfcFrame();
    assert.equal(decodePfc(PFC_P3_OFF_P4_ON, 0, frame), 'ok');
    assert.deepEqual(frame, pfcFrame({ 3: 256, 4: 0 }));
  });

  it('has no time where the vector has no bit, neither sent nor received', () => {
    const frame = pfcFrame({ 3: 0xffff });
    frame.quanta[5] = 9;
    assert.deepEqual(pfcOctets(frame), PFC_P3_FFFF);
    const decoded = blankPfcFrame();
    assert.equal(decodePfc(altered(PFC_P3_FFFF, { 29: 9 }), 0, decoded), 'ok');
    assert.equal(decoded.quanta[5], 0);
  });

  it('ignores the reserved octet of the vector', () => {
    const frame = blankPfcFrame();
    assert.equal(decodePfc(altered(PFC_P3_FFFF, { 16: 0xff }), 0, frame), 'ok');
    assert.equal(frame.enableVector, 8);
  });

  it('is taken at the group address only', () => {
    const octets = altered(PFC_P3_FFFF, { 0: 2 });
    assert.equal(decodePfc(octets, 0, blankPfcFrame()), 'wrong-destination');
  });

  it('of any vector and times comes back as it was', () => {
    const times = fc.dictionary(fc.integer({ min: 0, max: 7 }).map(String), fc.nat(0xffff));
    fc.assert(
      fc.property(times, (chosen) => {
        const frame = pfcFrame(chosen);
        const decoded = blankPfcFrame();
        assert.equal(decodePfc(pfcOctets(frame), 0, decoded), 'ok');
        assert.deepEqual(decoded, frame);
      }),
      SEED,
    );
  });
});

describe('the MAC control header', () => {
  it('names the opcode, by which a receiver chooses the decoder', () => {
    assert.equal(decodeMacControl(PAUSE_ZERO, 0, header), 'ok');
    assert.equal(header.opcode, OPCODE_PAUSE);
    assert.equal(decodeMacControl(PFC_P3_FFFF, 0, header), 'ok');
    assert.equal(header.opcode, OPCODE_PFC);
  });

  it('refuses opcodes of EPON and reserved ones, and says which', () => {
    assert.equal(decodeMacControl(altered(PAUSE_ZERO, { 15: 2 }), 0, header), 'unsupported-opcode');
    assert.equal(header.opcode, 2);
  });

  it('refuses another EtherType', () => {
    assert.equal(decodeMacControl(altered(PAUSE_ZERO, { 13: 9 }), 0, header), 'wrong-type');
  });

  it('refuses every frame that is cut short', () => {
    for (let length = 0; length < MAC_CONTROL_OCTETS; length++) {
      const octets = PFC_P3_FFFF.subarray(0, length);
      assert.equal(decodePfc(octets, 0, blankPfcFrame()), 'too-short');
    }
  });

  it('keeps PAUSE and PFC apart', () => {
    assert.equal(decodePause(PFC_P3_FFFF, 0, blankPauseFrame()), 'wrong-opcode');
    assert.equal(decodePfc(PAUSE_FFFF, 0, blankPfcFrame()), 'wrong-opcode');
  });
});
