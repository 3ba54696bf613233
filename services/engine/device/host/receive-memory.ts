import { field } from '../../kernel/fields.js';
import { DUE, SHAPE } from '../../kernel/kinds.js';
import { ADMITTED } from '../../buffer/shared-buffer.js';
import type { Mechanism } from '../../contract/flow-control.js';
import { asIngressObserver } from '../../contract/flow-control.js';
import { DROP } from '../../contract/probe.js';
import type { BufferSpec } from '../../contract/memory.js';
import { CLASS, KIND_DATA, KIND_MASK, LENGTH, PRIORITY_MASK } from '../../frame/frame-pool.js';
import type { Device } from '../device.js';
import { KIND_DEVICE } from '../device.js';
import { rulersOf } from '../nic/rulers.js';
import type { EgressPath } from '../egress-path.js';
import type { Shared } from '../shared.js';
import type { FrameRef } from '../../units/indices.js';
import { assert } from '../../kernel/assert.js';

/** The application has read a frame; behind the kinds of adapters. */
export const KIND_APPLICATION = KIND_DEVICE + 10;

/**
 * The receive memory of plain NICs, while a fault slows an application down. Data waits in one
 * queue until it is read, and is charged to an account per priority group: its senders are paused
 * as by a switch. Acknowledgements and messages are handled by the NIC and never wait.
 */
interface ReceiveMemory {
  configure(device: Device, spec: BufferSpec): void;
  /** Whether a frame that has come in has to wait for the application. */
  keeps(d: number, frame: FrameRef): boolean;
  store(d: number, port: number, frame: FrameRef): void;
  /** From now on reading takes so long per octet; 0: no time, Infinity: nothing is read. */
  read(d: number, octetPs: number): void;
  onTimer(d: number): void;
}

export function makeReceiveMemory(
  shared: Shared,
  devices: readonly Device[],
  mechanisms: readonly Mechanism[],
  egressPath: EgressPath,
  take: (d: number, frame: FrameRef) => void,
): ReceiveMemory {
  const { clock, pool, ports, buffer, tables, nicFrames } = shared;
  const { words } = pool;
  const { unread } = nicFrames;
  /** By device and priority group: mechanisms that rule its senders, one bit each. */
  const rulers = new Uint16Array(devices.length * 8);
  const observers = mechanisms.map(asIngressObserver);
  const octetTime = tables.float64('device', field('read octet time', SHAPE));
  /** When the first frame has been read; Infinity if none is being read. */
  const readAt = tables.float64('device', field('read at', DUE)).fill(Infinity);

  function configure(device: Device, spec: BufferSpec): void {
    const { place, firstPort } = device;
    buffer.configure(place, firstPort, spec);
    rulers.set(rulersOf(mechanisms, firstPort, device.spec.ports[0]), place * 8);
  }

  function keeps(d: number, frame: FrameRef): boolean {
    return octetTime[d] !== 0 && (words[frame + CLASS] & KIND_MASK) <= KIND_DATA;
  }

  function store(d: number, port: number, frame: FrameRef): void {
    const group = groupOf(port, frame);
    const verdict = buffer.admit(port, group, words[frame + LENGTH], 0);
    if (verdict !== ADMITTED) {
      const overflows = verdict === DROP.HEADROOM_EXHAUSTED;
      egressPath.drop(d, port, frame, overflows ? verdict : DROP.NOT_READ);
      return;
    }
    for (let by = rulers[d * 8 + group]; by !== 0; by &= by - 1) {
      observers[31 - Math.clz32(by & -by)].admitted(port, group, frame, words[frame + LENGTH]);
    }
    devices[d].listeners.frameKept?.frameKept(d, clock.now, pool, frame);
    if (unread.push(d, frame)) plan(d);
  }

  function read(d: number, octetPs: number): void {
    octetTime[d] = octetPs;
    if (octetPs === 0) while (unread.head(d) >= 0) readFirst(d);
    plan(d);
  }

  function onTimer(d: number): void {
    if (readAt[d] !== clock.now) return;
    readFirst(d);
    plan(d);
  }

  function readFirst(d: number): void {
    const frame = unread.shift(d);
    assert((words[frame + CLASS] & KIND_MASK) <= KIND_DATA, 'receive-memory.keeps-data');
    const port = devices[d].firstPort;
    const group = groupOf(port, frame);
    buffer.release(port, group, words[frame + LENGTH]);
    for (let by = rulers[d * 8 + group]; by !== 0; by &= by - 1) {
      observers[31 - Math.clz32(by & -by)].released(port, group, frame);
    }
    take(d, frame);
  }

  /** The application begins to read the first frame, if there is one and it reads at all. */
  function plan(d: number): void {
    const frame = unread.head(d);
    readAt[d] = frame < 0 ? Infinity : clock.now + Math.round(words[frame + LENGTH] * octetTime[d]);
    if (readAt[d] !== Infinity) devices[d].schedule(readAt[d], KIND_APPLICATION, 0, 0);
  }

  function groupOf(port: number, frame: FrameRef): number {
    return ports.groupOf(port, words[frame + CLASS] & PRIORITY_MASK);
  }

  return { configure, keeps, store, read, onTimer };
}
