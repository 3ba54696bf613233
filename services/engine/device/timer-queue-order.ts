import { CLASS, FOLLOWED_FLAG, HASH, SEQUENCE, STORED } from '../frame/frame-pool.js';
import type { ValueOrder } from '../kernel/timer-queue.js';
import { keyKind } from '../kernel/timer-queue.js';
import { KIND_CONTROL, KIND_LATE } from './device.js';
import type { Shared } from './shared.js';
import { KIND_COMPLETE } from './switch/switching.js';

/** Of frames that wait for their last bits: egress, class, flow hash and sequence number. */
const ORDERED_BY = [STORED, CLASS, HASH, SEQUENCE];

/**
 * Order of two messages, or frames, that have one key at one time. Their values are memory
 * locations, which differ when devices are partitioned otherwise, so their contents are compared;
 * those with equal contents are interchangeable.
 */
export function makeTimerQueueOrder({
  octets,
  pool,
}: Pick<Shared, 'octets' | 'pool'>): Record<'host' | 'switch', ValueOrder> {
  function compareFrames(a: number, b: number): number {
    const { words } = pool;
    for (const word of ORDERED_BY) {
      const mask = word === CLASS ? ~FOLLOWED_FLAG : -1;
      const difference = (words[a + word] & mask) - (words[b + word] & mask);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  function host(key: number, a: number, b: number): number {
    const kind = keyKind(key);
    return kind === KIND_CONTROL || kind === KIND_LATE ? octets.compare(a, b) : a - b;
  }

  return {
    host,
    switch: (key, a, b) => (keyKind(key) === KIND_COMPLETE ? compareFrames(a, b) : host(key, a, b)),
  };
}
