import { COUNTER } from '../../engine/kernel/kinds.js';
import type { HostCarrier, HostRole } from '../../engine/contract/slice.js';
import { blankCnm, blankCnmEnvelope, decodeCnmFrame } from '../../engine/wire/cnm.js';
import type { PortRow } from '../../engine/units/indices.js';

// One message is parsed at a time.
const around = blankCnmEnvelope();
const cnm = blankCnm();

/** A host as it receives CNMs: each is for the reaction point of a connection (802.1Q 32.14). */
export class QcnStation implements HostRole {
  static readonly kinds = { malformed: COUNTER, unclaimed: COUNTER };

  readonly #reactionPoints: readonly number[];
  readonly #carrier: HostCarrier;
  /** Messages that were malformed, and those for a connection without a rate control. */
  malformed = 0;
  unclaimed = 0;

  /** By priority: the connection with its first reaction point; -1 for none. */
  constructor(reactionPoints: readonly number[], carrier: HostCarrier) {
    this.#reactionPoints = reactionPoints;
    this.#carrier = carrier;
  }

  takes(port: PortRow, _mac: number, octets: Uint8Array): boolean {
    const outcome = decodeCnmFrame(octets, 0, around, cnm);
    if (outcome === 'wrong-type') return false;
    if (outcome !== 'ok') this.malformed++;
    else if (!this.#carrier.limitRate(port, this.reactionPoint(), cnm.feedback)) this.unclaimed++;
    return true;
  }

  broken(): string | null {
    return null;
  }

  /** By Flow ID; a message without one is for any reaction point of the priority. */
  private reactionPoint(): number {
    if (around.flowId !== 0) return around.flowId - 1;
    return this.#reactionPoints[cnm.priority] ?? -1;
  }
}
