import type { HoldTime } from '../../engine/analysis/waits/wait-records.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import { holdId } from '../congestion/hold-id.js';
import type { Hold, PartKind, TracePart } from './frame-trace.js';

/** The holds of a port by their starts, and by place the latest end of those up to there. */
interface PortHolds {
  readonly end: LinkEnd;
  readonly holds: readonly HoldTime[];
  readonly latestEnds: readonly number[];
  /** Descriptions of them, created on first use: one hold delays many frames. */
  readonly descriptions: (Hold | null)[];
}

/** The time of a frame at a port. */
interface Stay {
  readonly port: string;
  readonly priority: number;
  readonly startPs: number;
  readonly endPs: number;
}

/** When ports were blocked, and by what. */
export class BlockedTimes {
  private readonly byPort = new Map<string, PortHolds>();

  /** `holds`: by device, in the order in which they began. */
  constructor(
    private readonly fabric: Fabric,
    holds: readonly (readonly HoldTime[])[],
  ) {
    holds.forEach((own, device) => {
      const byPort: HoldTime[][] = fabric.linkEnds[device]!.map(() => []);
      for (const hold of own) byPort[hold.port]!.push(hold);
      byPort.forEach((there, port) => {
        if (there.length === 0) return;
        const end = fabric.linkEnds[device]![port]!;
        let latest = -Infinity;
        const latestEnds = there.map(({ endPs }) => (latest = Math.max(latest, endPs)));
        const descriptions = there.map(() => null);
        this.byPort.set(end.name, { end, holds: there, latestEnds, descriptions });
      });
    });
  }

  /**
   * Splits a time at a port where a priority began and ceased to be blocked, and adds it to
   * `parts`; nothing is lost. `free`: the kind of part while nothing holds.
   */
  cut(parts: TracePart[], free: PartKind, { port, priority, startPs, endPs }: Stay): void {
    if (endPs <= startPs) return;
    const there = this.byPort.get(port);
    if (there === undefined) {
      parts.push({ kind: free, startPs, endPs, hold: null });
      return;
    }
    const { holds, latestEnds, descriptions } = there;
    let at = startPs;
    for (let i = firstAbove(latestEnds, startPs); i < holds.length; i++) {
      const hold = holds[i]!;
      const beganPs = hold.startPs;
      if (beganPs >= endPs) break;
      if (hold.priority !== priority) continue;
      const until = Math.min(hold.endPs, endPs);
      if (until <= at) continue;
      if (beganPs > at) {
        parts.push({ kind: free, startPs: at, endPs: beganPs, hold: null });
        at = beganPs;
      }
      const named = (descriptions[i] ??= this.describe(there, i));
      parts.push({ kind: 'blocked', startPs: at, endPs: until, hold: named });
      at = until;
    }
    if (endPs > at) parts.push({ kind: free, startPs: at, endPs, hold: null });
  }

  private describe({ end, holds }: PortHolds, at: number): Hold {
    const { mechanism, startPs, channel } = holds[at]!;
    const isSame = ({ mechanism: by, startPs: sincePs }: HoldTime): boolean =>
      by === mechanism && sincePs === startPs;
    // A PAUSE is one episode, named after the lowest of the priorities that it holds.
    let first = at;
    while (mechanism === 'pause' && first > 0 && isSame(holds[first - 1]!)) first--;
    const place = `${end.name}/${holds[first]!.priority}`;
    const { name: linkPartner } = this.fabric.linkEnds[end.peerDevice]![end.peerPort]!;
    return { episode: holdId(place, channel, startPs), mechanism, linkPartner };
  }
}

/** Of ascending numbers, the index of the first that is greater. */
function firstAbove(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
