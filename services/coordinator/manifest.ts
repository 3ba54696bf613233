import { selvage } from '#contracts';
import { PROTOCOL } from '../runtime/part/messages.js';

/** A state of the whole run at one bound. */
export interface Cut {
  readonly name: string;
  readonly epoch: number;
  readonly boundPs: number;
  readonly framesSeen: number;
}

/** A stored state of the whole run. */
export interface Checkpoint extends Cut {
  /** Of every service's snapshot. */
  readonly stateHashes: readonly Uint8Array[];
}

export function packManifest(
  { name: checkpoint, boundPs, framesSeen, epoch, stateHashes }: Checkpoint,
  run: string,
): Uint8Array {
  const hashes = [...stateHashes];
  const fields = { protocol: PROTOCOL, run, checkpoint, boundPs, epoch, framesSeen };
  return selvage.v1.Manifest.encode({ ...fields, stateHashes: hashes }).finish();
}

/** Throws if it is of another run, or of another number of services. */
export function unpackManifest(octets: Uint8Array, run: string, services: number): Checkpoint {
  const manifest = selvage.v1.Manifest.decode(octets);
  const fits =
    manifest.run === run &&
    manifest.stateHashes.length === services &&
    manifest.protocol === PROTOCOL;
  if (!fits) throw new Error('the checkpoint in the store belongs to another run or version');
  const { checkpoint: name, boundPs, framesSeen, epoch, stateHashes } = manifest;
  return { name, boundPs, framesSeen, epoch, stateHashes };
}
