import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeSlots, type Slots } from '../../../../services/engine/kernel/slots.js';
import { Tables } from '../../../../services/engine/kernel/tables.js';
import { fc } from '../../../kit/properties.js';

function slots(ports: number): Slots {
  const made = makeSlots(new Tables({ device: 1, port: ports, send: 0, receive: 0 }));
  made.configure(0, 0, ports);
  return made;
}

const change = fc.tuple(fc.nat(20), fc.oneof(fc.nat(9), fc.constant(Infinity)));

describe('slots', () => {
  it('always name a port that is due at the least time', () => {
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const made = slots(21);
        const model = Array.from({ length: 21 }, () => Infinity);
        for (const [port, time] of changes) {
          if (time < model[port]! && model[port] !== Infinity) {
            made.at[port] = time;
            made.advanced(0, port);
          } else made.set(0, port, time);
          model[port] = time;
          assert.equal(made.time[0], Math.min(...model));
          assert.equal(model[made.port(0)], Math.min(...model));
        }
      }),
    );
  });

  it('serve each port in turn, whichever port is inserted meanwhile and for whatever time', () => {
    const turn = fc.tuple(change, fc.oneof(fc.nat(9), fc.constant(Infinity)));
    fc.assert(
      fc.property(fc.array(turn), (turns) => {
        const made = slots(21);
        const model = Array.from({ length: 21 }, () => Infinity);
        for (const [[comer, time], again] of turns) {
          const now = made.time[0]!;
          const first = made.port(0);
          if (model[comer] === Infinity && time !== Infinity) {
            // It may be due at this very instant, and be sorted before the port in turn.
            model[comer] = made.at[comer] = now === Infinity ? time : now + time;
            made.joined(0, comer);
          }
          if (now !== Infinity) {
            model[first] = made.at[first] = now + again;
            made.turned(0, first);
          }
          assert.equal(made.time[0], Math.min(...model));
          assert.equal(model[made.port(0)], Math.min(...model));
        }
      }),
    );
  });

  it('order ports due at one instant alike, in whatever order their times were set', () => {
    fc.assert(
      fc.property(
        fc.nat(1e9),
        fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 }),
        (time, ports) => {
          const one = slots(7);
          const other = slots(7);
          for (const port of ports) one.set(0, port, time);
          for (const port of [...ports].reverse()) other.set(0, port, time);
          assert.equal(one.port(0), other.port(0));
        },
      ),
    );
  });

  it('favour no port in the long run: of two that tie, each is first as often', () => {
    // Between ties a port may have turns of its own, so that the other is so many turns ahead.
    for (let ahead = 0; ahead < 8; ahead++) {
      const made = slots(16);
      for (let turn = 0; turn < ahead; turn++) serve(made, 3, 0);
      for (const [one, other] of [
        [3, 4],
        [3, 15],
        [0, 3],
      ] as const) {
        let wins = 0;
        for (let tie = 1; tie <= 10_000; tie++) {
          made.set(0, one, tie * 122_880);
          made.set(0, other, tie * 122_880);
          if (made.port(0) === one) wins++;
          for (let left = 2; left > 0; left--) serve(made, made.port(0), Infinity);
        }
        assert.ok(wins >= 4800 && wins <= 5200, `${one} of ${other}: ${wins}`);
      }
    }
  });

  it('favour none of four either, whichever have more turns', () => {
    const wins = [0, 0, 0, 0];
    const made = slots(4);
    let random = 1;
    for (let tie = 1; tie <= 40_000; tie++) {
      random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
      serve(made, random >>> 30, 0);
      for (let port = 0; port < 4; port++) made.set(0, port, tie * 122_880);
      wins[made.port(0)]!++;
      for (let left = 4; left > 0; left--) serve(made, made.port(0), Infinity);
    }
    for (const won of wins) assert.ok(Math.abs(won - 10_000) < 1000, wins.join());
  });
});

/** A port is due alone, if at all, is served, and is due again at a time. */
function serve(made: Slots, port: number, againAt: number): void {
  if (made.at[port] === Infinity) made.set(0, port, 0);
  made.at[port] = againAt === 0 ? Infinity : againAt;
  made.turned(0, port);
}
