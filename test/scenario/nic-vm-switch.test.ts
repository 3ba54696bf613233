/** The switch between the virtual machines of an 82599, and their addresses. */

import assert from 'node:assert/strict';
import { nicsOf } from '../kit/nics.js';
import { describe, it } from 'node:test';
import { whatIsWrong } from '../../services/hunt/worlds/world-trial.js';
import { readCapture } from '../../services/engine/wire/pcapng/reader.js';
import { nic82599 } from '../../services/mechanisms/nic-82599/slice.js';
import { nicText } from '../../services/report/nic-text.js';
import type { Nic82599Result } from '../../services/mechanisms/nic-82599/results.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { captureOctets } from '../kit/captures.js';
import { fabricOf, run, runScenario } from '../kit/emulate.js';

const PAIR = 'fabric: { generator: pair, link: { rate: 10G, length: 10m } }\nduration: 1ms\n';
const nics = (more = ''): string => `hosts: { nic: { model: 82599, vmSwitch: true${more} } }\n`;
const LOCAL = '{ name: local, stream: { from: h1, to: h1 }, vm: 0, toVm: 1';

const nicOf = (results: RunResults): Nic82599Result => nicsOf(results)[0]!;
const framesOf = (results: RunResults, name: string): number =>
  results.flows.find(({ load }) => load === name)!.frames;
/** Receive buffers in use. */
const buffersOf = (nic: Nic82599Result): number[] =>
  nic.buffers
    .filter(({ direction, peakOctets }) => direction === 'receive' && peakOctets > 0)
    .map(({ tc }) => tc);

describe('the switch between virtual machines of an 82599', () => {
  it('puts frames into the receive buffer of the class that they had on transmit', () => {
    const buffers = (load: string): number[] =>
      buffersOf(
        nicOf(
          runScenario(
            `${PAIR}${nics()}classes: { transmit: [0, 1, 5, 3, 4, 2, 6, 7] }\nload: [${load}]\n`,
          ),
        ),
      );
    // RTRUP2TC has buffer 2 for priority 2.
    assert.deepEqual(buffers('{ stream: { from: h2, to: h1 }, priority: 2, rate: 1G }'), [2]);
    assert.deepEqual(buffers(`${LOCAL}, priority: 2, rate: 1G }`), [5]);
  });

  it('keeps them off the link, and gives them to the other machine', () => {
    const results = runScenario(`${PAIR}${nics(', pcie: { rate: 16G }')}load: [${LOCAL} }]\n`);
    const sent = results.ports.flatMap(({ priorities }) => priorities.map((own) => own.txFrames));
    assert.ok(sent.every((frames) => frames === 0));
    // As fast as host memory is read: 1,522 octets at 16 Gb/s, for almost a millisecond.
    const frames = framesOf(results, 'local');
    assert.ok(Math.abs(frames - 1e-3 / ((1522 * 8) / 16e9)) < 25, String(frames));
    const [row] = nicOf(results).switched;
    assert.ok(row!.frames >= frames && row!.frames <= frames + 20);
    assert.equal(row!.octets, 1522 * row!.frames);
    assert.match(nicText(nic82599, nicOf(results)), /Switch between virtual machines/);
  });

  it('lets them wait where the receive buffer is full, class by class, and loses none', () => {
    const results = runScenario(
      `${PAIR}${nics(', receiveRings: { descriptors: 16 }, pools: { 1: { software: 4us } }')}load:
  - ${LOCAL}, priority: 0 }
  - { name: out, stream: { from: h1, to: h2 }, priority: 4 }
`,
    );
    // One frame every 4 us; nothing else is blocked.
    assert.ok(Math.abs(framesOf(results, 'local') - 250) < 5);
    assert.ok(framesOf(results, 'out') > 790, String(framesOf(results, 'out')));
    const [row] = nicOf(results).switched;
    assert.ok(row!.waiting > 5, String(row!.waiting));
    assert.deepEqual(results.priorities[0]!.drops, {});
    const [buffer] = nicOf(results).buffers.filter(({ direction }) => direction === 'receive');
    assert.ok(buffer!.peakOctets > 62_000 && buffer!.missedFrames === 0);
  });

  it('leaves the headroom of a lossless class to its link partner', () => {
    const results = runScenario(
      `${PAIR}priorities: { 3: { flowControl: pfc, responseDelay: 500ns } }
${nics(', pcie: { rate: 6G }')}load:
  - ${LOCAL}, priority: 3 }
  - { name: in, stream: { from: h2, to: h1 }, priority: 3 }
`,
    );
    assert.equal(results.status, 'complete');
    assert.deepEqual(results.priorities[0]!.drops, {});
    for (const name of ['local', 'in']) assert.ok(framesOf(results, name) > 80, name);
  });

  it('gives a machine the VLANs of its pool only', () => {
    const frames = (vlan: number): [number, object] => {
      const results = runScenario(
        `${PAIR}${nics(', pools: { 1: { vlans: [7] } }')}load: [${LOCAL}, vlan: ${vlan}, rate: 1G }]\n`,
      );
      return [framesOf(results, 'local'), results.priorities[0]!.drops];
    };
    assert.ok(frames(7)[0] > 70);
    assert.deepEqual(Object.keys(frames(8)[1]), ['vlan-filtered']);
    assert.equal(frames(8)[0], 0);
  });

  it('carries acknowledgements back, and completes messages', () => {
    const results = runScenario(
      `${PAIR}${nics()}load: [${LOCAL}, transport: reliable, bytes: 300KB, priority: 2 }]\n`,
    );
    const [flow] = results.flows;
    assert.equal(flow!.messages, 1);
    assert.equal(flow!.retransmittedFrames, 0);
  });

  it('has one digest in every runner, with everything around it at work', () => {
    const fabric =
      fabricOf(`fabric: { generator: star, hosts: 3, hostLink: { rate: 10G, length: 30m } }
duration: 150us
priorities: { 3: { flowControl: pfc, responseDelay: 500ns } }
classes: { transmit: [0, 1, 5, 3, 4, 2, 6, 7] }
${nics(', tcs: 8, pcie: { rate: 7G }, receiveRings: { descriptors: 32, software: 900ns }, vms: [2, 1, 3]')}load:
  - ${LOCAL}, priority: 3, frame: 700 }
  - { name: back, stream: { from: h1, to: h1 }, vm: 2, toVm: 0, priority: 2, transport: reliable, bytes: 60KB, vlan: 9 }
  - { name: in, incast: { from: [h2, h3], to: h1 }, bytes: 60KB, priority: 3, vm: 1 }
  - { name: out, stream: { from: h1, to: h3 }, priority: 0, vm: 2, toVm: 5 }
  - { name: there, stream: { from: h3, to: h3 }, vm: 1, toVm: 4, priority: 3 }
faults: [{ kind: link-down, where: { device: h1 }, at: 60us, for: 20us }]
`);
    for (const seed of [1, 2]) assert.equal(whatIsWrong(fabric, seed), null);
  });
});

describe('a flow that no link carries', () => {
  const beside = [
    'discovery: true',
    'discovery: { second: 1us, drives: true }',
    'priorities: { 0: { flowControl: pfc, sfc: true } }',
    'observe: { series: 10us, traces: { share: 100% }, storm: 20us }',
  ];
  for (const more of beside) {
    it(`runs beside ${more}`, () => {
      const fabric = fabricOf(
        `fabric: { generator: star, hosts: 2, hostLink: { rate: 10G } }\nduration: 60us\n${more}\n` +
          `${nics()}load:\n  - ${LOCAL}, bytes: 20KB }\n` +
          '  - { name: in, stream: { from: h2, to: h1 }, bytes: 20KB }\n',
      );
      assert.equal(whatIsWrong(fabric, 1), null);
      const results = run(fabric);
      assert.deepEqual(
        results.flows.map(({ messages }) => messages),
        [1, 1],
      );
    });
  }
});

describe('virtual machines of an 82599', () => {
  it('have addresses of their own on the wire', () => {
    const fabric = fabricOf(`${PAIR}${nics()}load:
  - { stream: { from: h1, to: h2 }, transport: reliable, bytes: 2KB, vm: 3, toVm: 5 }
observe: { captures: { ports: [h1] } }
`);
    const session = new Session(fabric, { check: true });
    session.runTo(Infinity);
    const { packets } = readCapture(captureOctets(fabric, session.captures()));
    const hex = (octets: Uint8Array): string => Buffer.from(octets).toString('hex');
    const pairs = new Set(packets.map(({ octets }) => hex(octets.subarray(0, 12))));
    // Destination and source: data, and its acknowledgement.
    assert.deepEqual([...pairs].sort(), ['020003000001020005000002', '020005000002020003000001']);
  });
});

describe('bad input for the switch between virtual machines', () => {
  const cases: readonly (readonly [nic: string, load: string, says: RegExp])[] = [
    ['model: 82599', `${LOCAL} }`, /stays within the host; its NIC needs vmSwitch: true/],
    ['model: plain', `${LOCAL} }`, /stays within a plain NIC.*model: 82599, vmSwitch: true/],
    [
      'model: 82599, vmSwitch: true',
      '{ stream: { from: h1, to: h1 }, vm: 2 }',
      /h1 would send to itself; name two of its virtual machines: vm and toVm/,
    ],
    [
      'model: 82599, vmSwitch: true',
      '{ stream: { from: h1, to: h1 }, vm: 2, toVm: 16 }',
      /has VM 16; there are 16 virtual machines/,
    ],
    [
      'model: 82599, vmSwitch: true',
      `${LOCAL}, congestion: timely, transport: reliable }`,
      /nothing on the way reacts to congestion within h1/,
    ],
    [
      'model: 82599, vmSwitch: true, regs: { RTTDCS.BPBFSM: 1 }',
      `${LOCAL} }`,
      /not emulated without the room condition/,
    ],
    [
      'model: 82599, vmSwitch: true, watermarks: { 0: { high: 1, low: 0 } }',
      `${LOCAL}, priority: 0 }`,
      /below its high watermark, less than a largest frame/,
    ],
  ];
  for (const [nic, load, says] of cases) {
    it(`is one error with the remedy: ${nic}, ${load}`, () => {
      const priorities = 'priorities: { 0: { flowControl: pfc } }\n';
      assert.throws(
        () => fabricOf(`${PAIR}${priorities}hosts: { nic: { ${nic} } }\nload: [${load}]\n`),
        says,
      );
    });
  }

  it('is a class whose receive buffer is granted as credit', () => {
    const text = (priority: number): string =>
      `${PAIR}priorities: { 3: credit }\n${nics()}load: [${LOCAL}, priority: ${priority}, rate: 1G }]\n`;
    assert.throws(
      () => fabricOf(text(3)),
      /receive buffer 3, which is granted to the link partner/,
    );
    assert.ok(framesOf(runScenario(text(2)), 'local') > 70);
  });

  it('is an address that a virtual machine would share', () => {
    const text = `${PAIR}${nics()}devices: { h2: { mac: '02:00:01:00:00:01' } }\nload: [${LOCAL} }]\n`;
    assert.throws(() => fabricOf(text), /VM 1 of h1 would have the address of h2/);
  });
});
