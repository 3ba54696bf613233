import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JamRecord } from '../../../../services/engine/analysis/waits/wait-records.js';
import { findDeadlocks } from '../../../../services/telemetry/congestion/find-deadlocks.js';
import { fabricOf } from '../../../kit/emulate.js';

const fabric = fabricOf(`
fabric: { generator: ring, switches: 3, hostsPerSwitch: 1 }
priorities: { 0: pfc }
load: [ { all-to-all: {}, bytes: 1KB } ]
`);
const { devices } = fabric.topology;
const numberOf = (name: string): number => devices.findIndex((device) => device.name === name);

function portTo(device: string, peer: string): number {
  const ends = fabric.linkEnds[numberOf(device)]!;
  return ends.findIndex(({ peerDevice }) => devices[peerDevice]!.name === peer);
}

interface Jam {
  readonly at: string;
  readonly from: string;
  readonly to: string;
  readonly isAny?: boolean;
  readonly startPs?: number;
}

/** Rings that close when accounts wait so. */
function ringsOf(...jams: readonly Jam[]): string[][] {
  const waits = devices.map(({ name }) => ({
    jams: jams
      .filter(({ at }) => at === name)
      .map(({ at, from, to, isAny = false, startPs = 5 }): JamRecord => {
        const port = portTo(at, from);
        return {
          port,
          group: 0,
          egress: portTo(at, to),
          priority: 0,
          startPs,
          endPs: Infinity,
          isAny,
        };
      }),
  }));
  return findDeadlocks(fabric, waits, 100).map(({ ring }) => ring.map(({ device }) => device));
}

const ONWARD = { at: 's1', from: 's3', to: 's2' };
const REST = [
  { at: 's2', from: 's1', to: 's3' },
  { at: 's3', from: 's2', to: 's1' },
];

describe('accounts that wait for each other in a cycle', () => {
  it('never go on where each waits for one egress', () => {
    assert.deepEqual(ringsOf(ONWARD, ...REST), [['s1', 's2', 's3']]);
  });

  it('go on where another egress of one of them may let it go on', () => {
    const host = { at: 's1', from: 's3', to: 'h1', isAny: true };
    assert.deepEqual(ringsOf({ ...ONWARD, isAny: true }, host, ...REST), []);
    assert.deepEqual(ringsOf(host, { ...ONWARD, isAny: true }, ...REST), []);
    const last = { ...REST[1]!, startPs: 9 };
    assert.deepEqual(ringsOf({ ...ONWARD, isAny: true }, host, REST[0]!, last), []);
  });

  it('never go on where all egresses of one of them lead into the cycle', () => {
    const onward = { ...ONWARD, isAny: true };
    const back = { at: 's1', from: 's3', to: 's3', isAny: true };
    const third = { at: 's3', from: 's1', to: 's2', startPs: 1 };
    const second = { at: 's2', from: 's3', to: 's1', startPs: 2 };
    const first = { at: 's1', from: 's2', to: 's3', startPs: 3 };
    assert.deepEqual(ringsOf(onward, back, ...REST), []);
    const found = ringsOf(onward, back, ...REST, third, second, first);
    assert.ok(found.some((ring) => ring.join() === 's1,s2,s3'));
  });
});
