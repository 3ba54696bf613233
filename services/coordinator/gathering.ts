import type { selvage } from '#contracts';
import { sameOctets, sha256, unpackState } from '../runtime/checkpoints/snapshots.js';
import type { PartState } from '../runtime/part/part.js';

/** The states of all services at one bound, received piece by piece. */
export class Gathering {
  private readonly pieces: Uint8Array[][];
  private readonly states: (PartState | null)[];

  constructor(services: number) {
    this.pieces = Array.from({ length: services }, () => []);
    this.states = this.pieces.map(() => null);
  }

  /** All states, with the last piece of the last; before, null. Throws if one is damaged. */
  take(service: number, piece: selvage.v1.StatePart.$Properties): PartState[] | null {
    const pieces = this.pieces[service]!;
    pieces.push(piece.octets ?? new Uint8Array(0));
    if (piece.last !== true) return null;
    const octets = Buffer.concat(pieces.splice(0));
    if (!sameOctets(sha256(octets), piece.hash ?? new Uint8Array(0))) {
      throw new Error(`the state of service ${service} came damaged`);
    }
    this.states[service] = unpackState(octets);
    const states = this.states.flatMap((state) => state ?? []);
    return states.length === this.states.length ? states : null;
  }
}
