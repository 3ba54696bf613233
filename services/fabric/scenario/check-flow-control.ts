/** Flow control against the rates and delays of the links, as far as no topology is needed. */

import { FLOW_CONTROLS } from '../../mechanisms/registry.js';
import { WIRE_OVERHEAD_OCTETS } from '../../engine/units/ethernet.js';
import { overridden } from './device-settings.js';
import type { Located } from './located.js';
import { rate, showRate } from '../../settings/quantities.js';
import type {
  LinkSection,
  LoadSection,
  PfcSection,
  PrioritySection,
  Scenario,
} from './scenario.js';
import type { Path } from '../../settings/source-tree.js';

/** Below this rate only 802.3x PAUSE exists. */
const PFC_RATE_MIN_BPS = rate.parse('10G');
/** 802.1Q 36.1.3.3. */
const PFC_RESPONSE_MAX_PS = 614_400;

/**
 * Quanta after which a paused station starts no frame (802.3 31B.3.7), by rate. 50 Gb/s has the
 * time of 25 Gb/s, 800 Gb/s and 1.6 Tb/s that of 400 Gb/s.
 */
const PAUSE_RESPONSE_QUANTA: Readonly<Record<string, number>> = {
  '10M': 1,
  '100M': 1,
  '1G': 2,
  '10G': 60,
  '25G': 80,
  '40G': 118,
  '50G': 160,
  '100G': 394,
  '200G': 453,
  '400G': 905,
  '800G': 1810,
  '1.6T': 3620,
};

const QUANTUM_BITS = 512;
const PS_PER_SECOND = 1e12;
/** Ethernet with FCS, two tags, IPv6, UDP, BTH and ICRC around the payload of a packet. */
const HEADER_OCTETS_MAX = 18 + 8 + 40 + 8 + 12 + 4;
const FRAME_OCTETS_USUAL = 1518;

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
  const slow = links.find(({ link }) => link.rateBps < PFC_RATE_MIN_BPS);
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
        credit: scenario.credit.end,
        discovery: scenario.discovery.end,
        mechanisms: scenario.mechanisms,
      },
      override,
    );
    const changed = override.priorities.find(needsSpeed);
    // The links of this device are not known here, but if all are slow there is no doubt.
    if (changed && slow && links.every(({ link }) => link.rateBps < PFC_RATE_MIN_BPS)) {
      const at = whereOf(path, changed.priority, located);
      throw tooSlow(changed.flowControl!, slow, at, located);
    }
    if (override.priorities.length > 0) {
      checkPriorities(scenario, settings.priorities, path, located);
    }
  }
  if (scenario.pause.enabled) checkPause(scenario, links, located);
}

/** PFC and flow control by credit exist from 10 Gb/s on. */
const needsSpeed = ({ flowControl }: Partial<Pick<PrioritySection, 'flowControl'>>): boolean =>
  flowControl !== undefined && flowControl !== 'none';

const isOfSlice = ({ flowControl }: PrioritySection): boolean =>
  FLOW_CONTROLS.some((name) => name === flowControl);

const isPfc = ({ flowControl }: PrioritySection): boolean => flowControl === 'pfc';

/** The entry that sets this priority: its own, that of all, or the section itself. */
function whereOf(path: Path, priority: number, located: Located): Path {
  const own = [String(priority), 'all'].map((key) => [...path, key]);
  return own.find((candidate) => located.has(candidate)) ?? path;
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
  for (const section of priorities.filter(({ flowControl }) => flowControl === 'credit')) {
    checkCredit(section, scenario, priorities, whereOf(path, section.priority, located), located);
  }
  for (const { priority, flowControl } of priorities.filter(isOfSlice)) {
    if (!scenario.pause.enabled) continue;
    const message = `${flowControl} while pause is on: pause stops all priorities; remove one`;
    throw located.errorAt(whereOf(path, priority, located), message);
  }
  for (const section of priorities.filter(isPfc)) {
    const at = whereOf(path, section.priority, located);
    if (scenario.pause.enabled) {
      const message = 'pfc while pause is on: a port has either of them (802.1Q 36); remove one';
      throw located.errorAt(at, message);
    }
    if (section.pfc.responseDelayPs > PFC_RESPONSE_MAX_PS) {
      throw slowResponse(section.pfc, PFC_RESPONSE_MAX_PS, '802.1Q 36.1.3.3', at, located);
    }
    checkHold(section.pfc, scenario, at, located);
  }
  checkAccounts(scenario, priorities, path, located);
}

function checkCredit(
  { priority }: PrioritySection,
  { pause, classes }: Scenario,
  priorities: readonly PrioritySection[],
  at: Path,
  located: Located,
): void {
  if (pause.enabled) {
    throw located.errorAt(at, 'credit while pause is on: pause stops all priorities; remove one');
  }
  const trafficClass = classes.transmit[priority]!;
  const other = priorities.find(
    (section) =>
      section.flowControl !== 'credit' && classes.transmit[section.priority] === trafficClass,
  );
  if (other === undefined) return;
  throw located.errorAt(
    at,
    `priorities ${priority} and ${other.priority} share the traffic class ${trafficClass}, but ` +
      `only ${priority} has credit; make them alike or change classes.transmit`,
  );
}

function checkPause(scenario: Scenario, links: readonly NamedLink[], located: Located): void {
  const { pfc } = scenario.pause;
  for (const { link } of links) {
    const quanta = PAUSE_RESPONSE_QUANTA[showRate(link.rateBps)]!;
    const limitPs = quanta * quantumPs(link);
    if (pfc.responseDelayPs > limitPs) {
      const clause = `802.3 31B.3.7 at ${showRate(link.rateBps)}`;
      throw slowResponse(pfc, limitPs, clause, ['pause'], located);
    }
  }
  checkHold(pfc, scenario, ['pause'], located);
}

function slowResponse(
  { responseDelayPs }: PfcSection,
  limitPs: number,
  clause: string,
  path: Path,
  located: Located,
): Error {
  const message = `responseDelay too long: ${responseDelayPs / 1000}ns`;
  const at = mostExact(path, ['responseDelay'], located);
  return located.errorAt(at, `${message}; at most ${limitPs / 1000}ns (${clause})`);
}

function mostExact(path: Path, keys: readonly string[], located: Located): Path {
  return keys.map((key) => [...path, key]).find((at) => located.has(at)) ?? path;
}

function checkHold(hold: PfcSection, scenario: Scenario, path: Path, located: Located): void {
  const { xoffBytes, xonGapBytes } = hold;
  if (xoffBytes !== null && xonGapBytes > xoffBytes) {
    const at = mostExact(path, ['xonGap', 'xoff'], located);
    const message = `xonGap ${xonGapBytes} is more than xoff ${xoffBytes}: XON would never come`;
    throw located.errorAt(at, message);
  }
  for (const named of linksOf(scenario)) checkRefresh(hold, named, scenario.load, path, located);
}

/**
 * The refresh must have its effect before the pause that it renews expires. Both take the same link
 * and have the same response time, so only the wait of the refresh for the link counts, however
 * long the link is.
 */
function checkRefresh(
  hold: PfcSection,
  { name, link }: NamedLink,
  load: readonly LoadSection[],
  path: Path,
  located: Located,
): void {
  const pausePs = hold.quanta * quantumPs(link);
  const waitPs = ((maxFrameOctets(load) + WIRE_OVERHEAD_OCTETS) * 8 * PS_PER_SECOND) / link.rateBps;
  if (hold.refreshFraction * pausePs + waitPs < pausePs) return;
  const leastPs = waitPs / (1 - hold.refreshFraction);
  const least = Math.floor(leastPs / quantumPs(link)) + 1;
  const allowed = least <= 65535 ? `; at least ${least} quanta with this refresh` : '';
  throw located.errorAt(
    mostExact(path, ['quanta', 'refresh'], located),
    `a pause of ${hold.quanta} quanta ends before its refresh arrives: ${name} at ` +
      `${showRate(link.rateBps)} has ${pausePs / 1000}ns${allowed}`,
  );
}

const quantumPs = (link: LinkSection): number => (QUANTUM_BITS * PS_PER_SECOND) / link.rateBps;

function maxFrameOctets(load: readonly LoadSection[]): number {
  const frames = load.map(({ transport }) =>
    transport.kind === 'raw' ? transport.frameBytes + 8 : transport.mtuBytes + HEADER_OCTETS_MAX,
  );
  return Math.max(FRAME_OCTETS_USUAL, ...frames);
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

function differenceOf(a: PrioritySection, b: PrioritySection): string | null {
  if (a.flowControl !== b.flowControl) return 'flowControl';
  if (a.ingressReservedBytes !== b.ingressReservedBytes) return 'reserved';
  if (a.ingressAlpha !== b.ingressAlpha) return 'alpha';
  if (!isPfc(a)) return null;
  if (a.pfc.xoffBytes !== b.pfc.xoffBytes) return 'xoff';
  if (a.pfc.xonGapBytes !== b.pfc.xonGapBytes) return 'xonGap';
  return a.pfc.headroomBytes === b.pfc.headroomBytes ? null : 'headroom';
}
