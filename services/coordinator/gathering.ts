import type { selvage } from '#contracts';
import { sameOctets, sha256, unpackStates } from '../runtime/checkpoints/snapshots.js';
import type { PartitionState } from '../runtime/partition/partition.js';

/** The states of all partitions at one bound, received service by service in pieces. */
export class Gathering {
  private readonly pieces: Uint8Array[][];
  /** By service, of its partitions. */
  private readonly states: (PartitionState[] | null)[];

  constructor(services: number) {
    this.pieces = Array.from({ length: services }, () => []);
    this.states = this.pieces.map(() => null);
  }

  /** All states, with the last piece of the last; before, null. Throws if one is damaged. */
  take(service: number, piece: selvage.v1.StatePart.$Properties): PartitionState[] | null {
    const pieces = this.pieces[service]!;
    pieces.push(piece.octets ?? new Uint8Array(0));
    if (piece.last !== true) return null;
    const octets = Buffer.concat(pieces.splice(0));
    if (!sameOctets(sha256(octets), piece.hash ?? new Uint8Array(0))) {
      throw new Error(`the state of service ${service} came damaged`);
    }
    this.states[service] = unpackStates(octets);
    return this.states.includes(null) ? null : this.states.flatMap((states) => states ?? []);
  }
}
