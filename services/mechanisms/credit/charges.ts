import { type Charges, makeCharges } from '../../engine/buffer/charges.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { CLASS, PRIORITY_MASK, VLAN } from '../../engine/frame/frame-pool.js';
import type { CreditAccounts } from './accounts.js';
import type { CreditReceiver } from './receiver.js';
import type { FrameRef, PortRow } from '../../engine/units/indices.js';

/** Which account frames are charged to, and how much. */
export interface CreditCharges extends Charges {
  /** The account at a port that a frame belongs to. */
  readonly rowOf: (port: PortRow, frame: FrameRef) => number;
}

export function makeCreditCharges(
  pool: FramePool,
  accounts: CreditAccounts,
  receiver: CreditReceiver,
): CreditCharges {
  const { words, ends } = pool;
  const { onlyOfPriority, portCount } = accounts;

  function rowOf(port: PortRow, frame: FrameRef): number {
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const only = onlyOfPriority[priority * portCount + port];
    return only >= 0 ? only : accounts.rowOfFrame(port, priority, ends[frame + VLAN]);
  }

  return { rowOf, ...makeCharges(pool, { ...receiver, rowOf }) };
}
