import { createHash } from 'node:crypto';
import { selvage } from '#contracts';
import type { ServicePlan } from '../../fabric/placement/service-plan.js';
import { PROTOCOL } from '../partition/messages.js';
import type { PartitionState } from '../partition/partition.js';
import { packPlain, unpackPlain } from './plain-octets.js';
import { DamagedCheckpoint } from './store-error.js';

/** A service's state in octets, with a hash so that damage is detected before use. */

interface SnapshotOrigin {
  readonly run: string;
  readonly epoch: number;
  readonly boundPs: number;
  readonly service: number;
  readonly planHash: Uint8Array;
}

/** Origin that a snapshot must have; `stateHash` as in its manifest. */
type SnapshotWanted = SnapshotOrigin & { readonly stateHash: Uint8Array };

export function sha256(octets: Uint8Array): Uint8Array {
  return createHash('sha256').update(octets).digest();
}

export function sameOctets(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

export function packState(state: PartitionState): Uint8Array {
  return packPlain(state);
}

export function unpackState(octets: Uint8Array): PartitionState {
  return unpackPlain(octets) as PartitionState;
}

/** The state of a service: those of its partitions, each in octets already. */
export function packStates(parts: readonly Uint8Array[]): Uint8Array {
  return packPlain(parts);
}

export function unpackStates(octets: Uint8Array): PartitionState[] {
  const parts = unpackPlain(octets) as Uint8Array[];
  return parts.map(unpackState);
}

export function packPlan(plan: ServicePlan): Uint8Array {
  return packPlain(plan);
}

export function planHashOf(plan: ServicePlan): Uint8Array {
  return sha256(packPlan(plan));
}

export function unpackPlan(octets: Uint8Array): ServicePlan {
  return unpackPlain(octets) as ServicePlan;
}

export function encodeSnapshot(
  origin: SnapshotOrigin,
  state: Uint8Array,
): { octets: Uint8Array; hash: Uint8Array } {
  const stateHash = sha256(state);
  const snapshot = { protocol: PROTOCOL, ...origin, stateHash, state };
  return { octets: selvage.v1.Snapshot.encode(snapshot).finish(), hash: stateHash };
}

/** The states in a snapshot, by partition, or an error that says why it is invalid. */
export function decodeSnapshot(octets: Uint8Array, wanted: SnapshotWanted): PartitionState[] {
  let snapshot: selvage.v1.Snapshot;
  try {
    snapshot = selvage.v1.Snapshot.decode(octets);
  } catch {
    throw new DamagedCheckpoint('a snapshot is damaged: it cannot be read');
  }
  if (snapshot.protocol !== PROTOCOL) {
    throw new DamagedCheckpoint(`a snapshot is of protocol ${snapshot.protocol}, not ${PROTOCOL}`);
  }
  if (snapshot.run !== wanted.run || snapshot.service !== wanted.service) {
    throw new DamagedCheckpoint(`a snapshot belongs to ${snapshot.run}/${snapshot.service}`);
  }
  if (!sameOctets(snapshot.planHash, wanted.planHash)) {
    throw new DamagedCheckpoint('a snapshot was made of another scenario or placement');
  }
  if (!sameOctets(snapshot.stateHash, sha256(snapshot.state))) {
    throw new DamagedCheckpoint('a snapshot is damaged: its hash is wrong');
  }
  if (snapshot.epoch !== wanted.epoch || snapshot.boundPs !== wanted.boundPs) {
    const { epoch, boundPs } = snapshot;
    throw new DamagedCheckpoint(
      `a snapshot is of epoch ${epoch} at ${boundPs} ps, not of its manifest`,
    );
  }
  if (!sameOctets(snapshot.stateHash, wanted.stateHash)) {
    throw new DamagedCheckpoint('a snapshot is not the one that its manifest names');
  }
  try {
    return unpackStates(snapshot.state);
  } catch (error) {
    throw new DamagedCheckpoint(`a snapshot cannot be read: ${(error as Error).message}`);
  }
}
