import type { Engine } from '../engine/device/engine.js';

/** Packets that some senders have to deliver; endless flows do not count. */
interface Packets {
  readonly total: number;
  readonly left: number;
}

export function packetsOf(engine: Engine): Packets {
  let left = 0;
  let total = 0;
  for (const { spec, rows } of engine.devices) {
    if (spec.kind !== 'host') continue;
    spec.sends.forEach((send, c) => {
      const packets = send.packetsPerMessage * send.messages;
      if (!Number.isFinite(packets)) return;
      total += packets;
      left += engine.senders.remaining(rows.send.first + c);
    });
  }
  return { total, left };
}

/** Delivered share of a load that ends: 0..1. */
export function deliveredShare(parts: readonly Packets[]): number {
  const total = parts.reduce((sum, part) => sum + part.total, 0);
  const left = parts.reduce((sum, part) => sum + part.left, 0);
  return total === 0 ? 0 : 1 - left / total;
}
