/** Flow control against the rates and delays of the links, as far as no topology is needed. */

import { BASIC_FRAME_OCTETS_MAX } from '../../engine/units/ethernet.js';
import type { LinksView } from '../../mechanisms/mechanism-slice.js';
import {
  EXCHANGE,
  fallbackOf,
  FLOW_CONTROLS,
  pausingOf,
  WHOLE_PORT,
} from '../../mechanisms/registry.js';
import { overridden } from './device-settings.js';
import type { Located } from './located.js';
import { rate, showRate } from '../../settings/quantities.js';
import type { LinkSection, LoadSection, PrioritySection, Scenario } from './scenario.js';
import type { Path } from '../../settings/source-tree.js';

/** Below this rate only 802.3x PAUSE exists. */
const RATE_MIN_BPS = rate.parse('10G');
/** Ethernet with FCS, two tags, IPv6, UDP, BTH and ICRC around the payload of a packet. */
const HEADER_OCTETS_MAX = 18 + 8 + 40 + 8 + 12 + 4;

interface NamedLink {
  readonly name: string;
  readonly link: LinkSection;
}

/** The links that every scenario with these settings has. */
function linksOf({ fabric }: Scenario): readonly NamedLink[] {
  const { kind } = fabric.generator;
  const hostLinks = kind === 'none' ? [] : [{ name: 'hostLink', link: fabric.hostLink }];
  const hasFabricLinks = kind !== 'none' && kind !== 'pair' && kind !== 'star';
  const fabricLinks = hasFabricLinks ? [{ name: 'fabricLink', link: fabric.fabricLink }] : [];
  const explicit = fabric.links.map(({ ends, link }) => ({ name: ends.join(' - '), link }));
  return [...hostLinks, ...fabricLinks, ...explicit];
}

export function checkFlowControl(scenario: Scenario, located: Located): void {
  const links = linksOf(scenario);
  checkPriorities(scenario, scenario.priorities, ['priorities'], located);
  const slow = links.find(({ link }) => link.rateBps < RATE_MIN_BPS);
  for (const { priority, flowControl } of scenario.priorities.filter(needsSpeed)) {
    const at = whereOf(['priorities'], priority, located);
    if (slow) throw tooSlow(flowControl, slow, at, located);
  }
  for (const override of scenario.overrides) {
    const path = ['devices', override.match, 'priorities'];
    const settings = overridden(
      {
        host: scenario.hosts,
        switch: scenario.switches,
        priorities: scenario.priorities,
        discovery: scenario.discovery.end,
        mechanisms: scenario.mechanisms,
      },
      override,
    );
    const changed = override.priorities.find(needsSpeed);
    // The links of this device are not known here, but if all are slow there is no doubt.
    if (changed && slow && links.every(({ link }) => link.rateBps < RATE_MIN_BPS)) {
      const at = whereOf(path, changed.priority, located);
      throw tooSlow(changed.flowControl!, slow, at, located);
    }
    if (override.priorities.length > 0) {
      checkPriorities(scenario, settings.priorities, path, located);
    }
  }
  checkFallbacks(scenario, located);
  if (!scenario.pause.enabled) return;
  const pausing = pausingOf(WHOLE_PORT);
  if (pausing === null) {
    throw located.errorAt([WHOLE_PORT], 'no mechanism pauses whole ports; remove it');
  }
  pausing.check(scenario.pause.pausing, linksView(scenario, [WHOLE_PORT], located));
}

/** What rules a priority where only one end has a flow control must be there itself. */
function checkFallbacks({ mechanisms }: Scenario, located: Located): void {
  for (const name of FLOW_CONTROLS) {
    const fallback = fallbackOf(name, mechanisms);
    if (fallback === 'refuse' || fallback === 'none' || FLOW_CONTROLS.includes(fallback)) continue;
    throw located.errorAt([name, 'fallback'], `no such flow control: ${fallback}`);
  }
}

/** Flow control by priority exists from 10 Gb/s on. */
const needsSpeed = ({ flowControl }: Partial<Pick<PrioritySection, 'flowControl'>>): boolean =>
  flowControl !== undefined && flowControl !== 'none';

/** The entry that sets this priority: its own, that of all, or the section itself. */
function whereOf(path: Path, priority: number, located: Located): Path {
  const own = [String(priority), 'all'].map((key) => [...path, key]);
  return own.find((candidate) => located.has(candidate)) ?? path;
}

/** The error for a flow control of a priority where PAUSE is on. */
export function besidePause(flowControl: string): string {
  return `${flowControl} while pause is on: pause stops all priorities; remove one`;
}

function linksView(scenario: Scenario, path: Path, located: Located): LinksView {
  return {
    path,
    links: linksOf(scenario).map(({ name, link }) => ({ name, rateBps: link.rateBps })),
    longestFrameOctets: maxFrameOctets(scenario.load),
    errorAt: (at, message) => located.errorAt(at, message),
    has: (at) => located.has(at),
  };
}

function tooSlow(method: string, { name, link }: NamedLink, at: Path, located: Located): Error {
  return located.errorAt(
    at,
    `${method} on a link too slow for it: ${name} has ${showRate(link.rateBps)}; ` +
      `${method} needs 10G or more, below that only pause is possible`,
  );
}

function checkPriorities(
  scenario: Scenario,
  priorities: readonly PrioritySection[],
  path: Path,
  located: Located,
): void {
  for (const { priority, flowControl, pausing } of priorities) {
    if (flowControl === 'none') continue;
    const at = whereOf(path, priority, located);
    if (scenario.pause.enabled) throw located.errorAt(at, besidePause(flowControl));
    if (flowControl === EXCHANGE) checkGrants(priority, scenario, priorities, at, located);
    pausingOf(flowControl)?.check(pausing, linksView(scenario, at, located));
  }
  checkAccounts(scenario, priorities, path, located);
}

function checkGrants(
  priority: number,
  { classes }: Scenario,
  priorities: readonly PrioritySection[],
  at: Path,
  located: Located,
): void {
  const trafficClass = classes.transmit[priority]!;
  const other = priorities.find(
    (section) =>
      section.flowControl !== EXCHANGE && classes.transmit[section.priority] === trafficClass,
  );
  if (other === undefined) return;
  throw located.errorAt(
    at,
    `priorities ${priority} and ${other.priority} share the traffic class ${trafficClass}, but ` +
      `only ${priority} has ${EXCHANGE}; make them alike or change classes.transmit`,
  );
}

function maxFrameOctets(load: readonly LoadSection[]): number {
  const frames = load.map(({ transport }) =>
    transport.kind === 'raw' ? transport.frameBytes + 8 : transport.mtuBytes + HEADER_OCTETS_MAX,
  );
  return Math.max(BASIC_FRAME_OCTETS_MAX, ...frames);
}

/** Priorities that share an account are paused by one threshold, in one way. */
function checkAccounts(
  scenario: Scenario,
  priorities: readonly PrioritySection[],
  path: Path,
  located: Located,
): void {
  const { receive } = scenario.classes;
  for (const section of priorities) {
    const account = receive[section.priority]!;
    const first = priorities.find(({ priority }) => receive[priority] === account)!;
    const difference = differenceOf(first, section);
    if (difference === null) continue;
    throw located.errorAt(
      whereOf(path, section.priority, located),
      `priorities ${first.priority} and ${section.priority} share the receive account ` +
        `${account} but differ in ${difference}; make them alike or change classes.receive`,
    );
  }
}

/** Of one account. */
const ACCOUNT_KEYS = ['xoff', 'xonGap', 'headroom'] as const;

function differenceOf(a: PrioritySection, b: PrioritySection): string | null {
  if (a.flowControl !== b.flowControl) return 'flowControl';
  if (a.ingressReservedBytes !== b.ingressReservedBytes) return 'reserved';
  if (a.ingressAlpha !== b.ingressAlpha) return 'alpha';
  if (pausingOf(a.flowControl) === null) return null;
  return ACCOUNT_KEYS.find((key) => a.pausing[key] !== b.pausing[key]) ?? null;
}
