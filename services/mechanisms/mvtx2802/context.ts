/** What an MVTX2802 knows of the fabric. */

import type { Path } from '../../settings/source-tree.js';
import type { SlotsChange, SlotsSection, SlottedPortSection } from './section.js';

/** All devices, of which some are such switches. */
export interface SlottedFabric {
  readonly topology: {
    readonly devices: readonly { readonly name: string; readonly kind: 'host' | 'switch' }[];
  };
  readonly settings: readonly { readonly switch: SwitchSettings }[];
  /** By device, then port. */
  readonly linkEnds: readonly (readonly SlottedLink[])[];
  /** Flow control, by device, port and priority. */
  readonly methods: readonly (readonly (readonly string[])[])[];
  readonly longestFrameOctets: readonly number[];
  /** 802.3x of all ports of the fabric. */
  readonly pause: {
    readonly enabled: boolean;
    /** A mechanism is there that can be enabled. */
    readonly exists: boolean;
    readonly pausing: { readonly responseDelay: number };
  };
  /** Where the file configures a key of a switch. */
  placeOf(device: number, isGiven: (change: SwitchChange) => boolean, keys: Path): Path;
  fail(path: Path, message: string): Error;
  warn(path: Path, device: string, message: string): void;
}

interface SwitchSettings {
  readonly model: string;
  readonly cutThrough: boolean;
  readonly pipelinePs: number;
  readonly slots: SlotsSection;
  readonly ports: readonly (SlottedPortSection & { readonly port: number })[];
  /** Its own, in place of that of all; null: none. */
  readonly arbiter: object | null;
}

/** What a device changes. */
export interface SwitchChange {
  readonly model?: string;
  readonly cutThrough?: boolean;
  readonly slots?: SlotsChange;
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
