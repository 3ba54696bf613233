import type { FaultSpec } from '../contract/fault.js';
import type { Mechanism, MechanismHost } from '../contract/flow-control.js';
import type { LiveCounts, LiveInput } from '../contract/live.js';
import { DROP, type Probe } from '../contract/probe.js';
import type { RateControlKind } from '../contract/rate-control.js';
import { type TransportKind, trackRows } from '../contract/transport.js';
import { hasSharedBuffer } from '../contract/spec.js';
import {
  type DeviceRole,
  type MechanismKind,
  OWN_SLOTS,
  type SliceMechanism,
} from '../contract/slice.js';
import { TRAFFIC_CLASSES } from '../units/ethernet.js';
import { QUEUE_OCTETS } from '../port/queues.js';
import { BrokenAssertion } from '../kernel/assert.js';
import { octetCell } from '../kernel/cells.js';
import type { Clock } from '../kernel/clock.js';
import type { Rows, Unit } from '../kernel/tables.js';
import { ACCOUNT, perUnit, Tables } from '../kernel/tables.js';
import type { DeviceSpec } from './device.js';

export type { DeviceSpec };
import { makeTimerQueueOrder } from './timer-queue-order.js';
import type { ControlPayloads } from './control-payloads.js';
import { makeControlPayloads } from './control-payloads.js';
import { Device, DID_DROP, KIND_MECHANISM, TIMER_BITS } from './device.js';
import type { DiscoveryMechanism } from '../discovery/discovery-mechanism.js';
import type { AccountBooks } from '../contract/account-books.js';
import { accountRows } from '../contract/grants-spec.js';
import { wredRows } from '../buffer/wred.js';
import { poolRows } from '../contract/memory.js';
import type { FailoverMechanism } from '../failover/failover-mechanism.js';
import type { FaultMechanism } from '../faults/fault-mechanism.js';
import { CLASS, FOLLOWED_FLAG, LENGTH, PRIORITY_MASK } from '../frame/frame-pool.js';
import type { Passing } from '../frame/trace-mask.js';
import type { LivePorts } from '../live/live-ports.js';
import { Listeners } from './listeners.js';
import type { Hosting } from './host/hosting.js';
import { makeHosting } from './host/hosting.js';
import type { Rates } from './host/rates.js';
import { makeRates } from './host/rates.js';
import type { Receivers } from './host/receivers.js';
import { makeReceivers } from './host/receivers.js';
import type { Senders } from './host/senders.js';
import { makeSenders } from './host/senders.js';
import type { Loop } from './loop.js';
import type { Prefetch } from './prefetch.js';
import { makePrefetch } from './prefetch.js';
import { makeLoop } from './loop.js';
import { makeFailoverTools } from './failover-tools.js';
import { makeFaultTools } from './fault-tools.js';
import { makeMechanisms } from './mechanisms.js';
import { makeOperator } from './operating.js';
import type { DeviceParts } from './parts.js';
import type { ArbiterKind } from '../contract/arbiter.js';
import type { LoadBalancing, OutsideKind, QueueMarking } from '../contract/outside.js';
import { makeStarting, type Starting } from './starting.js';
import type { EgressPath } from './egress-path.js';
import { makeEgressPath } from './egress-path.js';
import { Shared } from './shared.js';
import type { Switching } from './switch/switching.js';
import { makeSwitching } from './switch/switching.js';
import { makeWatchdogTools } from './watchdog-tools.js';
import type { FrameRef, Priority, TrafficClass } from '../units/indices.js';
import { checkCodecs } from '../wire/known-octets.js';

/** What an engine is given besides the devices: kinds of what connections and switches have. */
export interface EngineKinds {
  readonly rateControls: readonly RateControlKind[];
  readonly transports: readonly TransportKind[];
  readonly mechanisms: readonly MechanismKind[];
  /** Parts of switches that scenarios name, and that come from outside. */
  readonly markings: readonly OutsideKind<QueueMarking>[];
  readonly balancings: readonly OutsideKind<LoadBalancing>[];
  readonly arbiters: readonly ArbiterKind[];
}

/** The actors of one service, and what they share. Built from their specifications, in order. */
export class Engine implements MechanismHost {
  readonly shared: Shared;
  readonly clock: Clock;
  readonly devices: readonly Device[];
  readonly mechanisms: readonly Mechanism[];
  /** Those that count how long they hold: the series asks at every port. */
  private readonly holding: readonly Mechanism[];
  readonly hasListeners = octetCell();
  /** Accounts that frames start by, to be read; and whose they are: its index, or -1. */
  readonly books: AccountBooks;
  readonly bookkeeper: number;
  readonly discovery: DiscoveryMechanism;
  readonly faults: FaultMechanism;
  readonly failover: FailoverMechanism;
  private readonly live: LivePorts;
  /** Mechanisms that are registered from outside the engine. */
  readonly given: readonly SliceMechanism[];
  readonly controlPayloads: ControlPayloads;
  readonly senders: Senders;
  readonly receivers: Receivers;
  readonly rates: Rates;
  readonly switching: Switching;
  readonly hosting: Hosting;
  private readonly starting: Starting;
  private readonly egressPath: EgressPath;
  private readonly loop: Loop;
  /** Reads what a device's events before a bound need, before it is executed. */
  readonly prefetch: Prefetch;
  /** Slot of the mechanism whose holds stop the frames of discovery, too; -1 if none does. */
  private readonly clientGate: number;
  private readonly listening: Listeners;

  /** `frames`: room for so many at once. */
  constructor(
    specs: readonly DeviceSpec[],
    { rateControls, transports, mechanisms, markings, balancings, arbiters }: EngineKinds,
    frames?: number,
  ) {
    checkCodecs();
    const rows = layOut(specs);
    const tables = new Tables(total(rows));
    const shared = new Shared(tables, frames);
    this.shared = shared;
    this.clock = shared.clock;
    const order = makeTimerQueueOrder(shared);
    const outside = { clock: this.clock, kinds: arbiters };
    this.devices = specs.map((spec, i) => new Device(spec, rows[i], order[spec.kind], outside));
    this.listening = new Listeners(this.devices, shared.traceMask);
    const hasSlots = specs.some((spec) => spec.kind === 'switch' && !hasSharedBuffer(spec));
    const set = makeMechanisms(shared, this, { mechanisms, markings }, hasSlots);
    const { all, faults } = set;
    this.mechanisms = all;
    this.holding = all.filter(({ blockedPs }) => blockedPs !== undefined);
    this.clientGate = set.atSlot.findIndex((own) => own?.holdsClients === true);
    this.books = set.books;
    this.bookkeeper = all.findIndex(({ books }) => books !== undefined);
    this.faults = faults;
    this.failover = set.failover;
    this.live = set.live;
    this.given = set.given;
    this.discovery = set.discovery;
    this.controlPayloads = makeControlPayloads(shared);
    this.starting = makeStarting(shared, set.atSlot);
    this.senders = makeSenders(tables, this.clock, transports);
    this.receivers = makeReceivers(tables, this.clock, this.senders.transportOf);
    this.rates = makeRates(tables, this.clock, this.devices, this.senders, rateControls);
    this.egressPath = makeEgressPath(shared, this.devices, {
      mechanisms: all,
      faults,
      live: set.live,
      controlPayloads: this.controlPayloads,
      starting: this.starting,
    });
    this.switching = makeSwitching(shared, this.devices, {
      ...{ set, balancings, egressPath: this.egressPath },
      controlPayloads: this.controlPayloads,
    });
    this.hosting = makeHosting(shared, this.devices, {
      set,
      starting: this.starting,
      controlPayloads: this.controlPayloads,
      egressPath: this.egressPath,
      senders: this.senders,
      receivers: this.receivers,
      rates: this.rates,
    });
    const parts: DeviceParts = {
      set,
      starting: this.starting,
      egressPath: this.egressPath,
      switching: this.switching,
      hosting: this.hosting,
    };
    this.discovery.setTools(makeOperator(shared, this.devices, parts));
    faults.setTools(makeFaultTools(shared, this.devices, parts));
    set.failover.setTools(makeFailoverTools(shared, this.devices, parts));
    set.live.setTools({ send: this.hosting.sendLive });
    for (const { watchdog } of all) {
      watchdog?.setTools(makeWatchdogTools(shared, this.devices, parts));
    }
    for (const device of this.devices) this.configure(device);
    this.loop = makeLoop(
      shared,
      this.devices,
      set,
      this.starting,
      this.switching,
      this.hosting,
      this.egressPath,
      this.controlPayloads,
    );
    this.prefetch = makePrefetch(shared, this.devices);
    this.devices.forEach((_, d) => {
      this.run(d, -Infinity);
    });
  }

  /** Joins two ports: (device, port of the device) each. */
  connect(a: readonly [number, number], b: readonly [number, number]): void {
    const number = ([device, port]: readonly [number, number]): number =>
      this.devices[device].firstPort + port;
    this.shared.ports.connect(number(a), number(b));
  }

  /**
   * Executes a device's events before `bound`; its entry in the horizon says what is next. Two
   * devices that share a part are one actor: both are executed, in the order of their events.
   */
  run(device: number, bound: number): void {
    const other = this.hosting.partners[device];
    if (other < 0 || bound === -Infinity) this.runAlone(device, bound);
    else this.runTogether(device, other, bound);
  }

  private runTogether(a: number, b: number, bound: number): void {
    const { horizon } = this.shared;
    for (;;) {
      const [timeOfA, timeOfB] = [horizon[a], horizon[b]];
      const now = Math.min(timeOfA, timeOfB);
      if (now >= bound) return;
      const isTie = timeOfA === timeOfB;
      const isFirst = isTie ? this.hosting.goesFirst(a, b) : timeOfA < timeOfB;
      const until = isTie ? now + 1 : Math.max(timeOfA, timeOfB);
      this.runAlone(isFirst ? a : b, Math.min(until, bound));
    }
  }

  private runAlone(device: number, bound: number): void {
    try {
      this.loop.run(device, bound);
    } catch (error) {
      if (error instanceof BrokenAssertion) {
        error.locate(device, this.devices[device].spec.name, this.clock.now);
      }
      throw error;
    }
  }

  /**
   * Attaches a probe to these devices (or all), beside those attached already; of passing frames it
   * observes all, or only those that the trace mask selects.
   */
  listen(probe: Probe, devices: Iterable<number> = this.devices.keys(), withFrames = true): void {
    this.listening.listen(probe, devices, withFrames);
    this.hasListeners[0] = 1;
  }

  /** Traces all frames to which something happens at a port; to be undone once for each time. */
  follow(device: number, port: number, passing: Passing, follows: boolean): void {
    this.listening.follow(device, port, passing, follows);
  }

  /** Traces a random share of the frames of hosts, at every device they pass. */
  sample(share: number): void {
    this.listening.sample(share);
  }

  /** Stops tracing a frame. */
  forgetFrame(frame: FrameRef): void {
    this.shared.pool.words[frame + CLASS] &= ~FOLLOWED_FLAG;
  }

  /** A real host sends to a live port: nothing from the time of the input on has been executed. */
  enter(device: number, port: number, input: LiveInput): void {
    this.live.add(this.devices[device].firstPort + port, input);
    this.run(device, -Infinity);
  }

  /** Octets in the longest queue of a live port. */
  liveQueue(device: number, port: number): number {
    const { queues } = this.shared;
    const row = this.devices[device].firstPort + port;
    let most = 0;
    for (let trafficClass = 0; trafficClass < TRAFFIC_CLASSES; trafficClass++) {
      most = Math.max(most, queues.get(row, trafficClass, QUEUE_OCTETS));
    }
    return most;
  }

  liveCounts(device: number, port: number): LiveCounts {
    return this.live.counts(this.devices[device].firstPort + port);
  }

  /** Starts a fault at a device's port at `now`: nothing from then on has been executed. */
  plantFault(device: number, port: number, spec: FaultSpec, now: number): void {
    this.faults.plant(this.devices[device].firstPort + port, spec, now);
    this.run(device, -Infinity);
  }

  /** A device's faults of this number are over by `untilPs`, from when nothing is executed. */
  endFault(device: number, number: number, untilPs: number): void {
    const { firstPort, spec } = this.devices[device];
    spec.ports.forEach((_, p) => {
      this.faults.endBy(firstPort + p, number, untilPs);
    });
    this.run(device, -Infinity);
  }

  hasFault(device: number, port: number, number: number): boolean {
    return this.faults.has(this.devices[device].firstPort + port, number);
  }

  hold(gate: number, port: number, priorities: number): void {
    const { ports, digests } = this.shared;
    const { place, firstPort, listeners } = this.devices[ports.owner(port)];
    digests.touch(place);
    if (gate === this.clientGate) this.pauseClients(port, priorities !== 0);
    if (!ports.hold(gate, port, priorities)) return;
    listeners.blockedChanged?.blockedChanged(
      place,
      port - firstPort,
      this.clock.now,
      ports.blocked(port),
    );
    this.egressPath.wakeTransmitter(place, port);
  }

  private pauseClients(port: number, paused: boolean): void {
    const { ports } = this.shared;
    ports.mute(port, paused ? 1 << OWN_SLOTS.discovery : 0);
    if (!paused) this.egressPath.wakeTransmitter(ports.owner(port), port);
  }

  requestControl(source: number, port: number): void {
    if (this.live.mutes(port, source)) return;
    const { ports } = this.shared;
    ports.requestControl(port, source);
    this.egressPath.wakeTransmitter(ports.owner(port), port);
  }

  controlDue(source: number, port: number): boolean {
    return this.shared.ports.controlIsDue(port, source);
  }

  arm(mechanism: number, port: number, timer: number, time: number): void {
    const device = this.devices[this.shared.ports.owner(port)];
    const id = ((port - device.firstPort) << TIMER_BITS) | timer;
    device.schedule(time, KIND_MECHANISM + mechanism, id, 0);
  }

  disarm(mechanism: number, port: number, timer: number, time: number): void {
    const device = this.devices[this.shared.ports.owner(port)];
    const id = ((port - device.firstPort) << TIMER_BITS) | timer;
    device.cancel(time, KIND_MECHANISM + mechanism, id);
  }

  wake(port: number): void {
    this.egressPath.wakeTransmitter(this.shared.ports.owner(port), port);
  }

  repeat(port: number, due: boolean): void {
    const { ports } = this.shared;
    ports.setRepeat(port, due);
    if (due) this.egressPath.wakeTransmitter(ports.owner(port), port);
  }

  wakeAt(port: number, untilPs: number): void {
    const { ports, transmits } = this.shared;
    if (transmits.at[port] !== Infinity) return;
    transmits.at[port] = Math.max(untilPs, ports.freeAt(port), this.clock.now);
    transmits.joined(ports.owner(port), port);
  }

  dropKept(port: number, frame: FrameRef): void {
    const { ports, pool, counters, digests } = this.shared;
    const { place, firstPort, spec, listeners } = this.devices[ports.owner(port)];
    const { now } = this.clock;
    const local = port - firstPort;
    const priority = pool.words[frame + CLASS] & PRIORITY_MASK;
    const octets = pool.words[frame + LENGTH];
    // It counts as sent: what is dropped is the copy that was kept of it.
    counters.made(port, priority, octets);
    if (spec.kind === 'host') counters.consumed(port, priority, octets);
    counters.dropped(port, priority, octets, DROP.LINK_NOT_READY);
    listeners.frameDropped?.frameDropped(place, local, now, pool, frame, DROP.LINK_NOT_READY);
    digests.mix(place, DID_DROP | local, DROP.LINK_NOT_READY);
  }

  announceStop(port: number, group: number, stop: boolean): void {
    const { place, firstPort, listeners } = this.devices[this.shared.ports.owner(port)];
    listeners.stopAsked?.stopAsked(place, port - firstPort, this.clock.now, group, stop);
  }

  announceNotice(port: number, priority: Priority, queueMac: number): void {
    const { place, firstPort, listeners } = this.devices[this.shared.ports.owner(port)];
    const { now } = this.clock;
    listeners.noticeActed?.noticeActed(place, port - firstPort, now, priority, queueMac);
  }

  announceQueue(port: number, trafficClass: TrafficClass, priority: Priority): void {
    const { place, firstPort, listeners } = this.devices[this.shared.ports.owner(port)];
    const { now } = this.clock;
    listeners.queueActed?.queueActed(place, port - firstPort, now, trafficClass, priority);
  }

  announceGrantStep(
    port: number,
    step: number,
    priority: Priority,
    channel: number,
    units: number,
  ): void {
    const { place, firstPort, listeners } = this.devices[this.shared.ports.owner(port)];
    const { now } = this.clock;
    const local = port - firstPort;
    listeners.grantStep?.grantStep(place, local, now, step, priority, channel, units);
  }

  announceShort(port: number, priority: Priority, channel: number, short: boolean): void {
    const { place, firstPort, listeners } = this.devices[this.shared.ports.owner(port)];
    listeners.grantShort?.grantShort(
      place,
      port - firstPort,
      this.clock.now,
      priority,
      channel,
      short,
    );
  }

  /** By name: the roles of registered mechanisms in a device. */
  rolesOf(place: number): Readonly<Record<string, DeviceRole>> {
    const { spec } = this.devices[place];
    return spec.kind === 'host'
      ? this.hosting.parts(place).roles
      : this.switching.parts(place).roles;
  }

  /** How long a priority has been blocked at a port until `now`, by whichever mechanism. */
  blockedPs(port: number, priority: Priority, now: number): number {
    // Mechanisms that hold at the same time are not added up.
    let most = 0;
    for (const mechanism of this.holding) {
      const blockedPs = mechanism.blockedPs!(port, priority, now);
      if (blockedPs > most) most = blockedPs;
    }
    return most;
  }

  /** How often a priority began to be blocked at a port. */
  holdCount(port: number, priority: Priority): number {
    return this.mechanisms.reduce((total, m) => total + (m.holdCount?.(port, priority) ?? 0), 0);
  }

  /** How many control frames of a port named a priority. */
  stopsSent(port: number, priority: Priority): number {
    return this.mechanisms.reduce((total, m) => total + (m.stopsSent?.(port, priority) ?? 0), 0);
  }

  /** How many control frames that a port received named a priority. */
  stopsReceived(port: number, priority: Priority): number {
    return this.mechanisms.reduce((sum, m) => sum + (m.stopsReceived?.(port, priority) ?? 0), 0);
  }

  private configure(device: Device): void {
    const { shared } = this;
    const { spec, place, firstPort } = device;
    const [ingressPs, cutThrough] =
      spec.kind === 'switch' ? [spec.pipelinePs, spec.cutThrough] : [0, false];
    spec.ports.forEach((port, p) => {
      shared.ports.configure(firstPort + p, place, port, ingressPs, cutThrough);
      for (const mechanism of this.mechanisms) mechanism.configurePort?.(firstPort + p, port);
    });
    shared.arrivals.configure(place, firstPort, spec.ports.length);
    shared.transmits.configure(place, firstPort, spec.ports.length);
    if (spec.kind === 'host') this.hosting.configure(device, spec);
    else this.switching.configure(device, spec);
  }
}

function layOut(specs: readonly DeviceSpec[]): Rows[] {
  const next = perUnit(() => 0);
  return specs.map((spec) => {
    const counts = rowsOf(spec);
    return perUnit((unit) => {
      const first = next[unit];
      next[unit] += counts[unit];
      return { first, count: counts[unit] };
    });
  });
}

/** How many rows of each unit a device has. */
function rowsOf(spec: DeviceSpec): Record<Unit, number> {
  const { ports } = spec;
  const [sends, receives] = spec.kind === 'host' ? [spec.sends, spec.receives] : [[], []];
  const tracked = [
    ...sends.map(({ transport }) => trackRows(transport, 'sending')),
    ...receives.map(({ transport }) => trackRows(transport, 'receiving')),
  ];
  return {
    device: 1,
    port: ports.length,
    send: sends.length,
    receive: receives.length,
    [ACCOUNT]: ports.reduce((sum, { grants }) => sum + accountRows(grants), 0),
    rate: sends.filter(({ rate }) => rate !== null).length,
    nic: spec.kind === 'host' && spec.nic !== null ? 1 : 0,
    pool: spec.kind === 'switch' ? poolRows(spec.buffer) : 0,
    wred: spec.kind === 'switch' ? wredRows(spec.buffer) : 0,
    transport: tracked.reduce((sum, { rows }) => sum + rows, 0),
    bitmap: tracked.reduce((sum, { bitmaps }) => sum + bitmaps, 0),
  };
}

function total(rows: readonly Rows[]): Record<Unit, number> {
  const last = rows[rows.length - 1];
  return perUnit((unit) => (last === undefined ? 0 : last[unit].first + last[unit].count));
}
