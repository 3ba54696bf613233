/** Priorities where frames enter and leave ports: default, coding, regeneration, and refusals. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readU16 } from '../../services/engine/wire/big-endian.js';
import { summaryText } from '../../services/report/summary-text.js';
import { Session } from '../../services/runtime/session.js';
import { captureOctets } from '../kit/captures.js';
import { fabricOf, runScenario } from '../kit/emulate.js';
import { readCapture } from '../../services/engine/wire/pcapng/reader.js';

const C_TAG = 0x8100;
const IPV4 = 0x0800;
const CNM = 0x22e7;
/** Addresses, a C-TAG, a CN-TAG. */
const BEHIND_CN_TAG = 20;

/** Data of each source at a port: PCP, and D for the DEI; u: no tag. */
function seenAt(port: string, text: string): Record<string, string> {
  const fabric = fabricOf(text, `observe.captures.ports=["${port}"]`);
  const session = new Session(fabric, { check: true });
  while (session.advance(1000) === 'running');
  const { packets } = readCapture(captureOctets(fabric, session.captures()));
  const seen = new Map<string, Set<string>>();
  for (const { octets } of packets) {
    const isTagged = readU16(octets, 12) === C_TAG;
    if (readU16(octets, isTagged ? 16 : 12) !== IPV4) continue;
    const control = readU16(octets, 14);
    const shown = `${control >> 13}${(control & 0x1000) === 0 ? '' : 'D'}`;
    const source = `h${octets[11]!}`;
    seen.set(source, (seen.get(source) ?? new Set()).add(isTagged ? shown : 'u'));
  }
  return Object.fromEntries([...seen].map(([key, all]) => [key, [...all].sort().join(' ')]));
}

/** h1 sends priority-tagged frames, h2 untagged ones, to h3 behind a second switch. */
const chain = (rules: string, rest = ''): string => `duration: 40us
fabric:
  devices:
    - { name: h1, kind: host }
    - { name: h2, kind: host }
    - { name: h3, kind: host }
    - { name: s1, kind: switch }
    - { name: s2, kind: switch }
  links:
    - { between: [h1, s1], rate: 10G, length: 10m }
    - { between: [h2, s1], rate: 10G, length: 10m }
    - { between: [s1, s2], rate: 10G, length: 10m }
    - { between: [s2, h3], rate: 10G, length: 10m }
ports:
  - { where: { device: h1 }, tag: priority }
  ${rules}
${rest === '' ? LOAD : rest}`;
const LOAD = `load:
  - { stream: { from: h1, to: h3 }, priority: 5, rate: 1G, frame: 500, vlan: { inner: 7, dei: true } }
  - { stream: { from: h1, to: h3 }, priority: 6, rate: 1G, frame: 500 }
  - { stream: { from: h2, to: h3 }, priority: 2, rate: 1G, frame: 500 }`;

/** Priorities of the frames that a port has sent. */
function sentBy(port: string, text: string): number[] {
  const { failure, ports } = runScenario(text);
  assert.equal(failure, null);
  const own = ports.find((one) => one.port === port)!.priorities;
  return own.flatMap(({ priority, txFrames }) => (txFrames > 5 ? [priority] : []));
}

describe('priorities of ports', () => {
  it('are those of the load where nothing is said', () => {
    assert.deepEqual(seenAt('s2:p2', chain('')), { h1: '5D 6', h2: 'u' });
    assert.deepEqual(sentBy('s2:p2', chain('')), [2, 5, 6]);
  });

  it('gives frames without a tag the default priority', () => {
    const text = chain('- { where: { device: s1 }, defaultPriority: 1 }');
    assert.deepEqual(seenAt('s2:p2', text), { h1: '5D 6', h2: 'u' });
    assert.deepEqual(sentBy('h2:p1', text), [2]);
    assert.deepEqual(sentBy('s1:p3', text), [1, 5, 6]);
  });

  it('regenerates priorities where they come in', () => {
    const text = chain('- { where: { link: s1 h1 }, regeneration: { 6: 0 } }');
    assert.deepEqual(seenAt('h1:p1', text), { h1: '5D 6' });
    assert.deepEqual(seenAt('s1:p3', text), { h1: '0 5D', h2: 'u' });
    assert.deepEqual(sentBy('s1:p3', text), [0, 2, 5]);
  });

  it('says that frames count for the priority that they arrive with, where it is another', () => {
    const plain = { good: String, bad: String, strong: String };
    const said = (rules: string): boolean =>
      summaryText(runScenario(chain(rules)), [], plain).includes(
        'the priority that they arrive with',
      );
    assert.equal(said('- { where: { link: s1 h1 }, regeneration: { 6: 0 } }'), true);
    assert.equal(said(''), false);
  });

  it('leaves out the DEI where it is not used', () => {
    const text = chain('- { where: { link: s1 s2 }, useDei: false }');
    assert.deepEqual(seenAt('h1:p1', text), { h1: '5D 6' });
    assert.deepEqual(seenAt('s1:p3', text), { h1: '5 6', h2: 'u' });
    assert.deepEqual(seenAt('s2:p2', text), { h1: '5 6', h2: 'u' });
  });

  it('writes and reads PCPs as the ends of a link code them', () => {
    const both = chain('- { where: { link: s1 s2 }, pcp: 7P1D, useDei: false }');
    assert.deepEqual(seenAt('s1:p3', both), { h1: '4 6', h2: 'u' });
    assert.deepEqual(seenAt('s2:p1', both), { h1: '4 6', h2: 'u' });
    assert.deepEqual(seenAt('s2:p2', both), { h1: '4D 6', h2: 'u' });
    assert.deepEqual(sentBy('s2:p2', both), [2, 4, 6]);
    const one = chain('- { where: { port: s1:p3 }, pcp: 7P1D, useDei: false }');
    assert.deepEqual(seenAt('s2:p2', one), { h1: '4 6', h2: 'u' });
    const last = chain('- { where: { port: s2:p2 }, pcp: 5P3D }');
    assert.deepEqual(seenAt('h3:p1', last), { h1: '4D 6', h2: 'u' });
  });

  it('reads them at a host, too, which has the frame for its own', () => {
    const text = chain('- { where: { device: s2 }, pcp: 6P2D }');
    const load = LOAD.replace('priority: 6', 'priority: 4').replace('{ inner: 7, dei: true }', '7');
    const { failure, flows } = runScenario(text.replace(LOAD, load));
    assert.equal(failure, null);
    assert.ok(flows.every(({ frames }) => frames > 5));
  });

  it('puts the priority that a message has into its tag', () => {
    const rest = `priorities: { 3: none }
qcn: { priorities: [3], sampleBase: 10KB, setPoint: 2KB, cnmPriority: 4 }
load: [{ stream: { from: [h1, h2], to: h3 }, priority: 3, frame: 500, congestion: qcn }]`;
    const rule = '- { where: { port: h1:p1 }, pcp: 7P1D }\n  - { where: { port: s1:p1 }, pcp: ';
    const priorities = (coding: string): string[] => {
      const text = chain(`${rule}${coding} }`, rest);
      const fabric = fabricOf(text, 'observe.captures.ports=["s1:p1"]');
      const session = new Session(fabric, { check: true });
      while (session.advance(1000) === 'running');
      const { packets } = readCapture(captureOctets(fabric, session.captures()));
      const own = packets.filter(({ octets }) => readU16(octets, BEHIND_CN_TAG) === CNM);
      assert.ok(own.length > 0);
      return [...new Set(own.map(({ octets }) => String(readU16(octets, 14) >> 13)))];
    };
    assert.deepEqual(priorities('8P0D'), ['4']);
    assert.deepEqual(priorities('7P1D'), ['5']);
  });
});

describe('a flow whose priority a port has changed', () => {
  const cause = (rules: string, priority: number): unknown => {
    const load = `load:
  - { stream: { from: h1, to: h3 }, priority: ${priority}, frame: 500 }
  - { stream: { from: h2, to: h3 }, priority: 0, rate: 1G, frame: 500 }`;
    const { flows } = runScenario(chain(rules, load).replace('40us', '400us'));
    return flows[1]!.cause;
  };

  it('is starved by what outranks the one that its frames have, and not stalled', () => {
    const starved = { word: 'starved', standsStill: true, at: 's1:p3', by: 'priority 3 (class 3)' };
    assert.deepEqual(cause('', 3), starved);
    assert.deepEqual(
      cause('- { where: { device: s1, peer: h2 }, defaultPriority: 1 }', 3),
      starved,
    );
    const both = '- { where: { kind: switch }, defaultPriority: 1, regeneration: { 1: 2 } }';
    assert.deepEqual(cause(both, 3), starved);
  });
});

describe('flow control beside priorities that change', () => {
  const refuses = (rules: string, expected: RegExp, more = 'priorities: { 3: pfc }'): void => {
    assert.throws(() => fabricOf(`${more}\n${chain(rules)}`), expected);
  };
  const S12 = 'where: { link: s1 s2 }';

  it('refuses what would pause another priority than it sends', () => {
    refuses(
      `- { ${S12}, pcp: 6P2D }`,
      /priority 3 has pfc on .* received with priority 2, and its/,
    );
    refuses(
      `- { ${S12}, regeneration: { 3: 4 } }`,
      /received with priority 4, and its link partner/,
    );
    refuses(
      `- { ${S12}, regeneration: { 1: 3 } }`,
      /sent with priority 1 is received with pri.* 3/,
    );
    refuses(`- { where: { port: s2:p1 }, pcp: 5P3D }`, /priority 3 has pfc/);
    refuses(`- { where: { device: s1 }, defaultPriority: 3 }`, /without a tag.*tag: priority/);
    const credit = 'priorities: { 3: { flowControl: credit, fallback: pfc } }\ndiscovery: true';
    refuses(`- { ${S12}, regeneration: { 3: 4 } }`, /priority 3 has/, credit);
  });

  it('takes what leaves such a priority alone', () => {
    const runs = (rules: string, more = 'priorities: { 3: pfc }'): void => {
      assert.equal(runScenario(`${more}\n${chain(rules)}`).failure, null);
    };
    runs(`- { ${S12}, pcp: 7P1D }`);
    runs(`- { ${S12}, regeneration: { 6: 5, 7: 5 } }`);
    runs(`- { ${S12}, regeneration: { 3: 4 } }`, 'pause: true');
    runs(`- { ${S12}, regeneration: { 3: 4 }, priorities: { 3: none } }`);
    runs(`- { where: { device: s1, peer: h1 }, defaultPriority: 3 }`);
    runs(`- { where: { device: s1, peer: h2 }, defaultPriority: 1 }`);
  });

  it('refuses default and regeneration where no port of a switch is', () => {
    refuses('- { where: { kind: host }, regeneration: { 1: 2 } }', /of switches only/);
    refuses('- { where: { device: h1 }, defaultPriority: 2 }', /of switches only/);
  });
});
