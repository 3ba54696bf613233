import type { ManagedValue } from '../engine/contract/flow-control.js';
import type { Engine } from '../engine/device/engine.js';

/** A node of instance data in the encoding of RFC 7951: integers of 64 bits are strings. */
type YangValue =
  | string
  | number
  | boolean
  | readonly YangValue[]
  | { readonly [leaf: string]: YangValue };
export type YangContainer = Readonly<Record<string, YangValue>>;

/** Managed objects of a mechanism in one device. */
export interface ManagedObjects {
  readonly device: YangContainer | null;
  /** By port; null where it has none. */
  readonly ports: readonly (YangContainer | null)[];
}

/** The same as nodes of modules that a standard has published. */
export interface PublishedObjects {
  /** Of the bridge. */
  readonly address: number;
  /** Under the component of a bridge, and under its ports, by port. */
  readonly component: YangContainer;
  readonly ports: readonly YangContainer[];
}

/** A device of an engine whose managed objects are read. */
export interface DeviceView {
  readonly engine: Engine;
  readonly place: number;
}

/** An integer of 64 bits. */
export function uint64(value: number): string {
  return BigInt(Math.round(value)).toString();
}

/** Counters under their managed names, which have hyphens in a module. */
export function counterLeaves(values: readonly ManagedValue[]): YangContainer {
  return Object.fromEntries(values.map(({ name, value }) => [hyphened(name), uint64(value)]));
}

/** A MAC address as the modules of IEEE write it. */
export function macOf(address: number): string {
  const hex = address.toString(16).padStart(12, '0').toUpperCase();
  return hex.match(/../g)!.join('-');
}

/** Positions of the bits that are set. */
export function bitsOf(mask: number): number[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => (mask & (1 << bit)) !== 0);
}

function hyphened(name: string): string {
  return name.replace(/(?<=[a-z0-9])([A-Z])/g, '-$1').toLowerCase();
}
