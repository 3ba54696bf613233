import { needsGrants, isPausable, type Fallback } from '../../mechanisms/fabric-context.js';
import {
  EXCHANGE,
  fallbackOf,
  flowControlOf,
  GRANTING_CONTROLS,
  NEGOTIATED_CONTROL,
} from '../../mechanisms/registry.js';
import type { FlowControl, Scenario } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import type { LinkEnd } from './link-ends.js';
import type { Settings } from './settings.js';
import { bySettings, placeOfKey, placeOfPriority } from './settings.js';

/** A method that a link is built for, or `either`: its ends may negotiate grants, and pauses. */
type LinkMethod = FlowControl;

/** By priority: its method on a link. */
export type Methods = readonly LinkMethod[];

export { needsGrants, isPausable };

/** The receiver sets memory apart for what it grants. */
export function isBacked(method: LinkMethod | undefined): boolean {
  return needsGrants(method) || isOfSlice(method);
}

/** What a device that negotiates may come to at any time: priorities, one bit each. */
export interface Prospects {
  readonly pausable: number;
  readonly grants: number;
}

/**
 * By device and port. Both ends of a link run the same method for a priority (802.1Q 36.1.1); where
 * only one of them exchanges grants, the scenario sets the fallback. Where link partners
 * negotiate (`prospects`, by device), a link is built for all possible results: pauses if one end
 * has them, as the other may adopt them, and grants if both can.
 */
export function methodsOfLinks(
  scenario: Scenario,
  linkEnds: readonly (readonly LinkEnd[])[],
  settings: readonly Settings[],
  prospects: readonly Prospects[] | null,
  fail: Fail,
): Methods[][] {
  const ownMethods = bySettings(({ priorities }) =>
    priorities.map(({ flowControl }): FlowControl => flowControl),
  );
  return linkEnds.map((ends) =>
    ends.map((end): Methods => {
      const sides = [settings[end.device]!, settings[end.peerDevice]!] as const;
      const here = ownMethods(sides[0]);
      const there = ownMethods(sides[1]);
      const exchange = commonCodec(EXCHANGE, sides);
      const shared = (p: number): FlowControl | null =>
        here[p] === EXCHANGE && there[p] === EXCHANGE ? exchange : null;
      const reject = (priority: number, hasOther: boolean): Error => {
        const peer = linkEnds[end.peerDevice]![end.peerPort]!;
        return disagreement(priority, hasOther ? [peer, end] : [end, peer], settings, fail);
      };
      if (prospects !== null) {
        const agreed = negotiable(prospects[end.device]!, prospects[end.peerDevice]!);
        // What both ends are configured for is agreed on by the mechanism itself.
        return agreed.map((method, p) => {
          const common = shared(p);
          if (common !== null && common !== EXCHANGE) return common;
          if (here[p] === there[p] && isOfSlice(here[p])) return here[p]!;
          const alone = [here[p]!, there[p]!].filter(isOfSlice);
          if (alone.every((one) => fallbackFor(scenario, one) !== 'refuse')) return method;
          throw reject(p, !isOfSlice(here[p]));
        });
      }
      if (here === there && exchange === EXCHANGE) return here;
      return here.map((method, priority) => {
        const other = there[priority]!;
        if (method === other && method !== EXCHANGE) return method;
        const common = shared(priority);
        if (common !== null) return common;
        const fallback = [method, other]
          .map((one) => fallbackFor(scenario, one))
          .find((one) => one !== 'refuse');
        if (fallback !== undefined) return fallback;
        throw reject(priority, method === 'none');
      });
    }),
  );
}

/**
 * What a link comes to whose ends both have this flow control, by the messages that they support;
 * null: none in common.
 */
function commonCodec(
  name: FlowControl,
  [here, there]: readonly [Settings, Settings],
): FlowControl | null {
  const codec = flowControlOf(name)?.codec;
  if (codec === undefined) return name;
  return codec.between(here.mechanisms[name], there.mechanisms[name]);
}

/** Its granting is planned, and agreed on, by its slice. */
function isOfSlice(method: LinkMethod | undefined): boolean {
  return GRANTING_CONTROLS.some((name) => name === method);
}

/** What rules a priority where only one end has this method. */
function fallbackFor(scenario: Scenario, method: FlowControl): Fallback {
  return fallbackOf(method, scenario.mechanisms);
}

function negotiable(here: Prospects, there: Prospects): Methods {
  const [pausable, grants] = [here.pausable | there.pausable, here.grants & there.grants];
  return Array.from({ length: 8 }, (_, priority) => {
    const bit = 1 << priority;
    if ((grants & bit) !== 0) return (pausable & bit) !== 0 ? 'either' : EXCHANGE;
    return (pausable & bit) !== 0 ? NEGOTIATED_CONTROL : 'none';
  });
}

function disagreement(
  priority: number,
  [end, peer]: readonly [LinkEnd, LinkEnd],
  settings: readonly Settings[],
  fail: Fail,
): Error {
  const sides = [settings[end.device]!, settings[peer.device]!];
  const places = sides.map((side) => placeOfPriority(side, priority));
  const [method, other] = sides.map((side) => side.priorities[priority]!.flowControl);
  const instead = other === 'none' ? '' : `, which has ${other}`;
  const codec = method === other ? flowControlOf(method!)?.codec : undefined;
  if (codec !== undefined) {
    const { key, remedy } = codec;
    const [here, there] = sides.map(({ mechanisms }) => valueOf(mechanisms[method!]!, key));
    const paths = sides.map((side) => placeOfKey(side, method!, key));
    return fail(
      paths.find(([section]) => section === 'devices') ?? paths[0]!,
      `priority ${priority} has ${method} with ${key} ${here} at ${end.name}, and ` +
        `${there} at ${peer.name}; ${remedy}, or give a fallback`,
    );
  }
  const mayFallBack = [method, other].some((one) => one === EXCHANGE || isOfSlice(one));
  const remedy = mayFallBack ? '; make them alike or give a fallback' : '';
  return fail(
    places.find(([section]) => section === 'devices') ?? places[0]!,
    `priority ${priority} has ${method} at ${end.name} but not at the other end, ` +
      `${peer.name}${instead}${remedy}`,
  );
}

function valueOf(section: object, key: string): string {
  return String((section as Readonly<Record<string, unknown>>)[key]);
}
