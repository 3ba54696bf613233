import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  blankTransmit,
  countDownTransmit,
  dueOf,
  type LldpTransmit,
  runTransmit,
  ticksToTransmit,
  transmitted,
} from '../../../../services/engine/discovery/lldp/transmit-machine.js';
import { TIMERS } from '../../../kit/discovery-link.js';
import { fc } from '../../../kit/properties.js';

type Cause = 'localChange' | 'newNeighbor' | 'stop' | 'go';

/** Runs up to the end of a tick; sends what is due at once; notes what was sent when. */
function serve(tx: LldpTransmit, tick: number, allowed: boolean, sent: string[]): void {
  runTransmit(tx, TIMERS, allowed);
  for (let due = dueOf(tx); due !== 'nothing'; due = dueOf(tx)) {
    transmitted(tx, TIMERS, due);
    sent.push(`${tick} ${due}`);
    runTransmit(tx, TIMERS, allowed);
  }
}

function simulate(
  causes: ReadonlyMap<number, readonly Cause[]>,
  ticks: number,
  strides: (tx: LldpTransmit, tick: number) => number,
): string[] {
  const tx = blankTransmit();
  const sent: string[] = [];
  let allowed = true;
  let tick = 0;
  for (;;) {
    for (const cause of causes.get(tick) ?? []) {
      if (cause === 'localChange' || cause === 'newNeighbor') {
        if (tx.state === 'idle') tx[cause] = true;
      } else allowed = cause === 'go';
      serve(tx, tick, allowed, sent);
    }
    serve(tx, tick, allowed, sent);
    const next = tick + strides(tx, tick);
    if (next > ticks) return sent;
    countDownTransmit(tx, TIMERS, next - tick);
    tick = next;
  }
}

const TICKS = 300;

describe('transmit machines of LLDP', () => {
  it('send at once, then every interval', () => {
    const sent = simulate(new Map(), 95, () => 1);
    assert.deepEqual(sent, ['0 information', '30 information', '60 information', '90 information']);
  });

  it('send fast to a new neighbor, four times, and then as usual', () => {
    const sent = simulate(new Map([[10, ['newNeighbor']]]), 60, () => 1);
    const at = sent.map((line) => Number(line.split(' ')[0]));
    assert.deepEqual(at, [0, 10, 11, 12, 13, 43]);
  });

  it('have no more than five LLDPDUs in hand, and gain one in a second', () => {
    const changes = new Array<Cause>(9).fill('localChange');
    const sent = simulate(new Map([[10, changes]]), 20, () => 1);
    const at = sent.map((line) => Number(line.split(' ')[0]));
    assert.deepEqual(at, [0, 10, 10, 10, 10, 10, 11]);
  });

  it('take leave once, and begin anew no sooner than the delay', () => {
    const causes = new Map<number, readonly Cause[]>([
      [10, ['stop']],
      [11, ['go']],
    ]);
    const sent = simulate(causes, 20, () => 1);
    assert.deepEqual(sent, ['0 information', '10 shutdown', '12 information']);
  });

  it('do the same when ticks are counted many at once as when each is', () => {
    const cause = fc.constantFrom<Cause>('localChange', 'newNeighbor', 'stop', 'go');
    const events = fc.array(fc.tuple(fc.integer({ min: 0, max: TICKS }), cause), { maxLength: 40 });
    fc.assert(
      fc.property(events, (list) => {
        const causes = new Map<number, Cause[]>();
        for (const [tick, what] of list) causes.set(tick, [...(causes.get(tick) ?? []), what]);
        const times = [...causes.keys()].sort((a, b) => a - b);
        const jump = (tx: LldpTransmit, tick: number): number => {
          const next = times.find((time) => time > tick) ?? Infinity;
          return Math.min(ticksToTransmit(tx), next - tick, TICKS + 1 - tick);
        };
        assert.deepEqual(
          simulate(causes, TICKS, jump),
          simulate(causes, TICKS, () => 1),
        );
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});
