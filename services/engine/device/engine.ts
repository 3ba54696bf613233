import type { MechanismHost } from '../contract/flow-control.js';
import type { Probe } from '../contract/probe.js';
import type { HostSpec, SwitchSpec } from '../contract/spec.js';
import type { Clock } from '../kernel/clock.js';
import type { Rows, Unit } from '../kernel/tables.js';
import { Tables } from '../kernel/tables.js';
import { Device } from './device.js';
import { Host } from './host/host.js';
import { Receivers } from './host/receivers.js';
import { Senders } from './host/senders.js';
import { makeMechanisms } from './mechanisms.js';
import { Shared } from './shared.js';
import { Switch } from './switch/switch.js';

export type DeviceSpec = HostSpec | SwitchSpec;

/** The actors of one service, and what they share. */
export class Engine implements MechanismHost {
  readonly shared: Shared;
  readonly clock: Clock;
  readonly senders: Senders;
  readonly receivers: Receivers;
  /** In the order of the specifications. */
  readonly actors: readonly Device[];
  /** By port: its device. */
  private readonly ownerOf: readonly Device[];

  constructor(specs: readonly DeviceSpec[]) {
    const rows = layOut(specs);
    const tables = new Tables(total(rows));
    this.shared = new Shared(tables, Math.max(64, rows.length * 4));
    this.clock = this.shared.clock;
    const { mechanisms, buffer, ports } = this.shared;
    mechanisms.push(...makeMechanisms(tables, this, buffer, ports));
    this.senders = new Senders(tables, this.clock);
    this.receivers = new Receivers(tables, this.clock);
    this.actors = specs.map((spec, i) => this.build(spec, rows[i]));
    this.ownerOf = this.actors.flatMap((actor) => actor.portSpecs.map(() => actor));
    // An actor reports its next event whenever it runs; nothing is due before the beginning.
    for (const actor of this.actors) actor.run(-Infinity);
  }

  listen(probe: Probe | null): void {
    for (const actor of this.actors) actor.probe = probe;
  }

  hold(gate: number, port: number, priorities: number): void {
    const { ports } = this.shared;
    if (!ports.hold(gate, port, priorities)) return;
    const device = this.ownerOf[port];
    device.probe?.heldChanged(device.place, port - device.firstPort, this.clock.now, ports.held(port));
    device.kick(port);
  }

  requestControl(source: number, port: number): void {
    this.shared.ports.requestControl(port, source);
    this.ownerOf[port].kick(port);
  }

  arm(mechanism: number, port: number, timer: number, time: number): void {
    this.ownerOf[port].arm(mechanism, port, timer, time);
  }

  announceStop(port: number, group: number, stop: boolean): void {
    const device = this.ownerOf[port];
    device.probe?.stopAsked(device.place, port - device.firstPort, this.clock.now, group, stop);
  }

  private build(spec: DeviceSpec, rows: Rows): Device {
    const { shared, senders, receivers } = this;
    if (spec.kind === 'host') {
      const timing = { ingressPs: 0, cutThrough: false };
      return new Device(shared, rows, spec.ports, timing, (device) => {
        return new Host(device, spec, senders, receivers);
      });
    }
    const timing = { ingressPs: spec.pipelinePs, cutThrough: spec.cutThrough };
    return new Device(shared, rows, spec.ports, timing, (device) => new Switch(device, spec));
  }
}

function layOut(specs: readonly DeviceSpec[]): Rows[] {
  const next: Record<Unit, number> = { device: 0, port: 0, send: 0, receive: 0 };
  const take = (unit: Unit, count: number): { first: number; count: number } => {
    const first = next[unit];
    next[unit] += count;
    return { first, count };
  };
  return specs.map((spec) => ({
    device: take('device', 1),
    port: take('port', spec.ports.length),
    send: take('send', spec.kind === 'host' ? spec.sends.length : 0),
    receive: take('receive', spec.kind === 'host' ? spec.receives.length : 0),
  }));
}

function total(rows: readonly Rows[]): Record<Unit, number> {
  const end = (unit: Unit): number => {
    const last = rows[rows.length - 1]?.[unit];
    return last === undefined ? 0 : last.first + last.count;
  };
  return { device: end('device'), port: end('port'), send: end('send'), receive: end('receive') };
}
