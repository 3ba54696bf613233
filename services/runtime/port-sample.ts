import type { Engine } from '../engine/device/engine.js';
import { DROP_FRAMES, TX_FRAMES, TX_OCTETS } from '../engine/port/counters.js';
import { QUEUE_OCTETS } from '../engine/port/queues.js';

/** Ports at a moment: what each has counted so far, and how long its queues are. */
export interface PortSample {
  /** Of the latest event that has been executed. */
  readonly timePs: number;
  /** By port of the fabric, device by device. */
  readonly columns: PortColumns;
}

export interface PortColumns {
  readonly wireOctets: Float64Array;
  readonly heldPs: Float64Array;
  readonly queueOctets: Float64Array;
  readonly drops: Float64Array;
}

/** What a frame takes on the wire beside its octets: preamble and gap. */
const WIRE_OVERHEAD_OCTETS = 20;

export function blankColumns(ports: number): PortColumns {
  const column = (): Float64Array => new Float64Array(ports);
  return { wireOctets: column(), heldPs: column(), queueOctets: column(), drops: column() };
}

/** Ports by their number in the engine, at a time before which all has been executed. */
export function columnsAt(engine: Engine, ports: readonly number[], timePs: number): PortColumns {
  const { counters, queues } = engine.shared;
  const columns = blankColumns(ports.length);
  ports.forEach((port, i) => {
    for (let priority = 0; priority < 8; priority++) {
      columns.wireOctets[i]! +=
        counters.get(port, priority, TX_OCTETS) +
        WIRE_OVERHEAD_OCTETS * counters.get(port, priority, TX_FRAMES);
      columns.queueOctets[i]! += queues.get(port, priority, QUEUE_OCTETS);
      columns.drops[i]! += counters.get(port, priority, DROP_FRAMES);
      // Priorities that are held at the same time are held once.
      const heldPs = engine.heldPs(port, priority, timePs);
      if (heldPs > columns.heldPs[i]!) columns.heldPs[i] = heldPs;
    }
  });
  return columns;
}
