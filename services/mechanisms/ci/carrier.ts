import type { PortRow, Priority } from '../../engine/units/indices.js';

/** What a CI point uses of its mechanism. */
export interface CiGate {
  /** Holds the congesting queue of a port, or releases it. */
  holdCongesting(port: PortRow, priority: Priority, blocked: boolean): void;
  isHolding(port: PortRow, priority: Priority): boolean;
  /** The link partner is known to process CIMs. */
  isPeer(port: PortRow): boolean;
  armCleanup(port: PortRow, timePs: number): void;
}
