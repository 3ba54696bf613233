import { needsGrants, isPausable, type Fallback } from '../../mechanisms/fabric-context.js';
import {
  GRANTING_CONTROLS,
  NEGOTIATED_CONTROL,
  fallbackOf,
  GRANTS,
  type GrantEndSection,
} from '../../mechanisms/registry.js';
import type { FlowControl, Scenario } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import type { LinkEnd } from './link-ends.js';
import type { Settings } from './settings.js';
import { bySettings, placeOfGrants, placeOfPriority } from './settings.js';

/** Methods that a link is built for; `either`: its ends may negotiate grants, and pauses. */
export type LinkMethod = FlowControl | 'either';

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
      const codec = commonCodec(settings[end.device]!.grants, settings[end.peerDevice]!.grants);
      const here = ownMethods(settings[end.device]!);
      const there = ownMethods(settings[end.peerDevice]!);
      const isChannelled = (p: number): boolean =>
        codec === 'cbfc' && here[p] === GRANTS.name && there[p] === GRANTS.name;
      if (prospects !== null) {
        const agreed = negotiable(prospects[end.device]!, prospects[end.peerDevice]!);
        // What both ends are configured for is agreed on by the mechanism itself.
        return agreed.map((method, p) => {
          if (isChannelled(p)) return 'cbfc';
          return here[p] === there[p] && isOfSlice(here[p]) ? here[p]! : method;
        });
      }
      if (here === there && codec === 'ce') return here;
      return here.map((method, priority) => {
        const other = there[priority]!;
        if (isChannelled(priority)) return 'cbfc';
        const isAlike = method === other && (method !== GRANTS.name || codec === 'ce');
        if (isAlike) return method;
        const fallback = [method, other]
          .map((one) => fallbackFor(scenario, one))
          .find((one) => one !== 'refuse');
        if (fallback !== undefined) return fallback;
        const peer = linkEnds[end.peerDevice]![end.peerPort]!;
        throw disagreement(priority, method === 'none' ? [peer, end] : [end, peer], settings, fail);
      });
    }),
  );
}

/** Messages that both ends of a link support; null: none. */
function commonCodec(
  { codec: here }: GrantEndSection,
  { codec: there }: GrantEndSection,
): 'ce' | 'cbfc' | null {
  if (here !== 'ce' && there !== 'ce') return 'cbfc';
  return here === 'cbfc' || there === 'cbfc' ? null : 'ce';
}

/** Its granting is planned, and agreed on, by its slice. */
function isOfSlice(method: LinkMethod | undefined): boolean {
  return GRANTING_CONTROLS.some((name) => name === method);
}

/** What rules a priority where only one end has this method. */
function fallbackFor(scenario: Scenario, method: FlowControl): Fallback {
  if (method === GRANTS.name) return scenario.grants.fallback;
  return isOfSlice(method) ? fallbackOf(method, scenario.mechanisms) : 'refuse';
}

function negotiable(here: Prospects, there: Prospects): Methods {
  const [pausable, grants] = [here.pausable | there.pausable, here.grants & there.grants];
  return Array.from({ length: 8 }, (_, priority) => {
    const bit = 1 << priority;
    if ((grants & bit) !== 0) return (pausable & bit) !== 0 ? 'either' : GRANTS.name;
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
  if (method === GRANTS.name && other === GRANTS.name) {
    const [here, there] = sides.map(({ grants }) => grants.codec);
    const devices = [end, peer].map(({ device }) => settings[device]!);
    const paths = devices.map((side) => placeOfGrants(side, 'codec', 'codec'));
    return fail(
      paths.find(([section]) => section === 'devices') ?? paths[0]!,
      `priority ${priority} has ${GRANTS.name} with codec ${here} at ${end.name}, and ` +
        `${there} at ${peer.name}; codec: both at one of them, or give a fallback`,
    );
  }
  const mayFallBack = [method, other].some((one) => one === GRANTS.name || isOfSlice(one));
  const remedy = mayFallBack ? '; make them alike or give a fallback' : '';
  return fail(
    places.find(([section]) => section === 'devices') ?? places[0]!,
    `priority ${priority} has ${method} at ${end.name} but not at the other end, ` +
      `${peer.name}${instead}${remedy}`,
  );
}
