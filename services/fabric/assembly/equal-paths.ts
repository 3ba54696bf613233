import type { Routes } from '../routing/routes.js';
import type { Flow } from '../load/flow.js';
import type { Hop } from './flow-paths.js';
import { BY_FLOW } from '../scenario/equal-cost.js';
import type { LinkEnd } from './link-ends.js';
import type { Settings } from './settings.js';

/** Rate that equal-cost switches of one distance offer a flow together, per hop of its path. */
export interface Level {
  /** Time per octet over all links that its frames may take at once. */
  readonly octetPs: number;
  /** How many frames may be on those links at once. */
  readonly width: number;
}

/** The rest of a path, from a switch to the last switch before the destination. */
interface Rest {
  readonly ends: readonly LinkEnd[];
  /** Equal for paths that take the same time. */
  readonly key: number;
}

/** A link and the switch behind it; equal kinds take the same time. */
interface PathStep {
  readonly end: LinkEnd;
  readonly kind: number;
}

/** More than a fabric has: keys of a kind and of the rest behind it are packed into one number. */
const MOST_KEYS = 2 ** 26;

/** Numbers for values in the order of their occurrence, from 1. */
class Kinds<Value> {
  private readonly numbers = new Map<Value, number>();

  numberOf(value: Value): number {
    let number = this.numbers.get(value);
    if (number === undefined) this.numbers.set(value, (number = this.numbers.size + 1));
    return number;
  }
}

/**
 * Equal-cost paths of a flow, one of each kind: paths that take the same time at every hop count
 * once, and a path that is at no hop better than another is left out.
 */
export class EqualPaths {
  /** By the last switch, and the switch where the rest begins. */
  private readonly rests = new Map<number, readonly Rest[]>();
  private readonly kinds = new Kinds<string>();
  private readonly keys = new Kinds<number>();
  /** By device and set of ports. */
  private readonly paths: (readonly PathStep[])[][] = [];
  private readonly cutsThrough: boolean;
  private readonly sprays: boolean;

  constructor(
    private readonly routes: Routes,
    private readonly linkEnds: readonly (readonly LinkEnd[])[],
    private readonly settings: readonly Settings[],
  ) {
    this.cutsThrough = settings.some((own) => own.switch.cutThrough);
    this.sprays = settings.some((own) => own.switch.ecmp.name !== BY_FLOW);
  }

  /** The path found, and every equal-cost one on which frames may take another time. */
  alternatives(flow: Flow, destination: number, found: readonly Hop[]): (readonly Hop[])[] {
    if (found.length === 0) return [found];
    const { inner } = flow.vlan;
    const others = this.between(flow.source, destination);
    return [found, ...others.map((ends) => ends.map((from) => ({ from, inner })))];
  }

  /** By hop, the rate of a flow whose frames are spread over equal-cost links; null if none are. */
  levels({ group, source, transport }: Flow, destination: number): Level[] | null {
    const sprays = transport.kind === 'reliable' && transport.spreads;
    // A group has one tree for all its frames.
    if (group || source === destination || !(this.sprays || sprays)) return null;
    const first = this.linkEnds[source]![0]!;
    const levels: Level[] = [{ octetPs: first.octetPs, width: 1 }];
    let devices = new Set([first.peerDevice]);
    let spreads = false;
    while (!devices.has(destination)) {
      const steps = [...devices].map((device) => this.step(device, destination, sprays));
      const next = new Set(steps.flatMap(({ ends }) => ends.map((end) => end.peerDevice)));
      const paces = steps.map(({ pace }) => pace);
      const widths = steps.map(({ width }) => width);
      const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
      // Before any switch spreads its frames, the flow is at one of these switches only.
      levels.push({
        octetPs: 1 / (spreads ? sum(paces) : Math.max(...paces)),
        width: spreads ? sum(widths) : Math.max(...widths),
      });
      spreads ||= widths.some((width) => width > 1);
      devices = next;
    }
    return spreads ? levels : null;
  }

  /** Sending ends from a host to another; none where bridges choose the path. */
  private between(source: number, destination: number): LinkEnd[][] {
    const first = this.linkEnds[source]![0]!;
    if (first.peerDevice === destination) return [[first]];
    const last = this.linkEnds[destination]![0]!;
    if (this.isBridge(first.peerDevice)) return [];
    const final = this.linkEnds[last.peerDevice]![last.peerPort]!;
    const rests = this.restsFrom(first.peerDevice, last.peerDevice, destination);
    return rests.map(({ ends }) => [first, ...ends, final]);
  }

  private step(
    device: number,
    destination: number,
    sprays: boolean,
  ): { ends: readonly LinkEnd[]; pace: number; width: number } {
    const ends = this.endsTowards(device, destination);
    const paces = ends.map(({ octetPs }) => 1 / octetPs);
    const isSprayed = sprays || this.settings[device]!.switch.ecmp.name !== BY_FLOW;
    const spreads = isSprayed && !this.isBridge(device);
    return spreads
      ? { ends, pace: paces.reduce((a, b) => a + b, 0), width: ends.length }
      : { ends, pace: Math.max(...paces), width: 1 };
  }

  private restsFrom(device: number, target: number, destination: number): readonly Rest[] {
    if (device === target) return [{ ends: [], key: 0 }];
    const pair = target * this.linkEnds.length + device;
    const known = this.rests.get(pair);
    if (known !== undefined) return known;
    const found = new Map<number, Rest>();
    for (const { end, kind } of this.pathsTowards(device, destination)) {
      for (const rest of this.restsFrom(end.peerDevice, target, destination)) {
        const key = this.keys.numberOf(kind * MOST_KEYS + rest.key);
        if (!found.has(key)) found.set(key, { ends: [end, ...rest.ends], key });
      }
    }
    const rests = this.best([...found.values()]);
    this.rests.set(pair, rests);
    return rests;
  }

  private endsTowards(device: number, destination: number): readonly LinkEnd[] {
    const { setOfHost, sets } = this.routes.of(device);
    return Array.from(sets[setOfHost[destination]!]!, (port) => this.linkEnds[device]![port]!);
  }

  private isBridge(device: number): boolean {
    return this.settings[device]!.switch.forwarding === 'bridged';
  }

  /** Next hops by routed switches. */
  private pathsTowards(device: number, destination: number): readonly PathStep[] {
    const set = this.routes.of(device).setOfHost[destination]!;
    const known = (this.paths[device] ??= []);
    return (known[set] ??= this.endsTowards(device, destination)
      .filter((end) => !this.isBridge(end.peerDevice))
      .map((end) => ({ end, kind: this.kindOf(end) })));
  }

  private kindOf({ octetPs, latencyPs, peerDevice }: LinkEnd): number {
    const { pipelinePs, cutThrough } = this.settings[peerDevice]!.switch;
    return this.kinds.numberOf([octetPs, latencyPs, pipelinePs, cutThrough].join());
  }

  private best(rests: readonly Rest[]): readonly Rest[] {
    if (rests.length === 1) return rests;
    return rests.filter(
      (rest, i) =>
        !rests.some((other, j) => {
          if (i === j || !this.isNoSlower(other, rest)) return false;
          return j < i || !this.isNoSlower(rest, other);
        }),
    );
  }

  private isNoSlower(a: Rest, b: Rest): boolean {
    return a.ends.every((end, i) => {
      const other = b.ends[i]!;
      const [own, its] = [end, other].map(({ peerDevice }) => this.settings[peerDevice]!.switch);
      // A faster link may keep a switch from cutting through.
      const pace = this.cutsThrough ? end.octetPs === other.octetPs : end.octetPs <= other.octetPs;
      return (
        pace &&
        end.latencyPs <= other.latencyPs &&
        own!.pipelinePs <= its!.pipelinePs &&
        own!.cutThrough === its!.cutThrough
      );
    });
  }
}
