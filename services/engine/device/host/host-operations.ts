import type { OperationsSpec } from '../../contract/operations.js';
import { Operations } from '../../operations/operations.js';
import type { Device } from '../device.js';
import { DID_OPERATION, KIND_DEVICE } from '../device.js';
import type { Shared } from '../shared.js';

// Kinds of timer queue entries, behind those of everything that moves frames: at one instant,
// operations begin after what has arrived.

/** A rank begins; the id is its number at the host. */
export const KIND_RANK = KIND_DEVICE + 11;
/** The time of an operation is over; the id is its number at the host. */
const KIND_OPERATION = KIND_DEVICE + 12;
/** The NIC has taken the last frame of a message; the id is the connection. */
const KIND_HANDED = KIND_DEVICE + 13;

/** The ranks of jobs at each host; nothing at hosts without any. */
interface HostOperations {
  configure(device: Device, spec: OperationsSpec): void;
  onTimer(d: number, kind: number, id: number): void;
  /** The NIC takes the last frame of a message: others may begin when it has it. */
  handed(d: number, connection: number): void;
  acknowledged(d: number, connection: number): void;
  arrived(d: number, connection: number): void;
  /** Null: no rank is at this host. */
  of(d: number): Operations | null;
}

export function makeHostOperations(
  { clock, digests }: Shared,
  devices: readonly Device[],
  release: (d: number, connection: number) => void,
): HostOperations {
  const all: (Operations | null)[] = devices.map(() => null);

  function configure(device: Device, spec: OperationsSpec): void {
    const d = device.place;
    all[d] = new Operations(spec, clock, {
      expireAt: (operation, timePs) => {
        device.schedule(timePs, KIND_OPERATION, operation, 0);
      },
      release: (connection) => {
        release(d, connection);
      },
      done: (operation) => {
        digests.mix(d, DID_OPERATION, operation);
      },
    });
    spec.ranks.forEach(({ startPs }, rank) => {
      device.schedule(startPs, KIND_RANK, rank, 0);
    });
  }

  return {
    configure,
    onTimer: (d, kind, id) => {
      if (kind === KIND_RANK) all[d]!.startRank(id);
      else if (kind === KIND_HANDED) all[d]!.handed(id);
      else all[d]!.expired(id);
    },
    handed: (d, connection) => {
      if (all[d]?.awaitsHanded(connection) !== true) return;
      devices[d].schedule(clock.now, KIND_HANDED, connection, 0);
    },
    acknowledged: (d, connection) => all[d]?.acknowledged(connection),
    arrived: (d, connection) => all[d]?.arrived(connection),
    of: (d) => all[d],
  };
}
