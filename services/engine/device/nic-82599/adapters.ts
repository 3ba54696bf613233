import { field } from '../../kernel/fields.js';
import { DUE, SHAPE } from '../../kernel/kinds.js';
import { TRAFFIC_CLASSES } from '../../units/ethernet.js';
import { PacketPlane } from '../../arbiter/wsp-arbiter.js';
import type { MechanismSet } from '../mechanisms.js';
import { NIC_ARBITER } from '../../contract/probe.js';
import type { NicSpec, RegisterChange } from '../../contract/spec.js';
import {
  CLASS,
  GROUP_FLAG,
  KIND_MASK,
  KIND_RAW,
  LENGTH,
  PRIORITY_MASK,
  TARGET,
} from '../../frame/frame-pool.js';
import { etsOfRegisters } from '../../nic-82599/ets-registers.js';
import type { LedListener } from '../../nic-82599/led-panel.js';
import { MAC_ACTIVITY } from '../../nic-82599/led-panel.js';
import { Nic82599, NO_TABLE } from '../../nic-82599/nic.js';
import type { RegisterName } from '../../nic-82599/register-map.js';
import { QUEUE_OCTETS } from '../../port/queues.js';
import type { Ets, EtsTable } from '../../wire/lldp/dcbx-ieee.js';
import type { Device } from '../device.js';
import { DID_SET_REGISTER } from '../device.js';
import type { EgressPath } from '../egress-path.js';
import type { Shared } from '../shared.js';
import type { DescriptorQueues } from './descriptor-queues.js';
import { makeDescriptorQueues } from './descriptor-queues.js';
import type { HostSide } from '../nic/host-side.js';
import {
  KIND_PUMP,
  KIND_RATE_ON,
  KIND_READ,
  KIND_REGISTER,
  KIND_TAKEN,
  KIND_WRITE_TURN,
  KIND_WRITTEN,
} from '../nic/kinds.js';
import { makePcieLinks } from './pcie-links.js';
import { makeReceiveSide } from './receive-side.js';
import { OCTET_BITS_PS } from '../../units/rates.js';

/** The 82599s of a service: from descriptor queues to the wire, and from the wire to memory. */
interface Adapters {
  configure(device: Device, spec: NicSpec): void;
  has(d: number): boolean;
  /** Assigns a connection to a descriptor queue of its virtual machine and class. */
  assign: DescriptorQueues['assign'];
  /** The rate of a connection's descriptor queue, as a reaction to congestion. */
  setRate(d: number, connection: number, bps: number): void;
  /** A connection may have something to send. */
  wake(d: number, connection: number): void;
  /** Software has composed an acknowledgement. */
  answer(d: number, vm: number, frame: number): void;
  /** Answers of a virtual machine that wait in a class. */
  answersWaiting(d: number, vm: number, trafficClass: number): number;
  /** A frame starts on the wire: its space in the packet buffer is free. */
  departing(d: number, trafficClass: number, frame: number): void;
  receive(d: number, port: number, frame: number): void;
  onTimer(d: number, kind: number, id: number): void;
  /** After an entry of the host's timer queue: serves what became ready by it. */
  settle(d: number): void;
  /** Software writes some bits of a register now. */
  writeRegister(d: number, change: RegisterChange): void;
  /**
   * The driver writes an ETS table that DCBX has negotiated into the registers of its arbiters.
   * False where the part has no such classes; its registers then stay as they are.
   */
  operate(d: number, ets: Ets): boolean;
  /** Classes and shares as the registers have them; null without an 82599 or without DCB. */
  tableInHardware(d: number): EtsTable | null;
  /** Priorities of the port were mapped to other classes. */
  reclassified(d: number): void;
  /** A fault puts this table in the place of RTTUP2TC; null: it is over. */
  misdirect(d: number, table: number | null): void;
  wrongMap(d: number): number | null;
  /** The link went up or down. */
  carrier(d: number, up: boolean): void;
  /** Devices that share a PCIe link, and which of them goes first at one instant. */
  readonly partners: Int32Array;
  goesFirst(d: number, other: number): boolean;
  /** Receive descriptors of a queue: free now, and the fewest so far. */
  ring(d: number, queue: number): { readonly free: number; readonly fewest: number };
  parts(d: number): Nic82599 | null;
}

// Words of an adapter.

const READS_UNDER_WAY = 0;
/** Classes whose buffers have room for a largest frame, one bit each. */
const ROOMY = 1;
/** Whether the descriptor plane has to run, and whether the timer queue will run it. */
const PUMP = 2;
/** Data has arrived for which the buffer has no room yet. */
const STALLED = 3;
/** By class: octets in the packet buffer, or in flight to it. */
const TAKEN = 8;
const WORDS = 16;

const NO_PUMP = 0;
const PUMP_WANTED = 1;
const PUMP_PLANNED = 2;

export function makeAdapters(
  shared: Shared,
  devices: readonly Device[],
  set: MechanismSet,
  egressPath: EgressPath,
  host: HostSide,
): Adapters {
  const { clock, pool, ports, queues, tables, nicFrames, digests } = shared;
  const { words } = pool;
  const { lists } = nicFrames;
  const nics: (Nic82599 | null)[] = devices.map(() => null);
  const rows = new Int32Array(devices.length).fill(-1);
  const state = tables.int32('nic', field('adapter', SHAPE, WORDS));
  /** When the link from host memory is free. */
  const readFreeAt = tables.float64('nic', field('read free at', DUE));
  const pcie = makePcieLinks(devices);
  const { links, partners } = pcie;
  const armRate = (d: number, queue: number, atPs: number, armedPs: number): void => {
    if (armedPs !== Infinity) devices[d].cancel(armedPs, KIND_RATE_ON, queue);
    devices[d].schedule(atPs, KIND_RATE_ON, queue, 0);
  };
  const common = { rows, nics, host };
  const descriptors = makeDescriptorQueues(shared, devices, { ...common, armRate });
  const receiveSide = makeReceiveSide(shared, devices, {
    ...common,
    set,
    pcie,
    egressPath,
    ledListener,
    loopWaiting,
  });

  function configure(device: Device, spec: NicSpec): void {
    const d = device.place;
    const port = device.firstPort;
    const [plane] = device.arbiters;
    if (!(plane instanceof PacketPlane)) throw new Error('an 82599 has arbiters of its own');
    const nic = new Nic82599(spec, ports.octetPs(port), plane);
    nics[d] = nic;
    rows[d] = device.rows.nic.first;
    ports.stallByTable(port, nic.pausedClasses());
    shared.buffer.configure(d, port, spec.receiveBuffer);
    receiveSide.configure(d);
    for (let tc = 0; tc < TRAFFIC_CLASSES; tc++) markRoom(rows[d] * WORDS, nic, tc);
    spec.writes.forEach(({ atPs }, i) => {
      device.schedule(atPs, KIND_REGISTER, i, 0);
    });
  }

  function wake(d: number, connection: number): void {
    if (descriptors.wake(d, connection)) planPump(d);
  }

  function answer(d: number, vm: number, frame: number): void {
    if (descriptors.answer(d, vm, frame)) planPump(d);
  }

  /** The descriptor plane decides after everything else of this instant: see `settle`. */
  function planPump(d: number): void {
    const s = rows[d] * WORDS;
    if (state[s + PUMP] === NO_PUMP) state[s + PUMP] = PUMP_WANTED;
  }

  /** An entry of the timer queue has been executed. */
  function settle(d: number): void {
    const s = rows[d] * WORDS;
    if (state[s + PUMP] !== PUMP_WANTED) return;
    const { timerQueue } = devices[d];
    if (timerQueue.time === clock.now) {
      state[s + PUMP] = PUMP_PLANNED;
      devices[d].schedule(clock.now, KIND_PUMP, 0, 0);
    } else {
      state[s + PUMP] = NO_PUMP;
      pump(d);
    }
  }

  /** The descriptor plane: issues data reads as long as there is a free request. */
  function pump(d: number): void {
    const nic = nics[d]!;
    const { pcie, dcb } = nic.spec;
    const { listeners } = devices[d];
    const plane = NIC_ARBITER.DESCRIPTOR_PLANE;
    const s = rows[d] * WORDS;
    while (state[s + READS_UNDER_WAY] < pcie.reads) {
      const eligible = descriptors.ready(d) & (nic.bypassesRoom ? 0xff : state[s + ROOMY]);
      if (eligible === 0) return;
      const tc = dcb ? nic.descriptorPlane.pick(eligible) : 0;
      const frame = descriptors.take(d, tc);
      const length = frame < 0 ? 0 : words[frame + LENGTH];
      if (dcb && length > 0) nic.descriptorPlane.granted(tc, length);
      if (dcb) listeners.nicGranted?.nicGranted(d, clock.now, plane, tc, length, eligible);
      if (frame < 0) continue;
      read(d, s, nic, tc, frame);
    }
  }

  /** Host memory answers after the latency; data arrives in the order of the requests. */
  function read(d: number, s: number, nic: Nic82599, tc: number, frame: number): void {
    const { octetPs, latencyPs } = nic.spec.pcie;
    const length = words[frame + LENGTH];
    const row = rows[d];
    const first = clock.now + latencyPs;
    const start = Math.max(first, readFreeAt[links[d]]);
    const done = start + Math.round(length * octetPs);
    readFreeAt[links[d]] = done;
    pool.setArrival(frame, done);
    state[s + READS_UNDER_WAY]++;
    state[s + TAKEN + tc] += length;
    markRoom(s, nic, tc);
    if (lists.push(nicFrames.reading(row), frame)) devices[d].schedule(done, KIND_READ, 0, 0);
  }

  function markRoom(s: number, nic: Nic82599, tc: number): void {
    const free = nic.transmitOctets[tc] - state[s + TAKEN + tc];
    const bit = 1 << tc;
    if (free >= nic.spec.longestFrameOctets) state[s + ROOMY] |= bit;
    else state[s + ROOMY] &= ~bit;
  }

  function readComplete(d: number): void {
    const row = rows[d];
    const s = row * WORDS;
    const nic = nics[d]!;
    const port = devices[d].firstPort;
    const frame = lists.head(nicFrames.reading(row));
    const tc = ports.classOf(port, words[frame + CLASS] & PRIORITY_MASK);
    const length = words[frame + LENGTH];
    if (nic.bypassesRoom && queues.get(port, tc, QUEUE_OCTETS) + length > nic.transmitOctets[tc]) {
      state[s + STALLED] = 1;
      return;
    }
    lists.shift(nicFrames.reading(row));
    state[s + READS_UNDER_WAY]--;
    if (nic.switches && isLocal(d, frame)) loop(d, tc, frame);
    else egressPath.enqueueOwn(d, port, tc, frame);
    const next = lists.head(nicFrames.reading(row));
    if (next >= 0) devices[d].schedule(Math.max(pool.arrival(next), clock.now), KIND_READ, 0, 0);
    pump(d);
  }

  /** To a virtual machine of the same host; copies for a group leave by the link. */
  function isLocal(d: number, frame: number): boolean {
    return (words[frame + CLASS] & GROUP_FLAG) === 0 && words[frame + TARGET] === host.position(d);
  }

  /** The frame stays in the transmit buffer of its class until the receive buffer has room. */
  function loop(d: number, tc: number, frame: number): void {
    lists.push(nicFrames.looping(rows[d], tc), frame);
    loopWaiting(d, tc);
    receiveSide.resume(d);
  }

  /** Passes on frames of a class that wait for its receive buffer, in their order. */
  function loopWaiting(d: number, tc: number): void {
    const row = rows[d];
    const waiting = nicFrames.looping(row, tc);
    for (let frame = lists.head(waiting); frame >= 0; frame = lists.head(waiting)) {
      if (!receiveSide.fits(d, tc, words[frame + LENGTH])) return;
      lists.shift(waiting);
      state[row * WORDS + TAKEN + tc] -= words[frame + LENGTH];
      markRoom(row * WORDS, nics[d]!, tc);
      receiveSide.receiveLooped(d, tc, frame);
      planPump(d);
    }
  }

  function departing(d: number, trafficClass: number, frame: number): void {
    const nic = nics[d]!;
    const s = rows[d] * WORDS;
    state[s + TAKEN + trafficClass] -= words[frame + LENGTH];
    markRoom(s, nic, trafficClass);
    if (nic.leds.note(MAC_ACTIVITY, clock)) nic.leds.rise(MAC_ACTIVITY, clock.now, ledListener(d));
    if ((words[frame + CLASS] & KIND_MASK) === KIND_RAW) {
      nic.transmitLatency.add(trafficClass, clock.now - pool.born(frame));
    }
    if (state[s + STALLED] !== 0) {
      state[s + STALLED] = 0;
      devices[d].schedule(clock.now, KIND_READ, 0, 0);
    }
    if (state[s + READS_UNDER_WAY] < nic.spec.pcie.reads && descriptors.ready(d) !== 0) pump(d);
  }

  function onTimer(d: number, kind: number, id: number): void {
    switch (kind) {
      case KIND_READ:
        readComplete(d);
        break;
      case KIND_PUMP:
        state[rows[d] * WORDS + PUMP] = NO_PUMP;
        pump(d);
        break;
      case KIND_WRITTEN:
        receiveSide.written(d);
        break;
      case KIND_WRITE_TURN:
        receiveSide.turn(d);
        break;
      case KIND_TAKEN:
        receiveSide.taken(d, id);
        break;
      case KIND_RATE_ON:
        if (descriptors.rateOn(d, id)) planPump(d);
        break;
      case KIND_REGISTER:
        writeRegister(d, nics[d]!.spec.writes[id]);
        break;
    }
  }

  /** Reports changes of a device's LEDs to its probe. */
  function ledListener(d: number): LedListener {
    const { listeners } = devices[d];
    return (led, lit, atPs) => listeners.ledChanged?.ledChanged(d, 0, atPs, led, lit);
  }

  function carrier(d: number, up: boolean): void {
    nics[d]!.leds.setLink(up, clock.now, ledListener(d));
  }

  function setRate(d: number, connection: number, bps: number): void {
    const nic = nics[d]!;
    const queue = descriptors.queueOf(d, connection);
    const linkBps = OCTET_BITS_PS / ports.octetPs(devices[d].firstPort);
    nic.rates.drift(clock.now);
    nic.rates.setTarget(queue, linkBps, bps, clock.now);
    if (descriptors.changed(d, queue)) planPump(d);
  }

  /** Software writes a register now. */
  function writeRegister(d: number, { register, index, mask, value }: RegisterChange): void {
    const write = { name: register as RegisterName, index, mask, value };
    nics[d]!.write(write, clock.now, ledListener(d));
    digests.mix(d, DID_SET_REGISTER | index, value);
    descriptors.refreshAll(d);
    planPump(d);
  }

  function operate(d: number, ets: Ets): boolean {
    const nic = nics[d]!;
    const { discovery } = devices[d].spec.ports[0];
    const configured = discovery!.stages[0].admin.dcbx.ets;
    const writes = nic.etsDriver.writesFor(nic, ets, configured);
    for (const change of writes ?? []) writeRegister(d, change);
    return writes !== null;
  }

  function tableInHardware(d: number): EtsTable | null {
    const nic = nics[d];
    if (nic?.spec.dcb !== true) return null;
    return etsOfRegisters(nic.registers, nic.spec.longestFrameOctets);
  }

  function reclassified(d: number): void {
    const nic = nics[d]!;
    const row = rows[d];
    const s = row * WORDS;
    const port = devices[d].firstPort;
    ports.stallByTable(port, nic.pausedClasses());
    descriptors.reassign(d);
    state.fill(0, s + TAKEN, s + TAKEN + TRAFFIC_CLASSES);
    const count = (frame: number): void => {
      const tc = ports.classOf(port, words[frame + CLASS] & PRIORITY_MASK);
      state[s + TAKEN + tc] += words[frame + LENGTH];
    };
    queues.forEach(port, count);
    lists.forEach(nicFrames.reading(row), count);
    for (let tc = 0; tc < TRAFFIC_CLASSES; tc++) {
      // These have been switched: their class is the one that they were transmitted in.
      lists.forEach(nicFrames.looping(row, tc), (frame) => {
        state[s + TAKEN + tc] += words[frame + LENGTH];
      });
    }
    for (let tc = 0; tc < TRAFFIC_CLASSES; tc++) markRoom(s, nic, tc);
    planPump(d);
  }

  /** What leaves a receive buffer at once may make room for frames of the adapter's own. */
  function receive(d: number, port: number, frame: number): void {
    receiveSide.receive(d, port, frame);
    settle(d);
  }

  function misdirect(d: number, table: number | null): void {
    const nic = nics[d]!;
    nic.wrongMap = table ?? NO_TABLE;
    ports.stallByTable(devices[d].firstPort, nic.pausedClasses());
  }

  function wrongMap(d: number): number | null {
    const table = nics[d]?.wrongMap ?? NO_TABLE;
    return table === NO_TABLE ? null : table;
  }

  return {
    configure,
    misdirect,
    wrongMap,
    operate,
    tableInHardware,
    reclassified,
    has: (d) => rows[d] >= 0,
    assign: descriptors.assign,
    setRate,
    writeRegister,
    carrier,
    partners,
    goesFirst: receiveSide.goesFirst,
    ring: receiveSide.ring,
    wake,
    answer,
    answersWaiting: descriptors.answersWaiting,
    departing,
    receive,
    onTimer,
    settle,
    parts: (d) => nics[d],
  };
}
