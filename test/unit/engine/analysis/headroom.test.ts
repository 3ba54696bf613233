import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HeadroomInput } from '../../../../services/engine/analysis/headroom/headroom.js';
import { headroomTerms } from '../../../../services/engine/analysis/headroom/headroom.js';
import { fc } from '../../../kit/properties.js';

const METRE_PS = 5000;

/** A link of so many Gb/s and metres with the delays of 802.3, longest frames alike. */
function link(gbps: number, metres: number, longest: number, lean = false): HeadroomInput {
  const octetPs = 8000 / gbps;
  const ceiling = (gbps === 100 ? 112_128 : 463_360) * (octetPs / 8);
  return {
    octetPs,
    propagationPs: metres * METRE_PS,
    interfaceDelayPs: lean ? 300_000 : ceiling,
    pipelinePs: 0,
    responseDelayPs: lean ? 200_000 : 614_400,
    longestSentOctets: longest,
    longestPausedOctets: longest,
    fullPoolOctets: 0,
    cellOctets: 1,
  };
}

test('headroom agrees with worked numbers', () => {
  const worked: readonly [HeadroomInput, number][] = [
    [link(100, 100, 1522), 51_380],
    [link(100, 100, 9216), 66_768],
    [link(100, 1000, 9216), 179_268],
    [link(100, 100, 9216, true), 41_056],
    [link(100, 1000, 9216, true), 153_556],
    [link(400, 100, 1522), 199_728],
    [link(400, 100, 9216), 215_116],
    [link(400, 1000, 9216), 665_116],
    [link(400, 100, 9216, true), 108_556],
    [link(400, 1000, 9216, true), 558_556],
  ];
  for (const [input, octets] of worked) assert.equal(headroomTerms(input).totalOctets, octets);
});

test('every term stands for its own delay', () => {
  const input = { ...link(100, 100, 1522), pipelinePs: 500_001, longestSentOctets: 9216 };
  assert.deepEqual(headroomTerms(input), {
    waitOctets: 9236,
    controlOctets: 84,
    linkOctets: 12_500,
    interfaceOctets: 28_032,
    pipelineOctets: 6251,
    responseOctets: 7680,
    frameOctets: 1542,
    fullPoolOctets: 0,
    cellOctets: 0,
    totalOctets: 65_325,
  });
});

test('frames of the shortest length in cells of 208 octets take 2.48 times their wire', () => {
  const input = { ...link(100, 100, 1522), cellOctets: 208 };
  const { cellOctets, totalOctets } = headroomTerms(input);
  assert.equal(totalOctets, Math.ceil((51_380 * 208) / 84));
  assert.equal(cellOctets, totalOctets - 51_380);
});

test('no frame length takes more memory in cells than the headroom has for it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 64, max: 9216 }), (cell, l) => {
      const longest = Math.max(l, 1522);
      const { totalOctets, cellOctets } = headroomTerms({
        ...link(100, 100, longest),
        cellOctets: cell,
      });
      const onWire = totalOctets - cellOctets;
      assert.ok(totalOctets >= (onWire * Math.ceil(l / cell) * cell) / (l + 20));
    }),
  );
});
