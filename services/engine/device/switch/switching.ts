import { ADMITTED } from '../../buffer/shared-buffer.js';
import { EcnMarker } from '../../congestion/ecn/ecn-mechanism.js';
import type { Mechanism } from '../../contract/flow-control.js';
import { DROP } from '../../contract/probe.js';
import type { PortSpec, SwitchSpec } from '../../contract/spec.js';
import {
  CHARGED,
  CHARGED_AS_COPY,
  CLASS,
  LENGTH,
  PORT,
  PRIORITY_MASK,
  STORED,
} from '../../frame/frame-pool.js';
import { QUEUE_OCTETS } from '../../port/queues.js';
import type { Device } from '../device.js';
import { KIND_DEVICE } from '../device.js';
import type { Outlet } from '../outlet.js';
import type { Shared } from '../shared.js';
import { Bridge } from './bridge.js';
import type { Forwarding } from './forwarding.js';
import { FILTERED, SEVERAL } from './forwarding.js';
import { Router } from './router.js';

/** The last bit of a frame that could not cut through has come in. */
export const KIND_COMPLETE = KIND_DEVICE;
const HEADER_OCTETS = 64;

/** `stopper` of an account whose senders nobody stops. */
const NOBODY = 255;

/** What makes a switch of its own: where frames go, and what is marked. */
export interface SwitchParts {
  readonly forwarding: Forwarding;
  readonly ecn: EcnMarker;
}

/** Output-queued switches, each with one memory shared by all its ports. */
export interface Switching {
  configure(device: Device, spec: SwitchSpec): void;
  /** A frame has come in and left the pipeline. */
  receive(d: number, port: number, frame: number): void;
  /** A queued frame starts on the wire: its memory is free. */
  departing(port: number, trafficClass: number, frame: number): void;
  onTimer(d: number, port: number, frame: number): void;
  /** State of a switch that is not in the tables. */
  parts(d: number): SwitchParts;
}

export function makeSwitching(
  shared: Shared,
  devices: readonly Device[],
  mechanisms: readonly Mechanism[],
  outlet: Outlet,
): Switching {
  const { clock, pool, ports, queues, counters, buffer, tables } = shared;
  const all: SwitchParts[] = [];
  /** By port and priority group: index of the mechanism that stops its senders. */
  const stopper = tables.uint8('port', 8).fill(NOBODY);
  /** By port: classes that mark at dequeue and at enqueue, one bit each. */
  const marksLeaving = tables.uint8('port', 1);
  const marksJoining = tables.uint8('port', 1);

  function configure(device: Device, spec: SwitchSpec): void {
    const ecn = new EcnMarker(spec.ecn, spec.seed, spec.name);
    all[device.place] = { forwarding: makeForwarding(spec), ecn };
    buffer.configure(device.place, device.firstPort, spec.buffer);
    spec.ports.forEach((port, p) => {
      const at = device.firstPort + p;
      marksLeaving[at] = ecn.atDequeue;
      marksJoining[at] = ecn.atEnqueue;
      spec.buffer.accounts[p].forEach((account, group) => {
        if (!account.lossless) return;
        const name = rulerOf(port, group);
        stopper[(at << 3) | group] = mechanisms.findIndex((mechanism) => mechanism.name === name);
      });
    });
  }

  function makeForwarding(spec: SwitchSpec): Forwarding {
    const { forwarding } = spec;
    if (forwarding.kind === 'bridged') {
      return new Bridge(pool, forwarding.vlans, forwarding.hosts, forwarding.ageingPs, clock);
    }
    const salt = Math.imul(spec.index + 1, 0x9e3779b1);
    return new Router(pool, forwarding.routes, forwarding.spray, salt, spec.ports.length);
  }

  function receive(d: number, port: number, frame: number): void {
    const { firstPort } = devices[d];
    const out = all[d].forwarding.egress(port - firstPort, frame);
    if (out >= 0) forward(d, port, firstPort + out, frame);
    else if (out === SEVERAL) replicate(d, port, frame);
    else outlet.drop(d, port, frame, out === FILTERED ? DROP.VLAN_FILTERED : DROP.NO_DESTINATION);
  }

  /** To one egress; a frame cannot cut through into a faster wire and waits for its last bit. */
  function forward(d: number, port: number, out: number, frame: number): void {
    if (!ports.cutsThrough(port) || ports.octetPs(out) >= ports.octetPs(port)) {
      admit(d, port, out, frame);
      return;
    }
    const { words } = pool;
    const device = devices[d];
    const rest = words[frame + LENGTH] - HEADER_OCTETS;
    words[frame + PORT] = port;
    words[frame + STORED] = out;
    const complete = clock.now + rest * ports.octetPs(port);
    device.schedule(complete, KIND_COMPLETE, port - device.firstPort, frame);
  }

  function onTimer(d: number, local: number, frame: number): void {
    admit(d, devices[d].firstPort + local, pool.words[frame + STORED], frame);
  }

  function admit(d: number, port: number, out: number, frame: number): void {
    const { words } = pool;
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const octets = retag(d, port, out, frame, priority);
    const group = ports.groupOf(port, priority);
    const trafficClass = ports.classOf(out, priority);
    const stored = buffer.storedOctets(port, octets);
    const queued = queues.get(out, trafficClass, QUEUE_OCTETS);
    const verdict = buffer.admit(port, group, stored, queued);
    if (verdict !== ADMITTED) {
      outlet.drop(d, port, frame, verdict);
      return;
    }
    words[frame + STORED] = stored;
    words[frame + PORT] = port;
    const by = stopper[(port << 3) | group];
    if (by !== NOBODY) mechanisms[by].admitted(port, group, frame);
    if ((marksJoining[out] & (1 << trafficClass)) !== 0)
      mark(out, frame, trafficClass, queued + stored);
    outlet.enqueue(d, out, trafficClass, frame);
  }

  /** Puts on or takes off the VLAN tag that the egress wants; returns the frame's length. */
  function retag(d: number, port: number, out: number, frame: number, priority: number): number {
    const change = all[d].forwarding.rewrite(frame, out - devices[d].firstPort);
    if (change !== 0) {
      pool.words[frame + LENGTH] += change;
      counters.retagged(port, priority, change);
    }
    return pool.words[frame + LENGTH];
  }

  function departing(port: number, trafficClass: number, frame: number): void {
    const { words } = pool;
    const from = words[frame + PORT];
    const stored = words[frame + STORED];
    if ((marksLeaving[port] & (1 << trafficClass)) !== 0) {
      mark(port, frame, trafficClass, queues.get(port, trafficClass, QUEUE_OCTETS) + stored);
    }
    const group = ports.groupOf(from, words[frame + CLASS] & PRIORITY_MASK);
    buffer.release(from, group, stored);
    const by = stopper[(from << 3) | group];
    if (by !== NOBODY) mechanisms[by].released(from, group, frame);
  }

  function replicate(d: number, port: number, frame: number): void {
    const { forwarding } = all[d];
    const { firstPort } = devices[d];
    const last = forwarding.copyCount - 1;
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    for (let i = 0; i < last; i++) {
      counters.made(port, priority, pool.words[frame + LENGTH]);
      const copy = pool.copyFrom(pool, frame);
      if (ports.isCredited(port, priority)) pool.ends[copy + CHARGED] = CHARGED_AS_COPY;
      forward(d, port, firstPort + forwarding.copies[i], copy);
    }
    forward(d, port, firstPort + forwarding.copies[last], frame);
  }

  function mark(port: number, frame: number, trafficClass: number, queueOctets: number): void {
    const { words } = pool;
    const d = ports.owner(port);
    const before = words[frame + CLASS];
    const after = all[d].ecn.mark(before, trafficClass, queueOctets);
    if (after === before) return;
    words[frame + CLASS] = after;
    counters.marked(port, before & PRIORITY_MASK);
    devices[d].probe?.frameMarked(d, port - devices[d].firstPort, clock.now, pool, frame);
  }

  return { configure, receive, departing, onTimer, parts: (d) => all[d] };
}

/** The mechanism that keeps a lossless account from overflowing. */
function rulerOf({ pause, credit, groupOf }: PortSpec, group: number): string {
  if (pause !== null) return 'pause';
  const credited = credit?.priorities ?? 0;
  const isCredited = groupOf.some((g, p) => g === group && (credited & (1 << p)) !== 0);
  return isCredited ? 'credit' : 'pfc';
}
