/** Tags that hosts and messages have: octets, lengths, and the VLANs that bridges see. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readU16 } from '../../services/engine/wire/big-endian.js';
import { Session } from '../../services/runtime/session.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { captureOctets } from '../kit/captures.js';
import { fabricOf, runScenario } from '../kit/emulate.js';
import { readCapture } from '../../services/engine/wire/pcapng/reader.js';

const MAC_CONTROL = 0x8808;
const C_TAG = 0x8100;

interface Seen {
  readonly octets: number;
  readonly source: number;
  /** Null: no tag. */
  readonly tci: number | null;
  readonly etherType: number;
}

/** What a port sees of data and messages. */
function seenAt(port: string, text: string): Seen[] {
  const fabric = fabricOf(text, `observe.captures.ports=["${port}"]`);
  const session = new Session(fabric, { check: true });
  while (session.advance(1000) === 'running');
  const { packets } = readCapture(captureOctets(fabric, session.captures()));
  return packets
    .map(({ octets, originalOctets }): Seen => {
      const isTagged = readU16(octets, 12) === C_TAG;
      return {
        octets: originalOctets + 4,
        source: octets[11]!,
        tci: isTagged ? readU16(octets, 14) : null,
        etherType: readU16(octets, isTagged ? 16 : 12),
      };
    })
    .filter(({ etherType }) => etherType !== MAC_CONTROL);
}

/** The kinds of frames of a source, each once: length and TCI. */
function kinds(seen: readonly Seen[], source: number): string[] {
  const own = seen.filter((frame) => frame.source === source);
  return [...new Set(own.map(({ octets, tci }) => `${octets} ${tci?.toString(16) ?? 'untagged'}`))];
}

const star = (rest: string): string => `duration: 60us
fabric: { generator: star, hosts: 3, hostLink: { rate: 10G, length: 10m } }
${rest}`;
const LOAD = 'load: [{ stream: { from: [h1, h2], to: h3 }, priority: 5, frame: 1000 }]';

describe('tags of ports', () => {
  const at = (rest: string): string[][] => {
    const seen = seenAt('s1:p3', star(rest));
    return [1, 2].map((source) => kinds(seen, source));
  };

  it('are none, a priority alone, or a VLAN, with the priority of the frame', () => {
    assert.deepEqual(at(LOAD), [['1000 untagged'], ['1000 untagged']]);
    assert.deepEqual(at(`ports: [{ tag: priority }]\n${LOAD}`), [['1004 a000'], ['1004 a000']]);
    const rules = "[{ tag: 7 }, { where: { port: 'h2:p1' }, tag: none }]";
    assert.deepEqual(at(`ports: ${rules}\n${LOAD}`), [['1004 a007'], ['1000 untagged']]);
  });

  it('give way to those of a load, which may be a priority alone', () => {
    const load = LOAD.replace('1000 }', '1000, vlan: 0 }');
    assert.deepEqual(at(load), [['1004 a000'], ['1004 a000']]);
    assert.deepEqual(at(`ports: [{ tag: 7 }]\n${load}`), [['1004 a000'], ['1004 a000']]);
  });

  it('are priorities of an 82599 with DCB, unless a lone tag is an outer one', () => {
    const nic = (keys: string): string[] =>
      at(`hosts: { nic: { model: 82599${keys} } }\n${LOAD}`)[0]!;
    assert.deepEqual(nic(''), ['1004 a000']);
    assert.deepEqual(nic(', dcb: false'), ['1000 untagged']);
    assert.deepEqual(nic(', vlan: { double: true }'), ['1000 untagged']);
    const rule = `hosts: { nic: { model: 82599 } }\nports: [{ tag: none }]\n${LOAD}`;
    assert.deepEqual(at(rule)[0], ['1000 untagged']);
  });

  it('are those of the host that answers', () => {
    const load = 'load: [{ stream: { from: h1, to: h3 }, bytes: 9KB, transport: reliable }]';
    const seen = seenAt('s1:p1', star(`ports: [{ where: { device: h3 }, tag: 9 }]\n${load}`));
    assert.deepEqual(kinds(seen, 1), ['1086 untagged', '870 untagged']);
    assert.deepEqual(kinds(seen, 3), ['70 9']);
  });

  it('count in what a share of the line is', () => {
    const frames = (tag: string): number => {
      const load = 'load: [{ stream: { from: h1, to: h3 }, rate: 50%, frame: 64 }]';
      const { flows } = runScenario(
        star(`ports: [{ tag: ${tag} }]\n${load}`).replace('60us', '1ms'),
      );
      return flows[0]!.frames;
    };
    const expected = (octets: number): number => 1e-3 / ((2 * 8 * (octets + 20)) / 10e9);
    assert.ok(Math.abs(frames('none') - expected(64)) < 10);
    assert.ok(Math.abs(frames('priority') - expected(68)) < 10);
  });

  it('are of the native VLAN where a bridge receives them with a priority alone', () => {
    const bridged = (tag: string, tagged: string): string =>
      star(`switches: { forwarding: bridged }
devices: { s1: { ports: { 1: { native: 7 }, 2: { native: 7 }, 3: { ${tagged} } } } }
ports: [{ where: { device: h1 }, tag: ${tag} }]
${LOAD}`);
    const left = (tag: string, tagged: string): string[] =>
      kinds(seenAt('s1:p3', bridged(tag, tagged)), 1);
    for (const tag of ['none', 'priority']) {
      assert.deepEqual(left(tag, 'tagged: [7]'), ['1004 a007']);
      assert.deepEqual(left(tag, 'native: 7'), ['1000 untagged']);
    }
  });

  it('are refused where no host is', () => {
    const rule = 'ports: [{ where: { kind: switch }, tag: 7 }]';
    assert.throws(
      () => fabricOf(star(`${rule}\n${LOAD}`)),
      /:\d+:41: of hosts only, and no port of one matches; a bridged switch has native, tagged/,
    );
  });
});

describe('messages on layer 2', () => {
  const congested = (rest: string, load = ''): string =>
    star(`${rest}
load: [{ stream: { from: [h1, h2], to: h3 }, priority: 3, frame: 1000${load} }]`);

  it('have their priority in a tag: CNM, SFCM and CIM', () => {
    const told = (text: string, port = 's1:p1'): string[] => {
      const messages = seenAt(port, text).filter(({ etherType }) =>
        [0x22e7, 0x22e9, 0x89a2].includes(etherType),
      );
      return [...new Set(messages.map(({ tci }) => tci?.toString(16) ?? 'untagged'))].sort();
    };
    const qcn = 'priorities: { 3: pfc }\nqcn: { priorities: [3], sampleBase: 10KB }';
    // Data of QCN has a CN-TAG, and no other.
    assert.deepEqual(told(congested(qcn, ', congestion: qcn')), ['c000', 'untagged']);
    assert.deepEqual(told(congested(qcn, ', congestion: qcn, vlan: 55')), ['6037', 'c037']);
    const sfc =
      'priorities: { 3: { flowControl: pfc, sfc: true } }\nsfc: { encapsulation: ethernet }';
    assert.deepEqual(told(congested(sfc)), ['c000']);
    assert.deepEqual(told(congested(sfc, ', vlan: 55')), ['c037']);
    const ci = `duration: 60us
fabric: { generator: dumbbell, left: 2, right: 2 }
priorities: { 2: pfc, 3: { flowControl: pfc, ci: true } }
ci: { priority: 2, detect: 20KB, encapsulation: ethernet }
load: [{ stream: { from: [h1, h2, h4], to: h3 }, priority: 3, frame: 1000 }]`;
    assert.deepEqual(told(ci, 's2:p3'), ['c000']);
  });

  it('are as long as their tag makes them, in results, too', () => {
    const sent = (results: RunResults): number[] => results.flows.map(({ frames }) => frames);
    const text = congested(
      'priorities: { 3: { flowControl: pfc, sfc: true } }\nsfc: { encapsulation: ethernet }',
    );
    assert.ok(sent(runScenario(text)).every((frames) => frames > 20));
    const messages = seenAt('s1:p1', text).filter(({ etherType }) => etherType === 0x89a2);
    assert.ok(messages.length > 0);
    assert.ok(messages.every(({ octets }) => octets === 94));
  });

  it('are padded where a bridge removes the tag of a short one', () => {
    const results = runScenario(`duration: 30us
fabric: { generator: star, hosts: 2 }
switches: { forwarding: bridged }
load: [{ stream: { from: h1, to: h2 } }]
faults: [{ kind: forge, where: { device: h1 }, frames: cnm, to: h2, interval: 1us, for: 20us }]`);
    assert.equal(results.failure, null);
    const [s1] = results.ports.filter(({ port }) => port === 's1:p2');
    const messages = s1!.priorities.filter(({ txFrames }) => txFrames === 20);
    assert.deepEqual(
      messages.map(({ txOctets }) => txOctets),
      [20 * 64],
    );
  });
});
