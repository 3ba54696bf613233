import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  macIdentifier,
  PORT_INTERFACE_NAME,
  showIdentifier,
  textIdentifier,
} from '../../../../services/engine/wire/lldp/basic-tlvs.js';
import {
  blankCreditExchange,
  decodeCreditExchange,
  encodeCreditExchange,
} from '../../../../services/engine/wire/lldp/capability-tlvs.js';
import {
  blankCeeDcbx,
  decodeCeeDcbx,
  encodeCeeDcbx,
} from '../../../../services/engine/wire/lldp/dcbx-cee.js';
import {
  blankApplications,
  blankEts,
  decodeApplications,
  decodeEts,
  encodeApplications,
  encodeEtsConfiguration,
} from '../../../../services/engine/wire/lldp/dcbx-ieee.js';
import {
  blankLldpFrame,
  decodeLldp,
  encodeLldp,
  type LldpFrame,
  NEAREST_BRIDGE,
} from '../../../../services/engine/wire/lldp/lldpdu.js';
import { encodeTlv, splitTlvs, type Tlv } from '../../../../services/engine/wire/lldp/tlv.js';
import {
  LLDP_CEE,
  LLDP_CET_SFC,
  LLDP_CI_TR,
  LLDP_DCBX_IEEE,
  LLDP_MINIMAL,
  LLDP_SHUTDOWN,
  tlvCodecs,
} from './lldp-vectors.js';
import { hexOf, octetsOf } from './vectors.js';
import { fc } from '../../../kit/properties.js';

const SEED = { seed: 41, numRuns: 300 };

function frameOf(tlvs: readonly Tlv[], ttlSeconds = 121): LldpFrame {
  return {
    destination: NEAREST_BRIDGE,
    source: 0x02000000000a,
    chassisId: macIdentifier(4, 0x02000000000a),
    portId: textIdentifier(PORT_INTERFACE_NAME, 'eth0'),
    ttlSeconds,
    tlvs,
  };
}

function written(frame: LldpFrame): Uint8Array {
  const octets = new Uint8Array(1600).fill(0xee);
  return octets.slice(0, encodeLldp(octets, 0, frame));
}

function read(octets: Uint8Array): LldpFrame {
  const frame = blankLldpFrame();
  assert.equal(decodeLldp(octets, 0, frame), 'ok');
  return frame;
}

/** A frame of these TLVs, whatever they are. */
function frameWith(tlvs: string): Uint8Array {
  return octetsOf(`0180c200000e 02000000000a 88cc ${tlvs}`);
}

const CHASSIS = '0207 04 02000000000a';
const PORT = '0405 05 65746830';
const TTL = '0602 0079';

describe('LLDP', () => {
  it('is encoded as the standard has it', () => {
    assert.equal(hexOf(written(frameOf([]))), hexOf(LLDP_MINIMAL));
    assert.equal(hexOf(written(frameOf([], 0))), hexOf(LLDP_SHUTDOWN));
  });

  it('carries its TLVs through in order, with lengths beyond 255', () => {
    const tlv = fc.record(
      { type: fc.integer({ min: 4, max: 127 }), value: fc.uint8Array({ maxLength: 511 }) },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(tlv, { maxLength: 2 }), (tlvs) => {
        assert.deepEqual(read(written(frameOf(tlvs))), frameOf(tlvs));
      }),
      SEED,
    );
  });

  it('reads frames whose End is missing, and nothing behind End', () => {
    assert.equal(read(frameWith(CHASSIS + PORT + TTL)).tlvs.length, 0);
    assert.equal(read(frameWith(`${CHASSIS}${PORT}${TTL} 0000 ffffffff`)).tlvs.length, 0);
  });

  it('refuses what 802.1AB 9.2.7.7 refuses, with the reason', () => {
    const outcome = (tlvs: string): string => decodeLldp(frameWith(tlvs), 0, blankLldpFrame());
    assert.equal(outcome(PORT + CHASSIS + TTL), 'bad-order');
    assert.equal(outcome(CHASSIS + PORT), 'bad-order');
    assert.equal(outcome(CHASSIS + PORT + TTL + PORT), 'repeated');
    assert.equal(outcome(`${CHASSIS}${PORT}${TTL} fe19 0080c2`), 'too-short');
    assert.equal(outcome(`${CHASSIS}${PORT}${TTL} fe`), 'too-short');
    assert.equal(outcome(`0201 04 ${PORT}${TTL}`), 'bad-length');
    assert.equal(outcome(`${CHASSIS}${PORT} 0601 79`), 'bad-length');
    assert.equal(outcome(`${CHASSIS} 0501 ${'41'.repeat(257)} ${TTL}`), 'bad-length');
    assert.equal(decodeLldp(octetsOf('0180c200000e'), 0, blankLldpFrame()), 'too-short');
  });

  it('shows identifiers as people write them', () => {
    assert.equal(showIdentifier(macIdentifier(4, 0x02000000000a), 4), '02:00:00:00:00:0a');
    assert.equal(showIdentifier(textIdentifier(5, 'leaf1:p3'), 3), 'leaf1:p3');
    assert.equal(showIdentifier(Uint8Array.of(4, 1, 2), 4), '0102');
  });
});

describe('a TLV', () => {
  for (const { name, octets, record, write, read: readTlv } of tlvCodecs) {
    it(`of ${name} has the octets of its vector, both ways`, () => {
      assert.equal(write(record), hexOf(octets));
      assert.deepEqual(readTlv(octets.subarray(2)), { outcome: 'ok', record });
    });

    it(`of ${name} is refused one octet short`, () => {
      assert.notEqual(readTlv(octets.subarray(2, -1)).outcome, 'ok');
    });
  }

  it('of whole frames lies where the vectors have it', () => {
    const lengths = [LLDP_DCBX_IEEE, LLDP_CEE, LLDP_CET_SFC, LLDP_CI_TR].map((octets) =>
      read(octets).tlvs.map(({ value }) => value.length),
    );
    assert.deepEqual(lengths, [[25, 25, 6, 14, 6], [61], [6, 68, 21], [27, 7]]);
  });

  it('of credit exchange in its first version, which says no agreement, is discarded', () => {
    const first = octetsOf('02ce70 01 01 fe 0040 09f4 0010 18 08 88b5 88b6 0014 0000');
    assert.equal(decodeCreditExchange(first, blankCreditExchange()), 'wrong-version');
  });

  it('that is longer than 511 octets or than the frame is an error of the writer', () => {
    const long = { type: 9, value: new Uint8Array(512) };
    assert.throws(() => encodeTlv(new Uint8Array(600), 0, long), RangeError);
    assert.throws(() => encodeTlv(new Uint8Array(9), 0, { type: 9, value: new Uint8Array(8) }));
  });

  it('list is split exactly, or not at all', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (octets) => {
        const tlvs = splitTlvs(octets) ?? [];
        const taken = tlvs.reduce((sum, { value }) => sum + 2 + value.length, 0);
        assert.ok(taken <= octets.length);
      }),
      SEED,
    );
  });
});

describe('DCBX', () => {
  const share = fc.integer({ min: 0, max: 100 });

  it('ETS that does not sum to 100 is refused, and what does comes back', () => {
    fc.assert(
      fc.property(share, share, fc.boolean(), (first, second, willing) => {
        const ets = {
          ...blankEts(),
          willing,
          shares: [first, second, 0, 0, 0, 0, 0, 0],
          algorithms: [2, 2, 0, 0, 0, 0, 0, 0],
        };
        const octets = new Uint8Array(27);
        encodeEtsConfiguration(octets, 0, ets);
        const into = blankEts();
        const outcome = decodeEts(octets.subarray(2), into);
        assert.equal(outcome, first + second === 100 ? 'ok' : 'bad-sum');
        if (outcome === 'ok') assert.deepEqual(into, ets);
      }),
      SEED,
    );
  });

  it('applications come back, and too many are an error of the writer', () => {
    const entry = fc.record(
      {
        priority: fc.nat(7),
        selector: fc.integer({ min: 1, max: 5 }),
        protocol: fc.nat(0xffff),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), (entries) => {
        const octets = new Uint8Array(600);
        const end = encodeApplications(octets, 0, { entries });
        const into = blankApplications();
        assert.equal(decodeApplications(octets.subarray(2, end), into), 'ok');
        assert.deepEqual(into.entries, entries);
      }),
      SEED,
    );
    const entries = Array.from({ length: 169 }, () => ({ priority: 0, selector: 1, protocol: 0 }));
    assert.throws(() => encodeApplications(new Uint8Array(600), 0, { entries }), RangeError);
  });

  it('CEE features that come twice count as absent', () => {
    const pfc = '0606 0000c000 08 04';
    const value = octetsOf(`001b21 02 020a 0000 00000001 00000000 ${pfc} ${pfc}`);
    const dcbx = blankCeeDcbx();
    assert.equal(decodeCeeDcbx(value, dcbx), 'ok');
    assert.deepEqual([dcbx.pfc, dcbx.duplicates], [null, 1]);
  });

  it('CEE without a control feature is refused', () => {
    assert.equal(
      decodeCeeDcbx(octetsOf('001b21 02 0606 0000c000 08 04'), blankCeeDcbx()),
      'bad-order',
    );
  });

  it('CEE comes back with any features left out', () => {
    const on = { enable: true, willing: false, error: true };
    const pfc = { ...on, enabled: 0x18, classes: 8 };
    const octets = new Uint8Array(200);
    const end = encodeCeeDcbx(octets, 0, { ...blankCeeDcbx(), sequence: 7, pfc });
    const into = blankCeeDcbx();
    assert.equal(decodeCeeDcbx(octets.subarray(2, end), into), 'ok');
    assert.deepEqual(into, { ...blankCeeDcbx(), sequence: 7, pfc });
  });
});

describe('the credit exchange TLV', () => {
  const octets = (change: object): Uint8Array => {
    const frame = new Uint8Array(80);
    const end = encodeCreditExchange(frame, 0, { ...blankCreditExchange(), ...change });
    return frame.subarray(2, end);
  };

  it('is enabled only where it can do credit, and has channels only if it says so', () => {
    const into = blankCreditExchange();
    assert.equal(decodeCreditExchange(octets({ capable: 8, enabled: 8 }), into), 'ok');
    assert.equal(decodeCreditExchange(octets({ capable: 8, enabled: 16 }), into), 'bad-value');
    assert.equal(decodeCreditExchange(octets({ channels: 4 }), into), 'bad-value');
  });

  it('of a higher version is taken by the fields that are known', () => {
    const longer = Uint8Array.of(...octets({ version: 4, capable: 8, agreed: 8 }), 1, 2, 3);
    const into = blankCreditExchange();
    assert.equal(decodeCreditExchange(longer, into), 'ok');
    assert.deepEqual([into.version, into.capable, into.agreed], [4, 8, 8]);
    for (const version of [2, 3]) {
      longer[4] = version;
      assert.equal(decodeCreditExchange(longer, into), 'bad-length');
    }
  });
});
