/** What credit exchange knows of a fabric when it plans what ports grant. */

import type { Path } from '../../settings/source-tree.js';
import type { CreditEndSection, CreditSection } from './section.js';
import type { PortRow } from '../../engine/units/indices.js';

/** A port with its link. */
export interface CreditLinkEnd {
  readonly device: number;
  readonly port: PortRow;
  readonly name: string;
  readonly peerDevice: number;
  readonly peerPort: number;
  readonly octetPs: number;
  /** From a bit leaving this port to the same bit at the peer's MAC. */
  readonly latencyPs: number;
}

export interface CreditContext {
  readonly section: CreditSection;
  /** By device: its settings, with its overrides. */
  readonly ends: readonly CreditEndSection[];
  /** By device and port. */
  readonly linkEnds: readonly (readonly CreditLinkEnd[])[];
  /** By priority: lengths of frames that flows send all the time. */
  readonly frameLengths: readonly (readonly number[])[];
  /** Of a switch; 0 of a host. */
  readonly pipelinePs: (device: number) => number;
  /** VLANs whose frames leave untagged by ports of a bridge; none of other devices. */
  readonly nativesOf: (device: number) => readonly number[];
  /** Path of a setting of a device, by its key and by its name in the section. */
  readonly placeOf: (device: number, key: string, name: keyof CreditEndSection) => Path;
  /** The error to throw about the scenario at a path. */
  readonly fail: (path: Path, message: string) => Error;
  /** Warns that a device will hardly work as configured. */
  readonly warn: (path: Path, device: string, message: string) => void;
}
