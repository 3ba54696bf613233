import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  appendHop,
  blankHop,
  blankTelemetry,
  decodeTelemetry,
  encodeBlankTelemetry,
  TELEMETRY_HOPS,
  TELEMETRY_OCTETS,
} from '../../../../services/engine/wire/telemetry.js';
import { hexOf } from './vectors.js';
import { fc } from '../../../kit/properties.js';

const SEED = { seed: 23 };

describe('telemetry in a packet', () => {
  it('has these octets', () => {
    const octets = encodeBlankTelemetry();
    assert.equal(octets.length, 12 + TELEMETRY_OCTETS);
    const hop = { rate: 7, timeNs: 0x1_23_45_67, sentUnits: 0xa_bc_de, queueUnits: 0x1234 };
    assert.equal(appendHop(octets, 0x2f1, hop), true);
    // EtherType, OUI and number; one hop, path 2F1; rate 7, time 23 45 67 (24 bits), sent A BC DE,
    // queue 12 34.
    const expected = Uint8Array.of(
      ...[0x88, 0xb7, 0x02, 0xce, 0x70, 0x00, 0x01],
      0x12,
      0xf1,
      0x72,
      0x34,
      0x56,
      0x7a,
      0xbc,
      0xde,
      0x12,
      0x34,
    );
    assert.equal(hexOf(octets.subarray(12, 29)), hexOf(expected));
  });

  it('comes back as it was, however many switches wrote', () => {
    const hop = fc.record(
      {
        rate: fc.nat(15),
        timeNs: fc.nat(0xffffff),
        sentUnits: fc.nat(0xfffff),
        queueUnits: fc.nat(0xffff),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(hop, { maxLength: TELEMETRY_HOPS }), fc.nat(0xfff), (hops, node) => {
        const octets = encodeBlankTelemetry();
        for (const own of hops) assert.equal(appendHop(octets, node, own), true);
        const heard = blankTelemetry();
        assert.equal(decodeTelemetry(octets, heard), 'ok');
        assert.deepEqual(heard.hops.slice(0, heard.hopCount), hops);
        assert.equal(heard.path, hops.length % 2 === 0 ? 0 : node);
      }),
      SEED,
    );
  });

  it('has room for so many switches and no more', () => {
    const octets = encodeBlankTelemetry();
    for (let i = 0; i < TELEMETRY_HOPS; i++) assert.ok(appendHop(octets, i, blankHop()));
    const full = octets.slice();
    assert.equal(appendHop(octets, 9, blankHop()), false);
    assert.deepEqual(octets, full);
  });

  it('is refused, and never makes its reader throw, whatever comes', () => {
    const heard = blankTelemetry();
    assert.equal(decodeTelemetry(new Uint8Array(10), heard), 'too-short');
    assert.equal(decodeTelemetry(new Uint8Array(64), heard), 'wrong-type');
    assert.equal(decodeTelemetry(encodeBlankTelemetry().with(19, 0xf0), heard), 'bad-value');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (noise) => {
        decodeTelemetry(noise, heard);
        appendHop(noise, 1, blankHop());
      }),
      SEED,
    );
  });
});
