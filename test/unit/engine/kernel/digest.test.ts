import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Clock } from '../../../../services/engine/kernel/clock.js';
import { type Digests, makeDigests } from '../../../../services/engine/kernel/digest.js';
import { digestAfter } from '../../../../services/engine/kernel/digest-periods.js';
import { Tables } from '../../../../services/engine/kernel/tables.js';
import { fc } from '../../../kit/properties.js';

type Event = readonly [time: number, what: number, detail: number];

/** Words of a period, and by how much the details of its events grow from one to the next. */
type Grown = readonly [event: Event, growth: number];

function mixer(): { digests: Digests; mix: (event: Event) => void } {
  const clock = new Clock();
  const digests = makeDigests(new Tables({ device: 1 }), clock);
  const mix = ([time, what, detail]: Event): void => {
    clock.now = time;
    digests.mix(0, what, detail);
  };
  return { digests, mix };
}

function digestOf(events: readonly Event[]): string {
  const { digests, mix } = mixer();
  events.forEach(mix);
  return digests.hex(0);
}

const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const what = fc.nat(0xffff);
const event: fc.Arbitrary<Event> = fc.tuple(fc.nat(2 ** 50), what, word);

describe('the digest of a device', () => {
  it('differs when one event does, in any of its words', () => {
    const change = fc.tuple(fc.nat(2 ** 50), what, word);
    fc.assert(
      fc.property(fc.array(event, { minLength: 1 }), fc.nat(), change, (events, at, changed) => {
        const place = at % events.length;
        const others = events.with(place, changed);
        const isSame = events[place]!.every((value, i) => value === changed[i]);
        assert.equal(digestOf(others) === digestOf(events), isSame);
      }),
    );
  });

  it('differs when words change so that one lane, or two, would not see it', () => {
    const events: Event[] = Array.from({ length: 4096 }, (_, i) => [i * 121_600, i % 9, 7 * i]);
    const digest = digestOf(events);
    for (const place of [0, 1, 17, 2048, 4095]) {
      const [time, kind, detail] = events[place]!;
      const near: Event[] = [
        [time + 2 ** 32, kind, detail],
        [time + 2 ** 32 * 5, kind, detail],
        [time + 1, kind - 1, detail],
        [time + 1, kind - 1, detail - 1],
        [time + 2 ** 31, kind, detail],
        [time, kind + 1, detail - 1],
        [time, kind, detail + 2 ** 31],
        [time, kind + 2 ** 15, detail],
      ];
      for (const other of near) assert.notEqual(digestOf(events.with(place, other)), digest);
    }
    for (let apart = 1; apart < events.length; apart *= 2) {
      const [first, second] = [events[0]!, events[apart]!];
      const swapped = events
        .with(0, [first[0], second[1], second[2]])
        .with(apart, [second[0], first[1], first[2]]);
      assert.notEqual(digestOf(swapped), digest, `${apart} apart`);
    }
    for (let gone = 0; gone < events.length; gone += 511) {
      assert.notEqual(digestOf(events.toSpliced(gone, 1)), digest);
      assert.notEqual(digestOf(events.toSpliced(gone, 0, events[gone]!)), digest);
    }
  });

  const grown: fc.Arbitrary<Grown> = fc.tuple(event, word);
  const cycle = fc.array(grown, { maxLength: 12 });

  function states(period: readonly Grown[], gap: number, count: number) {
    const { digests, mix } = mixer();
    mix([3, 1, 4]);
    return Array.from({ length: count }, (_, n) => {
      for (const [[time, kind, detail], growth] of n === 0 ? [] : period) {
        mix([time + n * gap, kind, (detail + Math.imul(growth, n)) | 0]);
      }
      return digests.read(0);
    });
  }

  it('after n periods is that of a power of a matrix, as if each had been executed', () => {
    fc.assert(
      fc.property(cycle, fc.nat(2 ** 40), fc.nat(60), (period, gap, n) => {
        const [a, b, c, d, ...rest] = states(period, gap, 5 + n);
        assert.deepEqual(digestAfter([a!, b!, c!, d!], n + 1), rest[n]);
      }),
    );
  });

  it('after a million periods is the same in one step and in two', () => {
    fc.assert(
      fc.property(cycle, fc.nat(2 ** 32), fc.integer({ min: 3, max: 1e6 }), (period, gap, n) => {
        const [a, b, c, d] = states(period, gap, 4);
        const at = (k: number) => digestAfter([a!, b!, c!, d!], k)!;
        const whole = at(n + 1000);
        assert.deepEqual(digestAfter([at(n - 3), at(n - 2), at(n - 1), at(n)], 1000), whole);
      }),
    );
  });

  it('is not foretold from periods of which one has an event more, or another word', () => {
    const period: Grown[] = [[[5, 1, 2], 3]];
    const [a, b, c, d] = states(period, 100, 4);
    const { digests, mix } = mixer();
    digests.write(0, c!);
    mix([305, 1, 12]);
    assert.equal(digestAfter([a!, b!, c!, digests.read(0)], 1), null);
    mix([306, 1, 2]);
    assert.equal(digestAfter([a!, b!, c!, digests.read(0)], 1), null);
    assert.notEqual(digestAfter([a!, b!, c!, d!], 1), null);
  });
});
