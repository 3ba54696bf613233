import type { FaultEffect } from '../../engine/contract/fault.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { LinkEnd } from '../../fabric/assembly/link-ends.js';
import type { EpisodeKind, RootReason } from './congestion.js';
import { type FaultAtPort, faultTimes, overlapPs } from './fault-times.js';

type Effect = FaultEffect['kind'];

/**
 * What makes frames wait where they do, by kind of episode, at its port and at the other end. What
 * comes first explains more: a fault that loses a frame now and then is active all the time.
 */
const AT_PORT: Readonly<Record<EpisodeKind, readonly Effect[]>> = {
  queue: ['down', 'freeze', 'slow', 'delay', 'link'],
  full: ['read'],
  blocked: ['freeze', 'down', 'steal', 'control', 'map', 'loss', 'bit-errors'],
};
const AT_PEER: Readonly<Record<EpisodeKind, readonly Effect[]>> = {
  queue: ['down'],
  full: [],
  blocked: ['send', 'freeze', 'down', 'steal', 'control', 'map', 'delay', 'loss', 'bit-errors'],
};
/** Anywhere in its device. */
const IN_DEVICE: Readonly<Record<EpisodeKind, readonly Effect[]>> = {
  queue: [],
  full: ['shrink', 'set', 'flush'],
  blocked: ['flush'],
};

/** What happens without any fault where it is configured so. */
const CONFIGURED: ReadonlySet<RootReason> = new Set([
  ...(['below-loop', 'shaped', 'on-request', 'no-agreement', 'order'] as const),
]);

/** An effect of a fault may begin so many round trips after its end. */
const ROUND_TRIPS = 4;

/** Without a cause of its own. */
interface Root {
  readonly kind: EpisodeKind;
  readonly end: LinkEnd;
  readonly reason: RootReason;
  readonly startPs: number;
  readonly endPs: number;
  /** It would wait without a fault, too. */
  readonly isOwn: boolean;
}

/** Faults that explain roots of congestion. */
export class RootFaults {
  private readonly byDevice: readonly (readonly FaultAtPort[])[];

  constructor(
    fabric: Fabric,
    private readonly nowPs: number,
  ) {
    const byDevice: FaultAtPort[][] = fabric.specs.map(() => []);
    for (const fault of faultTimes(fabric, nowPs)) byDevice[fault.device]!.push(fault);
    this.byDevice = byDevice;
  }

  /** Its reason, and the fault that caused it, or took part in it. */
  explain(root: Root): { reason: RootReason; fault: string | null } {
    const { end, reason, kind, startPs, endPs, isOwn } = root;
    if (CONFIGURED.has(reason)) return { reason, fault: null };
    const { latencyPs, peerDevice, peerPort } = end;
    const untilPs = Math.min(endPs, this.nowPs);
    const fromPs = startPs - ROUND_TRIPS * 2 * latencyPs;
    const found = [
      ...this.candidates(end.device, end.port, AT_PORT[kind]),
      ...this.candidates(end.device, null, IN_DEVICE[kind]),
      ...this.candidates(peerDevice, peerPort, AT_PEER[kind]),
    ]
      .map(({ fault, rank }) => {
        const ps = overlapPs(fault.spells, fromPs, Math.max(untilPs, startPs + 1));
        return { name: fault.name, rank, ps };
      })
      .filter(({ ps }) => ps > 0)
      .sort((a, b) => a.rank - b.rank || b.ps - a.ps);
    const best = found[0];
    if (best === undefined) return { reason, fault: null };
    const isCause = kind !== 'queue' || !isOwn || 2 * best.ps >= untilPs - startPs;
    return { reason: isCause ? 'fault' : reason, fault: best.name };
  }

  /** The fault that has kept a port from sending for longest in a time; null: none has. */
  holding({ device, port }: LinkEnd, fromPs: number, toPs: number): string | null {
    const found = this.candidates(device, port, AT_PORT.queue)
      .map(({ fault }) => ({ name: fault.name, ps: overlapPs(fault.spells, fromPs, toPs) }))
      .filter(({ ps }) => ps > 0)
      .sort((a, b) => b.ps - a.ps);
    return found[0]?.name ?? null;
  }

  /** Faults with one of these effects at a port; null: at any of the device. */
  private candidates(
    device: number,
    port: number | null,
    effects: readonly Effect[],
  ): { readonly fault: FaultAtPort; readonly rank: number }[] {
    return this.byDevice[device]!.flatMap((fault) => {
      const rank = effects.indexOf(fault.effect);
      return rank < 0 || (port !== null && fault.port !== port) ? [] : { fault, rank };
    });
  }
}
