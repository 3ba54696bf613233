import type { MechanismHost } from '../../services/engine/contract/flow-control.js';
import type { FramePool } from '../../services/engine/frame/frame-pool.js';
import type { Tables } from '../../services/engine/kernel/tables.js';
import { CreditMechanism } from '../../services/mechanisms/credit/mechanism.js';

type Tools = ConstructorParameters<typeof CreditMechanism>[0];

/** Credit without a device around it: a test plays the queue of the one port, and is told of it. */
export function bareCredit(
  host: MechanismHost,
  tables: Tables,
  pool: FramePool,
  queue: { waitingOctets(): number; mayStart(): void },
): CreditMechanism {
  const port = { charge: () => undefined, meter: () => undefined, meteredBy: () => 0 };
  const credit = new CreditMechanism({
    ...{ tables, host, slot: 0, pool },
    replayBuffers: { forEach: () => undefined },
    ports: port as unknown as Tools['ports'],
    queues: { get: () => queue.waitingOctets(), head: () => -1 } as unknown as Tools['queues'],
    lines: { octets: () => 0 } as unknown as Tools['lines'],
  });
  credit.starts.permit = () => {
    queue.mayStart();
    return false;
  };
  return credit;
}
