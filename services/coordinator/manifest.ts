import { selvage } from '#contracts';
import { PROTOCOL } from '../runtime/part/messages.js';

/** A state of the whole run that is kept, or about to be. */
export interface Checkpoint {
  readonly name: string;
  readonly boundPs: number;
  readonly framesSeen: number;
}

/** A run, and the epoch that it was in. */
interface Origin {
  readonly run: string;
  readonly epoch: number;
}

export function packManifest(
  { name: checkpoint, boundPs, framesSeen }: Checkpoint,
  stateHashes: Uint8Array[],
  { run, epoch }: Origin,
): Uint8Array {
  const fields = { protocol: PROTOCOL, run, checkpoint, boundPs, stateHashes, epoch, framesSeen };
  return selvage.v1.Manifest.encode(fields).finish();
}

/** Throws if it is of another run, or of another number of services. */
export function unpackManifest(
  octets: Uint8Array,
  run: string,
  services: number,
): Checkpoint & { readonly epoch: number } {
  const manifest = selvage.v1.Manifest.decode(octets);
  const fits =
    manifest.run === run &&
    manifest.stateHashes.length === services &&
    manifest.protocol === PROTOCOL;
  if (!fits) throw new Error('the checkpoint in the store belongs to another run or version');
  const { checkpoint: name, boundPs, framesSeen, epoch } = manifest;
  return { name, boundPs, framesSeen, epoch };
}
