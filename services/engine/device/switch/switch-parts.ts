import type { SharedFrames } from '../../buffer/shared-frames.js';
import type { SwitchRole } from '../../contract/slice.js';
import type { LinkStates } from '../../failover/link-states.js';
import type { SlottedSwitch } from '../shared.js';
import type { Forwarding } from './forwarding.js';

/** State of a switch: its forwarding, its mechanisms, and a memory if not shared. */
export interface SwitchParts {
  readonly forwarding: Forwarding;
  /** By name: its roles of registered mechanisms. */
  readonly roles: Readonly<Record<string, SwitchRole>>;
  readonly chip: SlottedSwitch['chip'] | null;
  /** Frames that leave by several ports. */
  readonly sharedFrames: SharedFrames;
  /** State of links that are down; null without failover. */
  readonly links: LinkStates | null;
}
