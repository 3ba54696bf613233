import type { FramePool } from '../../frame/frame-pool.js';
import {
  CHARGE_MASK,
  CHARGE_SHIFT,
  CLASS,
  COPY_FLAG,
  LENGTH,
  PRIORITY_MASK,
  VLAN,
} from '../../frame/frame-pool.js';
import type { CreditAccounts } from './credit-accounts.js';
import type { CreditReceiver } from './credit-receiver.js';

/** Whom frames are charged to, and what: a frame that is stored bears the units it takes. */
export type CreditCharges = ReturnType<typeof makeCreditCharges>;

export function makeCreditCharges(
  pool: FramePool,
  accounts: CreditAccounts,
  receiver: CreditReceiver,
) {
  const { words, ends } = pool;
  const { onlyOfPriority, portCount } = accounts;

  /** The account at a port that a frame belongs to. */
  function rowOf(port: number, frame: number): number {
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const only = onlyOfPriority[priority * portCount + port];
    return only >= 0 ? only : accounts.rowOfFrame(port, priority, ends[frame + VLAN]);
  }

  /** `octets`: its length as it came in. */
  function admitted(port: number, _group: number, frame: number, octets: number): void {
    const row = rowOf(port, frame);
    const units = receiver.cost(row, octets);
    const frameClass = words[frame + CLASS];
    words[frame + CLASS] = (frameClass & ~COPY_FLAG) | (units << CHARGE_SHIFT);
    if ((frameClass & COPY_FLAG) === 0) receiver.take(row, units, octets);
    else receiver.storeCopy(row, units);
  }

  function released(port: number, _group: number, frame: number): void {
    const row = rowOf(port, frame);
    const frameClass = words[frame + CLASS];
    words[frame + CLASS] = frameClass & ~CHARGE_MASK;
    receiver.free(row, (frameClass & CHARGE_MASK) >>> CHARGE_SHIFT);
  }

  /** A frame came in that takes no memory, or has left it already. */
  function passed(port: number, frame: number): void {
    const row = rowOf(port, frame);
    const octets = words[frame + LENGTH];
    const units = receiver.cost(row, octets);
    if ((words[frame + CLASS] & COPY_FLAG) === 0) receiver.take(row, units, octets);
    else receiver.storeCopy(row, units);
    words[frame + CLASS] &= ~COPY_FLAG;
    receiver.free(row, units);
  }

  return { rowOf, admitted, released, passed };
}
