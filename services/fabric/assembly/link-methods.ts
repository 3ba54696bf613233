import type { FlowControl, Scenario } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import type { LinkEnd } from './link-ends.js';
import type { Settings } from './settings.js';
import { placeOfPriority } from './settings.js';

/** By priority: what rules it on a link. */
export type Methods = readonly FlowControl[];

/**
 * By device and port. Both ends of a link run the same method for a priority (802.1Q 36.1.1); where
 * only one of them has credit exchange, the scenario says what they fall back to. Where neighbours
 * negotiate (`pfcEver`, by device), a priority that either may have PFC for is built for it.
 */
export function methodsOfLinks(
  scenario: Scenario,
  linkEnds: readonly (readonly LinkEnd[])[],
  settings: readonly Settings[],
  pfcEver: readonly number[],
  fail: Fail,
): Methods[][] {
  const own = new Map<Settings, Methods>();
  const ownMethods = (device: number): Methods => {
    const section = settings[device]!;
    const known = own.get(section);
    if (known !== undefined) return known;
    const methods = section.priorities.map(({ flowControl }) => flowControl);
    own.set(section, methods);
    return methods;
  };
  return linkEnds.map((ends) =>
    ends.map((end): Methods => {
      const [here, there] = [ownMethods(end.device), ownMethods(end.peerDevice)];
      const negotiated = pfcEver[end.device]! | pfcEver[end.peerDevice]!;
      if (here === there && negotiated === 0) return here;
      return here.map((method, priority) => {
        const other = there[priority]!;
        const isCredit = method === 'credit' || other === 'credit';
        if (!isCredit && (negotiated & (1 << priority)) !== 0) return 'pfc';
        if (method === other) return method;
        const { fallback } = scenario.credit;
        if (isCredit && fallback !== 'refuse') return fallback;
        const peer = linkEnds[end.peerDevice]![end.peerPort]!;
        throw disagreement(priority, method === 'none' ? [peer, end] : [end, peer], settings, fail);
      });
    }),
  );
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
  const remedy = [method, other].includes('credit') ? '; make them alike or give a fallback' : '';
  return fail(
    places.find(([section]) => section === 'devices') ?? places[0]!,
    `priority ${priority} has ${method} at ${end.name} but not at the other end, ` +
      `${peer.name}${instead}${remedy}`,
  );
}
