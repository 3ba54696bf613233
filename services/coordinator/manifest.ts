import { selvage } from '#contracts';
import type { PlacementRequest } from '../fabric/placement/placement-of.js';
import { PROTOCOL } from '../runtime/partition/messages.js';

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

/** How the devices of a run are placed into services, and those of a service into threads. */
export interface Layout extends PlacementRequest {
  readonly threads: number;
}

export function packManifest(
  { name: checkpoint, boundPs, framesSeen, epoch, stateHashes }: Checkpoint,
  run: string,
  { services, devicesPerService, threads }: Layout,
): Uint8Array {
  const hashes = [...stateHashes];
  return selvage.v1.Manifest.encode({
    ...{ protocol: PROTOCOL, run, checkpoint, boundPs, epoch, framesSeen, stateHashes: hashes },
    ...{ services: services ?? 0, devicesPerService: devicesPerService ?? 0, threads },
  }).finish();
}

/** Throws if it is of another run, or of another version. */
export function unpackManifest(
  octets: Uint8Array,
  run: string,
): { readonly checkpoint: Checkpoint; readonly layout: Layout } {
  const manifest = selvage.v1.Manifest.decode(octets);
  if (manifest.run !== run || manifest.protocol !== PROTOCOL) {
    throw new Error('the checkpoint in the store belongs to another run or version');
  }
  const { checkpoint: name, boundPs, framesSeen, epoch, stateHashes } = manifest;
  const { services, devicesPerService, threads } = manifest;
  return {
    checkpoint: { name, boundPs, framesSeen, epoch, stateHashes },
    layout: { services: services || null, devicesPerService: devicesPerService || null, threads },
  };
}
