import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Engine } from '../../services/engine/device/engine.js';
import { CLASS, PORT, PRIORITY_MASK, STORED } from '../../services/engine/frame/frame-pool.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { Windows } from '../../services/runtime/embedded/windows.js';
import { Session } from '../../services/runtime/session.js';
import { wholeEngine } from '../../services/runtime/whole-engine.js';
import { fabricOf, run } from '../kit/emulate.js';
import { pfcOf } from '../kit/pfc.js';

const EXAMPLE = 'examples/ring-deadlock.yaml';
const PRIORITY = 3;

/** Accounts by number of port: those that wait for others, as the queues say at this moment. */
function waitsFor(fabric: Fabric, engine: Engine): Map<number, Set<number>> {
  const { ports, queues, pool } = engine.shared;
  const pfc = pfcOf(engine);
  const { xoffOctets, xonGapOctets } = fabric.margins[0]!;
  const graph = new Map<number, Set<number>>();
  for (let egress = 0; egress < ports.count; egress++) {
    if ((ports.blocked(egress) & (1 << PRIORITY)) === 0) continue;
    const stored = new Map<number, number>();
    queues.forEach(egress, (frame) => {
      assert.equal(pool.words[frame + CLASS]! & PRIORITY_MASK, PRIORITY);
      const from = pool.words[frame + PORT]!;
      stored.set(from, (stored.get(from) ?? 0) + pool.words[frame + STORED]!);
    });
    for (const [account, octets] of stored) {
      if (pfc.initiator.off[account] === 0 || octets <= xoffOctets - xonGapOctets) continue;
      graph.set(account, new Set([...(graph.get(account) ?? []), ports.peer(egress)]));
    }
  }
  return graph;
}

function hasCircle(graph: ReadonlyMap<number, ReadonlySet<number>>): boolean {
  const leadsTo = (from: number, to: number, seen: Set<number>): boolean =>
    [...(graph.get(from) ?? [])].some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return leadsTo(next, to, seen);
    });
  return [...graph.keys()].some((account) => leadsTo(account, account, new Set()));
}

/** Event by event: the first moment at which the queues themselves show a cycle. */
function closedAt(fabric: Fabric): number {
  const engine = wholeEngine(fabric);
  const windows = new Windows(engine, fabric.cluster);
  for (;;) {
    const now = windows.nextTime();
    assert.ok(now < 1e9, 'no cycle closes');
    windows.run(now + 1);
    if (hasCircle(waitsFor(fabric, engine))) return now;
  }
}

describe('a ring that locks up', () => {
  it('is named with its ports, at the picosecond at which the cycle closes', () => {
    const fabric = fabricOf(EXAMPLE);
    const [deadlock, ...others] = run(fabric).deadlocks;
    assert.deepEqual(others, []);
    assert.equal(deadlock!.closedPs, closedAt(fabric));
    assert.equal(deadlock!.openedPs, null);
    assert.deepEqual(
      deadlock!.ring.map(({ device }) => device),
      ['s1', 's2', 's3', 's4', 's5'],
    );
  });

  it('is named at the right picosecond when hosts begin one after the other', () => {
    const streams = [1, 2, 3, 4, 5].map((host) => {
      const to = ((host + 1) % 5) + 1;
      const stream = `stream: { from: h${host}, to: h${to} }, start: ${host * 700 + 13}ns`;
      return `  - { ${stream}, rate: ${90 + host}G, transport: raw, frame: ${900 + 97 * host}, priority: 3 }`;
    });
    const fabric = fabricOf(`
duration: 300us
fabric:
  generator: ring
  switches: 5
  hostLink: { rate: 100G, length: 5m }
  fabricLink: { rate: 100G, length: 7m }
switches: { pipeline: 500ns, buffer: { size: 2MB } }
priorities: { 3: { flowControl: pfc, responseDelay: 200ns, xoff: 60KB, xonGap: 6KB } }
load:
${streams.join('\n')}
observe: { episodes: true }
`);
    const { deadlocks } = run(fabric);
    assert.equal(deadlocks.length, 1);
    assert.equal(deadlocks[0]!.closedPs, closedAt(fabric));
  });

  it('ends a run that would go on, with the cycle as the reason', () => {
    const endless = fabricOf(EXAMPLE, 'duration=350ms', 'load.0.bytes=1MB');
    const session = new Session(endless, { check: false });
    while (session.advance(1000) === 'running');
    const results = session.results('complete');
    assert.equal(results.status, 'deadlocked');
    assert.match(
      results.failure!.reason,
      /^deadlock: s1:p2 waits for s2:p3 waits for .* so round$/,
    );
    assert.equal(results.failure!.timePs, results.deadlocks[0]!.closedPs);
  });

  it('is no deadlock where there is memory for all that is under way', () => {
    const { deadlocks } = run(fabricOf(EXAMPLE, 'priorities.3.xoff=300KB', 'load.0.bytes=100KB'));
    assert.deepEqual(deadlocks, []);
  });
});
