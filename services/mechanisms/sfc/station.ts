import type { SfcHostSpec } from './spec.js';
import type { SfcStationParts } from './carrier.js';
import { SfcFlowPauses } from './flow-pauses.js';
import type { Verdict } from './receiver.js';
import { SfcReceiver } from './receiver.js';
import type { PortRow } from '../../engine/units/indices.js';

/** An end station that pauses itself on receipt of an SFCM (P802.1Qdw figure 52-3). */
export class SfcStationReceiver extends SfcReceiver {
  readonly #spec: SfcHostSpec;
  readonly #parts: SfcStationParts;
  /** With `scope: flow`; priorities are counted by the pause responder. */
  readonly flowPauses: SfcFlowPauses;

  constructor(firstPort: number, spec: SfcHostSpec, parts: SfcStationParts) {
    super(firstPort, spec.processingPs, parts.timers, parts.counters);
    this.#spec = spec;
    this.#parts = parts;
    this.flowPauses = new SfcFlowPauses(spec.destinations.length);
  }

  get spec(): SfcHostSpec {
    return this.#spec;
  }

  /** "SFCM reaches destination: execute the PAUSE." `mac` is the station's own address. */
  processSfcmPdu(port: PortRow, mac: number, octets: Uint8Array, bornPs: number): void {
    if (this.demultiplex(octets) && this.isFor(mac)) this.accept(port, bornPs);
  }

  protected execute({ port, priority, pauseNs, destination }: Verdict): void {
    const at = this.firstPort + port;
    const durationPs = pauseNs * 1000;
    this.counters.sfcSfcmsExecuted++;
    if (this.#spec.scope === 'priority') {
      this.#parts.responder.loadFor(at, priority, durationPs);
      return;
    }
    this.#spec.destinations.forEach((mac, connection) => {
      if (mac !== destination) return;
      if (!this.#parts.carrier.stopConnection(at, connection, priority, durationPs)) return;
      this.flowPauses.load(connection, this.timers.clock.now, durationPs);
    });
  }
}
