import type { Engine } from '../../device/engine.js';
import { TX_FRAMES, TX_OCTETS } from '../../port/counters.js';
import { PRIORITIES, WIRE_OCTETS_MIN, WIRE_OVERHEAD_OCTETS } from '../../units/ethernet.js';
import { ORDERED_SET_OCTETS } from '../../wire/ordered-set.js';

/** What a port cannot have done, with all priorities together or in one of them. */
interface Overtime {
  readonly port: number;
  readonly what: string;
  readonly priority: number | null;
}

/**
 * The first port that has sent more than its link carries until `timePs`, or until the end of the
 * frame that it sends now; or where a priority was blocked for longer than the run. Null: none.
 */
export function overtimePort(engine: Engine, timePs: number): Overtime | null {
  const { ports } = engine.shared;
  for (let port = 0; port < ports.count; port++) {
    const { firstPort, spec } = engine.devices[ports.owner(port)];
    const { octetPs, orderedSets } = spec.ports[port - firstPort];
    const controlOctets = orderedSets === true ? ORDERED_SET_OCTETS : WIRE_OCTETS_MIN;
    const busyPs = sentOctets(engine, port, controlOctets) * octetPs;
    if (busyPs > Math.max(timePs, ports.freeAt(port))) {
      return { port, what: 'a port has sent more than its link carries', priority: null };
    }
    for (let priority = 0; priority < PRIORITIES; priority++) {
      if (engine.blockedPs(port, priority, timePs) > timePs) {
        return { port, what: 'a port was blocked for longer than the run', priority };
      }
    }
  }
  return null;
}

/** As they occupied the link, with preambles and gaps; a control message has at least so many. */
function sentOctets({ shared: { counters } }: Engine, port: number, controlOctets: number): number {
  let octets = counters.controlSent[port] * controlOctets;
  for (let priority = 0; priority < PRIORITIES; priority++) {
    octets += counters.get(port, priority, TX_OCTETS);
    octets += counters.get(port, priority, TX_FRAMES) * WIRE_OVERHEAD_OCTETS;
  }
  return octets;
}
