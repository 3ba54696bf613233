import { PS_PER_NS } from '../../units/time.js';
import { PRIORITIES, WIRE_OVERHEAD_OCTETS } from '../../units/ethernet.js';
import type { Clock } from '../../kernel/clock.js';
import type { Counters } from '../../port/counters.js';
import { TX_FRAMES, TX_OCTETS } from '../../port/counters.js';
import type { Ports } from '../../port/ports.js';
import { ETHERNET_RATES } from '../../units/rates.js';
import { appendHop, blankHop, QUEUE_UNIT_OCTETS, SENT_UNIT_OCTETS } from '../../wire/telemetry.js';
import { assert } from '../../kernel/assert.js';

/** Where telemetry is written: at the queues of switches, as a packet leaves. */
export class TelemetryPoints {
  private readonly hop = blankHop();

  constructor(
    private readonly clock: Clock,
    private readonly ports: Ports,
    private readonly counters: Counters,
  ) {}

  /** A packet leaves by a port of switch `node`, and `queueOctets` are left; false: no room. */
  write(octets: Uint8Array, node: number, port: number, queueOctets: number): boolean {
    const { hop, ports, clock } = this;
    const octetPs = ports.octetPs(port);
    hop.rate = ETHERNET_RATES.findIndex(({ psPerOctet }) => psPerOctet === octetPs);
    assert(hop.rate >= 0 && queueOctets >= 0, 'telemetry.rate-of-port');
    hop.timeNs = Math.floor(clock.now / PS_PER_NS);
    hop.sentUnits = Math.floor(this.sentOctets(port) / SENT_UNIT_OCTETS);
    hop.queueUnits = Math.floor(queueOctets / QUEUE_UNIT_OCTETS);
    return appendHop(octets, node, hop);
  }

  private sentOctets(port: number): number {
    const { counters } = this;
    let octets = 0;
    for (let priority = 0; priority < PRIORITIES; priority++) {
      const frames = counters.get(port, priority, TX_FRAMES);
      octets += counters.get(port, priority, TX_OCTETS) + frames * WIRE_OVERHEAD_OCTETS;
    }
    return octets;
  }
}
