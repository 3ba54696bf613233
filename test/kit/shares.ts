import assert from 'node:assert/strict';
import { PAYLOAD } from '../../services/engine/device/host/receivers.js';
import { QUEUE_OCTETS } from '../../services/engine/port/queues.js';
import type { Fabric } from '../../services/fabric/assembly/fabric.js';
import { Session } from '../../services/runtime/session.js';

const PS_PER_MS = 1e9;
const PRIORITY = 3;

export interface Shares {
  /** Of each flow, Gb/s of payload between two times. */
  readonly gbps: readonly number[];
  /** Of the queue towards h1, octets. */
  readonly meanQueue: number;
}

/** What flows get between two times, and how long the queue is that they share at s1. */
export function sharesOf(fabric: Fabric, fromMs: number, toMs: number): Shares {
  const session = new Session(fabric, { check: false });
  const { engine } = session;
  const payload = (): number[] =>
    fabric.flowEnds.map(({ receives }) => {
      const [{ device, connection }] = receives as [{ device: number; connection: number }];
      return engine.receivers.get(engine.devices[device]!.rows.receive.first + connection, PAYLOAD);
    });
  const s1 = engine.devices[fabric.topology.devices.findIndex(({ kind }) => kind === 'switch')]!;
  session.runTo(fromMs * PS_PER_MS);
  const before = payload();
  const queue: number[] = [];
  for (let ms = fromMs + 1; ms <= toMs; ms++) {
    session.runTo(ms * PS_PER_MS);
    queue.push(engine.shared.queues.get(s1.firstPort, PRIORITY, QUEUE_OCTETS));
  }
  const spanNs = (toMs - fromMs) * 1e6;
  return {
    gbps: payload().map((octets, i) => ((octets - before[i]!) * 8) / spanNs),
    meanQueue: queue.reduce((a, b) => a + b, 0) / queue.length,
  };
}

export function assertFair({ gbps }: Shares): void {
  const mean = gbps.reduce((a, b) => a + b, 0) / gbps.length;
  for (const share of gbps) {
    assert.ok(Math.abs(share / mean - 1) < 0.05, gbps.map((g) => g.toFixed(2)).join(', '));
  }
}
