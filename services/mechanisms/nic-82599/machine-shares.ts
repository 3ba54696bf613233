import { creditsOf } from '../../engine/arbiter/credits.js';
import type { VmArbiter } from '../../engine/nic-82599/vm-arbiter.js';
import type { Line } from '../../engine/analysis/shares/share-book.js';
import { apartFrom, inTurn, ShareBook } from '../../engine/analysis/shares/share-book.js';

/** A round that has begun. */
const ROUNDS_APART = 1;

/**
 * Shares of the virtual machines of a class, or of pools, in an 82599 (7.7.2.3): a round ends only
 * when no ready one has credit.
 */
export class MachineShares implements Line {
  private readonly book: ShareBook;

  /** `refills` by virtual machine; null: a frame of each in turn. */
  constructor(
    private readonly arbiter: VmArbiter,
    private readonly refills: readonly number[] | null,
  ) {
    const rule = refills === null ? null : apartFrom(refills, ROUNDS_APART);
    this.book = new ShareBook(rule ?? inTurn(arbiter.credit.length));
  }

  isFair(vm: number, octets: number): boolean {
    const cost = this.refills === null ? Math.min(octets, 1) : creditsOf(octets);
    return this.book.serve(vm, cost, this);
  }

  isWaiting(vm: number): boolean {
    return this.arbiter.isReady(vm);
  }

  headCost(): number {
    return 0;
  }

  saved(vm: number): number {
    return this.refills === null ? 0 : this.arbiter.credit[vm];
  }

  savedByGroup(vm: number): number {
    return this.saved(vm);
  }
}
