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

  it('draw among ports due at one instant, in whatever order their times were set', () => {
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

  it('favour no port in the long run', () => {
    const wins = [0, 0, 0, 0];
    const made = slots(4);
    for (let time = 0; time < 40_000; time++) {
      for (let port = 0; port < 4; port++) made.set(0, port, time * 122_880);
      wins[made.port(0)]!++;
    }
    for (const won of wins) assert.ok(Math.abs(won - 10_000) < 400, wins.join());
  });
});
