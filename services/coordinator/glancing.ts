import type { selvage } from '#contracts';
import { sameOctets, sha256, unpackState } from '../runtime/checkpoints/snapshots.js';
import type { PartState } from '../runtime/part/part.js';

/** Somebody who wants to see the run. */
interface Looker {
  readonly resolve: (glance: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/** Where people wait who want to see the run as it stands, while services show their parts of it. */
export class Glancing {
  private lookers: Looker[] = [];
  /** By service: what it has shown so far; null: services have not been asked. */
  private shown: { pieces: Uint8Array[]; state: PartState | null }[] | null = null;

  constructor(private readonly services: number) {}

  get isAsked(): boolean {
    return this.lookers.length > 0;
  }

  get isUnderway(): boolean {
    return this.shown !== null;
  }

  ask(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.lookers.push({ resolve, reject });
    });
  }

  refuse(reason: string): void {
    this.shown = null;
    for (const { reject } of this.lookers.splice(0)) reject(new Error(reason));
  }

  /** Services are asked, again if there is a new epoch. */
  begin(): void {
    this.shown = Array.from({ length: this.services }, () => ({ pieces: [], state: null }));
  }

  /** What was shown in an epoch that is over says nothing. */
  forget(): void {
    this.shown = null;
  }

  /** The states of all parts, with the last piece of the last. */
  take(service: number, piece: selvage.v1.StatePart.$Properties): PartState[] | null {
    const part = this.shown?.[service];
    if (part === undefined) return null;
    part.pieces.push(piece.octets ?? new Uint8Array(0));
    if (piece.last !== true) return null;
    const octets = Buffer.concat(part.pieces);
    if (!sameOctets(sha256(octets), piece.hash ?? new Uint8Array(0))) {
      this.refuse(`the state of service ${service} came damaged`);
      return null;
    }
    part.state = unpackState(octets);
    const states = this.shown!.flatMap(({ state }) => state ?? []);
    return states.length === this.services ? states : null;
  }

  finish(glance: Uint8Array): void {
    this.shown = null;
    for (const { resolve } of this.lookers.splice(0)) resolve(glance);
  }
}
