import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadScenario } from '../../../../services/fabric/scenario/load-scenario.js';
import type { Files } from './written-files.js';
import { PAIR, problemOf } from './written-files.js';

/** Text from line 3 of a scenario of two hosts, and the beginning of what is said about it. */
const inPair: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  keys: [
    ['lod: []', 'main.yaml:3:1: unknown key: lod; allowed: selvage, '],
    ['switches: { bufer: {} }', 'main.yaml:3:13: switches: unknown key: bufer; '],
    [
      'priorities: { 3: { xof: 3 } }',
      'main.yaml:3:20: priorities.3: unknown key: xof; allowed: flowControl, fallback, xoff, xonGap, ' +
        'headroom, quanta, refresh, responseDelay, reserved, alpha, watchdog, ecn, ci, sfc, trim; ' +
        'did you mean xoff?',
    ],
    [
      'priorities: { 3: { watchdog: { action: drops } } }',
      'main.yaml:3:40: priorities.3.watchdog.action: unknown: drops; one of drop, forward, alert',
    ],
    [
      'priorities: { 3: { watchdog: { detection: 0us } } }',
      'main.yaml:3:43: priorities.3.watchdog.detection: ',
    ],
    ['priorities: { 8: pfc }', 'main.yaml:3:15: priorities: unknown key: 8; allowed: a priority 0'],
    ['devices: { s1: { ports: { 0: {} } } }', 'main.yaml:3:27: devices.s1.ports: unknown key: 0'],
    ['seed: 1\nseed: 2', 'main.yaml:4:1: the same key twice: seed; a key may be given once'],
    ['__proto__: 1', 'main.yaml:3:1: unknown key: __proto__'],
    ['constructor: 1', 'main.yaml:3:1: unknown key: constructor; '],
  ],
  'types and units': [
    ['duration: 500', 'main.yaml:3:11: duration: not a time: 500; write a number with ps, ns, us'],
    ['duration: 0ns', 'main.yaml:3:11: duration: not above 0: 0ns'],
    ['seed: x', 'main.yaml:3:7: seed: not a whole number in range: x; write a whole number from 0'],
    ['load: {}', 'main.yaml:3:1: load: not a list: a mapping; write a list of loads such as '],
    ['load:', 'main.yaml:3:6: load: not a list: nothing; '],
    ['hosts: 3', 'main.yaml:3:8: hosts: not a mapping: 3; '],
    [
      'switches: { forwarding: bridge }',
      'main.yaml:3:25: switches.forwarding: unknown: bridge; one of routed, bridged; ' +
        'did you mean bridged?',
    ],
    [
      'switches: { cutThrough: yes }',
      'main.yaml:3:25: switches.cutThrough: not true or false: yes; write true or false',
    ],
    [
      'priorities: { 3: pcf }',
      'main.yaml:3:18: priorities.3: not a priority: pcf; write none, pfc, credit, cbfc, or a ma',
    ],
    ['priorities: { 3: { xoff: 0 } }', 'main.yaml:3:26: priorities.3.xoff: not a threshold: 0; '],
  ],
  faults: [
    [
      'faults: [{ kind: link-dwn }]',
      'main.yaml:3:18: faults.0.kind: unknown: link-dwn; one of link-down, loss, ',
    ],
    ['faults: [{ at: 1us }]', 'main.yaml:3:10: faults.0.kind: missing; one of link-down, '],
    ['faults: [{ kind: loss }]', 'main.yaml:3:10: loss needs probability'],
    [
      'faults: [{ kind: freeze, rate: 10G }]',
      'main.yaml:3:26: rate means nothing to freeze; its own keys: none',
    ],
    [
      'faults: [{ kind: loss, probability: 130% }]',
      'main.yaml:3:37: faults.0.probability: not a share: 130%; write a percentage such as 30%',
    ],
    [
      'faults: [{ kind: bit-errors, errorRate: 2 }]',
      'main.yaml:3:41: faults.0.errorRate: not below 1; write a bit error rate such as 1e-9',
    ],
    [
      'faults: [{ kind: control, frames: pcf, action: lose }]',
      'main.yaml:3:35: faults.0.frames: unknown: pcf; one of any, pause, pfc, ',
    ],
    [
      'faults: [{ kind: control, frames: pfc, action: delay }]',
      'main.yaml:3:10: action: delay needs delay, and no other action has it',
    ],
    [
      'faults: [{ kind: freeze, every: 1us }]',
      'main.yaml:3:33: it never ends, so it cannot come again: give for',
    ],
    [
      'faults: [{ kind: freeze, for: 2us, every: 1us }]',
      'main.yaml:3:43: it lasts as long as it takes to come again: every must be longer than for',
    ],
    [
      'duration: 1ms\nfaults: [{ kind: freeze, at: 1ms }]',
      'main.yaml:4:30: it begins after the end of the run (duration)',
    ],
    [
      'faults: [{ kind: freeze, name: a }, { kind: freeze, name: a }]',
      'main.yaml:3:37: two faults of the same name: a',
    ],
    [
      'faults: [{ kind: forge, octets: 00, interval: 1us }]',
      'main.yaml:3:33: faults.0.octets: not a frame: 0; write 60 to 1514 bytes in hex',
    ],
    [
      'faults: [{ kind: freeze, priority: 8 }]',
      'main.yaml:3:36: faults.0.priority: not a whole number in range: 8',
    ],
  ],
  'flow control': [
    [
      'priorities: { 3: { flowControl: pfc, responseDelay: 614.5ns } }',
      'main.yaml:3:53: responseDelay too long: 614.5ns; at most 614.4ns (802.1Q 36.1.3.3)',
    ],
    [
      'pause: { responseDelay: 2.1us }',
      'main.yaml:3:25: responseDelay too long: 2100ns; at most 2017.28ns (802.3 31B.3.7 at 100G)',
    ],
    [
      'priorities: { 3: { flowControl: pfc, quanta: 48 } }',
      'main.yaml:3:46: a pause of 48 quanta ends before its refresh arrives: h1:p1 at 100G ' +
        'has 245.76ns; at least 49 quanta with this refresh',
    ],
    [
      'pause: { refresh: 100% }',
      'main.yaml:3:19: a pause of 65535 quanta ends before its refresh arrives: ',
    ],
    [
      'priorities: { all: { flowControl: pfc, xoff: 2KB } }',
      'main.yaml:3:46: xonGap 3000 is more than xoff 2000: XON would never come',
    ],
    [
      'priorities: { 3: pfc }\nclasses: { receive: [0, 1, 2, 0, 4, 5, 6, 7] }',
      'main.yaml:3:18: priorities 0 and 3 share the receive account 0 but differ in flowControl; ',
    ],
    [
      'priorities: { 3: { flowControl: pfc, xoff: 9KB }, 4: pfc }\n' +
        'classes: { receive: [0, 1, 2, 3, 3, 5, 6, 7] }',
      'main.yaml:3:54: priorities 3 and 4 share the receive account 3 but differ in xoff; ',
    ],
    [
      'devices: { h*: { priorities: { 3: { flowControl: pfc, responseDelay: 1us } } } }',
      'main.yaml:3:70: responseDelay too long: 1000ns; ',
    ],
    ['priorities: { 3: { ecn: { min: 4, max: 4 } } }', 'main.yaml:3:40: max is not above min'],
    ['priorities: { 3: { ecn: { min: 4 } } }', 'main.yaml:3:20: priorities.3.ecn.max: missing; '],
    [
      'priorities: { 3: { ecn: { stp: 4 } } }',
      'main.yaml:3:27: priorities.3.ecn: unknown key: stp; allowed: step, at; did you mean step?',
    ],
  ],
  'congestion isolation': [
    ['ci: { streams: 0 }', 'main.yaml:3:16: ci.streams: not a whole number in range: 0; '],
    ['ci: { messages: 0 }', 'main.yaml:3:17: ci.messages: not a whole number in range: 0; '],
    ['ci: { detect: 0 }', 'main.yaml:3:15: ci.detect: not a threshold: 0; write auto, or a size '],
    ['ci: { quote: 10 }', 'main.yaml:3:14: ci.quote: not a whole number in range: 10; write a '],
    ['ci: { idle: 0us }', 'main.yaml:3:13: ci.idle: not above 0: 0us'],
    ['ci: { queue: 2 }', 'main.yaml:3:7: ci: unknown key: queue; allowed: enable, priority, '],
  ],
  'source flow control': [
    ['priorities: { 8: { sfc: true } }', 'main.yaml:3:15: priorities: unknown key: 8; allowed: a '],
    [
      'priorities: { 3: { sfc: yes } }',
      'main.yaml:3:25: priorities.3.sfc: not true or false: yes; ',
    ],
    ['sfc: { minInterval: 0ns }', 'main.yaml:3:21: sfc.minInterval: not above 0: 0ns'],
    [
      'sfc: { sources: 0 }',
      'main.yaml:3:17: sfc.sources: not a whole number in range: 0; write a whole number from 1 to ',
    ],
    ['sfc: { detect: soon }', 'main.yaml:3:16: sfc.detect: not a detector: soon; write auto, a '],
    [
      'sfc: { detect: { min: 9KB, max: 9KB, probability: 5% } }',
      'main.yaml:3:33: max is not above min',
    ],
    [
      'sfc: { detect: { predict: 9KB } }',
      'main.yaml:3:8: sfc.detect: not a detector: a mapping; write auto, a size such as 150KB, { d',
    ],
    ['sfc: { priority: 8 }', 'main.yaml:3:18: sfc.priority: not a whole number in range: 8; '],
    ['sfc: { proxy: maybe }', 'main.yaml:3:15: sfc.proxy: unknown: maybe; one of auto, on, off'],
    ['sfc: { encapsulation: ip }', 'main.yaml:3:23: sfc.encapsulation: unknown: ip; one of auto, '],
    ['sfc: { quote: 513 }', 'main.yaml:3:15: sfc.quote: not a whole number in range: 513; '],
    [
      'devices: { s1: { sfc: { sed: false } } }',
      'main.yaml:3:25: devices.s1.sfc: unknown key: sed; allowed: send, receive, proxy, ',
    ],
  ],
  credit: [
    [
      'credit: { unit: 63B }',
      'main.yaml:3:17: credit unit out of range: 63 bytes; 64 (512 bits) to 65535',
    ],
    ['credit: { maxUnit: 70KB }', 'main.yaml:3:20: credit unit out of range: 70000 bytes; '],
    ['credit: { codec: ib }', 'main.yaml:3:18: credit.codec: unknown: ib; one of ce, cbfc, both'],
    ['credit: { unit: 1MB }', 'main.yaml:3:17: credit unit out of range: 1000000 bytes; '],
    [
      'credit: { channels: [{ channel: 65536 }] }',
      'main.yaml:3:33: credit.channels.0.channel: not a whole number in range: 65536; ',
    ],
    [
      'ports: [{ pause: true, priorities: { 3: credit } }]',
      'main.yaml:3:41: credit while pause is on: pause stops all priorities; remove one',
    ],
  ],
  'classes and arbiters': [
    ['classes: { transmit: [0, 1] }', 'main.yaml:3:12: classes.transmit: not 8 entries: 2'],
    [
      'classes: { receive: [0, 1, 2, 3, 4, 5, 6, 8] }',
      'main.yaml:3:43: classes.receive.7: not a whole number in range: 8; ',
    ],
    [
      'classes: { arbiter: { ets: { 0: 30%, 3: 60% } } }',
      'main.yaml:3:23: shares sum to 90 %; they must sum to 100 %',
    ],
    ['classes: { arbiter: { ets: { 7: strict } } }', 'main.yaml:3:23: shares sum to 0 %; '],
    [
      'classes: { arbiter: { ets: { 0: 33.5%, 3: 66.5% } } }',
      'main.yaml:3:33: not a whole percentage; ',
    ],
    ['classes: { arbiter: fifo }', 'main.yaml:3:21: classes.arbiter: unknown: fifo; one of '],
  ],
  devices: [
    [
      "devices: { 'h*': { mac: 02:00:00:00:00:01 } }",
      'main.yaml:3:25: one address for every h*: give it to one host',
    ],
    [
      'devices: { h1: { ipv4: 10.0.0.1 }, h2: { ipv4: 10.0.0.1 } }',
      'main.yaml:3:48: the same address twice: 10.0.0.1 is that of h1',
    ],
    [
      'devices: { h1: { mac: 03:00:00:00:00:01 } }',
      'main.yaml:3:23: devices.h1.mac: not a unicast MAC address: 03:00:00:00:00:01; ',
    ],
    [
      'devices: { h1: { ipv4: 10.0.0 } }',
      'main.yaml:3:24: devices.h1.ipv4: not an IPv4 address: 10.0.0; ',
    ],
    [
      'devices: { s1: { ports: { 1: { native: 4095 } } } }',
      'main.yaml:3:40: devices.s1.ports.1.native: not a whole number in range: 4095; ',
    ],
    [
      'devices: { s1: { ports: { 1: { native: 10, tagged: [9, 10] } } } }',
      'main.yaml:3:56: VLAN 10 is native, so not tagged, here',
    ],
  ],
  load: [
    [
      'load: [{ strem: { from: h1 } }]',
      'main.yaml:3:8: load.0: no kind of load among its keys: strem; one of stream, incast, ' +
        'permutation, all-to-all, all-reduce, random, job, replay; did you mean stream?',
    ],
    [
      'load: [{ incast: { from: h2, to: h1 }, permutation: {}, bytes: 1KB, priority: 3 }]',
      'main.yaml:3:8: load.0: more than one kind of load: incast, permutation; write one entry each',
    ],
    [
      'load: [{ incast: { from: h2, to: h1 }, rate: 50% }]',
      'main.yaml:3:8: load.0: bytes: missing; write bytes as a plain number, or with B, KB, MB, ' +
        'GB (1000) or KiB, MiB, GiB (1024); unknown key: rate; allowed: incast, bytes, name, priority, dscp, ect, congestion, vlan, vm, toVm, spoof, ' +
        'transport, frame, start, end; did you mean name?',
    ],
    ['load: [{ stream: { from: h1 } }]', 'main.yaml:3:10: load.0.stream.to: missing; write a host'],
    [
      'load: [{ stream: { from: h1, to: h2 }, byts: 1 }]',
      'main.yaml:3:40: load.0: unknown key: byts; allowed: stream, rate, ',
    ],
    [
      'load: [{ incast: { from: h2, to: h1 }, bits: 1 }]',
      'main.yaml:3:40: load.0: unknown key: bits; ',
    ],
    [
      'load: [{ stream: { from: h1, to: h2 } }]',
      'main.yaml:3:8: the load stream1 never ends: give it bytes, an end, or the run a duration',
    ],
    [
      'load: [{ random: { load: 50% } }]',
      'main.yaml:3:8: the load random1 never ends: give it an end, or the run a duration',
    ],
    [
      'load: [{ incast: { from: h9..h2, to: h1 }, bytes: 1 }]',
      'main.yaml:3:26: not a range: h9..h2; write one that runs up, as h1..h8',
    ],
    [
      'load: [{ permutation: {}, bytes: 1, rate: fast }]',
      'main.yaml:3:43: load.0.rate: not a rate: fast; write line, a share of the link such as 90%',
    ],
    [
      'load: [{ stream: { from: h1, to: h2 }, bytes: 1, arrivals: poisson }]',
      'main.yaml:3:60: poisson arrivals need a rate below the line: ',
    ],
    [
      'load: [{ permutation: {}, bytes: 1, start: 5us, end: 5us }]',
      'main.yaml:3:54: it ends before it starts',
    ],
    [
      'duration: 1us\nload: [{ permutation: {}, start: 1us }]',
      'main.yaml:4:34: it starts after the end of the run (duration)',
    ],
    [
      'load: [{ permutation: {}, bytes: 1, frame: 1518 }]',
      'main.yaml:3:44: frame is for raw transport; ',
    ],
    [
      'groups: { g1: h1 }\n' +
        'load: [{ stream: { from: h1, to: g1 }, bytes: 1, transport: reliable }]',
      'main.yaml:4:61: reliable transport has one receiver: ',
    ],
    [
      'load: [{ name: a, permutation: {}, bytes: 1 }, { name: a, permutation: {}, bytes: 1 }]',
      'main.yaml:3:56: the same name twice: a',
    ],
  ],
  expect: [
    [
      'expect: [{ metric: drop, max: 0 }]',
      'main.yaml:3:20: expect.0.metric: unknown: drop; one of drops, ',
    ],
    ['expect: [{ metric: drops }]', 'main.yaml:3:10: nothing is expected: give min, max or equals'],
    ['expect: [{ metric: drops, max: 0us }]', 'main.yaml:3:32: not a number: 0us; drops has no'],
    ['expect: [{ metric: throughput, min: 90 }]', 'main.yaml:3:37: not a rate: 90; '],
    ['expect: [{ metric: drops, min: 2, max: 1 }]', 'main.yaml:3:32: min is above max: '],
    ['expect: [{ metric: drops, min: 2, equals: 1 }]', 'main.yaml:3:43: both equals and a range: '],
    ['expect: [{ metric: digest, max: 1 }]', 'main.yaml:3:10: a digest has no min or max: '],
    [
      'expect: [{ metric: digest, equals: 1234 }]',
      'main.yaml:3:36: not a digest: 1234; write hexadecimal digits; put it in quotes',
    ],
    [
      'load: [{ name: big, permutation: {}, bytes: 1 }]\n' +
        'expect: [{ metric: drops, load: bg, max: 0 }]',
      'main.yaml:4:33: unknown load: bg; there is big; did you mean big?',
    ],
  ],
};

/** Each line stands for twice as much as the one before. */
const ALIAS_BOMB = Array.from({ length: 40 }, (_, i) =>
  i === 0 ? 'a0: &a0 [x, x]\n' : `a${i}: &a${i} [*a${i - 1}, *a${i - 1}]\n`,
).join('');

const files: readonly (readonly [string, Files | string, string])[] = [
  ['an empty file', '', 'main.yaml:1:1: the file is empty; a scenario begins with selvage: 1'],
  ['a list', '\n- 1', 'main.yaml:2:1: not a mapping of keys; '],
  ['no version', 'name: x', 'main.yaml:1:1: selvage: missing; a scenario says selvage: 1'],
  ['another version', 'selvage: 2', 'main.yaml:1:10: selvage: unknown version of the schema: 2; '],
  ['no fabric', 'selvage: 1', 'main.yaml:1:1: the fabric is empty: give a generator such as star'],
  ['a tab', 'a:\n\tb: 1', 'main.yaml:2:1: not valid YAML: a tab in the indentation; use blanks'],
  [
    'a line that is indented below a value',
    'name: a\n seed: 1\n',
    'main.yaml:2:2: not valid YAML: wrong indentation; keys of one mapping begin in the same',
  ],
  [
    'a quote that is not closed',
    'selvage: 1\nname: "a\nseed: 1\nload: []\n',
    'main.yaml:2:7: not valid YAML: " opens here and is not closed; add "',
  ],
  [
    'a quote that a later one seems to close',
    "load:\n  - { name: 'x, stream: { from: h1 } }\n  - { name: y, stream: { from: 'h1' } }\n",
    "main.yaml:2:13: not valid YAML: ' opens here and is not closed; add '",
  ],
  [
    'a bracket that is not closed',
    'fabric: { generator: star, hosts: 9\nname: a\n',
    'main.yaml:1:9: not valid YAML: { opens here and is not closed; add }',
  ],
  [
    'a bracket that another seems to close',
    'fabric: { links: [1, 2 }\n',
    'main.yaml:1:18: not valid YAML: [ opens here and is not closed; add ]',
  ],
  ['two colons', 'name: a: b', 'main.yaml:1:7: not valid YAML: two colons on one line; put the '],
  ['a tag', 'name: !secret x', 'main.yaml:1:7: not valid YAML: a tag (!) that has no meaning here'],
  ['two documents', 'a: 1\n---\nb: 2', 'main.yaml:2:1: not valid YAML: more than one document'],
  ['an unknown alias', 'name: *x', 'main.yaml:1:7: unknown alias: x'],
  [
    'a merge of no mapping',
    'fabric: { <<: [{ generator: pair }, 5] }',
    'main.yaml:1:37: no mapping to merge; write <<: *name, or <<: [*first, *second]',
  ],
  ['a value in itself', 'name: &a [*a]', 'main.yaml:1:11: unknown alias: a'],
  ['a key that is a list', '[1]: 2', 'main.yaml:1:1: a key must be plain text'],
  [
    'deep nesting',
    `a: ${'['.repeat(70)}${']'.repeat(70)}`,
    'main.yaml:1:68: nested deeper than 64',
  ],
  ['bottomless nesting', '['.repeat(100_000), 'main.yaml:1:1: nested too deeply; at most 64'],
  ['no text', { 'main.yaml': Uint8Array.of(0xff, 0xfe) }, 'main.yaml:1:1: not a text file: '],
  [
    'too much text',
    ' '.repeat(4 * 1024 * 1024 + 1),
    'main.yaml:1:1: file too large; at most 4 MiB',
  ],
  ['an alias bomb', ALIAS_BOMB, 'main.yaml:1:10: aliases stand for too much; at most 10000 values'],
  [
    'a generator that does not exist',
    'selvage: 1\nfabric: { generator: leafspine }',
    'main.yaml:2:22: fabric.generator: unknown generator: leafspine; one of none, pair, star, ' +
      'dumbbell, ring, leaf-spine, fat-tree, clos; did you mean leaf-spine?',
  ],
  [
    'a parameter of another generator',
    'selvage: 1\nfabric: { generator: star, leaves: 3 }',
    'main.yaml:2:28: fabric: unknown key: leaves; allowed: generator, hosts, link, ',
  ],
  [
    'a rate that Ethernet does not have',
    'selvage: 1\nfabric: { generator: pair, link: { rate: 30G } }',
    'main.yaml:2:42: fabric.link.rate: not a rate of Ethernet: 30G; one of 10M, ',
  ],
  [
    'an odd fat-tree',
    'selvage: 1\nfabric: { generator: fat-tree, k: 5 }',
    'main.yaml:2:35: fabric.k: not an even number: 5',
  ],
  [
    'an oversubscription without a whole number of spines',
    'selvage: 1\nfabric: { generator: leaf-spine, hostsPerLeaf: 8, oversubscription: 3 }',
    'main.yaml:2:69: oversubscription 3 needs 2.67 spines, not a whole number; 3 spines give ',
  ],
  [
    'both length and delay',
    'selvage: 1\nfabric: { generator: pair, link: { length: 5m, delay: 5ns } }',
    'main.yaml:2:55: both length and delay: give one of them',
  ],
  [
    'two devices of one name',
    'selvage: 1\nfabric: { devices: [{ name: a, kind: host }, { name: a, kind: host }] }',
    'main.yaml:2:54: two devices of the same name: a',
  ],
  [
    'PFC on a link of the generator that is too slow',
    'selvage: 1\nfabric: { generator: pair, link: { rate: 1G } }\npriorities: { all: pfc }',
    'main.yaml:3:20: pfc on a link too slow for it: h1:p1 has 1G; pfc needs 10G or more',
  ],
  [
    'PFC on a listed link that is too slow',
    'selvage: 1\nfabric: { devices: [{ name: h1, kind: host }, { name: h2, kind: host }], ' +
      'links: [{ between: [h1, h2], rate: 100M }] }\n' +
      'priorities: { 3: pfc }',
    'main.yaml:3:18: pfc on a link too slow for it: h1:p1 has 100M; ',
  ],
  [
    'PFC of a single device where every link is too slow',
    'selvage: 1\nfabric: { generator: pair, link: { rate: 1G } }\n' +
      'devices: { h*: { priorities: { 3: pfc } } }',
    'main.yaml:3:35: pfc on a link too slow for it: ',
  ],
  [
    'an error in a base file',
    { 'main.yaml': 'extends: base.yaml', 'base.yaml': `${PAIR}duration: 5` },
    'base.yaml:3:11: duration: not a time: 5; ',
  ],
  [
    'a base file that is missing',
    `${PAIR}extends: [no.yaml]`,
    'main.yaml:3:11: unusable base file: no.yaml:1:1: cannot read the file: there is no such file',
  ],
  [
    'files that extend each other',
    { 'main.yaml': 'extends: b.yaml', 'b.yaml': 'extends: main.yaml' },
    'b.yaml:1:10: a cycle of files that extend each other: main.yaml',
  ],
];

const settings: readonly (readonly [string, string])[] = [
  ['seed=x', '--set seed=x: seed: not a whole number in range: x; '],
  ['seed', '--set seed: not a setting; write path=value, such as load.0.bytes=1MB'],
  ['a..b=1', '--set a..b=1: not a setting; '],
  ['seed=[', '--set seed=[: not valid YAML: '],
  ['lod=1', '--set lod=1: unknown key: lod; '],
  ['expect.1.max=3', '--set expect.1.max=3: no such item of the list: 1; allowed: 0 to 0'],
  ['load.0=3', '--set load.0=3: no such item of the list: 0; allowed: none; it is empty'],
  ['name.x=3', '--set name.x=3: no such key: x; it is pair, not a mapping'],
  ['extends=a.yaml', '--set extends=a.yaml: extends is possible in files only'],
];

describe('bad input', () => {
  for (const [section, cases] of Object.entries(inPair)) {
    for (const [text, message] of cases) {
      it(`of ${section} is refused where it stands: ${text.replaceAll('\n', ' / ')}`, () => {
        assert.equal(problemOf(`${PAIR}${text}\n`).slice(0, message.length), message);
      });
    }
  }

  for (const [name, content, message] of files) {
    it(`is refused where it stands: ${name}`, () => {
      assert.equal(problemOf(content).slice(0, message.length), message);
    });
  }

  for (const [setting, message] of settings) {
    it(`is refused on the command line: --set ${setting}`, () => {
      const text = `${PAIR}name: pair\nload: []\nexpect: [{ metric: drops, max: 0 }]\n`;
      assert.equal(problemOf(text, [setting]).slice(0, message.length), message);
    });
  }

  it('may be a file that cannot be read', () => {
    assert.throws(() => loadScenario('/nowhere/a.yaml'), {
      name: 'ScenarioError',
      message: '/nowhere/a.yaml:1:1: cannot read the file: there is no such file',
    });
    assert.throws(() => loadScenario('/'), {
      message: '/:1:1: cannot read the file: it is a directory',
    });
  });
});
