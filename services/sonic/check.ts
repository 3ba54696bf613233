/**
 * Whether a switch is lossless as it is configured, without traffic: of each port and lossless
 * group the headroom against what its link needs, and of the switch what it promises against what
 * it has.
 */

import type { SwitchSpec } from '../engine/contract/spec.js';
import { buildFabric } from '../fabric/assembly/fabric.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { need } from '../fabric/buffers/need.js';
import { PS_PER_MM } from '../fabric/link-length.js';
import { scenarioOfText } from '../fabric/scenario/load-scenario.js';
import { ScenarioError } from '../settings/errors.js';
import { type Cycle, cyclesOf } from './check-cycles.js';
import { linkProblems, mapProblems } from './check-maps.js';
import { portCalled, type SonicPort, type SonicSwitch } from './configuration.js';
import { SonicError } from './file-errors.js';
import type { PortPlace } from './port-place.js';
import type { SonicAsic, SonicScenario } from './scenario.js';
import { scenarioOf } from './scenario.js';

/** 65,535 quanta of 512 bits. */
const LONGEST_PAUSE_BITS = 0xffff * 512;

/** Of one port and lossless group; sizes in octets. */
export interface GroupVerdict {
  readonly switch: string;
  /** As the switch calls it. */
  readonly port: string;
  readonly speedMbps: number;
  readonly cable: string | null;
  readonly group: number;
  readonly profile: string;
  /** Where a group alone sends PFC. */
  readonly xoffOctets: number;
  readonly headroomOctets: number;
  readonly neededOctets: number;
  /** Of cable beyond what there is; negative: so much too long. */
  readonly marginMetres: number;
  /** Groups of a slice that may pause at once; null: each has headroom of its own. */
  readonly groupsAtOnce: number | null;
  readonly isLossless: boolean;
  /** What is wrong, in an operator's words. */
  readonly problems: readonly string[];
}

/** `oversubscribed`: lossless while no more groups pause at once than the shared headroom holds. */
type Losslessness = 'lossless' | 'oversubscribed' | 'not lossless';

export interface SwitchVerdict {
  readonly switch: string;
  readonly verdict: Losslessness;
  readonly groups: readonly GroupVerdict[];
  /** Switches of the fabric whose buffers wait for each other, this one among them; null: none. */
  readonly deadlock: string | null;
  /** Of the switch as a whole. */
  readonly problems: readonly string[];
  /** What is legal, and probably not meant. */
  readonly warnings: readonly string[];
}

export function checkSwitches(
  switches: readonly SonicSwitch[],
  asic: SonicAsic,
  file: string,
): SwitchVerdict[] {
  const scenario = scenarioOf(switches, asic);
  const fabric = fabricOfScenario(scenario, file);
  const cycles = switches.length > 1 ? cyclesOf(fabric) : [];
  return switches.map((own) => verdictOf(own, { asic, scenario, fabric, switches, cycles }));
}

/** The fabric of a scenario that was made here; errors are at the places that it came from. */
export function fabricOfScenario({ text }: SonicScenario, file: string): Fabric {
  try {
    return buildFabric(scenarioOfText(file, text));
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    const lines = text.split('\n');
    const errors = [error, ...error.others].map(({ line, problem }) => {
      const [, from, at, key = ''] = / # (.*):(\d+) (.*)$/.exec(lines[line - 1] ?? '') ?? [];
      return { file: from ?? file, line: Number(at ?? 1), key, message: problem };
    });
    throw new SonicError(errors);
  }
}

interface Context {
  readonly asic: SonicAsic;
  readonly scenario: SonicScenario;
  readonly fabric: Fabric;
  readonly switches: readonly SonicSwitch[];
  readonly cycles: readonly Cycle[];
}

function verdictOf(own: SonicSwitch, context: Context): SwitchVerdict {
  const { scenario, fabric } = context;
  const device = fabric.topology.devices.findIndex(
    ({ name }) => name === scenario.ports.find(({ of }) => of === own.name)?.device,
  );
  const places = scenario.ports.filter(({ of }) => of === own.name);
  const groups = places.flatMap((place) => verdictsAt(own, place, device, context));
  const problems = [...disagreements(own, context), ...unbacked(places)];
  const isSound = problems.length === 0 && groups.every(({ isLossless }) => isLossless);
  const isPromised = isSound && fitsAtOnce(fabric, device);
  return {
    switch: own.name,
    verdict: isPromised ? 'lossless' : isSound ? 'oversubscribed' : 'not lossless',
    groups,
    deadlock: deadlockOf(own, context),
    problems,
    warnings: warningsOf(own, groups, context),
  };
}

/** The shared headroom of each slice holds that of all groups of its ports. */
function fitsAtOnce({ specs, margins }: Fabric, device: number): boolean {
  const { pools } = (specs[device] as SwitchSpec).buffer;
  if (pools === null) return true;
  const promised = new Array<number>(pools.slices).fill(0);
  for (const margin of margins) {
    if (margin.device !== device) continue;
    promised[pools.sliceOf[margin.port]!]! += margin.headroomOctets;
  }
  return promised.every((octets) => octets <= pools.headroomOctets);
}

function verdictsAt(
  own: SonicSwitch,
  { port, number }: PortPlace,
  device: number,
  { fabric }: Context,
): GroupVerdict[] {
  const spec = fabric.specs[device] as SwitchSpec;
  const margins = fabric.margins.filter(
    (margin) => margin.device === device && margin.port === number - 1,
  );
  return margins.map((margin): GroupVerdict => {
    const { group, terms, headroomOctets, xoffOctets } = margin;
    const { octetPs } = fabric.linkEnds[device]![number - 1]!;
    const { cellOctets, pools } = spec.buffer;
    const cells = { cellOctets, frameOctets: pools?.frameOctets ?? 0 };
    const link = { octetPs, rateMbps: port.speedMbps };
    const { waste, neededOctets: needed } = need(terms, cells, link);
    const metrePs = PS_PER_MM * 1000;
    const perMetre = ((2 * metrePs) / octetPs) * waste;
    const shared = spec.buffer.pools?.headroomOctets ?? Infinity;
    const atOnce = shared === Infinity ? null : Math.floor(shared / Math.max(1, headroomOctets));
    const problems: string[] = [];
    if (headroomOctets < needed) {
      problems.push(`headroom of ${headroomOctets} bytes, and the link needs ${needed}`);
    }
    if (atOnce === 0)
      problems.push(`the shared headroom of ${shared} bytes is less than one group's`);
    problems.push(...queueProblems(port, group, spec, number - 1));
    problems.push(...mapProblems(port, group));
    return {
      ...{ switch: own.name, port: port.name, speedMbps: port.speedMbps, cable: port.cable, group },
      profile: port.groups.get(group)?.name ?? '',
      ...{ xoffOctets, headroomOctets, neededOctets: needed, groupsAtOnce: atOnce },
      marginMetres: Math.floor((headroomOctets - needed) / perMetre),
      isLossless: problems.length === 0,
      problems,
    };
  });
}

/** A queue of a lossless priority that discards at its own limit, before ingress pauses. */
function queueProblems(port: SonicPort, group: number, spec: SwitchSpec, p: number): string[] {
  const { pools, sizeOctets } = spec.buffer;
  const queue = pools?.queues[p]?.[group];
  if (pools === null || queue === undefined || queue.pool < 0) return [];
  const pool = pools.pools[queue.pool]!.octets;
  const share = queue.alpha === Infinity ? 1 : queue.alpha / (1 + queue.alpha);
  const most = Math.floor(Math.min(queue.limitOctets, share * pool)) + queue.reservedOctets;
  // What ingress pools share, with all reserves and headroom, may wait for one queue.
  if (most >= sizeOctets) return [];
  const name = port.queues.get(group)?.name ?? '';
  return [`its queue ${group} discards beyond ${most} bytes (${name}), before ingress is full`];
}

/** Priorities that one end of a link pauses, and the other does not. */
function disagreements(own: SonicSwitch, { switches }: Context): string[] {
  return own.ports.flatMap((port) => {
    const peer = switches.find(({ name }) => name === port.neighbor?.name);
    const far = peer && portCalled(peer, port.neighbor!.port);
    if (peer === undefined || far === undefined) return [];
    const name = `${peer.name} ${far.name}`;
    const maps = linkProblems(port, { port: far, name });
    if (far.pfc.join() === port.pfc.join()) return maps;
    const [here, there] = [port.pfc, far.pfc].map((own) => own.join() || 'none');
    return [`${port.name}: pfc_enable is ${here}, at ${name} ${there}`, ...maps];
  });
}

function deadlockOf({ name }: SonicSwitch, { scenario, cycles }: Context): string | null {
  const device = scenario.ports.find(({ of }) => of === name)?.device ?? '';
  const own = cycles.find(({ devices }) => devices.includes(device));
  if (own === undefined) return null;
  return `cyclic buffer dependency of priority ${own.priority}: ${own.devices.join(' -> ')}`;
}

/** Priorities that a port is to pause, and cannot. */
function unbacked(places: readonly PortPlace[]): string[] {
  const linked = places.filter(({ port }) => port.cable === '0m' && port.pfc.length > 0);
  return linked.map(
    ({ port }) => `${port.name}: pfc_enable ${port.pfc.join()} and a cable of 0m: no headroom`,
  );
}

function warningsOf(
  own: SonicSwitch,
  groups: readonly GroupVerdict[],
  { switches }: Context,
): string[] {
  const warnings = [
    ...impatient(own),
    ...earlyDrops(own, groups),
    ...unknownNeighbors(own, switches),
  ];
  const marks = own.wreds.flatMap(({ port, queue, wred }) => {
    const curve = wred.marked.includes('green') ? wred.curves.get('green') : undefined;
    return curve === undefined ? [] : [{ port, queue, octets: curve.minOctets }];
  });
  const xoffs = new Map(groups.map((one) => [`${one.port}|${one.group}`, one.xoffOctets]));
  const above = marks.filter(
    ({ port, queue, octets }) => octets > (xoffs.get(`${port}|${queue}`) ?? Infinity),
  );
  if (above.length > 0) {
    const { port, queue, octets } = above[0]!;
    warnings.push(
      `ECN marks from ${octets} bytes, above XOFF: ${port} queue ${queue}` +
        `${above.length > 1 ? ` and ${above.length - 1} more` : ''}; PFC comes first`,
    );
  }
  return warnings;
}

/** Watchdogs that take a pause for a storm which one PFC frame may ask for (802.3 31B.2). */
function impatient({ watchdogs, ports }: SonicSwitch): string[] {
  const speeds = new Map(ports.map(({ name, speedMbps }) => [name, speedMbps]));
  const quick = watchdogs.flatMap(({ port, detectionMs }) => {
    const pauseMs = (LONGEST_PAUSE_BITS / (speeds.get(port) ?? Infinity)) * 1e-3;
    return pauseMs > detectionMs ? [{ port, detectionMs, pauseMs }] : [];
  });
  const [first] = quick;
  if (first === undefined) return [];
  return [
    `the watchdog of ${first.port}${andMore(quick)} acts after ${first.detectionMs} ms, and one ` +
      `PFC frame may pause for ${Math.round(first.pauseMs)} ms`,
  ];
}

/** Queues of lossless groups whose WRED drops what it cannot mark. */
function earlyDrops({ wreds }: SonicSwitch, groups: readonly GroupVerdict[]): string[] {
  const lossless = new Set(groups.map(({ port, group }) => `${port}|${group}`));
  const early = wreds.flatMap(({ port, queue, wred }) => {
    const curve = wred.curves.get('green');
    return curve?.drops === true && lossless.has(`${port}|${queue}`)
      ? [{ port, queue, name: wred.name, minOctets: curve.minOctets }]
      : [];
  });
  const [first] = early;
  if (first === undefined) return [];
  const { port, queue, name, minOctets } = first;
  return [
    `${name} drops frames of ${port} queue ${queue}${andMore(early)} beyond ${minOctets} bytes ` +
      'that are not ECN capable',
  ];
}

/** Link partners that are checked no further than this switch. */
function unknownNeighbors({ ports }: SonicSwitch, switches: readonly SonicSwitch[]): string[] {
  const known = switches.map(({ name }) => name);
  const missing = ports.flatMap(({ neighbor }) =>
    neighbor === null || known.includes(neighbor.name) ? [] : [neighbor.name],
  );
  const names = [...new Set(missing)];
  if (names.length === 0 || switches.length === 1) return [];
  return [`not in the files, and not checked: ${names.join(', ')}`];
}

const andMore = (all: readonly unknown[]): string =>
  all.length > 1 ? ` and ${all.length - 1} more` : '';
