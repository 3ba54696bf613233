import { sha256 } from '../runtime/checkpoints/snapshots.js';
import { PROTOCOL } from '../runtime/partition/messages.js';

/** What a run must have in common with what its store has, to continue that or to return it. */
interface RunOrigin {
  readonly version: string;
  readonly check: boolean;
  /** Plain values of the scenario. */
  readonly document: unknown;
}

export function originOf({ version, check, document }: RunOrigin): Uint8Array {
  return sha256(Buffer.from(JSON.stringify([PROTOCOL, version, check, document])));
}
