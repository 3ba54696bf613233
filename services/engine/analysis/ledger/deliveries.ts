import type { Engine } from '../../device/engine.js';
import {
  MADE_FRAMES,
  MADE_OCTETS,
  RX_FRAMES,
  RX_OCTETS,
  TX_FRAMES,
  TX_OCTETS,
} from '../../port/counters.js';
import { PRIORITY_NUMBERS } from '../../units/ethernet.js';
import type { Imbalance } from './ledger.js';

/** Of one priority of the whole fabric. */
interface Deliveries {
  /** Sent by hosts, and made by switches on the way: messages, copies, other priorities, tags. */
  readonly sent: number;
  readonly received: number;
}

/**
 * The first priority of which hosts have received more than was sent to them, in frames or octets,
 * when all actors have executed the same time; or null.
 */
export function overdelivered(engine: Engine): Imbalance | null {
  for (const priority of PRIORITY_NUMBERS) {
    const [frames, octets] = [framesOf(engine, priority), octetsOf(engine, priority)];
    for (const [what, { sent, received }] of [
      ['frames', frames],
      ['octets', octets],
    ] as const) {
      if (received <= sent) continue;
      const wrong = `${what} that hosts receive <= ${what} that were sent`;
      return {
        ...{ device: 0, port: -1, priority, what: wrong },
        ...{ expected: sent, actual: received },
      };
    }
  }
  return null;
}

/** Frames of a priority. */
export function framesOf({ devices, shared: { counters } }: Engine, priority: number): Deliveries {
  let [sent, received] = [0, 0];
  for (const { spec, firstPort } of devices) {
    const isHost = spec.kind === 'host';
    for (let port = firstPort; port < firstPort + spec.ports.length; port++) {
      sent += counters.get(port, priority, isHost ? TX_FRAMES : MADE_FRAMES);
      sent += counters.repeatedFrames(port, priority);
      if (isHost) received += counters.get(port, priority, RX_FRAMES);
    }
  }
  return { sent, received };
}

function octetsOf({ devices, shared: { counters } }: Engine, priority: number): Deliveries {
  let [sent, received] = [0, 0];
  for (const { spec, firstPort } of devices) {
    const isHost = spec.kind === 'host';
    for (let port = firstPort; port < firstPort + spec.ports.length; port++) {
      sent += counters.get(port, priority, isHost ? TX_OCTETS : MADE_OCTETS);
      sent += counters.repeatedOctets(port, priority);
      if (isHost) received += counters.get(port, priority, RX_OCTETS);
      else sent += counters.tagOctetsOf(port, priority);
    }
  }
  return { sent, received };
}
