import assert from 'node:assert/strict';
import { nicsOf } from '../kit/nics.js';
import { describe, it } from 'node:test';
import type { NicSpec } from '../../services/engine/contract/spec.js';
import { lastingDifference, registerChanges } from '../../services/mechanisms/nic-82599/changes.js';
import type { Probe } from '../../services/engine/contract/probe.js';
import { NullProbe } from '../../services/engine/contract/probe.js';
import { DEI_FLAG } from '../../services/engine/frame/frame-pool.js';
import { nic82599 } from '../../services/mechanisms/nic-82599/slice.js';
import { nicText } from '../../services/report/nic-text.js';
import { summaryText } from '../../services/report/summary-text.js';
import type { Nic82599Result } from '../../services/mechanisms/nic-82599/results.js';
import { rebase } from '../../services/runtime/rebase.js';
import { Session } from '../../services/runtime/session.js';
import { packWhole, unpackWhole } from '../../services/runtime/whole-state.js';
import { fabricOf, run, runScenario } from '../kit/emulate.js';

const PAIR = 'fabric: { generator: pair, link: { rate: 10G, length: 10m } }\nduration: 2ms\n';

const framesOf = (results: ReturnType<typeof runScenario>): number[] =>
  results.flows.map(({ frames }) => frames);

/** Everything at work: rates with drift, VMs, a slow host, PFC, acknowledgements, hints, writes. */
const BUSY = `${PAIR}priorities: { 3: { flowControl: pfc, responseDelay: 500ns } }
hosts:
  nic:
    model: 82599
    vms: [2, 1]
    rates: [{ vm: 1, tc: 0, rate: 500M }]
    drift: { every: 50us, by: 3% }
    receiveRings: { descriptors: 16, software: 700ns }
    pools: { 1: { vlans: [7], strip: true, software: 1us, drop: true } }
    regs: { DCA_CTRL.DCA_DIS: 0, "DCA_RXCTRL[0]": "0x050000A0" }
    writes: [{ at: 1ms, regs: { "RTTPT2C[3].CRQ": 40, "RTTPT2C[3].MCL": 80 } }]
devices: { h2: { nic: { model: 82599, pcie: { rate: 4G } } } }
load:
  - { name: a, stream: { from: h1, to: h2 }, priority: 3 }
  - { name: b, stream: { from: h1, to: h2 }, priority: 0, vm: 1, vlan: 7 }
  - { name: c, incast: { from: h1, to: h2 }, bytes: 300KB, priority: 5 }
  - { name: d, incast: { from: h2, to: h1 }, bytes: 300KB, priority: 5, vm: 1 }
`;

describe('an 82599 in a run', () => {
  it('goes on from a saved state to the same digest and the same tables', () => {
    const fabric = fabricOf(BUSY);
    const whole = new Session(fabric, { check: true });
    whole.runTo(Infinity);
    for (const at of [333e6, 1_000_000_001]) {
      const first = new Session(fabric, { check: true });
      first.runTo(at);
      const second = new Session(fabric, { check: true });
      second.restore(unpackWhole(packWhole(first.save())));
      second.runTo(Infinity);
      const [expected, actual] = [whole, second].map((session) => session.results('complete'));
      assert.equal(actual!.digest, expected!.digest);
      assert.deepEqual(actual!.nics, expected!.nics);
    }
  });

  it('has a digest that sees inside: credits that no flow shows', () => {
    const [one, other] = [10, 20].map((refill) => {
      const nic = `{ model: 82599, regs: { "RTRPT4C[0].CRQ": ${refill} } }`;
      const load = 'load: [{ name: a, stream: { from: h1, to: h2 } }]';
      return runScenario(`${PAIR}hosts: { nic: ${nic} }\n${load}\n`);
    });
    assert.deepEqual(one!.flows, other!.flows);
    assert.notEqual(one!.digest, other!.digest);
  });

  it('refuses untagged frames that flow control of their priority cannot protect', () => {
    const text = (flowControl: string, nic: string, load = ''): string =>
      `${PAIR}priorities: { 3: ${flowControl} }\n` +
      `hosts: { nic: { model: 82599, ${nic} } }\nports: [{ tag: none }]\n` +
      `load: [{ name: a, stream: { from: h1, to: h2 }, priority: 3${load} }]\n`;
    for (const method of ['pfc', 'credit']) {
      const message = new RegExp(`:5:.*h2: .*priority 3 \\(${method}\\).*user priority 0 .*tag`);
      assert.throws(() => fabricOf(text(method, 'vlan: { untagged: table }')), message);
      assert.throws(() => fabricOf(text(method, 'vlan: { double: true }', ', vlan: 7')), message);
      const tagged = runScenario(text(method, 'vlan: { untagged: table }', ', vlan: 7'));
      assert.equal(tagged.status, 'complete');
      assert.deepEqual(tagged.lostCredits, []);
      assert.deepEqual(tagged.priorities[0]!.drops, {});
    }
    // Acknowledgements are untagged, too; and without flow control any buffer will do.
    const acks =
      ', transport: { reliable: { ackPriority: 4 } } }, { name: b, stream: { from: h1, to: h2 } ';
    assert.throws(
      () => fabricOf(text('none, 4: pfc', 'vlan: { untagged: table }', acks)),
      /h1: frames of answers to a.*priority 4 \(pfc\)/,
    );
    assert.equal(fabricOf(text('none', 'vlan: { untagged: table }')).warnings.length, 0);
  });

  it('names watermarks where the marks of the driver lose lossless frames of a long link', () => {
    const long = (watermarks: string): string => `duration: 2ms
fabric: { generator: pair, link: { rate: 10G, length: 3km } }
priorities: { 3: pfc }
hosts: { nic: { model: 82599 ${watermarks} } }
devices: { h2: { nic: { pcie: { rate: 4G } } } }
load: [{ name: a, stream: { from: h1, to: h2 }, priority: 3 }]
`;
    const { warnings } = fabricOf(long(''));
    assert.equal(warnings.length, 2);
    const warning = warnings.find(({ message }) => message.startsWith('h2'))!;
    assert.deepEqual(warning.path, ['devices', 'h2', 'nic']);
    assert.match(warning.message, /^h2: receive buffer 3 .*driver's high watermark of 49 KB/);
    const [, high] = /watermarks\.3\.high to (\d+) KB/.exec(warning.message)!;
    const results = runScenario(long(''));
    assert.equal(results.status, 'failed');
    assert.equal(results.warnings.length, 2);
    assert.match(results.failure!.reason, /receive buffer 3 of its 82599 .*watermarks\.3\.high/);
    const advised = long(`, watermarks: { 3: { high: ${high}, low: 1 } }`);
    assert.deepEqual(fabricOf(advised).warnings, []);
    assert.equal(runScenario(advised).status, 'complete');
    const above = fabricOf(long(`, watermarks: { 3: { high: ${Number(high) + 1}, low: 1 } }`));
    assert.match(above.warnings[0]!.message, /cannot be lossless: above the high watermark/);
  });

  it('refuses more credit than a receive buffer can store', () => {
    const text = (credit: string): string => `
fabric: { generator: pair, link: { rate: 40G, length: 2km } }
priorities: { 3: credit }
${credit}
hosts: { nic: { model: 82599 } }
load: [{ name: a, stream: { from: h1, to: h2 }, priority: 3, bytes: 1MB }]
`;
    const refusal = /h1: receive buffer 3 has 65536 bytes.*granted for.*credit.buffer to 65536B/;
    assert.throws(() => fabricOf(text('')), refusal);
    const results = runScenario(text('credit: { buffer: 65536B }'));
    assert.equal(results.status, 'complete');
    assert.deepEqual(results.priorities[0]!.drops, {});
  });

  it('stalls a class when any of its user priorities is stopped', () => {
    const frames = framesOf(
      runScenario(
        `${PAIR}priorities: { 2: pfc, 3: { flowControl: pfc } }\n` +
          'classes: { transmit: [0, 1, 3, 3, 4, 5, 6, 7] }\n' +
          'devices: { h1: { nic: { model: 82599 } }, ' +
          'h2: { nic: { model: 82599, pcie: { rate: 4G }, ' +
          'watermarks: { 3: { high: 4, low: 2 } } } } }\n' +
          'load:\n  - { stream: { from: h1, to: h2 }, priority: 2 }\n' +
          '  - { stream: { from: h1, to: h2 }, priority: 3 }\n',
      ),
    );
    // Both stand in one buffer in turn: neither gets ahead of the other.
    assert.ok(Math.abs(frames[0]! - frames[1]!) <= 16, frames.join());
  });

  it('without DCB serves pools by weight, and the queues of a pool in turn', () => {
    const frames = framesOf(
      runScenario(
        `${PAIR}hosts: { nic: { model: 82599, dcb: false, vms: [3, 1] } }\nload:\n` +
          '  - { stream: { from: h1, to: h2 }, priority: 0, vm: 0 }\n' +
          '  - { stream: { from: h1, to: h2 }, priority: 5, vm: 0 }\n' +
          '  - { stream: { from: h1, to: h2 }, priority: 0, vm: 40 }\n' +
          '  - { stream: { from: h1, to: h2 }, priority: 0, vm: 1 }\n',
      ),
    );
    const [a, b, other, light] = frames as [number, number, number, number];
    assert.ok(Math.abs(a - b) <= 2, frames.join());
    assert.ok(Math.abs((a + b) / other - 3) < 0.1 && Math.abs(other / light - 1) < 0.05);
  });

  it('without DCB limits each queue of a pool to the rate of the pool', () => {
    const { nics } = runScenario(
      `${PAIR}devices: { h1: { nic: { model: 82599, dcb: false, rates: [{ vm: 2, rate: 500M }] } } }\n` +
        'load:\n  - { stream: { from: h1, to: h2 }, vm: 2 }\n',
    );
    const limited = nicsOf({ nics })[0]!.rates.filter(({ enabled }) => enabled);
    assert.deepEqual(
      limited.map(({ queue, rateBps }) => [queue, Math.round(rateBps / 1e6)]),
      [
        [4, 500],
        [5, 500],
      ],
    );
  });

  it('takes a frame of each class in turn where weighting is off, whatever their refills', () => {
    const nic =
      'regs: { RTTDCS.TDPAC: 0, RTTPCS.TPPAC: 0, "RTTPT2C[0].CRQ": 200, "RTTPT2C[0].MCL": 400 }';
    const frames = framesOf(
      runScenario(
        `${PAIR}hosts: { nic: { model: 82599, ${nic} } }\nload:\n` +
          '  - { stream: { from: h1, to: h2 }, priority: 0, frame: 300 }\n' +
          '  - { stream: { from: h1, to: h2 }, priority: 1, frame: 1500 }\n',
      ),
    );
    assert.ok(Math.abs(frames[0]! - frames[1]!) <= 2, frames.join());
  });

  it('without the room condition lets a stopped class block the others on PCIe', () => {
    const blocked = (bypass: number): number =>
      framesOf(
        runScenario(
          `${PAIR}priorities: { 3: { flowControl: pfc } }\n` +
            `devices: { h1: { nic: { model: 82599, regs: { RTTDCS.BPBFSM: ${bypass} } } }, ` +
            'h2: { nic: { model: 82599, pcie: { rate: 4G }, regs: { "RTRPT4C[3].CRQ": 1, ' +
            '"RTRPT4C[0].CRQ": 100, "RTRPT4C[0].MCL": 200 } } } }\n' +
            'load:\n  - { stream: { from: h1, to: h2 }, priority: 3 }\n' +
            '  - { stream: { from: h1, to: h2 }, priority: 0, rate: 3G }\n',
        ),
      )[1]!;
    assert.ok(blocked(1) < 0.7 * blocked(0), `${blocked(1)} against ${blocked(0)}`);
  });
});

describe('receive descriptors of an 82599', () => {
  /** VM 0 needs 4 us for a frame, VM 1 none; both have a buffer of their own, or share one. */
  const slow = (rings: string, prio: number, more = ''): ReturnType<typeof runScenario> =>
    runScenario(
      `${PAIR}devices: { h2: { nic: { model: 82599, receiveRings: { descriptors: 64${rings} }, ` +
        `pools: { 0: { software: 4us } } } } }\n${more}load:\n` +
        '  - { name: slow, stream: { from: h1, to: h2 }, rate: 5G }\n' +
        `  - { name: quick, stream: { from: h1, to: h2 }, rate: 4G, vm: 1, priority: ${prio} }\n`,
    );
  const nicOf = (results: ReturnType<typeof runScenario>): Nic82599Result => nicsOf(results)[0]!;

  it('that run out keep frames in their buffer, where they are lost or stop their sender', () => {
    const lossy = slow('', 1);
    const [buffer] = nicOf(lossy).buffers.filter(({ direction }) => direction === 'receive');
    // One frame every 4 us.
    assert.ok(Math.abs(framesOf(lossy)[0]! - 500) < 5, framesOf(lossy).join());
    assert.ok(buffer!.noDescriptorFrames > 400 && buffer!.peakOctets > 62 * 1024);
    assert.equal(buffer!.missedFrames, lossy.priorities[0]!.drops['buffer-full']);
    assert.equal(nicOf(lossy).registers['RXMPC[0]'], buffer!.missedFrames);
    assert.deepEqual(
      nicOf(lossy).rings.map(({ queue, fewest, free }) => [queue, fewest, free < 3]),
      [
        [0, 0, true],
        [9, 63, false],
      ],
    );
    const lossless = slow('', 1, 'priorities: { 0: { flowControl: pfc } }\n');
    assert.deepEqual(lossless.priorities[0]!.drops, {});
    assert.ok(Math.abs(framesOf(lossless)[0]! - 500) < 5);
  });

  it('of one machine that run out hold up others of the class, unless its queue drops', () => {
    const waiting = framesOf(slow('', 0));
    assert.ok(waiting[1]! < 900, waiting.join());
    const results = slow(', drop: true', 0);
    const [blocked, free] = framesOf(results);
    assert.ok(Math.abs(blocked! - 500) < 5 && free! > 650 * 0.99, framesOf(results).join());
    const dropped = results.priorities[0]!.drops['no-descriptor']!;
    assert.ok(dropped > 200, String(dropped));
    assert.equal(nicOf(results).registers['QPRDC[0]'], dropped);
    assert.equal(nicOf(results).rings[0]!.droppedFrames, dropped);
  });

  it('header and payload are written apart, each with its own hint', () => {
    const split = runScenario(
      `${PAIR}devices: { h2: { nic: { model: 82599, receiveRings: { headerSplit: true }, ` +
        'regs: { DCA_CTRL.DCA_DIS: 0, "DCA_RXCTRL[0]": "0x05000040", ' +
        '"DCA_TXCTRL[0]": "0x03000020" } } } }\nload:\n' +
        '  - { stream: { from: h1, to: h2 }, rate: 100M, frame: 1000 }\n' +
        '  - { stream: { from: h2, to: h1 }, rate: 100M, frame: 1000 }\n',
    );
    const [nic] = nicsOf(split);
    const [plain, transmit, header] = nic!.hints;
    assert.deepEqual([plain!.tag, transmit!.tag, header!.tag], [0, 0x07, 0x0b]);
    assert.equal(header!.octets, 42 * header!.writes);
    assert.equal(plain!.octets, header!.writes * (1000 - 42 + 16));
    assert.ok(transmit!.writes > 20);
    assert.equal(transmit!.octets, 16 * transmit!.writes);
  });
});

describe('VLANs, hints and LEDs of an 82599', () => {
  const load = (vlan: string, more = ''): string =>
    `load: [{ stream: { from: h1, to: h2 }, priority: 3${vlan}, frame: 1000${more} }]\n`;
  const receiverOf = (nic: string, text: string): ReturnType<typeof runScenario> =>
    runScenario(`${PAIR}devices: { h2: { nic: { model: 82599, ${nic} } } }\n${text}`);
  const buffersUsed = (nic: Nic82599Result): number[] =>
    nic.buffers
      .filter(({ direction, peakOctets }) => direction === 'receive' && peakOctets > 0)
      .map(({ tc }) => tc);

  it('a pool takes its VLANs and drops others', () => {
    const nic = 'pools: { 0: { vlans: [7, 9] } }';
    const drops = (vlan: string): object => receiverOf(nic, load(vlan)).priorities[0]!.drops;
    assert.deepEqual(drops(', vlan: 7'), {});
    assert.deepEqual(drops(''), {});
    assert.deepEqual(Object.keys(drops(', vlan: 8')), ['vlan-filtered']);
  });

  it('a pool with anti-spoofing sends into its VLANs only', () => {
    const sent = (vlan: number): [number, number] => {
      const results = runScenario(
        `${PAIR}hosts: { nic: { model: 82599, pools: { 0: { vlans: [7], antiSpoof: true } } } }\n` +
          load(`, vlan: ${vlan}`, ', rate: 1G'),
      );
      return [results.flows[0]!.frames, nicsOf(results)[0]!.spoofedFrames];
    };
    const [frames, none] = sent(7);
    assert.ok(frames > 200 && none === 0);
    const [gone, spoofed] = sent(8);
    assert.ok(gone === 0 && spoofed > 200, `${gone} and ${spoofed}`);
  });

  it('a run says what anti-spoofing discarded, which no port counts', () => {
    const summaryOf = (vlan: string): string => {
      const results = runScenario(
        `${PAIR}hosts: { nic: { model: 82599, vlan: { double: true }, pools: { 0: { vlans: [7], antiSpoof: true } } } }\n` +
          load(vlan, ', rate: 1G'),
      );
      return summaryText(results, [], { good: String, bad: String, strong: String });
    };
    assert.match(summaryOf(''), /Anti-spoofing of 82599s\n {2}h1 discarded \d+ frames of its own/);
    assert.doesNotMatch(summaryOf(', vlan: 7'), /Anti-spoofing/);
  });

  it('a pool with anti-spoofing sends with its own address only', () => {
    const spoofed = (checks: string): [arrived: number, stopped: number] => {
      const results = runScenario(
        `fabric: { generator: star, hosts: 3, hostLink: { rate: 10G } }\nduration: 1ms\n` +
          `hosts: { nic: { model: 82599, ${checks} } }\n` +
          'load: [{ stream: { from: h1, to: h2 }, spoof: h3, rate: 1G }]\n',
      );
      return [results.flows[0]!.frames, nicsOf(results)[0]!.spoofedFrames];
    };
    const [through, none] = spoofed('pools: { 1: { antiSpoof: true } }');
    assert.ok(through > 70 && none === 0);
    const [gone, stopped] = spoofed('pools: { 0: { antiSpoof: true } }');
    assert.ok(gone === 0 && stopped > 70, `${gone} and ${stopped}`);
    const [vlanOnly] = spoofed('regs: { "PFVFSPOOF[0].VLANAS": 1 }');
    assert.equal(vlanOnly, through);
  });

  it('a frame that lies about its address misleads a bridge', () => {
    const results = runScenario(
      'fabric: { generator: star, hosts: 3, hostLink: { rate: 10G } }\nduration: 1ms\n' +
        'switches: { forwarding: bridged }\nload:\n' +
        '  - { stream: { from: h1, to: h2 }, spoof: h3, rate: 1G }\n' +
        '  - { name: victim, stream: { from: h2, to: h3 }, rate: 1G, start: 500us }\n',
    );
    assert.equal(results.flows.find(({ load }) => load === 'victim')!.frames, 0);
  });

  it('in double mode anti-spoofing stops what has no tag', () => {
    const sent = (antiSpoof: boolean): number =>
      runScenario(
        `${PAIR}hosts: { nic: { model: 82599, vlan: { double: true }, ` +
          `pools: { 0: { antiSpoof: ${antiSpoof} } } } }\n${load('', ', rate: 1G')}`,
      ).flows[0]!.frames;
    assert.ok(sent(false) > 200);
    assert.equal(sent(true), 0);
  });

  it('the pool register puts a VLAN on what its machine sends', () => {
    const results = runScenario(
      `${PAIR}devices: { h1: { nic: { model: 82599, pools: { 0: { insert: 7 } } } }, ` +
        'h2: { nic: { model: 82599, pools: { 0: { vlans: [7], strip: true } }, ' +
        `regs: { DCA_CTRL.DCA_DIS: 0 } } } }\n${load('', ', rate: 1G')}`,
    );
    const [, receiver] = results.nics as unknown as [Nic82599Result, Nic82599Result];
    const { frames } = results.flows[0]!;
    assert.equal(results.ports[1]!.priorities[0]!.rxOctets % 1004, 0);
    // The tag was taken off again: 1,000 bytes of data and 16 of descriptor for each.
    const [all] = receiver.hints;
    assert.ok(all!.octets >= frames * 1016 && all!.octets <= (frames + 2) * 1016);
  });

  it('the pool register gives its priority and DEI to what its machine sends', () => {
    const sent = (h1: string, h2 = ''): [priorities: number[], dei: number] => {
      const pool = (keys: string): string => `{ nic: { model: 82599, ${keys} } }`;
      const fabric = fabricOf(
        `fabric: { generator: pair, link: { rate: 10G, length: 10m } }\nduration: 100us\n` +
          `devices: { h1: ${pool(h1)}, h2: ${pool(h2 === '' ? 'dcb: true' : h2)} }\n` +
          'load: [{ stream: { from: h1, to: h2 }, transport: reliable, bytes: 2KB, vlan: 9, ' +
          'priority: 5 }]\n',
      );
      const { ports } = run(fabric);
      const [host] = fabric.specs;
      assert.ok(host?.kind === 'host');
      const used = (p: number): number[] =>
        ports[p]!.priorities.filter(({ txFrames }) => txFrames > 0).map((own) => own.priority);
      return [[...used(0), ...used(1)], (host.sends[0]!.frameClass & DEI_FLAG) === 0 ? 0 : 1];
    };
    // Data of h1, and acknowledgements of h2.
    assert.deepEqual(sent('dcb: true'), [[5, 5], 0]);
    assert.deepEqual(sent('pools: { 0: { insert: 7 } }'), [[0, 5], 0]);
    const whole = 'pools: { 0: { insert: { vlan: 7, priority: 3, dei: true } } }';
    assert.deepEqual(sent(whole), [[3, 5], 1]);
    assert.deepEqual(sent(whole, 'regs: { "PFVMVIR[0]": "0x40004009" }'), [[3, 2], 1]);
    assert.deepEqual(sent(whole, whole), [[3, 3], 1]);
    assert.throws(
      () => sent('regs: { "PFVMVIR[0].VLANA": 1 }'),
      /PFVMVIR\[0\] inserts VLAN 0; write a VLAN 1 to 4094 in its TCI/,
    );
    assert.throws(() => sent('regs: { "PFVMVIR[0].VLANA": 2 }'), /VLANA out of range: 2/);
  });

  it('descriptors say which tags a frame has, and inspection shows it', () => {
    const tags = (mode: string, vlan: string): unknown[] =>
      nicsOf(
        receiverOf(`${mode}, pools: { 0: { strip: true } }`, load(vlan, ', rate: 1G')),
      )[0]!.tags.map((row) => [
        row.tags.join(),
        row.vext,
        row.vp,
        row.unknown,
        row.stripped === row.frames,
      ]);
    const double = 'vlan: { double: true }';
    const both = ', vlan: { inner: 7, outer: 100 }';
    assert.deepEqual(tags('tcs: 8', ''), [['', false, false, false, false]]);
    assert.deepEqual(tags('tcs: 8', ', vlan: 7'), [['C-TAG', false, true, false, true]]);
    assert.deepEqual(tags(double, both), [['S-TAG,C-TAG', true, true, false, true]]);
    const other = 'vlan: { double: true, outerType: 0x9100 }';
    assert.deepEqual(tags(other, both), [['S-TAG,C-TAG', false, false, true, false]]);
    const [nic] = receiverOf(double, load(both, ', rate: 1G')).nics;
    assert.match(
      nicText(nic82599, nic!),
      /tags +frames +VEXT +VP[^]*S-TAG C-TAG +\d+ +yes +yes +no/,
    );
  });

  it('in double mode a lone tag is the outer one, and the user priority 0', () => {
    const classOf = (mode: string, vlan: string): number[] =>
      buffersUsed(nicsOf(receiverOf(`vlan: { ${mode} }`, load(vlan)))[0]!);
    assert.deepEqual(classOf('double: false', ', vlan: 7'), [3]);
    assert.deepEqual(classOf('double: true', ', vlan: 7'), [0]);
    assert.deepEqual(classOf('double: true', ', vlan: { inner: 7, outer: 100 }'), [3]);
    assert.deepEqual(classOf('untagged: carried', ''), [3]);
    assert.deepEqual(classOf('untagged: table', ''), [0]);
    assert.deepEqual(classOf('untagged: seven', ''), [7]);
  });

  it('writes are hinted to the CPU of their queue, in the form of the mode', () => {
    const tags = (mode: number, queue: string): number[] =>
      nicsOf(
        receiverOf(
          `regs: { DCA_CTRL.DCA_DIS: 0, DCA_CTRL.DCA_MODE: ${mode}, "DCA_RXCTRL[3]": "${queue}" }`,
          load(''),
        ),
      )[0]!.hints.map(({ tag }) => tag);
    // CPU 5: descriptors and data, descriptors only; APIC 0x12.
    assert.deepEqual(tags(0, '0x050000A0'), [0x0b]);
    assert.deepEqual(tags(0, '0x05000020'), [0, 0x0b]);
    assert.deepEqual(tags(2, '0x120000A0'), [0x12]);
    assert.deepEqual(nicsOf(receiverOf('tcs: 8', load('')))[0]!.hints, []);
  });

  it('LEDs show link, rate and activity', () => {
    const regs =
      'regs: { LEDCTL.LED0_MODE: 0, LEDCTL.LED1_MODE: 1, LEDCTL.LED2_MODE: 2, ' +
      'LEDCTL.LED3_MODE: 5, LEDCTL.LED3_IVRT: 1 }';
    const leds = (text: string): readonly boolean[] =>
      nicsOf(receiverOf(regs, text))[0]!.leds.map(({ lit }) => lit);
    assert.deepEqual(leds(load('')), [true, true, true, true]);
    assert.deepEqual(leds(''), [true, true, false, true]);
  });
});

describe('probes of an 82599', () => {
  it('report every LED that goes on or off, also with its link', () => {
    const fabric = fabricOf(
      'fabric: { generator: pair, link: { rate: 10G, length: 10m } }\nduration: 700ms\n' +
        'faults: [{ kind: link-down, where: { device: h1, peer: h2 }, at: 600ms, for: 50ms }]\n' +
        'devices: { h1: { nic: { model: 82599, regs: { LEDCTL: "0x0F0F8200" }, ' +
        'writes: [{ at: 650ms, regs: { LEDCTL.LED3_MODE: 14 } }] } } }\n' +
        'load: [{ stream: { from: h1, to: h2 }, rate: 1M, start: 100ms, end: 450ms }]\n',
    );
    class Leds extends NullProbe {
      readonly heard: [led: number, lit: boolean, atMs: number][] = [];

      override ledChanged(...[, , atPs, led, lit]: Parameters<Probe['ledChanged']>): void {
        this.heard.push([led, lit, Math.round(atPs / 1e9)]);
      }
    }
    const session = new Session(fabric, { check: true });
    const leds = new Leds();
    session.engine.listen(leds);
    session.runTo(Infinity);
    const [nic] = nicsOf(session.results('complete'));
    // LED0 shows the link; LED1 blinks with what the MAC does, 50 ms beyond the last frame.
    assert.deepEqual(leds.heard, [
      [1, true, 100],
      [1, false, 300],
      [0, false, 600],
      [0, true, 650],
      [3, true, 650],
    ]);
    assert.deepEqual(
      nic!.leds.map(({ lit, changes }) => [lit, changes]),
      [
        [true, 2],
        [false, 2],
        [false, 0],
        [true, 1],
      ],
    );
  });
});

describe('registers of an 82599 that runs', () => {
  const text = (regs: string): string =>
    `${PAIR}hosts: { nic: { model: 82599, regs: { ${regs} } } }\nload:\n` +
    [0, 1].map((tc) => `  - { stream: { from: h1, to: h2 }, priority: ${tc} }\n`).join('');
  const after = '"RTTBCNRC[1]": "0x80014000", "RTTPT2C[0].CRQ": 96, "RTTPT2C[0].MCL": 192';

  const specOf = (regs: string): NicSpec | null => {
    const [host] = fabricOf(text(regs)).specs;
    return host?.kind === 'host' ? host.nic : null;
  };

  it('are written by a branch as by the scenario at that time', () => {
    const atPs = 1_000_000_001;
    const before = fabricOf(text(''));
    const first = new Session(before, { check: true });
    first.runTo(atPs);
    const fabric = fabricOf(text(after));
    const branch = new Session(fabric, { check: true });
    branch.restore(rebase({ ...first.save(), boundPs: atPs }, before, fabric, atPs));
    branch.runTo(Infinity);
    // A branch writes whole registers, and so does the scenario: the digest takes in each write.
    const regs = registerChanges(specOf('')!, specOf(after)!).map(
      ({ register, index, value }) => `"${register}[${index}]": "0x${(value >>> 0).toString(16)}"`,
    );
    const writes = `[{ at: 1000000001ps, regs: { ${regs.join(', ')} } }]`;
    const planned = `hosts: { nic: { model: 82599, writes: ${writes} } }`;
    const results = runScenario(text('').replace(/hosts:.*/, planned));
    const branched = branch.results('complete');
    assert.equal(branched.digest, results.digest);
    assert.deepEqual(branched.nics, results.nics);
    assert.notEqual(branched.digest, runScenario(text('')).digest);
  });

  it('of all rates are cleared by a bit of RTTBCNRD', () => {
    const limited = (more: string): ReturnType<typeof runScenario> =>
      runScenario(`${PAIR}hosts: { nic: { model: 82599, rates: [{ rate: 1G }]${more} } }
load: [{ name: a, stream: { from: h1, to: h2 }, frame: 1518, transport: raw }]
`);
    const [whole] = framesOf(limited(''));
    const results = limited(', writes: [{ at: 1ms, regs: { "RTTBCNRD.CLEAR_ALL": 1 } }]');
    const [cleared] = framesOf(results);
    // A tenth of the line for one millisecond, all of it for the other.
    assert.ok(Math.abs(cleared! / whole! - 5.5) < 0.1);
    assert.equal(nicsOf(results)[0]!.registers['RTTBCNRD'], undefined);
    assert.equal(nicsOf(results)[0]!.registers['RTTBCNRC[0]'], undefined);
  });

  it('that are set before it runs cannot be changed by a branch', () => {
    assert.equal(lastingDifference(specOf(''), specOf(after)), null);
    assert.equal(lastingDifference(specOf(''), specOf('DMATXCTL.GDV: 1')), 'DMATXCTL');
    assert.equal(lastingDifference(specOf(''), null), 'model');
  });
});
