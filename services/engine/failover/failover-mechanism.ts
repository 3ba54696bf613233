import type { Mechanism, MechanismHost } from '../contract/flow-control.js';
import type { FailoverSpec } from '../contract/spec.js';
import { DUE, SHAPE } from '../kernel/kinds.js';
import { field } from '../kernel/fields.js';
import type { Tables } from '../kernel/tables.js';
import { peerSlot } from '../routing/adjacency.js';
import type { SwitchRoutes } from '../routing/shortest-paths.js';
import { shortestPaths } from '../routing/shortest-paths.js';
import type { LinkState } from '../wire/link-state.js';
import {
  decodeLinkStates,
  encodeLinkStates,
  LINK_STATE_OCTETS_MOST,
  LINK_STATES_MOST,
} from '../wire/link-state.js';
import { downSlots, LinkStates } from './link-states.js';
import { assert } from '../kernel/assert.js';

const DETECT_TIMER = 0;
/** At the first port of a switch. */
const APPLY_TIMER = 1;
/** Views of the fabric whose routes are cached. */
const VIEWS_MOST = 16;

/** Effects of failover beyond its own state. */
export interface FailoverTools {
  /** Sends a link-state update to the switch at the other end of a port's link. */
  advertise(port: number, octets: Uint8Array, length: number): void;
  /**
   * The switch forwards by these routes from now on, null: those of the fabric without faults.
   * `uses`: by port.
   */
  reroute(d: number, routes: SwitchRoutes | null, uses: readonly PortUse[]): void;
  /** Drops frames that wait at a port that is down, or moves those that have a route. */
  clear(port: number, moves: boolean): void;
  /** A port was detected down or up: part of the digest. */
  note(port: number, down: boolean): void;
}

/**
 * Uses of a port: it sends; it is down, but frames without an alternative wait there until routes
 * are recomputed; or it is down, and nothing is to be queued for it.
 */
export type PortUse = 'any' | 'wait' | 'none';

/** A switch that routes around links that are down. */
interface Place {
  readonly device: number;
  readonly index: number;
  readonly firstPort: number;
  readonly spec: FailoverSpec;
  readonly macs: readonly number[];
  readonly known: LinkStates;
  /** It does not forward as without faults. */
  detours: boolean;
}

/**
 * Failover of switches. A port that has no carrier for the detection time leaves its groups of
 * equal-cost ports, and its switch floods a link-state update; after the reconvergence time all
 * switches recompute their routes, at the same virtual time, so that they never disagree as long as
 * the update has crossed the fabric by then.
 */
export class FailoverMechanism implements Mechanism {
  readonly name = 'failover';
  /** By port: it has no carrier. */
  private readonly dark: Uint8Array;
  /** By port: it was detected down, and not up again since. */
  private readonly down: Uint8Array;
  /**
   * By port: when its carrier will have been stable for long enough; Infinity: no detection is
   * pending.
   */
  private readonly detectAt: Float64Array;
  /** By port: of its own link-state updates. */
  private readonly sequences: Int32Array;
  /** By port, and by device. */
  private readonly at: (Place | null)[] = [];
  private readonly places: (Place | undefined)[] = [];
  private readonly views = new Map<string, readonly SwitchRoutes[]>();
  private readonly scratch = new Uint8Array(LINK_STATE_OCTETS_MOST);
  private tools: FailoverTools | null = null;
  /** A link may be down without a declared fault: frames may be reordered. Not state. */
  mayReorder = false;

  constructor(
    tables: Tables,
    private readonly host: MechanismHost,
    private readonly slot: number,
  ) {
    this.dark = tables.uint8('port', field('dark', SHAPE));
    this.down = tables.uint8('port', field('down', SHAPE));
    this.detectAt = tables.float64('port', field('detect at', DUE)).fill(Infinity);
    this.sequences = tables.int32('port', field('updates', SHAPE));
  }

  /** Sets what is built after the mechanisms. */
  setTools(tools: FailoverTools): void {
    this.tools = tools;
  }

  /** Returns the switch's link states: part of its state. Null where it does not run. */
  configureSwitch(
    device: number,
    index: number,
    firstPort: number,
    macs: readonly number[],
    spec: FailoverSpec | null,
  ): LinkStates | null {
    const known = spec === null ? null : new LinkStates();
    const place =
      spec === null || known === null
        ? null
        : { device, index, firstPort, spec, macs, known, detours: false };
    macs.forEach((_, p) => (this.at[firstPort + p] = place));
    if (place !== null) this.places[device] = place;
    return known;
  }

  /** Whether a switch has detected that a port is down. */
  isDown(port: number): boolean {
    return this.down[port] !== 0;
  }

  /** Whether a switch forwards differently than without faults. */
  isDetouring(device: number): boolean {
    return this.places[device]?.detours === true;
  }

  /** The carrier of a port is lost, or back. */
  carrier(port: number, up: boolean): void {
    const place = this.at[port];
    if (place === null || place === undefined) return;
    this.dark[port] = up ? 0 : 1;
    if (this.dark[port] === this.down[port]) this.detectAt[port] = Infinity;
    else if (this.detectAt[port] === Infinity) {
      this.detectAt[port] = this.host.clock.now + place.spec.detectionPs;
      this.host.arm(this.slot, port, DETECT_TIMER, this.detectAt[port]);
    }
    // Updates that were sent without a carrier are lost.
    if (up) this.advertise(place, port, place.known.states);
  }

  onTimer(port: number, timer: number): void {
    const place = this.at[port]!;
    if (timer === APPLY_TIMER) this.apply(place);
    else if (this.detectAt[port] === this.host.clock.now) this.detected(place, port);
  }

  /** A link-state update was received; it is forwarded if it is new. */
  receive(port: number, octets: Uint8Array, length: number): void {
    const place = this.at[port];
    if (place === null || place === undefined || place.spec.reconvergencePs === Infinity) return;
    const states = decodeLinkStates(octets, length) ?? [];
    this.flood(
      place,
      port,
      states.filter((state) => place.known.learn(state)),
    );
    this.apply(place);
  }

  /** A switch whose state was restored forwards as when that was saved. */
  restored(device: number): void {
    const place = this.places[device];
    if (place !== undefined) this.reroute(place);
  }

  private detected(place: Place, port: number): void {
    const { now } = this.host.clock;
    const { index, firstPort, spec } = place;
    const down = this.dark[port] !== 0;
    assert(this.dark[port] !== this.down[port], 'failover.detected-a-change');
    this.detectAt[port] = Infinity;
    this.down[port] = down ? 1 : 0;
    this.tools!.note(port, down);
    if (spec.reconvergencePs !== Infinity) {
      const slot = spec.adjacency.firstSlot[index] + port - firstPort;
      const sequence = ++this.sequences[port];
      const state = { slot, sequence, down, applyPs: now + spec.reconvergencePs };
      place.known.learn(state);
      this.flood(place, -1, [state]);
    }
    this.apply(place);
    this.reroute(place);
    if (down) this.tools!.clear(port, spec.moves);
  }

  /** Applies all changes that are due, and waits for the next one. */
  private apply(place: Place): void {
    const { known, firstPort, macs, spec } = place;
    const changed = known.apply(this.host.clock.now);
    if (known.nextPs !== Infinity) this.host.arm(this.slot, firstPort, APPLY_TIMER, known.nextPs);
    if (!changed) return;
    this.reroute(place);
    macs.forEach((_, p) => {
      if (this.down[firstPort + p] !== 0) this.tools!.clear(firstPort + p, spec.moves);
    });
  }

  private reroute(place: Place): void {
    const { device, index, firstPort, spec, macs, known } = place;
    const isWhole = known.down.length === 0;
    const routes = isWhole ? null : this.routesOf(spec, known.down)[index - spec.adjacency.hosts];
    const uses = macs.map((_, p): PortUse => {
      if (this.down[firstPort + p] === 0) return 'any';
      // Recomputed routes may lead elsewhere; to a host there is one link.
      const mayWait = spec.moves && spec.reconvergencePs !== Infinity;
      return mayWait && leadsToSwitch(place, p) ? 'wait' : 'none';
    });
    place.detours = !isWhole || uses.some((use) => use !== 'any');
    this.tools!.reroute(device, routes, uses);
  }

  /** Routes of all switches without these links; switches with one view share them. */
  private routesOf({ adjacency }: FailoverSpec, down: readonly number[]): readonly SwitchRoutes[] {
    const key = down.join();
    let routes = this.views.get(key);
    if (routes === undefined) {
      const marks = downSlots(adjacency.peer.length, down, (slot) => peerSlot(adjacency, slot));
      routes = shortestPaths(adjacency, marks);
      if (this.views.size === VIEWS_MOST) this.views.delete(this.views.keys().next().value!);
      this.views.set(key, routes);
    }
    return routes;
  }

  private flood(place: Place, except: number, states: readonly LinkState[]): void {
    if (states.length === 0) return;
    place.macs.forEach((_, p) => {
      const port = place.firstPort + p;
      if (port !== except) this.advertise(place, port, states);
    });
  }

  private advertise(place: Place, port: number, states: readonly LinkState[]): void {
    const { firstPort, macs } = place;
    const local = port - firstPort;
    if (this.dark[port] !== 0 || !leadsToSwitch(place, local)) return;
    for (let from = 0; from < states.length; from += LINK_STATES_MOST) {
      const some = states.slice(from, from + LINK_STATES_MOST);
      const length = encodeLinkStates(this.scratch, macs[local], some);
      this.tools!.advertise(port, this.scratch, length);
    }
  }

  // It holds nothing, sends no control frames on the link, and counts no buffer.
}

function leadsToSwitch({ index, spec }: Place, local: number): boolean {
  const { firstSlot, peer, hosts } = spec.adjacency;
  return peer[firstSlot[index] + local] >= hosts;
}
