/**
 * A load under which a switch that is not lossless loses a frame: all stations send to one, in the
 * classes of lossless groups, and it sends to them, so that pauses are sent as late as they may be.
 * Loads are tried until one loses a frame; what is printed is the scenario that did.
 */

import { FRAME_OCTETS_MIN } from '../engine/units/ethernet.js';
import { PS_PER_S } from '../engine/units/time.js';
import { MAC_PHY_OCTETS } from '../fabric/buffers/need.js';
import { responsePs } from '../fabric/buffers/headroom-script.js';
import { PS_PER_MM } from '../fabric/link-length.js';
import { buildFabric } from '../fabric/assembly/fabric.js';
import { scenarioOfText } from '../fabric/scenario/load-scenario.js';
import { ScenarioError } from '../settings/errors.js';
import { Session } from '../runtime/session.js';
import type { SwitchVerdict } from './check.js';
import type { SonicSwitch } from './configuration.js';
import type { PortPlace } from './port-place.js';
import { RESPONSE_MOST_PS, type SonicAsic, type SonicScenario } from './scenario.js';

/** Some groups of a switch are alike: so many are tried. */
const GROUPS_MOST = 4;
/** A load stands until the pools have filled so many times. */
const FILLS = 3;
/** And so many of the longest frames could be sent: pauses come at all moments of a frame. */
const FRAMES_LEAST = 200;

/** What the longest frames have of a link beside shorter ones. */
const SELDOM = '20%';

export interface Loss {
  /** A scenario that loses a frame. */
  readonly text: string;
  readonly frames: number;
}

/** Null: none of the loads that were tried has lost a frame. */
export function losingLoad(
  {
    scenario,
    switches,
    asic,
  }: {
    readonly scenario: SonicScenario;
    readonly switches: readonly SonicSwitch[];
    readonly asic: SonicAsic;
  },
  verdicts: readonly SwitchVerdict[],
): Loss | null {
  for (const verdict of verdicts.filter((own) => own.verdict === 'not lossless')) {
    const own = switches.find(({ name }) => name === verdict.switch)!;
    for (const place of placesOf(scenario, verdict)) {
      for (const frames of lengthsOf(place, asic)) {
        const loads = loadsAt(scenario, own, place, frames);
        const text = `${withSlowPartner(scenario.text, place)}${loads}`;
        const lost = framesLost(text, classesOf(place));
        if (lost > 0) return { text, frames: lost };
      }
    }
  }
  return null;
}

/** Where a group is not lossless; of a switch as a whole, any of its ports. */
function placesOf({ ports }: SonicScenario, { switch: name, groups }: SwitchVerdict): PortPlace[] {
  const own = ports.filter(({ of }) => of === name);
  const wrong = groups.filter(({ isLossless }) => !isLossless);
  const looks = new Map(wrong.map((one) => [`${one.speedMbps} ${one.profile}`, one.port]));
  const places = [...looks.values()].map((port) => own.find((one) => one.port.name === port)!);
  return (places.length > 0 ? places : own).slice(0, GROUPS_MOST);
}

/**
 * The longest frames, those that waste most of their cells, and some of the longest among those:
 * the one that was begun when its sender stops counts whole.
 */
function lengthsOf(place: PortPlace, { accounting }: SonicAsic): (readonly number[])[] {
  const { cellBytes, frameBytes } = accounting;
  const longest = longestOf(place);
  const wasteful = Math.max(FRAME_OCTETS_MIN, cellBytes + 1 - frameBytes);
  const short = [Math.min(wasteful, longest), FRAME_OCTETS_MIN];
  return [[longest], ...short.map((own) => [own]), ...short.map((own) => [own, longest])];
}

/** Of Ethernet, with FCS, and the longest payload that ports of a scenario take. */
const HEADER_OCTETS = 18;
const MTU_MOST = 9216;

/**
 * A link partner may take the time of 802.3 31B.3.7, which is more than 802.1Q 36.1.3.3 has for
 * PFC, and MAC and PHY of both ends theirs: a longer cable is in their place.
 */
function withSlowPartner(text: string, { device, port, number }: PortPlace): string {
  const respondsPs = Math.max(0, (responsePs(port.speedMbps) ?? 0) - RESPONSE_MOST_PS);
  const slowerPs = respondsPs + (MAC_PHY_OCTETS * 8 * PS_PER_S) / (port.speedMbps * 1e6);
  const metres = slowerPs / 2 / PS_PER_MM / 1000;
  return text
    .split('\n')
    .map((line) => {
      if (!line.includes(`between: ['${device}:p${number}',`)) return line;
      return line.replace(/length: ([\d.]+)m/, (_, own: string) => {
        return `length: ${(Number(own) + metres).toFixed(3)}m`;
      });
    })
    .join('\n');
}

const longestOf = ({ port }: PortPlace): number => Math.min(port.mtu, MTU_MOST) + HEADER_OCTETS;

/** All stations of the fabric send to one that is not behind the port, and get frames from it. */
function loadsAt(
  { ports }: SonicScenario,
  own: SonicSwitch,
  place: PortPlace,
  frames: readonly number[],
): string {
  const { port, peer } = place;
  const stations = ports.filter((place) => /^h\d+$/.test(place.peer));
  const target = stations.findLast((one) => one.peer !== peer)?.peer ?? peer;
  const senders = stations.map((one) => one.peer).filter((name) => name !== target);
  const slowest = Math.min(...stations.map((one) => one.port.speedMbps)) * 1e6;
  const bytes = own.pools.reduce(
    (sum, { type, size }) => (type === 'egress' ? sum : sum + size),
    0,
  );
  const rate = slowest * Math.max(1, senders.length - 1);
  const longestPs = (longestOf(place) * 8 * PS_PER_S) / slowest;
  const fillPs = (bytes * 8 * PS_PER_S) / rate;
  const standsPs = Math.ceil(FILLS * fillPs + FRAMES_LEAST * longestPs);
  const classes = classesOf(place);
  const streams = classes.flatMap((tc) =>
    senders.flatMap((from) =>
      frames.map((frame, i) => {
        const keys = `${keysOf(port, tc)}${i === 0 ? '' : `, rate: ${SELDOM}`}`;
        return streamOf({ from, to: target, frame }, keys);
      }),
    ),
  );
  const lossy = classes.length === 0 ? [] : [lossyClass(port)];
  const answers = lossy.flatMap((tc) =>
    senders.map((to) => streamOf({ from: target, to, frame: longestOf(place) }, keysOf(port, tc))),
  );
  return `\nduration: ${standsPs}ps\nload:\n${[...streams, ...answers].join('\n')}\n`;
}

/** Classes of the groups that the port pauses. */
function classesOf({ port }: PortPlace): number[] {
  return [...new Set(port.pfc.map((priority) => classOf(port, port.groupOfPfc[priority]!)))];
}

function streamOf(
  { from, to, frame }: { readonly from: string; readonly to: string; readonly frame: number },
  keys: string,
): string {
  const stream = `stream: { from: ${from}, to: ${to} }, transport: raw`;
  return `  - { ${stream}, frame: ${frame}, ect: true, ${keys} }`;
}

/** A class that is charged to a group; its own number where none is. */
function classOf({ groupOfClass }: PortPlace['port'], group: number): number {
  const found = groupOfClass.indexOf(group);
  return found < 0 ? group : found;
}

function lossyClass({ groupOfClass, pfc, groupOfPfc }: PortPlace['port']): number {
  const lossless = pfc.map((priority) => groupOfPfc[priority]);
  return Math.max(
    0,
    groupOfClass.findIndex((group) => !lossless.includes(group)),
  );
}

/** How frames come into a class. */
function keysOf({ classOfDscp }: PortPlace['port'], tc: number): string {
  const dscp = classOfDscp?.indexOf(tc) ?? -1;
  return dscp < 0 ? `priority: ${tc}` : `priority: ${tc}, dscp: ${dscp}`;
}

/** Frames of these classes that a run of the scenario has lost. */
function framesLost(text: string, classes: readonly number[]): number {
  try {
    const session = new Session(buildFabric(scenarioOfText('losing.yaml', text)), {
      check: false,
    });
    while (session.advance(100_000) === 'running');
    return session
      .results('complete')
      .priorities.filter(({ priority }) => classes.includes(priority))
      .reduce((sum, { drops }) => sum + Object.values(drops).reduce((a, b) => a + b, 0), 0);
  } catch (error) {
    if (error instanceof ScenarioError) return 0;
    throw error;
  }
}
