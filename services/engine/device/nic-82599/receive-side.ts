import { field } from '../../kernel/fields.js';
import { DUE, SHAPE } from '../../kernel/kinds.js';
import { PS_PER_NS } from '../../units/time.js';
import { ADMITTED } from '../../buffer/shared-buffer.js';
import type { MechanismSet } from '../mechanisms.js';
import { asIngressObserver } from '../../contract/flow-control.js';
import { DROP, NIC_ARBITER } from '../../contract/probe.js';
import { CLASS, HASH, LENGTH, PRIORITY_MASK, VLAN } from '../../frame/frame-pool.js';
import { assert } from '../../kernel/assert.js';
import type { LedListener } from '../../nic-82599/led-panel.js';
import { FILTER_ACTIVITY, MAC_ACTIVITY } from '../../nic-82599/led-panel.js';
import { DESCRIPTOR_OCTETS } from '../../nic-82599/hinted-writes.js';
import type { Nic82599 } from '../../nic-82599/nic.js';
import type { Device } from '../device.js';
import { DID_LOOP, DID_WRITE } from '../device.js';
import type { EgressPath } from '../egress-path.js';
import type { Shared } from '../shared.js';
import type { HostSide } from '../nic/host-side.js';
import { KIND_WRITE_TURN, KIND_WRITTEN } from '../nic/kinds.js';
import { makeReceiveRings } from './receive-rings.js';
import type { PcieLinks } from './pcie-links.js';
import { rulersOf } from '../nic/rulers.js';

/** Of a received frame, in place of its hash: how long the adapter stored it. */
export const KEPT_NS = HASH;

/** Slot of a received frame: it came from the wire, or from a class of its own adapter. */
const FROM_WIRE = 0;
const FROM_CLASS_0 = 1;

interface ReceiveSideParts {
  readonly set: Pick<MechanismSet, 'all' | 'atSlot'>;
  /** By device: its row in tables of NICs. */
  readonly rows: Int32Array;
  readonly nics: readonly (Nic82599 | null)[];
  readonly pcie: PcieLinks;
  readonly egressPath: EgressPath;
  readonly host: HostSide;
  readonly ledListener: (d: number) => LedListener;
  /** A receive buffer has released memory that frames of its own adapter may wait for. */
  readonly loopWaiting: (d: number, trafficClass: number) => void;
}

/**
 * From the wire to host memory: filters, packet buffers per class with watermarks, the
 * receive arbiter, and posted writes over PCIe, the data and then its descriptor.
 */
export function makeReceiveSide(
  shared: Shared,
  devices: readonly Device[],
  { set, rows, pcie, nics, egressPath, host, ledListener, loopWaiting }: ReceiveSideParts,
) {
  const { clock, pool, ports, buffer, counters, tables, nicFrames, digests } = shared;
  const { links, partners } = pcie;
  const { words, ends } = pool;
  const { lists } = nicFrames;
  /** When the link into host memory is free, and whether a frame waits for that. */
  const writeFreeAt = tables.float64('nic', field('write free at', DUE));
  const turnPlanned = tables.uint8('nic', field('turn planned', SHAPE));
  /** The port wrote last, of the two of its part. */
  const wroteLast = tables.uint8('nic', field('wrote last', SHAPE));
  /** Classes whose buffers hold a frame, and whose first frame has no descriptor; a bit each. */
  const filled = tables.int32('nic', field('filled', SHAPE));
  const starved = tables.int32('nic', field('starved', SHAPE));
  const rings = makeReceiveRings(shared, devices, rows, nics, host);

  /** By adapter and buffer: mechanisms that stop its senders, one bit each. */
  const rulers = tables.int32('nic', field('rulers', SHAPE, 8));
  const { all: mechanisms, atSlot } = set;
  const observers = mechanisms.map(asIngressObserver);
  /** By slot: the bit of a mechanism that counts; and all of them. */
  const countingBits = Array.from(atSlot, (own) =>
    own?.starts === undefined ? 0 : 1 << mechanisms.indexOf(own),
  );
  const counting = countingBits.reduce((bits, bit) => bits | bit, 0);

  /**
   * Mechanisms that count a frame in the buffer of a class, one bit each. Pauses are for what a
   * buffer stores; credit is used by the priority on the wire, whose frames the user priority may
   * put into another buffer (Table 7-49).
   */
  function watching(d: number, nic: Nic82599, group: number, frame: number): number {
    const byGroup = rulers[rows[d] * 8 + group];
    if (counting === 0 || isLooped(nic, frame)) return byGroup;
    const port = devices[d].firstPort;
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const others = byGroup & ~counting;
    if (!ports.isCharged(port, priority)) return others;
    return others | countingBits[ports.keeperOf(port, priority)];
  }

  function configure(d: number): void {
    rings.configure(d);
    const { firstPort, spec } = devices[d];
    rulers.set(rulersOf(mechanisms, firstPort, spec.ports[0]), rows[d] * 8);
  }

  function receive(d: number, port: number, frame: number): void {
    const nic = nics[d]!;
    const row = rows[d];
    note(d, nic, MAC_ACTIVITY);
    if (nic.switches) pool.setSlot(frame, FROM_WIRE);
    const vlans = ends[frame + VLAN];
    if (vlans !== 0 && !nic.takesVlan(host.vmOf(d, frame), vlans)) {
      egressPath.drop(d, port, frame, DROP.VLAN_FILTERED);
      return;
    }
    const group = groupOf(nic, port, frame);
    const verdict = buffer.admit(port, group, words[frame + LENGTH], 0);
    if (verdict !== ADMITTED) {
      nic.missed[group]++;
      egressPath.drop(d, port, frame, verdict);
      return;
    }
    note(d, nic, FILTER_ACTIVITY);
    devices[d].listeners.frameKept?.frameKept(d, clock.now, pool, frame);
    for (let by = watching(d, nic, group, frame); by !== 0; by &= by - 1) {
      observers[31 - Math.clz32(by & -by)].admitted(port, group, frame, words[frame + LENGTH]);
    }
    pool.setArrival(frame, clock.now);
    if (lists.push(nicFrames.received(row, group), frame)) lookAtHead(d, row, nic, group);
    if (turnPlanned[row] === 0) turn(d);
  }

  /** Whether the buffer of a class has room for a frame of the adapter's own. */
  function fits(d: number, tc: number, length: number): boolean {
    return buffer.hasReserved(devices[d].firstPort, tc, length);
  }

  /**
   * A frame of another virtual machine, for which there is room: it goes to the buffer of the class
   * that it had on transmit, whatever RTRUP2TC says (7.7.3.1).
   */
  function receiveLooped(d: number, tc: number, frame: number): void {
    const nic = nics[d]!;
    const row = rows[d];
    const port = devices[d].firstPort;
    const length = words[frame + LENGTH];
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    counters.consumed(port, priority, length);
    nic.looped[priority]++;
    nic.loopedFrames[tc]++;
    nic.loopedOctets[tc] += length;
    digests.mix(d, DID_LOOP | tc, length);
    const vlans = ends[frame + VLAN];
    if (vlans !== 0 && !nic.takesVlan(host.vmOf(d, frame), vlans)) {
      egressPath.lose(d, port, frame, DROP.VLAN_FILTERED);
      return;
    }
    pool.setSlot(frame, FROM_CLASS_0 + tc);
    const verdict = buffer.admit(port, tc, length, 0);
    assert(verdict === ADMITTED, 'nic.loop-has-room');
    note(d, nic, FILTER_ACTIVITY);
    devices[d].listeners.frameKept?.frameKept(d, clock.now, pool, frame);
    for (let by = rulers[row * 8 + tc]; by !== 0; by &= by - 1) {
      observers[31 - Math.clz32(by & -by)].admitted(port, tc, frame, length);
    }
    pool.setArrival(frame, clock.now);
    if (lists.push(nicFrames.received(row, tc), frame)) lookAtHead(d, row, nic, tc);
  }

  /** Serves what was received, if the receive arbiter is idle. */
  function resume(d: number): void {
    if (turnPlanned[rows[d]] === 0) turn(d);
  }

  function note(d: number, { leds }: Nic82599, activity: number): void {
    if (leds.note(activity, clock)) leds.rise(activity, clock.now, ledListener(d));
  }

  /** A class may be served if its first frame has a descriptor, or is dropped for want of one. */
  function lookAtHead(d: number, row: number, nic: Nic82599, tc: number): void {
    const bit = 1 << tc;
    const head = lists.head(nicFrames.received(row, tc));
    if (head < 0) {
      filled[row] &= ~bit;
      return;
    }
    filled[row] |= bit;
    if (!nic.hasRings) return;
    const queue = queueOf(d, nic, tc, head);
    if (rings.hasDescriptor(d, queue)) return;
    nic.noDescriptor[tc]++;
    if (!nic.dropsAt(queue)) starved[row] |= bit;
  }

  /** The receive arbiter chooses a buffer, as soon as the link into host memory is free. */
  function turn(d: number): void {
    const row = rows[d];
    const nic = nics[d]!;
    turnPlanned[row] = 0;
    for (;;) {
      const eligible = filled[row] & ~starved[row];
      if (eligible === 0) return;
      const freeAt = writeFreeAt[links[d]];
      if (freeAt > clock.now) {
        turnPlanned[row] = 1;
        devices[d].schedule(freeAt, KIND_WRITE_TURN, 0, 0);
        return;
      }
      serve(d, row, nic, eligible);
    }
  }

  function serve(d: number, row: number, nic: Nic82599, eligible: number): void {
    const tc = nic.spec.dcb ? nic.receivePlane.pick(eligible) : 0;
    assert((eligible & (1 << tc)) !== 0, 'nic.receive-arbiter');
    const frame = lists.shift(nicFrames.received(row, tc));
    const port = devices[d].firstPort;
    const length = words[frame + LENGTH];
    buffer.release(port, tc, length);
    for (let by = watching(d, nic, tc, frame); by !== 0; by &= by - 1) {
      observers[31 - Math.clz32(by & -by)].released(port, tc, frame);
    }
    const isWritten = !nic.hasRings || hasRoom(d, nic, tc, frame);
    if (nic.spec.dcb) granted(d, nic, tc, isWritten ? length : 0, eligible);
    if (isWritten) write(d, row, nic, tc, frame);
    lookAtHead(d, row, nic, tc);
    if (nic.switches) loopWaiting(d, tc);
  }

  /** A frame that is dropped is not charged. */
  function granted(d: number, nic: Nic82599, tc: number, octets: number, eligible: number): void {
    if (octets > 0) nic.receivePlane.granted(tc, octets);
    digests.mix(d, DID_WRITE | tc, nic.receivePlane.credit[tc]);
    const plane = NIC_ARBITER.RECEIVE_PLANE;
    devices[d].listeners.nicGranted?.nicGranted(d, clock.now, plane, tc, octets, eligible);
  }

  /** Takes a descriptor; without one the frame is dropped, if its queue is configured to. */
  function hasRoom(d: number, nic: Nic82599, tc: number, frame: number): boolean {
    const queue = queueOf(d, nic, tc, frame);
    if (rings.hasDescriptor(d, queue)) {
      rings.spend(d, queue);
      return true;
    }
    nic.droppedBy[queue]++;
    if (nic.switches) pool.setSlot(frame, FROM_WIRE);
    egressPath.lose(d, devices[d].firstPort, frame, DROP.NO_DESCRIPTOR);
    return false;
  }

  function write(d: number, row: number, nic: Nic82599, tc: number, frame: number): void {
    const { octetPs, latencyPs } = nic.spec.pcie;
    const arrived = pool.arrival(frame);
    const octets = writtenOctets(d, nic, tc, frame);
    assert(writeFreeAt[links[d]] <= clock.now, 'nic.pcie-is-free');
    const done = clock.now + Math.round((octets + DESCRIPTOR_OCTETS) * octetPs);
    writeFreeAt[links[d]] = done;
    if (partners[d] >= 0) {
      wroteLast[row] = 1;
      wroteLast[rows[partners[d]]] = 0;
    }
    if (!isLooped(nic, frame)) nic.receiveLatency.add(tc, done - arrived);
    const inMemory = done + latencyPs;
    assert(octets > 0 && inMemory > arrived, 'nic.written-after-arrival');
    words[frame + KEPT_NS] = Math.round((inMemory - arrived) / PS_PER_NS);
    pool.setArrival(frame, inMemory);
    if (lists.push(nicFrames.writing(row), frame)) {
      devices[d].schedule(inMemory, KIND_WRITTEN, 0, 0);
    }
  }

  /** Of two ports of a part, the one that did not write last; else the first, whose link it is. */
  function goesFirst(d: number, other: number): boolean {
    const [own, its] = [wroteLast[rows[d]], wroteLast[rows[other]]];
    return own === its ? links[d] === rows[d] : own < its;
  }

  function queueOf(d: number, nic: Nic82599, tc: number, frame: number): number {
    return nic.queueOf(host.vmOf(d, frame), tc);
  }

  /** Octets of data; a tag that is stripped goes into the descriptor. */
  function writtenOctets(d: number, nic: Nic82599, tc: number, frame: number): number {
    const length = words[frame + LENGTH];
    const vlans = ends[frame + VLAN];
    if (vlans === 0 && !nic.hints.enabled) {
      nic.tags.note(0, false);
      return length;
    }
    const queue = queueOf(d, nic, tc, frame);
    const octets = length - nic.strippedOctets(queue, vlans);
    nic.tags.note(vlans, octets < length);
    if (nic.hints.enabled) nic.hints.received(queue, nic.headerOctets(queue, vlans), octets);
    return octets;
  }

  /** Data and descriptor are in host memory. */
  function written(d: number): void {
    const row = rows[d];
    const frame = lists.shift(nicFrames.writing(row));
    assert(pool.arrival(frame) === clock.now, 'nic.written-in-time');
    const next = lists.head(nicFrames.writing(row));
    if (next >= 0) devices[d].schedule(pool.arrival(next), KIND_WRITTEN, 0, 0);
    const nic = nics[d]!;
    if (!nic.hasRings) {
      if (nic.switches) pool.setSlot(frame, FROM_WIRE);
      nic.taken[words[frame + CLASS] & PRIORITY_MASK]++;
      host.take(d, frame);
      return;
    }
    const tc = groupOf(nic, devices[d].firstPort, frame);
    const queue = queueOf(d, nic, tc, frame);
    if (rings.deliver(d, queue, frame)) freed(d, queue);
  }

  /** Software of a queue has processed a frame. */
  function taken(d: number, queue: number): void {
    rings.taken(d, queue);
    freed(d, queue);
  }

  /** A queue has a descriptor again: a class may have waited for it. */
  function freed(d: number, queue: number): void {
    const row = rows[d];
    if (starved[row] === 0) return;
    const nic = nics[d]!;
    const tc = nic.classOfQueue(queue);
    const head = lists.head(nicFrames.received(row, tc));
    if (head < 0 || queueOf(d, nic, tc, head) !== queue) return;
    starved[row] &= ~(1 << tc);
    if (turnPlanned[row] === 0) turn(d);
  }

  function isLooped(nic: Nic82599, frame: number): boolean {
    return nic.switches && pool.slot(frame) !== FROM_WIRE;
  }

  function groupOf(nic: Nic82599, port: number, frame: number): number {
    if (isLooped(nic, frame)) return pool.slot(frame) - FROM_CLASS_0;
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    return ports.groupOf(port, nic.userPriority(priority, ends[frame + VLAN]));
  }

  return {
    configure,
    goesFirst,
    receive,
    fits,
    receiveLooped,
    resume,
    turn,
    written,
    taken,
    ring: rings.ring,
  };
}
