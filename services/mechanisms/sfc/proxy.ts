import type { NoticeFilter } from '../../engine/contract/slice.js';
import type { SfcSwitchSpec } from './spec.js';
import {
  decodeEnvelope,
  SUBTYPE_SFCM,
  UDP_PORT_SFCM,
} from '../../engine/wire/congestion-message.js';
import type { SfcBridgeParts } from './carrier.js';
import type { Verdict } from './receiver.js';
import { decoded, decodedIn, SfcReceiver } from './receiver.js';

/** What a bridge does with a message. */
type Fate = 'consumed' | 'forward';

/**
 * A bridge that is a proxy for the stations on its edge ports (P802.1Qdw figure 52-2, proxy mode).
 */
export class SfcProxyReceiver extends SfcReceiver implements NoticeFilter {
  readonly #spec: SfcSwitchSpec;
  readonly #parts: SfcBridgeParts;

  constructor(firstPort: number, spec: SfcSwitchSpec, parts: SfcBridgeParts) {
    super(firstPort, spec.processingPs, parts.timers, parts.counters);
    this.#spec = spec;
    this.#parts = parts;
  }

  takes(out: number, octets: Uint8Array, bornPs: number): boolean {
    return this.processSfcmPdu(out, octets, bornPs) === 'consumed';
  }

  /**
   * A message is about to leave by a port. Where the bridge is a proxy for the station there, a
   * stream filter consumes it: "invoke a PFC"; everywhere else: "forward the SFCM".
   */
  processSfcmPdu(out: number, octets: Uint8Array, bornPs: number): Fate {
    const { station } = this.#spec.ports[out - this.firstPort];
    if (!this.#parts.edges.actsFor(out) || !isSfcm(octets)) return 'forward';
    if (!this.demultiplex(octets) || !this.isFor(station)) return 'consumed';
    if (this.#parts.carrier.pauser?.canStop(out, decoded.priority) !== true) {
      this.counters.sfcProxyNoPfc++;
      return 'forward';
    }
    this.accept(out, bornPs);
    return 'consumed';
  }

  protected execute({ port, priority, pauseNs }: Verdict): void {
    this.counters.sfcPfcInvoked++;
    this.#parts.carrier.pauser!.stopFor(this.firstPort + port, priority, pauseNs * 1000);
  }
}

/** The stream filter: messages of this kind, in any encapsulation. */
function isSfcm(octets: Uint8Array): boolean {
  if (decodeEnvelope(octets, 0, decodedIn) !== 'ok') return false;
  if (decodedIn.encapsulation !== 'ethernet')
    return decodedIn.udp.destinationPort === UDP_PORT_SFCM;
  return octets[decodedIn.pduAt] === SUBTYPE_SFCM;
}
