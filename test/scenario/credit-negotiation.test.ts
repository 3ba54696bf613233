/** What link partners come to about credit exchange: counts, channels, and how CET is advertised. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { whatIsWrong } from '../../services/hunt/worlds/world-trial.js';
import type { CreditPortSpec } from '../../services/mechanisms/credit/spec.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { fabricOf, run } from '../kit/emulate.js';
import { creditOf } from '../../services/mechanisms/credit/spec.js';

/** Hosts that differ; priority 4 has the credits of Ultra Ethernet on all links. */
const text = (credit: string, devices: string, more = ''): string => `duration: 100us
fabric: { generator: star, hosts: 3, hostLink: { rate: 100G, length: 30m } }
priorities: { 3: credit, 4: cbfc }
credit: { ${credit} }
devices: { ${devices} }
load:
  - { name: in, incast: { from: [h1, h2], to: h3 }, priority: 3, bytes: 100KB, vlan: 7 }
  - { name: back, stream: { from: h3, to: h1 }, priority: 3, rate: 20G }
  - { name: other, stream: { from: h2, to: h1 }, priority: 4, rate: 20G }
${more}`;
const CHANNELS =
  'channels: [{ channel: 1 }, { channel: 2, vlans: [7] }, { channel: 3, vlans: [8] }]';
const LIVE = 'discovery: { second: 1us }\n';

/** By port of the switch: how it exchanges credit. */
function linksOf(scenario: string): CreditPortSpec[] {
  const fabric = fabricOf(scenario);
  const bridge = fabric.specs.find(({ kind }) => kind === 'switch')!;
  const ports = bridge.ports.map((port) => creditOf(port)!);
  // The other end of each link has the same.
  for (const [port, { counts, channels, tagWaitPs }] of ports.entries()) {
    const peer = creditOf(fabric.specs[port]!.ports[0]!)!;
    assert.deepEqual([peer.counts, peer.channels], [counts, channels]);
    assert.equal(peer.tagWaitPs === null, tagWaitPs === null);
  }
  return ports;
}

/** The scenario runs to its end, loses nothing, and is the same in every runner. */
function sound(scenario: string): RunResults {
  const fabric = fabricOf(scenario);
  const results = run(fabric);
  assert.equal(results.status, 'complete', JSON.stringify(results.failure));
  assert.ok(results.priorities.every(({ drops }) => Object.keys(drops).length === 0));
  assert.ok(results.flows.every(({ frames }) => frames > 60));
  assert.equal(whatIsWrong(fabric, 1), null);
  return results;
}

describe('the unit of credit', () => {
  it('is any number of bytes from 512 bits on', () => {
    for (const unit of [65, 777, 1500, 2548, 12_345]) {
      const scenario = text(`unit: ${unit}B`, '');
      for (const { granting } of linksOf(scenario)) assert.equal(granting.unitOctets, unit);
      sound(scenario);
    }
  });

  it('is at most MAX_CR_BLK of both ends, or the scenario is refused', () => {
    const beyond = (credit: string, devices: string) => () => fabricOf(text(credit, devices));
    assert.throws(
      beyond('', 's1: { credit: { unit: 2048B } }, h2: { credit: { maxUnit: 1KB } }'),
      /unit of 2048 bytes at s1:p2 is beyond maxUnit \(MAX_CR_BLK\), that of h2, 1000 bytes/,
    );
    assert.throws(
      beyond('unit: 2548B, maxUnit: mtu', ''),
      /:\d+:\d+: credit unit of 2548 bytes at h1:p1 is beyond maxUnit .*, its own \d+ bytes/,
    );
    sound(text('maxUnit: 9KB', 's1: { credit: { unit: 9000B } }'));
    sound(text('', 's1: { credit: { unit: 9000B } }'));
  });

  it('is advertised beside MAX_CR_BLK, and a larger one falls back', () => {
    const unitMismatches = (maxUnit: string): string[] => {
      const devices = `s1: { credit: { unit: 2048B, maxUnit: 3KB } }, h2: { credit: { ${maxUnit} } }`;
      const { discovery } = sound(text('fallback: pfc, maxUnit: 2548B', devices, LIVE));
      const ports = discovery!.ports.filter(({ mismatches }) => mismatches.includes('credit-unit'));
      return ports.map(({ port }) => port);
    };
    assert.deepEqual(unitMismatches(''), []);
    assert.deepEqual(unitMismatches('maxUnit: 2048B'), []);
    assert.deepEqual(unitMismatches('maxUnit: 2047B'), ['h2:p1', 's1:p2']);
    assert.deepEqual(unitMismatches('maxUnit: mtu'), ['h2:p1', 's1:p2']);
  });
});

describe('counts of credit', () => {
  const scenario = text('', 'h1: { credit: { counts: incremental } }');

  it('are totals on links where both ends support them, and amounts on others', () => {
    assert.deepEqual(
      linksOf(scenario).map(({ counts }) => counts),
      ['incremental', 'cumulative', 'cumulative'],
    );
    sound(scenario);
  });

  it('are agreed upon by discovery', () => {
    const { discovery } = sound(scenario + LIVE);
    const modes = discovery!.ports.map(({ port, credit }) => [port, credit.mode]);
    assert.deepEqual(Object.fromEntries(modes), {
      'h1:p1': 'incremental',
      'h2:p1': 'cumulative',
      'h3:p1': 'cumulative',
      's1:p1': 'incremental',
      's1:p2': 'cumulative',
      's1:p3': 'cumulative',
    });
  });
});

describe('channels of credit', () => {
  const scenario = text(
    `${CHANNELS}, tags: true`,
    'h1: { credit: { maxChannels: 1 } }, h2: { credit: { maxChannels: 2 } }',
  );

  it('are those of the end of a link that supports fewer', () => {
    const numbers = linksOf(scenario).map(({ channels }) => channels.map((one) => one.channel));
    assert.deepEqual(numbers, [[1], [1, 2], [1, 2, 3]]);
    sound(scenario);
  });

  it('are agreed upon by discovery', () => {
    const { discovery } = sound(scenario + LIVE);
    const agreed = (port: string): number =>
      discovery!.ports.find((own) => own.port === port)!.credit.channels;
    for (const end of ['h', 's1:p']) {
      const port = (n: number): string => (end === 'h' ? `h${n}:p1` : `${end}${n}`);
      assert.deepEqual(
        [1, 2, 3].map((n) => agreed(port(n))),
        [0, 2, 3],
      );
    }
  });
});

describe('CET as an Application Protocol TLV', () => {
  const scenario = text(
    `${CHANNELS}, tags: true`,
    'h1: { credit: { cet: application } }, h2: { credit: { cet: both } }',
  );

  it('says priorities alone: amounts of one channel, without tags', () => {
    const [link, ...others] = linksOf(scenario);
    assert.deepEqual([link!.counts, link!.channels.length], ['incremental', 1]);
    assert.equal(link!.tagWaitPs, null);
    assert.ok(others.every(({ counts, channels }) => counts === 'cumulative' && channels[2]));
  });

  for (const protocol of ['ieee', 'cee']) {
    it(`is all that a link partner needs to agree (${protocol})`, () => {
      const { discovery } = sound(`${scenario}discovery: { second: 1us, dcbx: ${protocol} }\n`);
      const portOf = (name: string) => discovery!.ports.find(({ port }) => port === name)!;
      const { credit, remote } = portOf('s1:p1');
      assert.deepEqual(
        [credit.priorities, credit.mode, credit.channels, credit.askedUnitOctets],
        [8, 'incremental', 0, 64],
      );
      assert.equal(portOf('s1:p2').credit.mode, 'cumulative');
      if (protocol === 'cee') return;
      const entry = { priority: 3, selector: 1, protocol: 0x8808 };
      assert.deepEqual(remote!.applications, [entry]);
      assert.deepEqual(portOf('s1:p2').remote!.applications, [entry]);
      assert.deepEqual(portOf('s1:p3').remote!.applications, []);
    });
  }

  it('is refused where it could not say what is configured', () => {
    const at = (credit: string, more = ''): string =>
      text('', `h1: { credit: { cet: application${credit} } }`, more);
    assert.throws(() => fabricOf(at(', unit: 128')), /unit: 128, and cet: application cannot/);
    assert.throws(
      () => fabricOf(at(', buffer: 3MB')),
      /h1:p1 grants more than 16 bits can count.*a smaller buffer/,
    );
    assert.throws(
      () => fabricOf(at('', 'discovery: { dcbx: off }\n')),
      /h1 sends no DCBX, whose entries cet: application needs; cet: tlv/,
    );
  });
});
