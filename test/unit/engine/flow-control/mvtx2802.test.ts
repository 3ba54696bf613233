import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SlotsSpec } from '../../../../services/engine/contract/spec.js';
import {
  SHARED,
  SOURCE,
  outputLoad,
  wredShare,
} from '../../../../services/engine/mvtx2802/machine.js';
import { NO_SLOT } from '../../../../services/engine/mvtx2802/slots.js';
import { MULTICAST } from '../../../../services/engine/mvtx2802/stops.js';
import { ChipBench, chipSpec, flowControlOn } from '../../../kit/mvtx2802-bench.js';
import { fc } from '../../../kit/properties.js';

const P7 = 7;
const LOWEST = 0;
const KIB = 1024;

describe('slots and unicast Xoff (7.9.1)', () => {
  it('stops a source when its slots are gone, and lets it go on when all are free', () => {
    const bench = new ChipBench(chipSpec({ sharedSlots: 2, flowControl: flowControlOn(0) }));
    const { memory } = bench.chip;
    const seen = Array.from({ length: 7 }, () => {
      const slot = bench.arrive({ from: 0, to: 3 });
      const region = slot === NO_SLOT ? 'none' : bench.region(slot) === SHARED ? 'shared' : 'own';
      const told = bench.told().join();
      return { slot, region, free: memory.free[SHARED], used: memory.usedBySource[0], told };
    });
    assert.deepEqual(
      seen.map(({ region, free, used, told }) => [region, free, used, told]),
      [
        ['shared', 1, 0, ''],
        ['shared', 0, 0, ''],
        ['own', 0, 1, ''],
        ['own', 0, 2, ''],
        ['own', 0, 3, 'Xoff 0'],
        ['own', 0, 4, ''],
        ['none', 0, 4, ''],
      ],
    );
    assert.equal(bench.chip.counters.withoutSlot[0], 1);
    const left = [0, 1, 2, 3, 4, 5].map((frame) => {
      bench.chip.sent(seen[frame]!.slot, LOWEST);
      return [memory.free[SHARED], memory.usedBySource[0], bench.told().join()];
    });
    assert.deepEqual(left, [
      [1, 4, ''],
      [2, 4, ''],
      [2, 3, ''],
      [2, 2, ''],
      [2, 1, ''],
      [2, 0, 'Xon 0'],
    ]);
    assert.deepEqual(bench.broken(), []);
  });

  it('one frame to a blocked port never stops its source', () => {
    const bench = new ChipBench(chipSpec({ flowControl: flowControlOn(0) }));
    bench.arrive({ from: 0, to: 3 });
    assert.equal(bench.chip.memory.usedBySource[0], 1);
    assert.deepEqual(bench.told(), []);
  });

  it('downgraded frames may not have the slots of a class; others may, and then their own', () => {
    const classSlots = [0, 0, 0, 0, 0, 0, 0, 1];
    const spec = chipSpec({ sharedSlots: 1, classSlots, flowControl: flowControlOn(0) });
    const bench = new ChipBench(spec);
    const regions = [
      bench.arrive({ from: 0, to: 3 }),
      bench.arrive({ from: 1, to: 3 }),
      bench.arrive({ from: 1, to: 3 }),
      bench.arrive({ from: 2, to: 3, trafficClass: 0 }),
    ].map((slot) => bench.region(slot));
    assert.deepEqual(regions, [SHARED, P7, SOURCE, SOURCE]);
    assert.equal(bench.chip.queueOf(0, 7), LOWEST);
    assert.equal(bench.chip.queueOf(1, 7), 7);
    assert.equal(bench.chip.counters.downgraded[0], 1);
    const normal = new ChipBench({ ...spec, normalQos: true });
    assert.equal(normal.region(normal.arrive({ from: 0, to: 3 })), P7);
    assert.equal(normal.chip.queueOf(0, 7), 7);
    assert.deepEqual(bench.broken(), []);
  });

  it('the other order spends the own region first', () => {
    const order = { allocationOrder: 'source-first' } as const;
    const bench = new ChipBench(chipSpec({ sharedSlots: 9, sourceSlots: 1, ...order }));
    const regions = [0, 1].map(() => bench.region(bench.arrive({ from: 0, to: 3 })));
    assert.deepEqual(regions, [SOURCE, SHARED]);
  });

  it('a frame for several ports has one slot, free when the last of them has sent it', () => {
    const bench = new ChipBench(chipSpec());
    const slot = bench.arrive({ from: 0, to: [1, 2, 3] });
    bench.chip.sent(slot, 7);
    bench.chip.sent(slot, 7);
    assert.equal(bench.chip.memory.used[SOURCE], 1);
    bench.chip.sent(slot, 7);
    assert.equal(bench.chip.memory.used[SOURCE], 0);
  });
});

describe('multicast flow control (7.9.2)', () => {
  it('unmanaged: above the counter the source of one more is stopped, below it all go on', () => {
    const bench = new ChipBench(
      chipSpec({
        sharedSlots: 20,
        flowControl: flowControlOn(0, 1),
        multicast: { kind: 'unmanaged', mcc: 3, stops: 'source' },
      }),
    );
    const slots: number[] = [];
    const told = [0, 0, 1, 0, 2, 1].map((from) => {
      slots.push(bench.arrive({ from, to: [3] }));
      return bench.told().join();
    });
    assert.deepEqual(told, ['', '', '', 'Xoff 0', '', 'Xoff 1']);
    const after = slots.map((slot) => {
      bench.chip.sent(slot, LOWEST);
      return [bench.chip.memory.multicastFrames, ...bench.told()];
    });
    assert.deepEqual(after, [[5], [4], [3], [2, 'Xon 0', 'Xon 1'], [1], [0]]);
  });

  it('unmanaged, all: every flow-controlled port is paused, whichever sends one too many', () => {
    const bench = new ChipBench(
      chipSpec({
        flowControl: flowControlOn(0, 1),
        multicast: { kind: 'unmanaged', mcc: 1, stops: 'all' },
      }),
    );
    bench.arrive({ from: 2, to: [3] });
    bench.arrive({ from: 2, to: [3] });
    assert.deepEqual(bench.told(), ['Xoff 0', 'Xoff 1']);
  });

  it('managed: what was congested then must be uncongested now, whatever else has filled', () => {
    const bench = new ChipBench(
      chipSpec({
        sharedSlots: 20,
        flowControl: flowControlOn(0),
        multicast: { kind: 'managed', thresholdFrames: 4, thresholdOfVlan: {}, lowFrames: 2 },
      }),
    );
    const { portMap } = bench.chip.stops;
    [0, 3, 5, 4].forEach((frames, port) => (bench.lowest[port] = frames));
    bench.arrive({ from: 0, to: [1, 2, 3] });
    assert.deepEqual([portMap[0], bench.told()], [0b0100, ['Xoff 0']]);
    [0, 4, 6, 5].forEach((frames, port) => (bench.lowest[port] = frames));
    bench.arrive({ from: 0, to: [1, 3] });
    assert.deepEqual([portMap[0], bench.told()], [0b0100, []]);
    [0, 5, 6, 6].forEach((frames, port) => (bench.lowest[port] = frames));
    bench.queue(2, 2);
    bench.queue(3, 9);
    assert.deepEqual([portMap[0], bench.told()], [0b0100, []]);
    bench.queue(2, 1);
    assert.deepEqual([portMap[0], bench.told()], [0, ['Xon 0']]);
    bench.arrive({ from: 0, to: [1, 3] });
    assert.deepEqual([portMap[0], bench.told()], [0b1010, ['Xoff 0']]);
    assert.deepEqual(bench.broken(), []);
  });

  it('managed: a VLAN may have a threshold of its own', () => {
    const bench = new ChipBench(
      chipSpec({
        sharedSlots: 20,
        flowControl: flowControlOn(0, 1),
        multicast: {
          kind: 'managed',
          thresholdFrames: 4,
          thresholdOfVlan: { 20: 8 },
          lowFrames: 2,
        },
      }),
    );
    bench.lowest[3] = 6;
    bench.arrive({ from: 0, to: [2, 3], vlan: 20 });
    assert.deepEqual(bench.told(), []);
    bench.arrive({ from: 1, to: [2, 3], vlan: 10 });
    assert.deepEqual(bench.told(), ['Xoff 1']);
    bench.lowest[3] = 9;
    bench.arrive({ from: 0, to: [2, 3], vlan: 20 });
    assert.deepEqual(bench.told(), ['Xoff 0']);
  });

  it('managed: the CPU has no bit in the port map', () => {
    const bench = new ChipBench(
      chipSpec({
        sharedSlots: 20,
        flowControl: flowControlOn(0),
        multicast: { kind: 'managed', thresholdFrames: 4, thresholdOfVlan: {}, lowFrames: 2 },
        cpuPort: 3,
      }),
    );
    bench.lowest[3] = 9;
    bench.arrive({ from: 0, to: [2, 3] });
    assert.deepEqual([bench.chip.stops.portMap[0], bench.told()], [0, []]);
  });

  it('managed: all ports of the map must be below at the same time', () => {
    const bench = new ChipBench(
      chipSpec({
        flowControl: flowControlOn(0),
        multicast: { kind: 'managed', thresholdFrames: 4, thresholdOfVlan: {}, lowFrames: 2 },
      }),
    );
    [0, 5, 5, 0].forEach((frames, port) => (bench.lowest[port] = frames));
    bench.arrive({ from: 0, to: [1, 2] });
    bench.queue(1, 1);
    bench.queue(1, 3);
    bench.queue(2, 1);
    assert.deepEqual(bench.told(), ['Xoff 0']);
    bench.queue(1, 1);
    assert.deepEqual(bench.told(), ['Xon 0']);
  });

  it('off: multicast pauses no source', () => {
    const bench = new ChipBench(chipSpec({ sharedSlots: 99, flowControl: flowControlOn(0) }));
    bench.lowest.fill(50);
    for (let i = 0; i < 90; i++) bench.arrive({ from: 0, to: [1, 2, 3] });
    assert.deepEqual(bench.told(), []);
  });

  it('two reasons make one stop, which ends with the last of them', () => {
    const bench = new ChipBench(
      chipSpec({
        flowControl: flowControlOn(0),
        xoffSlots: [1, 1, 1, 1],
        multicast: { kind: 'unmanaged', mcc: 1, stops: 'source' },
      }),
    );
    const unicast = bench.arrive({ from: 0, to: 3 });
    assert.deepEqual(bench.told(), ['Xoff 0']);
    const [one, other] = [bench.arrive({ from: 0, to: [3] }), bench.arrive({ from: 0, to: [3] })];
    assert.notEqual(bench.chip.stops.reasons[0]! & MULTICAST, 0);
    assert.deepEqual(bench.told(), []);
    bench.chip.sent(unicast, LOWEST);
    assert.deepEqual(bench.told(), []);
    bench.chip.sent(one, LOWEST);
    assert.deepEqual(bench.told(), []);
    bench.chip.sent(other, LOWEST);
    assert.deepEqual(bench.told(), ['Xon 0']);
  });
});

describe('WRED', () => {
  const loadOf = (sum: 'delay-bound' | 'wfq', kib: Readonly<Record<number, number>>): number => {
    const bench = new ChipBench(chipSpec());
    for (const [tc, octets] of Object.entries(kib)) bench.octets[3]![Number(tc)] = octets * KIB;
    const view = {
      octets: (port: number, tc: number): number => bench.octets[port]![tc]!,
      frames: (): number => 0,
    };
    return outputLoad({ ...bench.spec.wred, sum }, view, 3) / KIB;
  };

  it('adds up what is queued, by weight under delay bound', () => {
    assert.equal(loadOf('delay-bound', { 7: 10, 5: 20, 2: 30 }), 350);
    assert.equal(loadOf('wfq', { 7: 10, 5: 20, 2: 30 }), 60);
    assert.equal(loadOf('delay-bound', { 7: 4, 6: 2, 4: 20, 2: 50 }), 226);
    assert.equal(loadOf('wfq', { 7: 4, 6: 2, 4: 20, 2: 50 }), 76);
  });

  it('drops by level and precedence, and only from a queue above its threshold', () => {
    const { wred } = chipSpec();
    const share = (octets: number, high: boolean, threshold = 0): number => {
      const view = {
        octets: (_: number, tc: number): number => (tc === 2 ? octets : 0),
        frames: (): number => 0,
      };
      const thresholdOctets = [0, 0, threshold, 0, 0, 0, 0, 0];
      return wredShare({ ...wred, thresholdOctets }, view, 0, 2, high);
    };
    const levels = [240, 241, 280, 281, 320, 321].map((kib) => [
      share(kib * KIB, true),
      share(kib * KIB, false),
    ]);
    assert.deepEqual(levels, [
      [0, 0],
      [0.25, 0],
      [0.25, 0],
      [0.5, 0.25],
      [0.5, 0.25],
      [1, 1],
    ]);
    assert.equal(share(321 * KIB, true, 321 * KIB), 0);
  });

  it('never touches the lowest two classes, nor downgraded frames', () => {
    const bench = new ChipBench(chipSpec({ sharedSlots: 9, flowControl: flowControlOn(1) }));
    bench.octets[3]!.fill(400 * KIB);
    assert.equal(bench.arrive({ from: 0, to: 3, trafficClass: 2 }), NO_SLOT);
    assert.equal(bench.chip.counters.wredDrops[3], 1);
    assert.notEqual(bench.arrive({ from: 0, to: 3, trafficClass: 1 }), NO_SLOT);
    assert.notEqual(bench.arrive({ from: 0, to: 3, trafficClass: 0 }), NO_SLOT);
    assert.notEqual(bench.arrive({ from: 1, to: 3, trafficClass: 7 }), NO_SLOT);
  });

  it('reaches a flow-controlled port where the option keeps its class', () => {
    const flowControl = flowControlOn(0);
    const bench = new ChipBench(chipSpec({ sharedSlots: 9, flowControl, normalQos: true }));
    bench.octets[3]!.fill(400 * KIB);
    assert.equal(bench.arrive({ from: 0, to: 3 }), NO_SLOT);
  });

  it('drops the configured share', () => {
    const bench = new ChipBench(chipSpec({ sharedSlots: 9 }));
    bench.octets[3]![2] = 250 * KIB;
    const frames = 20_000;
    let dropped = 0;
    for (let i = 0; i < frames; i++) {
      if (bench.chip.passing(0, 2, true, 1 << 3) === 0) dropped++;
    }
    assert.ok(Math.abs(dropped / frames - 0.25) < 0.015, `${dropped} of ${frames}`);
  });
});

describe('whatever comes and goes', () => {
  const arrival = fc.record({
    from: fc.integer({ min: 0, max: 3 }),
    to: fc.oneof(
      fc.integer({ min: 0, max: 3 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1 }),
    ),
    trafficClass: fc.integer({ min: 0, max: 7 }),
    highPrecedence: fc.boolean(),
  });
  const multicast = fc.oneof(
    fc.constant({ kind: 'off' } as const),
    fc.record({
      kind: fc.constant('unmanaged' as const),
      mcc: fc.integer({ min: 1, max: 4 }),
      stops: fc.constantFrom('source' as const, 'all' as const),
    }),
    fc.constant({
      kind: 'managed',
      thresholdFrames: 3,
      thresholdOfVlan: {},
      lowFrames: 1,
    } as const),
  );
  const spec: fc.Arbitrary<SlotsSpec> = fc
    .record({
      sharedSlots: fc.integer({ min: 0, max: 4 }),
      classSlots: fc.constantFrom([0, 0, 1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0, 0, 0]),
      flowControl: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      normalQos: fc.boolean(),
      multicast,
    })
    .map((changes) => chipSpec({ ...changes, xoffSlots: [2, 3, 2, 3] }));

  it('the rules of the part hold, and an empty memory pauses no source', () => {
    const step = fc.oneof(arrival, fc.nat({ max: 30 }));
    fc.assert(
      fc.property(spec, fc.array(step, { maxLength: 80 }), (own, steps) => {
        const bench = new ChipBench(own);
        const waiting: { slot: number; port: number; trafficClass: number }[] = [];
        const send = (index: number): void => {
          const [frame] = waiting.splice(index, 1);
          if (frame!.trafficClass === LOWEST) bench.lowest[frame!.port]!--;
          bench.chip.sent(frame!.slot, frame!.trafficClass);
        };
        for (const what of steps) {
          if (typeof what === 'number') {
            if (waiting.length > 0) send(what % waiting.length);
          } else {
            const slot = bench.arrive(what);
            const trafficClass = bench.chip.queueOf(what.from, what.trafficClass);
            const ports = typeof what.to === 'number' ? [what.to] : what.to;
            for (const port of slot === NO_SLOT ? [] : ports) {
              waiting.push({ slot, port, trafficClass });
              if (trafficClass === LOWEST) bench.lowest[port]!++;
            }
          }
          assert.deepEqual(bench.broken(), []);
        }
        while (waiting.length > 0) send(0);
        assert.deepEqual(bench.broken(), []);
        assert.ok(bench.chip.stops.reasons.every((reasons) => reasons === 0));
        assert.ok(bench.chip.memory.used.every((used) => used === 0));
      }),
    );
  });
});

describe('a rule that is broken', () => {
  const spec = chipSpec({ sharedSlots: 1, flowControl: flowControlOn(0) });
  const damages: Readonly<Record<string, (bench: ChipBench, slot: number) => void>> = {
    slotsAreConstant: ({ chip }) => chip.memory.free[SHARED]!--,
    regionsAgreeWithSlots: ({ chip }, slot) => (chip.memory.region[slot] = SOURCE),
    sourcesKeepToTheirRegion: ({ chip }) => (chip.memory.usedBySource[1] = 5),
    classSlotsAreNotDowngraded: ({ chip }, slot) => (chip.memory.region[slot] = P7),
    portMapsStandWithTheirReason: ({ chip }) => (chip.stops.portMap[0] = 1),
    stopsFollowReasons: ({ chip }) => (chip.stops.reasons[0] = MULTICAST),
  };
  for (const [name, damage] of Object.entries(damages)) {
    it(`is seen: ${name}`, () => {
      const bench = new ChipBench(spec);
      const slot = bench.arrive({ from: 0, to: 3 });
      assert.deepEqual(bench.broken(), []);
      damage(bench, slot);
      assert.ok(bench.broken().includes(name));
    });
  }
});
