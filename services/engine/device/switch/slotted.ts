import type { DueDateView } from '../../arbiter/due-dates.js';
import { DueDateArbiter } from '../../arbiter/due-dates.js';
import type { IngressBuffers, Mechanism } from '../../contract/flow-control.js';
import { asIngressObserver } from '../../contract/flow-control.js';
import { DROP } from '../../contract/probe.js';
import type { SwitchSpec } from '../../contract/spec.js';
import type { InFlight } from '../../mvtx2802/arrivals.js';
import { brokenInvariants } from '../../mvtx2802/invariants.js';
import type { QueueView } from '../../mvtx2802/machine.js';
import { isDowngraded } from '../../mvtx2802/machine.js';
import type { StopListener } from '../../mvtx2802/mechanism.js';
import { Mvtx2802 } from '../../mvtx2802/mechanism.js';
import { SHAPED_CLASS } from '../../mvtx2802/shaper.js';
import { NO_SLOT } from '../../mvtx2802/slots.js';
import {
  CLASS,
  DEI_FLAG,
  LENGTH,
  PORT,
  PRIORITY_MASK,
  STORED,
  VLAN,
} from '../../frame/frame-pool.js';
import { QUEUE_FRAMES, QUEUE_OCTETS } from '../../port/queues.js';
import { WIRE_OVERHEAD_OCTETS } from '../../units/ethernet.js';
import type { Device } from '../device.js';
import { KIND_DEVICE } from '../device.js';
import type { EgressPath } from '../egress-path.js';
import type { Shared } from '../shared.js';
import type { Forwarding } from './forwarding.js';

/** A class that was blocked by a shaper may start a frame. */
export const KIND_SHAPED = KIND_DEVICE + 1;
/** The C-TAG's identifier of a frame. */
const VLAN_ID = 0xfff;
/** An account is the whole port here. */
const PORT_GROUP = 0;
const NO_FRAME = -1;

/** The path of frames through a switch with the memory of an MVTX2802. */
interface Slotted {
  /** Null where the switch has a shared buffer. */
  make(device: Device, spec: SwitchSpec): Mvtx2802 | null;
  /** A frame for one port of the device. */
  toOne(d: number, chip: Mvtx2802, port: number, out: number, frame: number): void;
  /** A frame for all ports of the last forwarding decision. */
  toSeveral(d: number, chip: Mvtx2802, port: number, to: Forwarding, frame: number): void;
  /** A frame has come in; false if it found no temporary slot. */
  classified(chip: Mvtx2802, source: number, port: number, frame: number): boolean;
  /** A queued frame starts on the wire. */
  started(d: number, chip: Mvtx2802, port: number, trafficClass: number, frame: number): void;
  /** The class of a port that is shaped may start a frame again. */
  released(d: number, port: number): void;
  /** Names of invariants that do not hold. */
  broken(chip: Mvtx2802 | null): readonly string[];
  /** A frame has left its queue. */
  departing(chip: Mvtx2802, trafficClass: number, frame: number): void;
}

/** Adds or removes the tag at the egress; ports through the service. */
type Retag = (d: number, port: number, out: number, frame: number, priority: number) => number;

interface SlottedParts {
  readonly mechanisms: readonly Mechanism[];
  readonly egressPath: EgressPath;
  readonly retag: Retag;
  readonly copyOf: (frame: number) => number;
}

export function makeSlotted(
  shared: Shared,
  devices: readonly Device[],
  { mechanisms, egressPath, retag, copyOf }: SlottedParts,
): Slotted {
  const { clock, pool, ports, queues, counters, inFlightQueues } = shared;
  const { words, ends } = pool;

  function make(device: Device, { slots: spec }: SwitchSpec): Mvtx2802 | null {
    if (spec === null) return null;
    const { firstPort } = device;
    const view: QueueView = {
      octets: (port, tc) => queues.get(firstPort + port, tc, QUEUE_OCTETS),
      frames: (port, tc) => queues.get(firstPort + port, tc, QUEUE_FRAMES),
    };
    const pausers = device.spec.ports.map((_, port) => {
      const own = mechanisms.find((m) => m.rulesGroup?.(firstPort + port, PORT_GROUP) === true);
      return own === undefined ? null : asIngressObserver(own);
    });
    const listener: StopListener = {
      filled: (port) => {
        pausers[port]?.admitted(firstPort + port, PORT_GROUP, NO_FRAME, 0);
      },
      emptied: (port) => {
        pausers[port]?.released(firstPort + port, PORT_GROUP, NO_FRAME);
      },
    };
    const surroundings = { queues: view, listener, clock, inFlight: inFlightOf(firstPort) };
    const chip = new Mvtx2802(spec, surroundings, device.spec.seed, device.spec.name);
    const heads: DueDateView = {
      headAdmittedPs: (port, tc) => chip.admittedPs(pool.slot(queues.head(port, tc))),
      excessive: (port) => chip.excessive(port - firstPort),
      clock,
    };
    for (const arbiter of device.arbiters) {
      if (arbiter instanceof DueDateArbiter) arbiter.equip(heads);
    }
    shared.chips[device.place] = { chip, firstPort };
    return chip;
  }

  function toOne(d: number, chip: Mvtx2802, port: number, out: number, frame: number): void {
    const source = port - devices[d].firstPort;
    const trafficClass = classOf(chip, source, port, frame);
    const takers = chip.passing(source, trafficClass, isHighDrop(chip, source, frame), 1 << out);
    const slot = takers === 0 ? NO_SLOT : chip.admit(source, trafficClass, 1, false);
    if (slot === NO_SLOT) refuse(d, chip, port, takers, frame);
    else keep(d, chip, port, out, chip.queueOf(source, trafficClass), slot, frame);
  }

  function toSeveral(d: number, chip: Mvtx2802, port: number, to: Forwarding, frame: number): void {
    const source = port - devices[d].firstPort;
    const trafficClass = classOf(chip, source, port, frame);
    let fanOut = 0;
    for (let i = 0; i < to.copyCount; i++) fanOut |= 1 << to.copies[i];
    chip.multicastArrived(source, fanOut, ends[frame + VLAN] & VLAN_ID);
    const takers = chip.passing(source, trafficClass, isHighDrop(chip, source, frame), fanOut);
    const slot = takers === 0 ? NO_SLOT : chip.admit(source, trafficClass, bitsOf(takers), true);
    if (slot === NO_SLOT) refuse(d, chip, port, takers, frame);
    else spread(d, chip, port, fanOut, takers, chip.queueOf(source, trafficClass), slot, frame);
  }

  /** Frames in flight to ports of a device, by the times of their first bit and their end. */
  function inFlightOf(firstPort: number): InFlight {
    return (local, visit) => {
      const port = firstPort + local;
      inFlightQueues.forEach(port, (frame, untilPs) => {
        visit(firstBitPs(port, frame, untilPs), untilPs);
      });
    };
  }

  function firstBitPs(port: number, frame: number, untilPs: number): number {
    return untilPs - ports.ingressPs(port) - words[frame + LENGTH] * ports.octetPs(port);
  }

  function classified(chip: Mvtx2802, source: number, port: number, frame: number): boolean {
    return chip.arrivals === null || chip.classified(source, firstBitPs(port, frame, clock.now));
  }

  function started(
    d: number,
    chip: Mvtx2802,
    port: number,
    trafficClass: number,
    frame: number,
  ): void {
    const local = port - devices[d].firstPort;
    const arbiter = devices[d].arbiters[local];
    const admittedPs = chip.admittedPs(pool.slot(frame));
    const duePs =
      arbiter instanceof DueDateArbiter ? arbiter.duePs(trafficClass, admittedPs) : Infinity;
    const wireOctets = words[frame + LENGTH] + WIRE_OVERHEAD_OCTETS;
    const fromPs = chip.started(local, trafficClass, wireOctets, duePs);
    if (fromPs <= clock.now) return;
    queues.setUnready(port, trafficClass);
    devices[d].schedule(fromPs, KIND_SHAPED, local, 0);
  }

  function released(d: number, local: number): void {
    const port = devices[d].firstPort + local;
    if (queues.head(port, SHAPED_CLASS) < 0) return;
    queues.setReady(port, SHAPED_CLASS);
    egressPath.wakeTransmitter(d, port);
  }

  function broken(chip: Mvtx2802 | null): readonly string[] {
    return chip === null ? [] : brokenInvariants(chip.spec, chip);
  }

  function departing(chip: Mvtx2802, trafficClass: number, frame: number): void {
    chip.sent(pool.slot(frame), trafficClass);
  }

  /** Of the frame itself and its copies, one to each port; WRED may have refused some. */
  function spread(
    d: number,
    chip: Mvtx2802,
    port: number,
    fanOut: number,
    takers: number,
    trafficClass: number,
    slot: number,
    frame: number,
  ): void {
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    for (let rest = fanOut; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      const isLast = rest === bit;
      if (!isLast) counters.made(port, priority, words[frame + LENGTH]);
      const one = isLast ? frame : copyOf(frame);
      if ((takers & bit) === 0) egressPath.drop(d, port, one, DROP.WRED);
      else keep(d, chip, port, 31 - Math.clz32(bit), trafficClass, slot, one);
    }
  }

  function keep(
    d: number,
    chip: Mvtx2802,
    port: number,
    out: number,
    trafficClass: number,
    slot: number,
    frame: number,
  ): void {
    const to = devices[d].firstPort + out;
    words[frame + STORED] = retag(d, port, to, frame, words[frame + CLASS] & PRIORITY_MASK);
    words[frame + PORT] = port;
    pool.setSlot(frame, slot);
    egressPath.enqueue(d, to, trafficClass, frame);
    if (trafficClass === SHAPED_CLASS && chip.shapers.isBlocked(out, clock.now)) {
      queues.setUnready(to, trafficClass);
    }
  }

  /** The frame is dropped: no destination, or no slot for it. */
  function refuse(d: number, chip: Mvtx2802, port: number, takers: number, frame: number): void {
    if (takers === 0) egressPath.drop(d, port, frame, DROP.WRED);
    else if (!isDowngraded(chip.spec, port - devices[d].firstPort)) {
      egressPath.drop(d, port, frame, DROP.NO_SLOT);
    } else egressPath.drop(d, port, frame, DROP.HEADROOM_EXHAUSTED);
  }

  /** As the register of the port says, or by priority, which is the same at every port. */
  function classOf(chip: Mvtx2802, source: number, port: number, frame: number): number {
    return chip.classOf(source, ports.classOf(port, words[frame + CLASS] & PRIORITY_MASK));
  }

  /** Which of the two drop precedences a frame has. */
  function isHighDrop(chip: Mvtx2802, source: number, frame: number): boolean {
    const fixed = chip.spec.fixed[source];
    return fixed === null ? (words[frame + CLASS] & DEI_FLAG) !== 0 : fixed.highPrecedence;
  }

  return { make, toOne, toSeveral, classified, started, released, departing, broken };
}

function bitsOf(set: number): number {
  let bits = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) bits++;
  return bits;
}

/** Accounts of ports, of either kind of memory. */
export function makeIngressBuffers({ buffer, ports, chips }: Shared): IngressBuffers {
  return {
    atXoff: (port, group) => {
      const own = chips[ports.owner(port)];
      return own === undefined ? buffer.atXoff(port, group) : own.chip.atXoff(port - own.firstPort);
    },
    atXon: (port, group) => {
      const own = chips[ports.owner(port)];
      return own === undefined ? buffer.atXon(port, group) : own.chip.atXon(port - own.firstPort);
    },
    setPaused: (port, group, paused) => {
      const own = chips[ports.owner(port)];
      if (own === undefined) buffer.setPaused(port, group, paused);
      else own.chip.setPaused(port - own.firstPort, group, paused);
    },
  };
}
