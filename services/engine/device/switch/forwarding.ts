import type { PortUse } from '../../failover/failover-mechanism.js';
import type { SwitchRoutes } from '../../routing/shortest-paths.js';
import type { FrameRef } from '../../units/indices.js';

/** Results of a forwarding decision that are not a port. */
export const NOWHERE = -1;
/** Copies go to every port of `copies`. */
export const SEVERAL = -2;
export const FILTERED = -3;

/** Where a frame goes: one port, several, or none. */
export interface Forwarding {
  /** Ports of the last decision that was SEVERAL; the first `copyCount` count. */
  readonly copies: Uint16Array;
  copyCount: number;
  egress(port: number, frame: FrameRef): number;
  /** Changes a frame's tags for its egress; returns the octets by which it becomes longer. */
  rewrite(frame: FrameRef, egress: number): number;
  /** Tags of an answer to a frame on its ingress link, once the frame is rewritten. */
  answerTags(frame: FrameRef, egress: number): number;
  /**
   * The uses of ports have changed (failover), and routes may have; null: those of the fabric
   * without faults.
   */
  reroute(routes: SwitchRoutes | null, uses: readonly PortUse[]): void;
  /** Ports that frames of a flow to a host may take now; none: no route. */
  portsTo(host: number, hash: number): readonly number[];
  /** Ports of a group's tree. */
  portsOfGroup(group: number): readonly number[];
  /** Limits its table to so many addresses. */
  limit(entries: number): void;
  /** What was learned is removed. */
  forget(): void;
}
