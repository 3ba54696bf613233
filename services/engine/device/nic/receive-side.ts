import { ADMITTED } from '../../buffer/shared-buffer.js';
import type { Mechanism } from '../../contract/flow-control.js';
import { DROP } from '../../contract/probe.js';
import { CLASS, HASH, LENGTH, PRIORITY_MASK, VLAN } from '../../frame/frame-pool.js';
import type { Nic82599 } from '../../nic-82599/nic.js';
import type { Device } from '../device.js';
import type { Outlet } from '../outlet.js';
import type { Shared } from '../shared.js';
import type { HostSide } from './host-side.js';

/** Of a frame that came in, in place of its hash: how long the adapter kept it. */
export const KEPT_NS = HASH;
const PS_PER_NS = 1000;

/** A receive descriptor that is written back. */
const DESCRIPTOR_OCTETS = 16;

/** Agenda entries of the receive side; see `adapters`. */
export interface ReceiveTimers {
  written(d: number, atPs: number): void;
  turn(d: number, atPs: number): void;
}

/**
 * From the wire to host memory: filters, packet buffers per class with PFC at their watermarks, the
 * receive arbiter, and posted writes over PCIe, the data and then its descriptor.
 */
export type ReceiveSide = ReturnType<typeof makeReceiveSide>;

export function makeReceiveSide(
  shared: Shared,
  devices: readonly Device[],
  mechanisms: readonly Mechanism[],
  rows: Int32Array,
  nics: readonly (Nic82599 | null)[],
  outlet: Outlet,
  host: HostSide,
  timers: ReceiveTimers,
) {
  const { clock, pool, ports, buffer, tables, nicFrames } = shared;
  const { words, ends } = pool;
  const { lists } = nicFrames;
  /** When the link into host memory is free, and whether somebody waits for that. */
  const writeFreeAt = tables.float64('nic', 1);
  const turnPlanned = tables.uint8('nic', 1);
  /** Classes whose buffers hold a frame, one bit each. */
  const filled = tables.int32('nic', 1);

  /** By adapter and buffer: mechanisms that stop its senders, one bit each. */
  const rulers = tables.uint8('nic', 8);

  function configure(d: number): void {
    const { groupOf, pause, pfc, credit } = devices[d].spec.ports[0];
    const ruled = { pause: pause === null ? 0 : 0xff, pfc: pfc?.priorities ?? 0 };
    const priorities: Readonly<Record<string, number>> = {
      ...ruled,
      credit: credit?.priorities ?? 0,
    };
    mechanisms.forEach(({ name }, m) => {
      groupOf.forEach((group, priority) => {
        if (((priorities[name] ?? 0) & (1 << priority)) !== 0) {
          rulers[rows[d] * 8 + group] |= 1 << m;
        }
      });
    });
  }

  function receive(d: number, port: number, frame: number): void {
    const nic = nics[d]!;
    const row = rows[d];
    nic.received.note(clock);
    const vlans = ends[frame + VLAN];
    if (vlans !== 0 && !nic.takesVlan(host.vmOf(d, frame), vlans)) {
      outlet.drop(d, port, frame, DROP.VLAN_FILTERED);
      return;
    }
    const group = groupOf(nic, port, frame);
    const verdict = buffer.admit(port, group, words[frame + LENGTH], 0);
    if (verdict !== ADMITTED) {
      outlet.drop(d, port, frame, verdict);
      return;
    }
    nic.filtered.note(clock);
    for (let by = rulers[row * 8 + group]; by !== 0; by &= by - 1) {
      mechanisms[31 - Math.clz32(by & -by)].admitted(port, group, frame, words[frame + LENGTH]);
    }
    pool.setArrival(frame, clock.now);
    lists.push(nicFrames.received(row, group), frame);
    filled[row] |= 1 << group;
    if (turnPlanned[row] === 0) turn(d);
  }

  /** The receive arbiter chooses a buffer, as soon as the link into host memory is free. */
  function turn(d: number): void {
    const row = rows[d];
    turnPlanned[row] = 0;
    if (filled[row] === 0) return;
    if (writeFreeAt[row] > clock.now) {
      turnPlanned[row] = 1;
      timers.turn(d, writeFreeAt[row]);
      return;
    }
    const nic = nics[d]!;
    const tc = nic.spec.dcb ? nic.receivePlane.pick(filled[row]) : 0;
    const list = nicFrames.received(row, tc);
    const frame = lists.shift(list);
    if (lists.head(list) < 0) filled[row] &= ~(1 << tc);
    if (nic.spec.dcb) nic.receivePlane.granted(tc, words[frame + LENGTH]);
    const port = devices[d].firstPort;
    buffer.release(port, tc, words[frame + LENGTH]);
    for (let by = rulers[row * 8 + tc]; by !== 0; by &= by - 1) {
      mechanisms[31 - Math.clz32(by & -by)].released(port, tc, frame);
    }
    write(d, row, nic, tc, frame);
    if (filled[row] !== 0) turn(d);
  }

  function write(d: number, row: number, nic: Nic82599, tc: number, frame: number): void {
    const { octetPs, latencyPs } = nic.spec.pcie;
    const arrived = pool.arrival(frame);
    const octets = writtenOctets(d, nic, tc, frame);
    const done = clock.now + Math.round((octets + DESCRIPTOR_OCTETS) * octetPs);
    writeFreeAt[row] = done;
    nic.receiveLatency.add(tc, done - arrived);
    const inMemory = done + latencyPs;
    words[frame + KEPT_NS] = Math.round((inMemory - arrived) / PS_PER_NS);
    pool.setArrival(frame, inMemory);
    if (lists.push(nicFrames.writing(row), frame)) timers.written(d, inMemory);
  }

  /** Octets of data; a tag that is taken off goes into the descriptor. */
  function writtenOctets(d: number, nic: Nic82599, tc: number, frame: number): number {
    const length = words[frame + LENGTH];
    const vlans = ends[frame + VLAN];
    if (vlans === 0 && !nic.hints.enabled) return length;
    const queue = nic.queueOf(host.vmOf(d, frame), tc);
    const octets = length - nic.strippedOctets(queue, vlans);
    if (nic.hints.enabled) nic.hints.count(queue, octets, DESCRIPTOR_OCTETS);
    return octets;
  }

  /** Data and descriptor are in host memory. */
  function written(d: number): void {
    const row = rows[d];
    const frame = lists.shift(nicFrames.writing(row));
    const next = lists.head(nicFrames.writing(row));
    if (next >= 0) timers.written(d, pool.arrival(next));
    nics[d]!.taken[words[frame + CLASS] & PRIORITY_MASK]++;
    host.take(d, frame);
  }

  function groupOf(nic: Nic82599, port: number, frame: number): number {
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    return ports.groupOf(port, nic.userPriority(priority, ends[frame + VLAN]));
  }

  return { configure, receive, turn, written };
}
