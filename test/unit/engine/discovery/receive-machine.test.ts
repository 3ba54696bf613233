import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankStatistics } from '../../../../services/engine/discovery/lldp/lldp-managed.js';
import {
  blankReceive,
  countDownReceive,
  receiveLldp,
  ticksToReceive,
} from '../../../../services/engine/discovery/lldp/receive-machine.js';
import {
  CHASSIS_MAC,
  macIdentifier,
  textIdentifier,
} from '../../../../services/engine/wire/lldp/basic-tlvs.js';
import {
  encodeEtsConfiguration,
  encodePfcConfiguration,
} from '../../../../services/engine/wire/lldp/dcbx-ieee.js';
import { encodeLldp, NEAREST_BRIDGE } from '../../../../services/engine/wire/lldp/lldpdu.js';
import { OUI_SELVAGE, splitTlvs, type Tlv } from '../../../../services/engine/wire/lldp/tlv.js';
import { fc } from '../../../kit/properties.js';

const PORT = { neighborsMost: 2, identifier: OUI_SELVAGE };

function lldpdu(mac: number, ttlSeconds: number, tlvs: readonly Tlv[] = []): Uint8Array {
  const octets = new Uint8Array(600);
  const length = encodeLldp(octets, 0, {
    destination: NEAREST_BRIDGE,
    source: mac,
    chassisId: macIdentifier(CHASSIS_MAC, mac),
    portId: textIdentifier(5, 'p1'),
    ttlSeconds,
    tlvs,
  });
  return octets.slice(0, length);
}

function tlvOf(encode: (octets: Uint8Array) => number): Tlv {
  const octets = new Uint8Array(64);
  return splitTlvs(octets.subarray(0, encode(octets)))![0]!;
}

const PFC = { willing: true, noMacsecBypass: false, capability: 8, enabled: 8 };
const pfc = tlvOf((octets) => encodePfcConfiguration(octets, 0, PFC));
const unknown: Tlv = { type: 100, value: Uint8Array.of(1, 2, 3) };

function fresh() {
  const [rx, stats] = [blankReceive(), blankStatistics()];
  const hear = (octets: Uint8Array) => receiveLldp(rx, stats, PORT, octets);
  return { rx, stats, hear };
}

describe('receive machine of LLDP', () => {
  it('stores the last LLDPDU of a neighbor, all of it and nothing else', () => {
    const { rx, hear } = fresh();
    assert.equal(hear(lldpdu(1, 121, [pfc, unknown])), 'new');
    assert.equal(rx.neighbors[0]!.remote.pfc?.enabled, 8);
    assert.equal(hear(lldpdu(1, 121)), 'changed');
    assert.equal(rx.neighbors.length, 1);
    assert.equal(rx.neighbors[0]!.remote.pfc, null);
    assert.deepEqual(rx.neighbors[0]!.remote.unrecognized, []);
  });

  it('keeps TLVs that it does not know as they came, and counts them each time', () => {
    const { rx, stats, hear } = fresh();
    hear(lldpdu(1, 121, [unknown]));
    assert.equal(hear(lldpdu(1, 121, [unknown])), 'unchanged');
    assert.deepEqual(rx.neighbors[0]!.remote.unrecognized, [unknown]);
    assert.equal(stats.statsTLVsUnrecognizedTotal, 2);
  });

  it('keeps a neighbor for its time to live, from its last LLDPDU on', () => {
    const { rx, stats, hear } = fresh();
    hear(lldpdu(1, 10));
    countDownReceive(rx, stats, 9);
    hear(lldpdu(1, 10));
    assert.equal(ticksToReceive(rx), 10);
    assert.equal(countDownReceive(rx, stats, 9), 0);
    assert.equal(countDownReceive(rx, stats, 1), 1);
    assert.equal(rx.neighbors.length, 0);
    assert.equal(stats.statsAgeoutsTotal, 1);
  });

  it('removes a neighbor that shuts down, and ignores the shutdown of an unknown one', () => {
    const { rx, stats, hear } = fresh();
    hear(lldpdu(1, 121));
    assert.equal(hear(lldpdu(2, 0)), 'unchanged');
    assert.equal(hear(lldpdu(1, 0)), 'gone');
    assert.equal(rx.neighbors.length, 0);
    assert.equal(stats.statsAgeoutsTotal, 0);
  });

  it('refuses a neighbor beyond its room, and sets tooManyNeighbors for its time to live', () => {
    const { rx, stats, hear } = fresh();
    hear(lldpdu(1, 100));
    hear(lldpdu(2, 100));
    assert.equal(hear(lldpdu(3, 50)), 'refused');
    assert.equal(rx.neighbors.length, PORT.neighborsMost);
    assert.equal(stats.refusedNeighborsTotal, 1);
    assert.equal(rx.tooManyNeighborsTimer, 50);
    countDownReceive(rx, stats, 50);
    assert.equal(rx.tooManyNeighborsTimer, 0);
  });

  it('drops one bad TLV alone, and both of two that are the same', () => {
    const { rx, stats, hear } = fresh();
    const shares = [50, 49, 0, 0, 0, 0, 0, 0];
    const table = {
      willing: false,
      shaper: false,
      classes: 8,
      classOf: shares.map(() => 0),
      shares,
    };
    const algorithms = [2, 2, 0, 0, 0, 0, 0, 0];
    const ets = tlvOf((o) => encodeEtsConfiguration(o, 0, { ...table, algorithms }));
    hear(lldpdu(1, 121, [ets, pfc]));
    assert.equal(rx.neighbors[0]!.remote.etsConfiguration, null);
    assert.equal(rx.neighbors[0]!.remote.pfc?.enabled, 8);
    assert.equal(stats.statsTLVsDiscardedTotal, 1);
    hear(lldpdu(1, 121, [pfc, pfc]));
    assert.equal(rx.neighbors[0]!.remote.pfc, null);
    assert.equal(stats.duplicateTlvsTotal, 2);
  });

  it('discards what is cut off, out of order or has a mandatory TLV twice', () => {
    const { rx, stats, hear } = fresh();
    const good = lldpdu(1, 121, [pfc]);
    const order = good.slice();
    order[14] = 4;
    const twice = lldpdu(1, 121, [{ type: 3, value: Uint8Array.of(0, 1) }]);
    for (const bad of [good.slice(0, 22), order, twice]) assert.equal(hear(bad), 'bad');
    assert.equal(stats.statsFramesInErrorsTotal, 3);
    assert.equal(stats.statsFramesDiscardedTotal, 3);
    assert.equal(rx.neighbors.length, 0);
  });

  it('survives any input, and never has more neighbors than room', () => {
    const { rx, stats, hear } = fresh();
    const base = fc.constantFrom(
      lldpdu(1, 121, [pfc, unknown]),
      lldpdu(2, 3),
      lldpdu(3, 60, [pfc]),
    );
    const spots = fc.array(fc.tuple(fc.nat(99), fc.nat(255)), { maxLength: 6 });
    fc.assert(
      fc.property(base, spots, fc.nat(120), fc.nat(5), (octets, changes, cut, ticks) => {
        const frame = octets.slice(0, Math.max(14, cut));
        for (const [at, octet] of changes) if (at < frame.length) frame[at] = octet;
        hear(frame);
        countDownReceive(rx, stats, ticks);
        assert.ok(rx.neighbors.length <= PORT.neighborsMost);
        assert.ok(rx.neighbors.every(({ ttl }) => ttl > 0));
      }),
      { seed: 3, numRuns: 3000 },
    );
    const { statsFramesInTotal, statsFramesInErrorsTotal } = stats;
    assert.ok(statsFramesInErrorsTotal > 0 && statsFramesInErrorsTotal < statsFramesInTotal);
  });
});
