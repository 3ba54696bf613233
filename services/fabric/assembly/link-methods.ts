/**
 * The flow control of links, priority by priority: both ends of a link run the same (802.1Q 36.1.1,
 * 802.3 31B). Where their settings differ, a fallback rules, or the scenario is refused.
 */

import { PRIORITY_NUMBERS } from '../../engine/units/ethernet.js';
import { needsGrants, isPausable, type Fallback } from '../../mechanisms/fabric-context.js';
import {
  EXCHANGE,
  flowControlOf,
  GRANTING_CONTROLS,
  NEGOTIATED_CONTROL,
  WHOLE_PORT,
} from '../../mechanisms/registry.js';
import type { FlowControl } from '../scenario/scenario.js';
import type { Fail, Path } from '../topology/cabling.js';
import type { LinkEnd } from './link-ends.js';
import { configuredAt, fallbackAt, type PortSettings } from './port-settings.js';
import { placeOfKey } from './settings.js';

/** A method that a link is built for, or `either`: its ends may negotiate grants, and pauses. */
type LinkMethod = FlowControl;

/** By priority: its method on a link. PAUSE is that of all of them. */
export type Methods = readonly LinkMethod[];

export { needsGrants, isPausable };

/** The receiver sets memory apart for what it grants. */
export function isBacked(method: LinkMethod | undefined): boolean {
  return needsGrants(method) || isOfSlice(method);
}

/** What a port that negotiates may come to at any time: priorities, one bit each. */
export interface Prospects {
  readonly pausable: number;
  readonly grants: number;
}

interface LinksInput {
  readonly linkEnds: readonly (readonly LinkEnd[])[];
  readonly ports: readonly (readonly PortSettings[])[];
  /** By device and port; null where link partners do not negotiate. */
  readonly prospects: readonly (readonly Prospects[])[] | null;
  readonly fail: Fail;
}

/**
 * By device and port. Where link partners negotiate, a link is built for all possible results:
 * pauses if one end has them, as the other may adopt them, and grants if both can.
 */
export function methodsOfLinks(input: LinksInput): Methods[][] {
  const alike = new Map<PortSettings, Methods>();
  return input.linkEnds.map((ends) =>
    ends.map((end): Methods => {
      const link = new LinkResolution(input, end);
      // Of most links both ends are configured alike, and share what they come to.
      if (input.prospects !== null || !link.isAlike()) return link.methods();
      const own = input.ports[end.device]![end.port]!;
      const known = alike.get(own) ?? link.methods();
      alike.set(own, known);
      return known;
    }),
  );
}

/** One end of a link. */
interface Side {
  readonly end: LinkEnd;
  readonly settings: PortSettings;
  readonly methods: Methods;
}

class LinkResolution {
  private readonly sides: readonly [Side, Side];

  constructor(
    private readonly input: LinksInput,
    end: LinkEnd,
  ) {
    const peer = input.linkEnds[end.peerDevice]![end.peerPort]!;
    // Both ends see the link from the same side, so that they come to the same.
    const isFirst =
      end.device < peer.device || (end.device === peer.device && end.port < peer.port);
    const sides = (isFirst ? [end, peer] : [peer, end]).map((at): Side => {
      const settings = input.ports[at.device]![at.port]!;
      return { end: at, settings, methods: configuredAt(settings) };
    });
    this.sides = sides as unknown as readonly [Side, Side];
  }

  isAlike(): boolean {
    return this.sides[0].settings === this.sides[1].settings;
  }

  methods(): Methods {
    const [here, there] = this.sides;
    const pausing = this.sides.filter(({ settings }) => settings.pause !== null);
    if (pausing.length === 2) return here.methods;
    if (pausing.length === 1) return this.pausedAtOneEnd(pausing[0]!);
    const prospects = this.negotiable();
    const methods = PRIORITY_NUMBERS.map((p) =>
      prospects === null ? this.configured(p) : this.negotiated(p, prospects[p]!),
    );
    const paused = methods.indexOf(WHOLE_PORT);
    if (paused < 0) return methods;
    const other = methods.findIndex((method) => method !== 'none' && method !== WHOLE_PORT);
    if (other < 0) return methods.map(() => WHOLE_PORT);
    throw this.input.fail(
      pathOf(here, paused),
      `priority ${paused} falls back to pause on ${here.end.name} - ${there.end.name}, which ` +
        `pauses all priorities, and priority ${other} has ${methods[other]!} there; fallback: ` +
        'pause for both, or make both ends alike',
    );
  }

  /** By priority: what the ends may agree on; null where nothing is negotiated. */
  private negotiable(): Methods | null {
    if (this.input.prospects === null) return null;
    const [here, there] = this.sides.map(
      ({ end }) => this.input.prospects![end.device]![end.port]!,
    ) as [Prospects, Prospects];
    const [pausable, grants] = [here.pausable | there.pausable, here.grants & there.grants];
    return Array.from({ length: 8 }, (_, priority) => {
      const bit = 1 << priority;
      if ((grants & bit) !== 0) return (pausable & bit) !== 0 ? 'either' : EXCHANGE;
      return (pausable & bit) !== 0 ? NEGOTIATED_CONTROL : 'none';
    });
  }

  /** What both ends are configured for is agreed on by the mechanism itself. */
  private negotiated(priority: number, method: LinkMethod): LinkMethod {
    const [a, b] = this.sides.map(({ methods }) => methods[priority]!) as [string, string];
    const common = a === b && a === EXCHANGE ? this.commonCodec(a) : null;
    if (common !== null && common !== EXCHANGE) return common;
    if (a === b && isOfSlice(a)) return a;
    if (a === b && a === EXCHANGE) this.checkFallbacks(priority);
    const falling = this.sides.flatMap((side) => {
      const own = side.methods[priority];
      const to = fallbackOf(side, priority);
      if (isOfSlice(own)) return to;
      // Its link partner will never agree to grants; where only they will do, `paths` says so.
      return own === EXCHANGE && !needsGrants(method) && to === WHOLE_PORT ? to : [];
    });
    if (falling.includes('refuse')) throw this.disagreement(priority);
    if (falling.includes(WHOLE_PORT)) return WHOLE_PORT;
    this.checkNegotiable(priority);
    return method;
  }

  /** DCBX does not know PAUSE, so that no result of a negotiation can fall back to it. */
  private checkNegotiable(priority: number): void {
    const wrong = this.sides.find(
      (side) =>
        side.methods[priority] !== 'none' &&
        !isOfSlice(side.methods[priority]) &&
        fallbackOf(side, priority) === WHOLE_PORT,
    );
    if (wrong === undefined) return;
    const { end, methods } = wrong;
    throw this.input.fail(
      pathOf(wrong, priority),
      `priority ${priority} has ${methods[priority]!} with fallback: pause at ${end.name}, where ` +
        'discovery decides, and DCBX does not know PAUSE; another fallback, or say which ports ' +
        'have it: ports: [{ where: { link: s1 s2 }, pause: true }]',
    );
  }

  /** One end would send without what the other waits for, where they do not agree on grants. */
  private checkFallbacks(priority: number): void {
    const [here, there] = this.sides;
    const [a, b] = this.sides.map((side) => fallbackOf(side, priority));
    if (a === b) return;
    throw this.input.fail(
      mostExact([pathOf(here, priority), pathOf(there, priority)]),
      `priority ${priority} falls back to ${a!} at ${here.end.name}, and to ${b!} at ` +
        `${there.end.name}, where they agree on no ${EXCHANGE}; make them alike`,
    );
  }

  private configured(priority: number): LinkMethod {
    const [a, b] = this.sides.map(({ methods }) => methods[priority]!) as [string, string];
    const common = a === b ? this.commonCodec(a) : null;
    if (common !== null) return common;
    const falling = this.sides
      .filter(({ methods }) => methods[priority] !== 'none')
      .map((side) => fallbackOf(side, priority));
    const given = [...new Set(falling.filter((to) => to !== 'refuse'))];
    const chosen = given.find((to) => to === a || to === b) ?? given[0];
    if (chosen === undefined || (given.length > 1 && chosen !== a && chosen !== b)) {
      throw this.disagreement(priority);
    }
    return chosen;
  }

  /** 802.3x is not negotiated by DCBX: all that the other end has must give way to it. */
  private pausedAtOneEnd(pausing: Side): Methods {
    const other = this.sides.find((side) => side !== pausing)!;
    const ruled = PRIORITY_NUMBERS.filter((priority) => other.methods[priority] !== 'none');
    const stays = ruled.find((priority) => fallbackOf(other, priority) !== WHOLE_PORT);
    if (stays !== undefined || ruled.length === 0) throw this.disagreement(stays ?? 0);
    return pausing.methods;
  }

  /** What a link comes to whose ends both have this; null: they have no messages in common. */
  private commonCodec(name: FlowControl): FlowControl | null {
    const codec = flowControlOf(name)?.codec;
    if (codec === undefined) return name;
    const [here, there] = this.sides.map(({ settings }) => settings.device.mechanisms[name]);
    return codec.between(here, there);
  }

  private disagreement(priority: number): Error {
    const [first, second] = this.sides;
    const has = ({ methods }: Side): boolean => methods[priority] !== 'none';
    const [side, peer] = has(first) ? [first, second] : [second, first];
    const [method, other] = [side.methods[priority]!, peer.methods[priority]!];
    const codec = method === other ? flowControlOf(method)?.codec : undefined;
    if (codec !== undefined) return this.codecs(priority, method, codec);
    const instead = other === 'none' ? '' : `, which has ${other}`;
    const says =
      method === WHOLE_PORT
        ? `${side.end.name} has ${method}`
        : `priority ${priority} has ${method} at ${side.end.name}`;
    const places = [pathOf(side, priority), pathOf(peer, priority)];
    return this.input.fail(
      mostExact(places),
      `${says} but not at the other end, ${peer.end.name}${instead}; make them alike or give a ` +
        'fallback',
    );
  }

  private codecs(
    priority: number,
    method: FlowControl,
    { key, remedy }: { readonly key: string; readonly remedy: string },
  ): Error {
    const [here, there] = this.sides;
    const [a, b] = this.sides.map(({ settings }) =>
      valueOf(settings.device.mechanisms[method]!, key),
    );
    const paths = this.sides.map(({ settings }) => placeOfKey(settings.device, method, key));
    return this.input.fail(
      mostExact(paths),
      `priority ${priority} has ${method} with ${key} ${a} at ${here.end.name}, and ` +
        `${b} at ${there.end.name}; ${remedy}, or give a fallback`,
    );
  }
}

/** Its granting is planned, and agreed on, by its slice. */
function isOfSlice(method: LinkMethod | undefined): boolean {
  return GRANTING_CONTROLS.some((name) => name === method);
}

/** What rules a priority of a side where only this has its method. */
function fallbackOf({ settings, methods }: Side, priority: number): Fallback {
  return fallbackAt(settings, priority, methods[priority]!);
}

/** Where the file sets the flow control of a priority at a side. */
function pathOf({ settings: { pause, priorities } }: Side, priority: number): Path {
  return pause?.path ?? priorities[priority]!.path;
}

/** The place that is about fewest devices. */
function mostExact(paths: readonly Path[]): Path {
  const [first] = ['ports', 'devices'].flatMap((name) =>
    paths.filter(([section]) => section === name),
  );
  return first ?? paths[0]!;
}

function valueOf(section: object, key: string): string {
  return String((section as Readonly<Record<string, unknown>>)[key]);
}
