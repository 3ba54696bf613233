/** The identifier of TLVs that no standard numbers: on the wire, and between ends that differ. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DiscoveryExchange } from '../../services/fabric/assembly/discovery-exchange.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { fabricOf, run } from '../kit/emulate.js';

/** Of a CID's form: the low half of the first octet is A. */
const OTHER = '0A-12-34';

const text = (fallback: string, identifiers: string): string => `duration: 60us
fabric: { generator: pair }
priorities: { 3: { flowControl: credit, sfc: true, fallback: ${fallback} }, 4: cbfc }
discovery: { second: 100ns }
devices: { ${identifiers} }
load:
  - { stream: { from: h1, to: h2 }, priority: 3, rate: 40G, start: 20us }
  - { stream: { from: h1, to: h2 }, priority: 4, rate: 40G, start: 20us }
`;

const at = (host: string, identifier: string): string =>
  `${host}: { discovery: { identifier: ${identifier} } }`;

/** What each end has received of the other, in hexadecimal, and how many TLVs it did not know. */
function received(fabric: Fabric): { readonly octets: string; readonly unknown: number }[] {
  const exchange = new DiscoveryExchange(fabric.specs, fabric.linkEnds);
  exchange.settle();
  return exchange.mechanism.ports.map((port) => {
    const { octets, remote } = port!.agents[0]!.rx.neighbors[0]!;
    return { octets: Buffer.from(octets).toString('hex'), unknown: remote.unrecognized.length };
  });
}

describe('the identifier of TLVs', () => {
  it('begins all that no standard numbers, and no others', () => {
    const alike = [at('h1', OTHER), at('h2', OTHER.toLowerCase())].join(', ');
    for (const { octets, unknown } of received(fabricOf(text('pfc', alike)))) {
      assert.equal(unknown, 0);
      assert.ok(!octets.includes('02ce70'));
      for (const subtype of ['01', '03', '04']) assert.ok(octets.includes(`0a1234${subtype}`));
      assert.ok(octets.includes('0080c20b') && octets.includes('0080c214'));
    }
    const usual = received(fabricOf(text('pfc', '')));
    for (const { octets } of usual) assert.ok(octets.includes('02ce7001'));
  });

  it('is what a device knows them by: ends that differ fall back', () => {
    const alike = run(fabricOf(text('pfc', [at('h1', OTHER), at('h2', OTHER)].join(', '))));
    assert.ok(alike.flows.every(({ frames }) => frames > 100));
    assert.ok(JSON.stringify(alike.discovery).includes('"mismatches":[]'));
    for (const name of ['h1', 'h2']) {
      const fabric = fabricOf(text('pfc', at(name, OTHER)));
      for (const { unknown } of received(fabric)) assert.ok(unknown >= 3);
      const { flows, discovery } = run(fabric);
      assert.ok(flows[0]!.frames > 100, 'PFC in place of credit');
      assert.equal(flows[1]!.frames, 0, 'CBFC waits for what is not advertised');
      assert.match(JSON.stringify(discovery), /"mismatches":\["credit/);
    }
  });

  it('is refused where it cannot be one', () => {
    const wrong = ['00-80-C2', '00-80-c2', '00-12-0f', '00-1B-21', '00-12-BB', '01-00-5E'];
    for (const identifier of [...wrong, '02CE70', '02-CE', '02-CE-7G', '0A-12-34-56']) {
      assert.throws(
        () => fabricOf(text('pfc', at('h1', identifier))),
        /:\d+:\d+: .*not an identifier of TLVs: .*; write an OUI or CID such as 02-CE-70/,
        identifier,
      );
    }
  });
});
