/** Devices and their links: the part of a fabric that has no behaviour. */

import type { LinkErrors } from '../link-errors.js';

export type DeviceKind = 'host' | 'switch';

export interface TopologyDevice {
  readonly name: string;
  readonly kind: DeviceKind;
  /** Its tier: host, leaf, spine, edge, aggregation, core, or plain switch. */
  readonly tier: string;
}

/** A port, by the index of its device in the topology and its index in the device. */
export interface TopologyEnd {
  readonly device: number;
  readonly port: number;
}

export interface TopologyLink {
  readonly a: TopologyEnd;
  readonly b: TopologyEnd;
  readonly rateBps: number;
  /** One way, of the medium alone. */
  readonly propagationPs: number;
  /** Of one station, transmit and receive together (ID in the headroom formula). */
  readonly interfaceDelayPs: number;
  /** Absent: its bits are always right. */
  readonly errors?: LinkErrors;
}

export interface Topology {
  /** Hosts come first: the index of a host is its position among hosts, too. */
  readonly devices: readonly TopologyDevice[];
  readonly links: readonly TopologyLink[];
  /** Pairs of devices that are executed together: they share what no link is between. */
  readonly pairs?: readonly (readonly [number, number])[];
}

/** Hosts are the devices 0 .. count - 1. */
export function hostCount(topology: Topology): number {
  const firstSwitch = topology.devices.findIndex((device) => device.kind === 'switch');
  return firstSwitch < 0 ? topology.devices.length : firstSwitch;
}

/** `leaf3:p5`: ports are counted from 1 in names, as they are on a front panel. */
export function portName(topology: Topology, end: TopologyEnd): string {
  return `${topology.devices[end.device]!.name}:p${end.port + 1}`;
}
