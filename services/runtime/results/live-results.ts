import type { LiveCounts } from '../../engine/contract/live.js';
import type { Engine } from '../../engine/device/engine.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';

/** What passed live ports. */
export interface LiveResults {
  readonly hosts: readonly (LiveCounts & { readonly host: string })[];
  /** How well virtual time followed the wall clock; null of a replay, which follows none. */
  readonly time: LiveTime | null;
  /** Frames that did not enter, by host and reason; none of a replay. */
  readonly refusals: readonly {
    readonly host: string;
    readonly reason: string;
    readonly frames: number;
  }[];
}

export interface LiveTime {
  /** Everything before was executed: a replay ends here, too. */
  readonly endPs: number;
  /** Frames that entered and left, by whether their slip was within what counts as in time. */
  readonly inTime: number;
  readonly late: number;
  /** Wall-clock time by which the latest was late. */
  readonly worstSlipPs: number;
  /** At the end: a second of virtual time took so many of wall-clock time. */
  readonly scale: number;
  /** The engine was once further behind than what counts as in time. */
  readonly fellBehind: boolean;
}

/** Null: every host is emulated. */
export function liveResults({ live, topology }: Fabric, engine: Engine): LiveResults | null {
  if (live === null) return null;
  const hosts = live.hosts.map(({ position }) => {
    const { name } = topology.devices[position]!;
    return { host: name, ...engine.liveCounts(position, 0) };
  });
  return { hosts, time: null, refusals: [] };
}
