import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  ADMITTED,
  HEADROOM,
  makeSharedBuffer,
  type SharedBuffer,
  USED,
} from '../../../../services/engine/buffer/shared-buffer.js';
import type {
  AccountSpec,
  PooledGroupSpec,
  PooledSpec,
  PoolsSpec,
} from '../../../../services/engine/contract/memory.js';
import { poolRows } from '../../../../services/engine/contract/memory.js';
import { DROP } from '../../../../services/engine/contract/probe.js';
import { Tables } from '../../../../services/engine/kernel/tables.js';
import { fc } from '../../../kit/properties.js';

const CELL = 100;
const GROUPS = [0, 1, 2, 3, 4, 5, 6, 7];

const OWN_POOL: PooledGroupSpec = {
  ...{ pool: 0, isByGroups: false, reservedOctets: 0, alpha: 1, limitOctets: Infinity },
  ...{ xonOctets: 0, xonOffsetOctets: 0 },
};

interface Given {
  readonly ports?: number;
  readonly slices?: number;
  readonly pool?: number;
  readonly headroomPool?: number;
  readonly headroom?: number;
  readonly lossless?: boolean;
  readonly group?: Partial<PooledGroupSpec>;
  readonly queue?: Partial<PooledSpec>;
  readonly portAlpha?: number;
  readonly steadyXon?: boolean;
  readonly cell?: number;
  readonly frame?: number;
}

/** All sizes in cells. */
function bufferOf(given: Given): SharedBuffer {
  const { ports = 2, slices = 1, pool = 100, headroomPool = Infinity, headroom = 10 } = given;
  const { cell = CELL, lossless = true } = given;
  const size = (cells: number): number => cells * cell;
  const group: PooledGroupSpec = { ...OWN_POOL, ...given.group };
  const queue: PooledSpec = {
    ...{ pool: 1, isByGroups: false, reservedOctets: 0, alpha: Infinity, limitOctets: Infinity },
    ...given.queue,
  };
  const account: AccountSpec = {
    lossless,
    reservedOctets: group.reservedOctets,
    alpha: 1,
    xoffOctets: Infinity,
    xonGapOctets: 0,
    headroomOctets: lossless ? size(headroom) : 0,
  };
  const each = Array.from({ length: ports }, (_, port) => port);
  const pools: PoolsSpec = {
    frameOctets: given.frame ?? 0,
    slices,
    sliceOf: each.map((port) => Math.floor((port * slices) / ports)),
    pools: [
      { name: 'ingress', octets: size(pool) },
      { name: 'egress', octets: size(pool) },
    ],
    headroomOctets: size(headroomPool),
    groups: each.map(() => GROUPS.map(() => group)),
    queues: each.map(() => GROUPS.map(() => queue)),
    portAlphas: each.map(() => [given.portAlpha ?? null, null]),
    ...{ wreds: [], wredOf: each.map(() => GROUPS.map(() => -1)) },
    steadyXon: given.steadyXon ?? false,
  };
  const apart = ports * 8 * (account.reservedOctets + account.headroomOctets);
  const spec = {
    sizeOctets: size(pool) * slices + apart,
    cellOctets: cell,
    egressReservedOctets: 0,
    egressAlpha: 0,
    accounts: each.map(() => GROUPS.map(() => account)),
    pools,
  };
  const buffer = makeSharedBuffer(new Tables({ device: 1, port: ports, pool: poolRows(spec) }));
  buffer.configure(0, 0, spec, 0);
  return buffer;
}

/** Frames of one cell until the group is at XOFF, and from there until one is lost. */
function fill(buffer: SharedBuffer, port: number, group: number): { pfc: number; drop: number } {
  let frames = 0;
  let pfc = 0;
  for (;;) {
    frames++;
    if (buffer.admit(port, group, CELL, 0) !== ADMITTED) return { pfc, drop: frames };
    if (pfc === 0 && buffer.atXoff(port, group)) pfc = frames;
  }
}

describe('pools', () => {
  it('pause a group at its share, and lose its frames one headroom later', () => {
    const buffer = bufferOf({ pool: 101, group: { reservedOctets: 6 * CELL } });
    assert.deepEqual(fill(buffer, 0, 3), { pfc: 6 + 51, drop: 6 + 51 + 10 + 1 });
  });

  it('give each group half of what earlier ones left, at an alpha of 1', () => {
    const buffer = bufferOf({ pool: 1000, headroom: 0 });
    const pfc = [0, 1, 2, 3].map((group) => fill(buffer, 0, group).pfc);
    assert.deepEqual(pfc, [500, 250, 125, 63]);
  });

  it('give headroom of one slice to its ports, until the shared headroom is gone', () => {
    const buffer = bufferOf({ ports: 4, slices: 2, pool: 100, headroomPool: 25, headroom: 10 });
    const taken = [0, 1, 2, 3].map((group) => {
      const { pfc, drop } = fill(buffer, 0, group);
      return drop - pfc - 1;
    });
    assert.deepEqual(taken, [10, 10, 5, 0]);
    const other = fill(buffer, 3, 3);
    assert.equal(other.drop - other.pfc - 1, 10);
  });

  it('empty headroom first, and permit XON only when it is empty', () => {
    const buffer = bufferOf({ pool: 100, group: { xonOffsetOctets: 4 * CELL }, steadyXon: true });
    for (let i = 0; i < 55; i++) buffer.admit(0, 0, CELL, 0);
    assert.equal(buffer.get(0, 0, HEADROOM), 5 * CELL);
    for (let i = 0; i < 5; i++) buffer.release(0, 0, CELL);
    assert.equal(buffer.get(0, 0, HEADROOM), 0);
    let released = 0;
    for (; !buffer.atXon(0, 0); released++) buffer.release(0, 0, CELL);
    assert.equal(released, 4);
  });

  it('count XON from the present threshold where the chip does', () => {
    const buffer = bufferOf({ pool: 100, group: { xonOffsetOctets: 4 * CELL } });
    for (let i = 0; i < 50; i++) buffer.admit(0, 0, CELL, 0);
    let released = 0;
    for (; !buffer.atXon(0, 0); released++) buffer.release(0, 0, CELL);
    assert.equal(released, 2);
  });

  it('permit XON at or below `xon`, however low the threshold is', () => {
    const buffer = bufferOf({
      pool: 100,
      group: { limitOctets: 0, alpha: Infinity, xonOctets: 3 * CELL, reservedOctets: 5 * CELL },
    });
    for (let i = 0; i < 5; i++) buffer.admit(0, 0, CELL, 0);
    assert.equal(buffer.atXoff(0, 0), true);
    buffer.release(0, 0, CELL);
    buffer.release(0, 0, CELL);
    assert.equal(buffer.atXon(0, 0), true);
  });

  it('have a second threshold of the port: its groups share it', () => {
    const buffer = bufferOf({ pool: 1000, portAlpha: 1, headroom: 0 });
    // pa x ga / (pa x ga + ga + 1) of the pool.
    assert.equal(fill(buffer, 0, 0).pfc, 334);
    assert.ok(fill(buffer, 0, 1).pfc < 334);
  });

  it('discard lossy frames at a threshold, at ingress and at egress', () => {
    const buffer = bufferOf({ lossless: false, queue: { alpha: 0.25, reservedOctets: 7 * CELL } });
    const { pools } = buffer;
    let queued = 0;
    while (pools.refusesQueue(1, 0, CELL) === ADMITTED) {
      pools.queued(1, 0, CELL);
      queued++;
    }
    assert.equal(pools.refusesQueue(1, 0, CELL), DROP.EGRESS_THRESHOLD);
    assert.equal(queued, 7 + 20);
    for (let i = 0; i < 50; i++) assert.equal(buffer.admit(0, 0, CELL, 0), ADMITTED);
    assert.equal(buffer.admit(0, 0, CELL, 0), DROP.INGRESS_THRESHOLD);
  });

  it('compare whole cells: a fraction of one does not delay a pause', () => {
    // (100 - s) / 8 lies between 11 and 12 cells when s is 11.
    const buffer = bufferOf({ pool: 100, group: { alpha: 1 / 8 } });
    assert.equal(fill(buffer, 0, 0).pfc, 11);
  });

  it('store what a chip adds to a frame, in whole cells', () => {
    assert.equal(bufferOf({ cell: 1, frame: 48 }).storedOctets(0, 64), 112);
    assert.equal(bufferOf({ cell: 256, frame: 32 }).storedOctets(0, 225), 512);
  });

  it('keep what they store when a threshold or a pool is set below it', () => {
    const buffer = bufferOf({ pool: 100, headroomPool: 20, headroom: 10 });
    for (let i = 0; i < 55; i++) assert.equal(buffer.admit(0, 3, CELL, 0), ADMITTED);
    const share = { ...OWN_POOL, alpha: 1 / 8 };
    const account = { reservedOctets: 4 * CELL, headroomOctets: 2 * CELL };
    const group = { port: 0, group: 3, account, share, portAlpha: null };
    const sizes = [-80 * CELL, 0, -18 * CELL];
    buffer.change(0, { sizes, sharedOctets: -80 * CELL, groups: [group], queues: [] });
    // 50 cells were shared, of which 4 are reserved now; 5 are in a headroom of 2.
    assert.deepEqual([buffer.get(0, 3, USED), buffer.get(0, 3, HEADROOM)], [55 * CELL, 5 * CELL]);
    assert.equal(buffer.pools.uses(0)[0]!.usedOctets, 46 * CELL);
    assert.deepEqual(
      buffer.pools.owed(0),
      buffer.pools.uses(0).map(({ usedOctets }) => usedOctets),
    );
    assert.equal(buffer.admit(0, 3, CELL, 0), DROP.HEADROOM_EXHAUSTED);
    assert.equal(buffer.pools.shrink(0, CELL), 0);
    for (let i = 0; i < 55; i++) buffer.release(0, 3, CELL);
    assert.deepEqual(
      buffer.pools.uses(0).map(({ usedOctets }) => usedOctets),
      [0, 0, 0],
    );
    // 20 cells are left of the pool: an eighth of them, then both cells of headroom.
    assert.deepEqual(fill(buffer, 0, 3), { pfc: 4 + 2, drop: 4 + 2 + 2 + 1 });
  });

  it('move what a group or a queue holds to the pool of its new profile', () => {
    const buffer = bufferOf({ pool: 100, queue: { reservedOctets: 0 } });
    for (let i = 0; i < 10; i++) buffer.admit(1, 3, CELL, 0);
    buffer.pools.queued(0, 2, 7 * CELL);
    const account = { reservedOctets: 0, headroomOctets: 0 };
    const share = { ...OWN_POOL, pool: 1 };
    const groups = [{ port: 1, group: 3, account, share, portAlpha: null }];
    const queues = [{ port: 0, queue: 2, share: { ...OWN_POOL, pool: 0, reservedOctets: CELL } }];
    buffer.change(0, { sizes: [0, 0, 0], sharedOctets: 0, groups, queues });
    const [ingress, egress] = buffer.pools.uses(0);
    assert.deepEqual([ingress!.usedOctets, egress!.usedOctets], [6 * CELL, 10 * CELL]);
    assert.deepEqual(buffer.pools.owed(0).slice(0, 2), [6 * CELL, 10 * CELL]);
  });

  it('neither lose nor invent a cell, and keep the shared headroom within its size', () => {
    const step = fc.record({
      port: fc.nat(3),
      group: fc.nat(2),
      cells: fc.integer({ min: 1, max: 7 }),
      out: fc.nat(3),
      leaves: fc.boolean(),
    });
    const given = fc.record({
      slices: fc.constantFrom(1, 2),
      pool: fc.integer({ min: 0, max: 60 }),
      headroomPool: fc.constantFrom(0, 5, 20, Infinity),
      headroom: fc.integer({ min: 0, max: 12 }),
      lossless: fc.boolean(),
      alpha: fc.constantFrom(1 / 64, 0.3, 1, 8, Infinity),
      reserved: fc.integer({ min: 0, max: 5 }),
      portAlpha: fc.option(fc.constantFrom(0.5, 2, 64)),
      steps: fc.array(step, { maxLength: 150 }),
    });
    fc.assert(
      fc.property(given, ({ steps, alpha, reserved, portAlpha, ...rest }) => {
        const reservedOctets = reserved * CELL;
        const buffer = bufferOf({
          ...{ ...rest, ports: 4, group: { alpha, reservedOctets } },
          queue: { alpha: 2, reservedOctets },
          ...(portAlpha !== null && { portAlpha }),
        });
        const { pools } = buffer;
        const stored: { port: number; group: number; out: number; octets: number }[] = [];
        for (const { port, group, cells, out, leaves } of steps) {
          const octets = cells * CELL;
          const first = leaves ? stored.shift() : undefined;
          if (first !== undefined) {
            pools.queued(first.out, 0, -first.octets);
            buffer.release(first.port, first.group, first.octets);
          } else if (pools.refusesQueue(out, 0, octets) === ADMITTED) {
            const before = buffer.get(port, group, HEADROOM);
            const verdict = buffer.admit(port, group, octets, 0);
            if (verdict === ADMITTED) {
              pools.queued(out, 0, octets);
              stored.push({ port, group, out, octets });
            } else if (rest.lossless) {
              assert.equal(verdict, DROP.HEADROOM_EXHAUSTED);
              const slice = Math.floor((port * rest.slices) / 4);
              const shared = pools
                .uses(0)
                .find((own) => own.name === 'headroom' && own.slice === slice)!;
              const left = shared.sizeOctets - shared.usedOctets;
              assert.ok(before + octets > rest.headroom * CELL || octets > left);
            }
          }
          const owed = pools.owed(0);
          pools.uses(0).forEach(({ usedOctets, sizeOctets }, i) => {
            assert.equal(usedOctets, owed[i]);
            assert.ok(usedOctets >= 0 && usedOctets <= sizeOctets);
          });
        }
        for (let port = 0; port < 4; port++) {
          for (const group of GROUPS) {
            const own = stored.filter((frame) => frame.port === port && frame.group === group);
            const sum = own.reduce((total, { octets }) => total + octets, 0);
            assert.equal(buffer.get(port, group, USED), sum);
          }
        }
      }),
    );
  });
});
