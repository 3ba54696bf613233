import { field } from '../../kernel/fields.js';
import { PEAK, SHAPE } from '../../kernel/kinds.js';
import { CLASS, PRIORITY_MASK } from '../../frame/frame-pool.js';
import type { Nic82599 } from '../../nic-82599/nic.js';
import { QUEUES } from '../../nic-82599/register-map.js';
import type { Device } from '../device.js';
import type { Shared } from '../shared.js';
import type { HostSide } from '../nic/host-side.js';
import { KIND_TAKEN } from '../nic/kinds.js';
import { assert } from '../../kernel/assert.js';

/**
 * Receive descriptors, and the software that reads frames and returns descriptors. Each queue has a
 * ring of its own and software that processes its frames one after the other. This applies to
 * adapters whose scenario configures it; elsewhere software reads everything at once.
 */
export function makeReceiveRings(
  { clock, pool, tables, nicFrames }: Shared,
  devices: readonly Device[],
  rows: Int32Array,
  nics: readonly (Nic82599 | null)[],
  host: HostSide,
) {
  const { lists } = nicFrames;
  /** By queue: descriptors that the part may fill, and the fewest so far. */
  const left = tables.int32('nic', field('descriptors', SHAPE, QUEUES));
  const fewest = tables.int32('nic', field('fewest descriptors', PEAK, QUEUES));

  function configure(d: number): void {
    const at = rows[d] * QUEUES;
    for (let queue = 0; queue < QUEUES; queue++) {
      const descriptors = nics[d]!.ringSize(queue);
      left[at + queue] = descriptors;
      fewest[at + queue] = descriptors;
    }
  }

  function hasDescriptor(d: number, queue: number): boolean {
    return left[rows[d] * QUEUES + queue] > 0;
  }

  function spend(d: number, queue: number): void {
    const at = rows[d] * QUEUES + queue;
    assert(left[at] > 0, 'nic.descriptor-to-fill');
    left[at]--;
    if (left[at] < fewest[at]) fewest[at] = left[at];
  }

  /** A frame is in host memory; true if software has processed it at once. */
  function deliver(d: number, queue: number, frame: number): boolean {
    const nic = nics[d]!;
    const needPs = nic.softwarePs(queue);
    if (needPs === 0) {
      finish(d, nic, queue, frame);
      return true;
    }
    const first = lists.push(nicFrames.software(rows[d], queue), frame);
    if (first) devices[d].schedule(clock.now + needPs, KIND_TAKEN, queue, 0);
    return false;
  }

  /** Software of a queue has processed its first frame. */
  function taken(d: number, queue: number): void {
    const nic = nics[d]!;
    const list = nicFrames.software(rows[d], queue);
    const frame = lists.shift(list);
    if (lists.head(list) >= 0) {
      devices[d].schedule(clock.now + nic.softwarePs(queue), KIND_TAKEN, queue, 0);
    }
    finish(d, nic, queue, frame);
  }

  function finish(d: number, nic: Nic82599, queue: number, frame: number): void {
    left[rows[d] * QUEUES + queue]++;
    assert(left[rows[d] * QUEUES + queue] <= nic.ringSize(queue), 'nic.descriptors-of-ring');
    if (nic.switches) pool.setSlot(frame, 0);
    nic.taken[pool.words[frame + CLASS] & PRIORITY_MASK]++;
    host.take(d, frame);
  }

  /** Descriptors of a queue: free now, and the fewest so far. */
  function ring(d: number, queue: number): { readonly free: number; readonly fewest: number } {
    const at = rows[d] * QUEUES + queue;
    return { free: left[at], fewest: fewest[at] };
  }

  return { configure, hasDescriptor, spend, deliver, taken, ring };
}
