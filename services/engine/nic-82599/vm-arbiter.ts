import { bitSet, exclude, include, includes, isEmpty, nextAbove } from './bit-set.js';
import { creditsOf } from '../arbiter/credits.js';
import { assert } from '../kernel/assert.js';

/**
 * Weighted round robin among VMs (7.7.2.3): the descriptor queues of one traffic class, or pools of
 * queues where DCB is off. The turn advances with every grant; a VM that has spent its credits
 * waits until no VM that has something to send has any left, and then all are refilled, to twice
 * the refill at most.
 */
export class VmArbiter {
  /** By VM: credits now (T1). */
  readonly credit: Int32Array;
  readonly refill: Int32Array;
  readonly lowest: Int32Array;
  rounds = 0;

  /** VMs that have something to send and are not switched off. */
  private readonly ready: Int32Array;
  /** VMs that have less than twice their refill. */
  private readonly short: Int32Array;
  private weighted = true;
  /** The sum of all refills. */
  private refills = 0;
  private last: number;

  constructor(vms: number) {
    this.credit = new Int32Array(vms);
    this.refill = new Int32Array(vms);
    this.lowest = new Int32Array(vms);
    this.ready = bitSet(vms);
    this.short = bitSet(vms);
    this.last = vms - 1;
  }

  /** Without weights, one frame of each VM in turn; so, too, if no VM has a refill. */
  setWeighted(weighted: boolean): void {
    this.weighted = weighted;
  }

  setRefill(vm: number, credits: number): void {
    this.refills += credits - this.refill[vm];
    assert(credits >= 0 && this.refills >= 0, 'nic.refill-of-vm');
    this.refill[vm] = credits;
    include(this.short, vm);
  }

  setReady(vm: number, ready: boolean): void {
    if (ready) include(this.ready, vm);
    else exclude(this.ready, vm);
  }

  isReady(vm: number): boolean {
    return includes(this.ready, vm);
  }

  anyReady(): boolean {
    return !isEmpty(this.ready);
  }

  /** The VM in turn, -1 if none is ready. */
  pick(): number {
    if (!this.anyReady()) return -1;
    for (;;) {
      const vm = this.nextWithCredit();
      if (vm >= 0) return vm;
      this.endRound();
    }
  }

  granted(vm: number, octets: number): void {
    assert(vm >= 0 && vm < this.credit.length && octets > 0, 'nic.vm-of-arbiter');
    this.last = vm;
    if (!this.isWeighted()) return;
    const left = this.credit[vm] - creditsOf(octets);
    this.credit[vm] = left;
    include(this.short, vm);
    if (left < this.lowest[vm]) this.lowest[vm] = left;
  }

  private isWeighted(): boolean {
    return this.weighted && this.refills > 0;
  }

  private nextWithCredit(): number {
    const { ready, credit, last } = this;
    const weighted = this.isWeighted();
    for (let vm = nextAbove(ready, last); vm >= 0; vm = nextAbove(ready, vm)) {
      if (!weighted || credit[vm] > 0) return vm;
    }
    for (let vm = nextAbove(ready, -1); vm >= 0 && vm <= last; vm = nextAbove(ready, vm)) {
      if (!weighted || credit[vm] > 0) return vm;
    }
    return -1;
  }

  private endRound(): void {
    const { credit, refill, short } = this;
    for (let vm = nextAbove(short, -1); vm >= 0; vm = nextAbove(short, vm)) {
      const most = 2 * refill[vm];
      const filled = credit[vm] + refill[vm];
      credit[vm] = filled < most ? filled : most;
      assert(credit[vm] <= most, 'nic.credits-of-two-refills');
      if (filled >= most) exclude(short, vm);
    }
    this.rounds++;
  }
}
