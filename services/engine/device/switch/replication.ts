import { ADMITTED } from '../../buffer/shared-buffer.js';
import type { SharedFrames } from '../../buffer/shared-frames.js';
import { CHARGED, CHARGE, GROUP, INGRESS, TAGS } from '../../buffer/shared-frames.js';
import type { IngressObserver } from '../../contract/flow-control.js';
import {
  CHARGE_MASK,
  CLASS,
  LENGTH,
  PRIORITY_MASK,
  REPLICA_FLAG,
  VLAN,
} from '../../frame/frame-pool.js';
import { DROP } from '../../contract/probe.js';
import type { Device } from '../device.js';
import type { EgressPath } from '../egress-path.js';
import type { Shared } from '../shared.js';
import type { Forwarding } from './forwarding.js';
import type { FrameRef, Priority } from '../../units/indices.js';
import { assert } from '../../kernel/assert.js';

/** What replication uses of the switch around it. */
interface ReplicationSite {
  /** Frames that a switch stores once for several egresses. */
  sharedFrames(d: number): SharedFrames;
  copyOf(frame: FrameRef): number;
  /** The priority group that a received frame is charged to. */
  groupOf(port: number, priority: Priority, frame: FrameRef): number;
  /** The observer of an ingress buffer; null if nothing pauses its senders. */
  observer(port: number, group: number): IngressObserver | null;
  /** To the queue of an egress, once the frame may leave by it. */
  forward(d: number, port: number, out: number, frame: FrameRef): void;
}

/**
 * Multicast and flooding in a switch with a shared buffer. The buffer stores a frame once: its
 * ingress buffer (and the account of grants of its sender) is charged when the frame arrives, and
 * accounted when the last copy has left. So flow control sees what the link partner sent, whatever
 * the number of egresses, and the headroom for one frame is enough. Each egress queue counts its
 * own copy.
 */
interface Replication {
  /** A frame for all ports of the last forwarding decision. */
  spread(d: number, port: number, to: Forwarding, frame: FrameRef): void;
  /** Why a copy may not join a queue: a lossy one may find it too long; or ADMITTED. */
  refusal(port: number, frame: FrameRef, queueOctets: number): number;
  /** A copy has left its queue, or never joined one. */
  left(d: number, frame: FrameRef): void;
  /** A copy is dropped; the others are unaffected. */
  lose(d: number, port: number, frame: FrameRef, reason: number): void;
}

export function makeReplication(
  { pool, ports, buffer, counters }: Shared,
  devices: readonly Device[],
  egressPath: EgressPath,
  site: ReplicationSite,
): Replication {
  const { words, ends } = pool;

  function spread(d: number, port: number, to: Forwarding, frame: FrameRef): void {
    const { firstPort } = devices[d];
    const { copyCount, copies } = to;
    const last = copyCount - 1;
    if (last > 0 && !charge(d, port, copyCount, frame)) return;
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const octets = words[frame + LENGTH];
    for (let i = 0; i < last; i++) {
      counters.made(port, priority, octets);
      site.forward(d, port, firstPort + copies[i], site.copyOf(frame));
    }
    site.forward(d, port, firstPort + copies[last], frame);
  }

  /** Charges a frame once for all its copies; false if there is no room for it. */
  function charge(d: number, port: number, copies: number, frame: FrameRef): boolean {
    const octets = words[frame + LENGTH];
    const group = site.groupOf(port, words[frame + CLASS] & PRIORITY_MASK, frame);
    const stored = buffer.storedOctets(port, octets);
    assert(copies > 0 && (words[frame + CLASS] & REPLICA_FLAG) === 0, 'replication.first-charge');
    // The lengths of egress queues apply to single copies.
    const verdict = buffer.admit(port, group, stored, -stored);
    if (verdict !== ADMITTED) {
      egressPath.drop(d, port, frame, verdict, group);
      return false;
    }
    site.observer(port, group)?.admitted(port, group, frame, octets);
    const store = site.sharedFrames(d);
    const number = store.add(copies);
    store.set(number, INGRESS, port - devices[d].firstPort);
    store.set(number, GROUP, group);
    store.set(number, CHARGED, stored);
    store.set(number, CHARGE, words[frame + CLASS] & (CHARGE_MASK | PRIORITY_MASK));
    store.set(number, TAGS, ends[frame + VLAN]);
    pool.setReplica(frame, number);
    return true;
  }

  function refusal(port: number, frame: FrameRef, queueOctets: number): number {
    const group = site.sharedFrames(ports.owner(port)).get(pool.replica(frame), GROUP);
    return buffer.refusesCopy(port, group, queueOctets) ? DROP.EGRESS_THRESHOLD : ADMITTED;
  }

  function left(d: number, frame: FrameRef): void {
    const store = site.sharedFrames(d);
    const number = pool.replica(frame);
    pool.endReplica(frame);
    if (!store.left(number)) return;
    const port = devices[d].firstPort + store.get(number, INGRESS);
    const group = store.get(number, GROUP);
    const charge = store.get(number, CHARGE);
    const tags = store.get(number, TAGS);
    buffer.release(port, group, store.get(number, CHARGED));
    store.remove(number);
    const observer = site.observer(port, group);
    if (observer === null) return;
    // The frame may leave with other tags than it was charged with.
    const vlan = ends[frame + VLAN];
    ends[frame + VLAN] = tags;
    words[frame + CLASS] |= charge;
    observer.released(port, group, frame);
    words[frame + CLASS] &= ~CHARGE_MASK;
    ends[frame + VLAN] = vlan;
  }

  function lose(d: number, port: number, frame: FrameRef, reason: number): void {
    left(d, frame);
    egressPath.lose(d, port, frame, reason);
  }

  return { spread, refusal, left, lose };
}
