import type { z } from 'zod';
import type { ArbiterSpec } from '../engine/contract/arbiter.js';
import type { Conformance } from '../engine/contract/conformance.js';
import type { SlotsSpec } from '../engine/contract/spec.js';
import type { Path } from '../settings/source-tree.js';
import type { PausingSettings } from './pausing-settings.js';
import type { Places } from './rate-control-slice.js';
import type { SlotMargin, SlottedFabric, SlottedLink, SlottedTypes } from './slotted-context.js';

type Shape = Readonly<Record<string, z.ZodType>>;
type ErrorPlaces = Pick<Places, 'errorAt'>;

/** A model of a switch that has slots in place of a shared buffer. */
export interface SlottedSlice<Of extends SlottedTypes = SlottedTypes> {
  /** A value of `model`, and the key of its registers. */
  readonly name: string;
  /** As help calls one. */
  readonly called: string;
  readonly conformance: Conformance;
  /** Keys of `switches`, of a device, and of a port of a device. */
  readonly switchKeys: Shape;
  readonly deviceKeys: Shape;
  readonly portKeys: Shape;
  /** All registers: as `switches`, at a path, has them, or by default. */
  section(switches: object, path: Path, places: ErrorPlaces): Of['registers'];
  /** What a device, at a path, changes, if it does. */
  change(device: object, path: Path, places: ErrorPlaces): { readonly slots?: Of['change'] };
  /** Registers with a change. */
  changed(registers: Of['registers'], change: Of['change']): Of['registers'];
  portSection(port: object): Of['port'];
  /** PAUSE of a port, counted from 1, which knows no other flow control; null: it has none. */
  pausingAt(
    registers: Of['registers'],
    own: Of['port'] | undefined,
    port: number,
  ): SlottedPausing | null;
  plan(fabric: SlottedFabric<Of>): SlottedPlan;
  /** Texts of `selvage explain`. */
  readonly topics: Readonly<Record<string, string>>;
}

/** What the part says of PAUSE; all else is as at other ports. */
export type SlottedPausing = Pick<PausingSettings, 'quanta' | 'refresh' | 'responseDelay'>;

/** What such switches, and the ports at either end of their links, are given. */
export interface SlottedPlan {
  /** Of every flow-controlled port. */
  readonly margins: readonly SlotMargin[];
  /** Null where the switch is another. */
  spec(device: number): SlotsSpec | null;
  /** Of a port; null where it has the arbiter of its device. */
  arbiter(end: SlottedLink): ArbiterSpec | null;
}
