import { PS_PER_NS } from '../../units/time.js';
import { PRIORITIES, WIRE_OVERHEAD_OCTETS } from '../../units/ethernet.js';
import { TX_FRAMES, TX_OCTETS } from '../../port/counters.js';
import { ETHERNET_RATES } from '../../units/rates.js';
import { appendHop, blankHop, QUEUE_UNIT_OCTETS, SENT_UNIT_OCTETS } from '../../wire/telemetry.js';
import { assert } from '../../kernel/assert.js';
import type { FrameRef } from '../../units/indices.js';
import type { ControlPayloads } from '../control-payloads.js';
import type { Shared } from '../shared.js';

/** Where telemetry is written: at the queues of switches, as a packet leaves. */
export class TelemetryPoints {
  private readonly hop = blankHop();

  constructor(
    private readonly shared: Pick<Shared, 'clock' | 'ports' | 'counters'>,
    private readonly controlPayloads: ControlPayloads,
  ) {}

  /** A packet leaves by a port of switch `node`, and `queueOctets` are left. */
  addTo(frame: FrameRef, node: number, port: number, queueOctets: number): void {
    const { controlPayloads } = this;
    const octets = controlPayloads.octets(frame).slice();
    if (!this.write(octets, node, port, queueOctets)) return;
    controlPayloads.release(frame);
    controlPayloads.load(frame, octets, octets.length);
  }

  /** False: no room. */
  private write(octets: Uint8Array, node: number, port: number, queueOctets: number): boolean {
    const { hop } = this;
    const { ports, clock } = this.shared;
    const octetPs = ports.octetPs(port);
    hop.rate = ETHERNET_RATES.findIndex(({ psPerOctet }) => psPerOctet === octetPs);
    assert(hop.rate >= 0 && queueOctets >= 0, 'telemetry.rate-of-port');
    hop.timeNs = Math.floor(clock.now / PS_PER_NS);
    hop.sentUnits = Math.floor(this.sentOctets(port) / SENT_UNIT_OCTETS);
    hop.queueUnits = Math.floor(queueOctets / QUEUE_UNIT_OCTETS);
    return appendHop(octets, node, hop);
  }

  private sentOctets(port: number): number {
    const { counters } = this.shared;
    let octets = 0;
    for (let priority = 0; priority < PRIORITIES; priority++) {
      const frames = counters.get(port, priority, TX_FRAMES);
      octets += counters.get(port, priority, TX_OCTETS) + frames * WIRE_OVERHEAD_OCTETS;
    }
    return octets;
  }
}
