/** What a switch that has slots in place of a shared buffer knows of the fabric. */

import type { Path } from '../settings/source-tree.js';

/** What its slice alone reads of the scenario. */
export interface SlottedTypes {
  /** Its registers, and those that a device changes. */
  readonly registers: object;
  readonly change: object;
  /** Of a port. */
  readonly port: object;
}

/** All devices, of which some are such switches. */
export interface SlottedFabric<Of extends SlottedTypes = SlottedTypes> {
  readonly topology: {
    readonly devices: readonly { readonly name: string; readonly kind: 'host' | 'switch' }[];
  };
  readonly settings: readonly {
    readonly switch: SwitchSettings<Of>;
    readonly priorities: readonly { readonly flowControl: string; readonly path: Path }[];
  }[];
  /** By device, then port. */
  readonly linkEnds: readonly (readonly SlottedLink[])[];
  /** Flow control, by device, port and priority. */
  readonly methods: readonly (readonly (readonly string[])[])[];
  /** Frames on the links, by device and port. */
  readonly linkFrames: readonly (readonly { readonly longestOctets: number }[])[];
  /** How long a port takes to respond to PAUSE; null where its link has none. */
  responseDelayPs(device: number, port: number): number | null;
  /** Where the file configures a key of a switch. */
  placeOf(device: number, isGiven: (change: SwitchChange<Of>) => boolean, keys: Path): Path;
  fail(path: Path, message: string): Error;
  warn(path: Path, device: string, message: string): void;
}

interface SwitchSettings<Of extends SlottedTypes> {
  readonly model: string;
  readonly cutThrough: boolean;
  readonly pipelinePs: number;
  readonly slots: Of['registers'];
  readonly ports: readonly { readonly port: number; readonly slots: Of['port'] }[];
  /** Its own, in place of that of all; null: none. */
  readonly arbiter: object | null;
}

/** What a device changes. */
export interface SwitchChange<Of extends SlottedTypes> {
  readonly model?: string;
  readonly cutThrough?: boolean;
  readonly slots?: Of['change'];
}

/** One end of a link. */
export interface SlottedLink {
  readonly device: number;
  readonly port: number;
  readonly name: string;
  readonly peerDevice: number;
  readonly peerPort: number;
  readonly octetPs: number;
  readonly link: {
    readonly rateBps: number;
    readonly propagationPs: number;
    readonly interfaceDelayPs: number;
  };
}

/** Of a flow-controlled port: its slots behind Xoff, and the need by the delays. */
export interface SlotMargin {
  readonly device: number;
  readonly port: number;
  readonly xoffSlots: number;
  readonly headroomSlots: number;
  readonly neededSlots: number;
}
