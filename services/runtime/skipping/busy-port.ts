import type { Engine } from '../../engine/device/engine.js';
import { TX_OCTETS } from '../../engine/port/counters.js';

/** The port that has transmitted most octets since it was last asked for. */
export class BusyPort {
  private readonly seen: Float64Array;

  constructor(private readonly engine: Engine) {
    this.seen = new Float64Array(engine.shared.ports.count);
  }

  /** -1: none has transmitted any. */
  find(): number {
    const { counters } = this.engine.shared;
    let busiest = -1;
    let most = 0;
    for (let port = 0; port < this.seen.length; port++) {
      let octets = 0;
      for (let priority = 0; priority < 8; priority++) {
        octets += counters.get(port, priority, TX_OCTETS);
      }
      if (octets - this.seen[port]! > most) {
        most = octets - this.seen[port]!;
        busiest = port;
      }
      this.seen[port] = octets;
    }
    return busiest;
  }
}
