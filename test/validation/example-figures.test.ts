/** Figures of examples that show one part of a document each. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readU16 } from '../../services/engine/wire/big-endian.js';
import { blankEnvelope, decodeEnvelope } from '../../services/engine/wire/congestion-message.js';
import { OPCODE_PAUSE, OPCODE_PFC } from '../../services/engine/wire/mac-control/opcodes.js';
import { blankPfcFrame, decodePfc } from '../../services/engine/wire/mac-control/pfc-frame.js';
import { blankSfcm, decodeSfcm } from '../../services/engine/wire/sfcm.js';
import type { RunResults } from '../../services/runtime/results/results.js';
import { Session } from '../../services/runtime/session.js';
import { captureOctets } from '../kit/captures.js';
import { fabricOf, runScenario } from '../kit/emulate.js';
import { nicsOf } from '../kit/nics.js';
import { readCapture } from '../../services/engine/wire/pcapng/reader.js';

/** Frames, as a port sends and receives them. */
function seenAt(name: string, port: string): Uint8Array[] {
  const fabric = fabricOf(`examples/${name}.yaml`, `observe.captures={ports: ["${port}"]}`);
  const session = new Session(fabric, { check: true });
  while (session.advance(1000) === 'running');
  return readCapture(captureOctets(fabric, session.captures())).packets.map(({ octets }) => octets);
}

function opcodesOf(frames: readonly Uint8Array[], opcode: number): Uint8Array[] {
  return frames.filter((own) => readU16(own, 12) === 0x8808 && readU16(own, 14) === opcode);
}

function framesOf({ flows }: RunResults, load: string): number {
  return flows.reduce((sum, flow) => sum + (flow.load === load ? flow.frames : 0), 0);
}

describe('examples of the 82599', () => {
  it('nic-vlans: two tags, one inserted, one stripped, and none of a VLAN that is not the own', () => {
    const results = runScenario('examples/nic-vlans.yaml');
    const [sender, receiver] = nicsOf(results);
    const tags = new Set(
      seenAt('nic-vlans', 's1:p1')
        .filter((own) => readU16(own, 12) === 0x88a8)
        .map((own) => [14, 16, 18].map((at) => readU16(own, at).toString(16)).join(' ')),
    );
    // S-TAG, 81-00, C-TAG: VLAN 100 and 10; VLAN 200 and VLAN 20 with priority 4, which both tags have.
    assert.deepEqual([...tags].sort(), ['64 8100 a', '80c8 8100 8014']);
    assert.equal(sender!.spoofedFrames, 249);
    const [row] = receiver!.tags;
    assert.deepEqual([row!.tags, row!.vext, row!.vp], [['S-TAG', 'C-TAG'], true, true]);
    assert.ok(Math.abs(row!.stripped - framesOf(results, 'both')) <= 1);
    assert.equal(framesOf(results, 'spoofed'), 0);
  });

  it('nic-hints: three hinted writes of each frame of a queue, and LEDs', () => {
    const results = runScenario('examples/nic-hints.yaml');
    const nic = nicsOf(results).find(({ device }) => device === 'h2')!;
    const byTag = Object.fromEntries(nic.hints.map(({ tag, writes }) => [tag, writes]));
    assert.deepEqual(Object.keys(byTag), ['0', '18']);
    assert.ok(Math.abs(byTag['18']! - 3 * framesOf(results, 'hinted')) <= 3);
    assert.ok(Math.abs(byTag['0']! - 3 * framesOf(results, 'plain')) <= 3);
    const shown = nic.leds.map(({ source, blinks, inverted, lit }) => [
      source,
      blinks,
      inverted,
      lit,
    ]);
    assert.deepEqual(shown, [
      ['LINK_UP', false, false, true],
      ['LINK_10G', false, false, true],
      ['FILTER_ACTIVITY', true, false, true],
      ['LINK_10G', false, true, false],
    ]);
  });

  it('nic-four-classes: 32 virtual machines, four buffers, and 3 : 1 of host memory', () => {
    const results = runScenario('examples/nic-four-classes.yaml');
    const nic = nicsOf(results).find(({ device }) => device === 'h3')!;
    const sizes = [0, 1, 2, 3, 4].map((tc) => nic.registers[`RXPBSIZE[${tc}]`]! >> 10);
    assert.deepEqual(sizes, [128, 128, 128, 128, 0]);
    assert.ok(Math.max(...nic.T1.map(({ vm }) => vm)) < 32);
    const ratio = framesOf(results, 'heavy') / framesOf(results, 'light');
    assert.ok(Math.abs(ratio / 3 - 1) < 0.02, String(ratio));
  });
});

describe('examples of flow control', () => {
  it('pause: 512 quanta, XON with 0, and no PFC', () => {
    const seen = seenAt('pause', 's1:p1');
    const quanta = opcodesOf(seen, OPCODE_PAUSE).map((own) => readU16(own, 16));
    assert.deepEqual([...new Set(quanta)].sort(), [0, 512]);
    assert.ok(quanta.filter((own) => own === 0).length > 20);
    assert.equal(opcodesOf(seen, OPCODE_PFC).length, 0);
    const [urgent] = runScenario('examples/pause.yaml').flows.filter(
      ({ load }) => load === 'urgent',
    );
    // It waits for the end of pauses: 512 quanta of 1 Gb/s are 262 us.
    assert.ok(urgent!.latencyMaxPs! > 50e6 && urgent!.latencyMaxPs! < 300e6);
  });

  it('credit-units: each end has its unit, one link has CBFC, and one falls back to PFC', () => {
    const { discovery, credits } = runScenario('examples/credit-units.yaml');
    const units = (port: string): number | undefined =>
      credits.find((own) => own.port === port)?.unitOctets;
    assert.deepEqual([units('h1:p1'), units('s1:p1')], [777, 2548]);
    const mismatched = discovery!.ports.filter(({ mismatches }) =>
      mismatches.includes('credit-unit'),
    );
    assert.deepEqual(
      mismatched.map(({ port }) => port),
      ['h3:p1', 's1:p3'],
    );
    const seen = seenAt('credit-units', 's1:p2');
    assert.equal(opcodesOf(seen, 0x0110).length + opcodesOf(seen, 0x0111).length, 0);
    assert.ok(opcodesOf(seenAt('credit-units', 's1:p1'), 0x0111).length > 10);
  });

  it('sfc-ipv6: a pause in nanoseconds becomes quanta of PFC at the edge', () => {
    // As they reach leaf1 from the spine, over which h9 is.
    const messages = seenAt('sfc-ipv6', 'leaf1:p5').flatMap((octets) => {
      const envelope = blankEnvelope();
      const pdu = blankSfcm();
      if (decodeEnvelope(octets, 0, envelope) !== 'ok' || envelope.encapsulation !== 'ipv6')
        return [];
      return decodeSfcm(octets, envelope.pduAt, envelope.pduEnd, pdu) === 'ok' ? [pdu] : [];
    });
    assert.ok(messages.length >= 20);
    const stated = new Set(messages.map(({ pauseNs }) => Math.ceil(pauseNs / 5.12)));
    const quanta = opcodesOf(seenAt('sfc-ipv6', 'leaf1:p1'), OPCODE_PFC).flatMap((octets) => {
      const frame = blankPfcFrame();
      assert.equal(decodePfc(octets, 0, frame), 'ok');
      return frame.quanta[3]!;
    });
    assert.ok(
      quanta.some((own) => stated.has(own)),
      `${quanta.join()} of ${[...stated].join()}`,
    );
  });
});

describe('examples of the MVTX2802', () => {
  it('mvtx2802-qos: P6 at 8 of 64 parts, and 30 : 18 of what it leaves', () => {
    const results = runScenario('examples/mvtx2802-qos.yaml');
    // At the average rate, and a burst of 16 KiB once.
    const shaped = framesOf(results, 'shaped') * 1538;
    const expected = (125e6 / 8) * 20e-3 + 16_384;
    assert.ok(Math.abs(shaped / expected - 1) < 0.01, `${shaped} bytes, expected ${expected}`);
    const ratio = framesOf(results, 'more') / framesOf(results, 'less');
    assert.ok(Math.abs(ratio / (30 / 18) - 1) < 0.01, String(ratio));
    assert.ok(framesOf(results, 'managed') > 400);
  });

  it('mvtx2802-counter: only the source of multicast is paused', () => {
    const paused = (port: string): number =>
      opcodesOf(seenAt('mvtx2802-counter', port), OPCODE_PAUSE).filter(
        (own) => readU16(own, 16) > 0,
      ).length;
    assert.ok(paused('s1:p1') >= 10);
    for (const port of ['s1:p3', 's1:p4']) assert.equal(paused(port), 0);
  });
});
