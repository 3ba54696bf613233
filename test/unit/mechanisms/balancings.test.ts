/** What the load balancings of switches choose. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoadBalancing, OutsidePlace } from '../../../services/engine/contract/outside.js';
import { BY_HASH } from '../../../services/engine/contract/outside.js';
import { BALANCINGS } from '../../../services/mechanisms/registry.js';

interface Bench {
  readonly clock: { now: number };
  /** By port. */
  readonly queues: number[];
  readonly blocked: number[];
}

const bench = (): Bench => ({ clock: { now: 0 }, queues: [0, 0, 0, 0], blocked: [0, 0, 0, 0] });

/** Of four ports, the last of half the rate. */
function balancing(name: string, settings: object, at: Bench = bench()): LoadBalancing {
  const slice = BALANCINGS.find((own) => own.name === name)!;
  const place = {
    ...{ name: 'leaf1', seed: 7, firstPort: 10 },
    ports: [80, 80, 80, 160].map((octetPs) => ({ octetPs })),
    settings: slice.settings.parse(settings),
    carrier: {
      clock: at.clock,
      freeOctets: () => 0,
      queueOctets: (port: number) => at.queues[port - 10]!,
      classOf: () => 0,
      blockedPriorities: (port: number) => at.blocked[port - 10]!,
    },
  } as unknown as OutsidePlace;
  const made = slice.create(place);
  made.regroup(Int32Array.of(3, 4));
  return made;
}

const PORTS = Uint16Array.of(0, 1, 2, 0, 1, 2, 3);
const frame = { hash: 5, octets: 1000, priority: 3 };

/** Of the group of all four ports. */
const choose = (by: LoadBalancing, more: Partial<typeof frame> = {}): number =>
  by.choose(1, PORTS, 3, 4, { ...frame, ...more });
const many = (by: LoadBalancing, count: number): number[] =>
  Array.from({ length: count }, () => choose(by));
const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

describe('packet spraying', () => {
  it('takes each port once a round, and draws the order of each round anew', () => {
    const rounds = Array.from({ length: 60 }, () => many(spraying, 4));
    for (const round of rounds) assert.deepEqual(sorted(round), [0, 1, 2, 3]);
    assert.ok(new Set(rounds.map(String)).size > 15);
    for (let first = 0; first < 4; first++) {
      assert.ok(rounds.filter((round) => round[0] === first).length > 5);
    }
  });
  const spraying = balancing('packet', {});

  it('keeps one round where it is fixed, and draws each frame where it is random', () => {
    const fixed = many(balancing('packet', { order: 'fixed' }), 40);
    assert.ok(fixed.every((port, i) => port === i % 4));
    const random = many(balancing('packet', { order: 'random' }), 4000);
    for (let port = 0; port < 4; port++) {
      const share = random.filter((own) => own === port).length / 4000;
      assert.ok(share > 0.22 && share < 0.28, `${port}: ${share}`);
    }
    const isRound = (i: number): boolean => new Set(random.slice(4 * i, 4 * i + 4)).size === 4;
    assert.ok(![...new Array(1000).keys()].every(isRound));
  });

  it('leaves short frames and other priorities to the hash', () => {
    const some = balancing('packet', { hashBelow: '500B', priorities: [3] });
    assert.equal(choose(some, { octets: 499 }), BY_HASH);
    assert.notEqual(choose(some, { octets: 500 }), BY_HASH);
    assert.equal(choose(some, { priority: 2 }), BY_HASH);
  });

  it('keeps a round over a regrouping that changes nothing, and no other', () => {
    const one = balancing('packet', { order: 'fixed' });
    assert.deepEqual(many(one, 2), [0, 1]);
    one.regroup(Int32Array.of(3, 4));
    assert.equal(choose(one), 2);
    one.regroup(Int32Array.of(2, 4));
    assert.equal(choose(one), 0);
  });
});

describe('adaptive routing', () => {
  it('takes the port that has sent all first: a slower link gets fewer frames', () => {
    const at = bench();
    const by = balancing('adaptive', { band: 1 }, at);
    at.queues.splice(0, 4, 9000, 4000, 7000, 1000);
    assert.equal(choose(by), 3);
    at.queues[3] = 1600;
    assert.equal(choose(by), 1);
  });

  it('draws among equal ports, each as likely as the others', () => {
    const drawn = many(balancing('adaptive', { band: 1 }), 3000);
    assert.deepEqual([...new Set(sorted(drawn))], [0, 1, 2]);
    for (let port = 0; port < 3; port++) {
      const share = drawn.filter((own) => own === port).length / 3000;
      assert.ok(share > 0.3 && share < 0.37, `${port}: ${share}`);
    }
  });

  it('takes queues of one band for equal', () => {
    const at = bench();
    at.queues.splice(0, 4, 0, 6900, 7100, 2900);
    const drawn = many(balancing('adaptive', { band: '8KB' }, at), 60);
    // The last port takes twice as long for an octet: its 3,900 octets are of the first band.
    assert.deepEqual([...new Set(sorted(drawn))], [0, 1, 3]);
  });

  it('passes over ports where the priority is paused', () => {
    const at = bench();
    at.queues.splice(0, 4, 0, 9000, 5000, 5000);
    at.blocked[0] = 1 << 3;
    assert.equal(choose(balancing('adaptive', { by: 'pause-queue', band: 1 }, at)), 2);
    const byPause = many(balancing('adaptive', { by: 'pause' }, at), 60);
    assert.deepEqual([...new Set(sorted(byPause))], [1, 2, 3]);
    assert.equal(choose(balancing('adaptive', { by: 'queue', band: 1 }, at)), 0);
    assert.equal(
      choose(balancing('adaptive', { by: 'pause-queue', band: 1 }, at), { priority: 2 }),
      0,
    );
  });

  it('compares as many as it draws, and the port before where it remembers it', () => {
    const at = bench();
    at.queues.splice(0, 4, 1000, 2000, 3000, 4000);
    const shareOfBest = (settings: object): number =>
      many(balancing('adaptive', { band: 1, ...settings }, at), 1000).filter((port) => port === 0)
        .length / 1000;
    // One of two draws: 1 - (3/4)^2.
    assert.ok(Math.abs(shareOfBest({ candidates: 2 }) - 0.4375) < 0.05);
    assert.ok(shareOfBest({ candidates: 2, remember: true }) > 0.98);
    assert.equal(shareOfBest({ candidates: 9 }), 1);
  });
});

describe('flowlet switching', () => {
  it('keeps the port of a flow until it pauses for longer than the gap', () => {
    const at = bench();
    const by = balancing('flowlet', { gap: '10us' }, at);
    const seen = new Set<number>();
    for (let flowlet = 0; flowlet < 60; flowlet++) {
      at.clock.now += 10e6 + 1;
      const port = choose(by);
      for (let i = 0; i < 5; i++) {
        at.clock.now += 10e6;
        assert.equal(choose(by), port);
      }
      seen.add(port);
    }
    assert.equal(seen.size, 4);
  });

  it('gives flows of one entry one port, and others their own', () => {
    const by = balancing('flowlet', { flows: 8 });
    const ports = Array.from({ length: 32 }, (_, hash) => choose(by, { hash }));
    ports.forEach((port, hash) => {
      assert.equal(port, ports[hash % 8]);
    });
    assert.ok(new Set(ports).size > 1);
  });

  it('takes the port whose queue empties first where it is to', () => {
    const at = bench();
    at.queues.splice(0, 4, 9000, 4000, 7000, 2600);
    assert.equal(choose(balancing('flowlet', { choose: 'queue' }, at)), 1);
  });
});
