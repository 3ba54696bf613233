import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RandomStream } from '../../../services/engine/kernel/random.js';
import { checksumOf, sumOver } from '../../../services/engine/wire/checksum.js';
import { classOf, padded } from '../../../services/fabric/live/frame-facts.js';
import { LiveStations } from '../../../services/fabric/live/stations.js';
import type { LivePlan } from '../../../services/fabric/live/live-section.js';
import { complete, isUnfinished, markCongestion } from '../../../services/fabric/live/rewriting.js';
import {
  readInputs,
  recordedInput,
  recordingHeader,
} from '../../../services/fabric/live/recorded-inputs.js';
import { BROADCAST, hexOf, macOf, octetsOf, pfcFrame, udpFrame } from '../../kit/live-frames.js';

const CS3 = 24 << 2;
const ECT_0 = 2;
const CE = 3;

/** An IPv4 header behind an untagged Ethernet header. */
function ipv4Sum(frame: Uint8Array): number {
  return checksumOf(sumOver(0, frame, 14, 34));
}

describe('what a fabric knows of a frame of a real host', () => {
  it('is the priority of its tag, of its DSCP, or the one that the port has', () => {
    assert.equal(classOf(udpFrame(2, 1, { traffic: CS3 }), null).priority, 3);
    assert.equal(classOf(udpFrame(2, 1, { traffic: CS3 }), 5).priority, 5);
    assert.equal(classOf(udpFrame(2, 1, { traffic: CS3, tag: 'a064' }), 5).priority, 5);
    const tagged = classOf(udpFrame(2, 1, { tag: 'e064' }), null);
    assert.deepEqual([tagged.priority, tagged.vlan], [7, 100]);
  });

  it('is one hash for each flow, and whether it may be marked', () => {
    const one = classOf(udpFrame(2, 1), null);
    assert.equal(one.hash, classOf(udpFrame(2, 1, { payload: 900 }), null).hash);
    assert.notEqual(one.hash, classOf(udpFrame(1, 2), null).hash);
    assert.deepEqual(
      [0, 1, ECT_0, CE].map((traffic) => classOf(udpFrame(2, 1, { traffic }), null).isCapable),
      [false, true, true, false],
    );
  });

  it('is never more than its octets say', () => {
    const random = new RandomStream(5, 'frames');
    const start = udpFrame(2, 1, { tag: 'e064' });
    for (let run = 0; run < 20_000; run++) {
      const octets = padded(start.slice(0, 14 + random.below(60)));
      for (let i = 0; i < 6; i++) octets[12 + random.below(octets.length - 12)] = random.below(256);
      const { priority } = classOf(octets, null);
      assert.ok(priority >= 0 && priority < 8);
      markCongestion(octets);
      if (isUnfinished(octets)) complete(octets);
    }
  });
});

describe('octets that a live port changes', () => {
  it('are the mark of congestion, and the checksum of the header', () => {
    const frame = udpFrame(2, 1, { traffic: CS3 | ECT_0 });
    markCongestion(frame);
    assert.equal(frame[15], CS3 | CE);
    assert.equal(ipv4Sum(frame), 0);
  });

  it('are none where the transport is not capable, or it is marked already', () => {
    for (const traffic of [0, CE]) {
      const frame = udpFrame(2, 1, { traffic });
      const before = hexOf(frame);
      markCongestion(frame);
      assert.equal(hexOf(frame), before);
    }
  });

  it('are a checksum that a kernel left to hardware, and no other', () => {
    const unfinished = udpFrame(2, 1, { isUnfinished: true });
    assert.ok(isUnfinished(unfinished));
    complete(unfinished);
    assert.equal(hexOf(unfinished), hexOf(udpFrame(2, 1)));
    assert.equal(isUnfinished(unfinished), false);
    unfinished[40]! ^= 1;
    assert.equal(isUnfinished(unfinished), false);
  });
});

describe('where frames of real hosts go', () => {
  const section = { isWire: false, priority: null } as LivePlan['hosts'][number]['section'];
  const wire = { ...section, isWire: true };
  const plan: LivePlan = {
    hosts: [
      { section, position: 0 },
      { section: wire, position: 2 },
    ],
    group: 4,
    emulated: new Map([[0x020000000007, 1]]),
  };

  function target(stations: LiveStations, position: number, octets: Uint8Array): unknown {
    const entering = stations.enter(position, octets);
    if (typeof entering === 'string' || entering.frame === null) return entering;
    return [entering.frame.target, entering.frame.isGroup];
  }

  it('is learned from what hosts send; the rest goes to all of them', () => {
    const stations = new LiveStations(plan);
    assert.deepEqual(target(stations, 0, udpFrame(2, 1)), [4, true]);
    assert.deepEqual(target(stations, 2, udpFrame(1, 2)), [0, false]);
    assert.deepEqual(target(stations, 0, udpFrame(2, 1)), [2, false]);
    assert.deepEqual(
      target(stations, 0, octetsOf(`${BROADCAST}${macOf(1)}0806${'00'.repeat(46)}`)),
      [4, true],
    );
    const emulated = octetsOf(`020000000007${macOf(1)}0806${'00'.repeat(46)}`);
    assert.deepEqual(target(stations, 0, emulated), [1, false]);
    assert.equal(target(stations, 0, udpFrame(1, 1)), 'own-address');
  });

  it('is the link for what no bridge forwards, where the host is its link partner', () => {
    const stations = new LiveStations(plan);
    assert.equal(target(stations, 0, pfcFrame(8, 100)), 'link-local');
    assert.deepEqual(target(stations, 2, pfcFrame(8, 100)), { frame: null });
    const bpdu = octetsOf(`0180c2000000${macOf(1)}0026424203${'00'.repeat(43)}`);
    assert.equal(target(stations, 2, bpdu), 'link-type');
  });

  it('is nowhere where there is no other', () => {
    const alone = new LiveStations({ ...plan, hosts: plan.hosts.slice(0, 1) });
    assert.equal(target(alone, 0, udpFrame(2, 1)), 'alone');
  });
});

describe('a recording of what came in', () => {
  const header = recordingHeader(['h1', 'h2']);
  const hosts = new Map([
    ['h1', 0],
    ['h2', 1],
  ]);
  const write = (...pieces: Uint8Array[]): Uint8Array => Buffer.concat([header, ...pieces]);

  it('has every picosecond, up to hours', () => {
    const times = [0, 1, 999, 1_000_001, 8_999_999_999_999_999];
    const file = write(...times.map((at) => recordedInput(1, at, udpFrame(1, 2))));
    assert.deepEqual(
      readInputs(file, hosts).map(({ atPs, position }) => [atPs, position]),
      times.map((at) => [at, 1]),
    );
  });

  it('is refused where it is damaged, of other hosts, or out of order', () => {
    const frame = padded(udpFrame(1, 2));
    const file = write(recordedInput(0, 5, frame), recordedInput(0, 4, frame));
    assert.throws(() => readInputs(file, hosts), /packet 2 is before an earlier one/);
    assert.throws(() => readInputs(file, new Map([['h1', 0]])), /interface h2 is no live host/);
    assert.throws(() => readInputs(file.subarray(0, -3), hosts), /damaged/);
    assert.throws(
      () => readInputs(write(recordedInput(0, 5, frame.subarray(0, 20))), hosts),
      /packet 1 is shorter/,
    );
  });
});
