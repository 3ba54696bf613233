/** Results of LLDP and DCBX at every port: plain data, from the state of their machines. */

import type { DiscoveryAdmin } from '../../engine/contract/discovery.js';
import type { GrantAgreement } from '../../engine/contract/grant-negotiation.js';
import { MISMATCH_NAMES } from '../../engine/discovery/dcbx/dcbx-managed.js';
import type { DiscoveryMechanism } from '../../engine/discovery/discovery-mechanism.js';
import type { LldpStatistics } from '../../engine/discovery/lldp/lldp-managed.js';
import type { Neighbor } from '../../engine/discovery/lldp/receive-machine.js';
import type { PortDiscovery } from '../../engine/discovery/port-discovery.js';
import { type MachineStates, machineStates } from './discovery-machines.js';
import {
  blockedLinks,
  type BlockedLink,
  nameOf,
  type PathResult,
  pathResults,
} from './path-methods.js';
import { CHASSIS_MAC, PORT_MAC, showIdentifier } from '../../engine/wire/lldp/basic-tlvs.js';
import type { Application, Ets } from '../../engine/wire/lldp/dcbx-ieee.js';
import { isSameTable, TSA_ETS, TSA_STRICT } from '../../engine/wire/lldp/dcbx-ieee.js';
import { epochsOf } from '../../fabric/assembly/discovery-plan.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Methods } from '../../fabric/assembly/link-methods.js';
import type { FlowControl } from '../../fabric/scenario/scenario.js';

export interface DiscoveryResults {
  /** One entry for the beginning, and one for each time of a change. */
  readonly convergence: readonly Convergence[];
  readonly lldpdus: number;
  readonly ports: readonly DiscoveryPortResult[];
  /** Of flows, one of the shortest each. */
  readonly paths: readonly PathSummary[];
  /** Links of flows on which nothing is sent, for want of an agreement. */
  readonly blocked: readonly BlockedLink[];
}

/** A path with its methods; `selvage paths` shows its links. */
type PathSummary = Omit<PathResult, 'hops'>;

interface Convergence {
  readonly fromPs: number;
  /** From then until the last port settled; null where none did. */
  readonly durationPs: number | null;
}

export interface DiscoveryPortResult {
  readonly port: string;
  readonly device: string;
  /** By change, as in `convergence`; null where this port was not involved. */
  readonly convergencePs: readonly (number | null)[];
  readonly statistics: LldpStatistics;
  readonly tooManyNeighbors: boolean;
  readonly neighbors: readonly NeighborResult[];
  readonly machines: MachineStates;
  readonly dcbx: 'none' | 'ieee' | 'cee';
  readonly local: DcbxResult;
  /** Null without exactly one neighbor that sends DCBX. */
  readonly remote: DcbxResult | null;
  readonly operational: DcbxResult;
  /** The table in the registers of a NIC where it differs from the operational one; else null. */
  readonly hardware: EtsResult | null;
  readonly etsFrom: 'local' | 'peer';
  readonly pfcFrom: 'local' | 'peer';
  readonly credit: GrantAgreement;
  /** By priority: the flow control under which frames start, or `blocked`. */
  readonly methods: readonly FlowControl[];
  readonly level: number;
  readonly mismatches: readonly string[];
  /** By priority: frames received while only one end had PFC for it. */
  readonly exposedFrames: readonly number[];
  /** By priority: when that first was so, and when it last ceased to be; null: never. */
  readonly exposedPs: readonly {
    readonly fromPs: number | null;
    readonly untilPs: number | null;
  }[];
}

interface NeighborResult {
  readonly chassisId: string;
  readonly portId: string;
  readonly systemName: string | null;
  readonly systemDescription: string | null;
  readonly portDescription: string | null;
  readonly ttlSeconds: number;
  readonly capabilities: readonly string[];
  readonly unrecognizedTlvs: readonly string[];
}

export interface DcbxResult {
  readonly ets: EtsResult | null;
  readonly pfc: PfcResult | null;
  readonly applications: readonly Application[];
}

export interface EtsResult {
  readonly willing: boolean;
  readonly classOf: readonly number[];
  /** By class: percent, or the name of its algorithm. */
  readonly shares: readonly (number | string)[];
}

export interface PfcResult {
  readonly willing: boolean;
  readonly capability: number;
  readonly priorities: readonly number[];
}

/** Null where discovery does not run. `numberOf` returns a port's number at the mechanism. */
export function discoveryResults(
  fabric: Fabric,
  mechanism: DiscoveryMechanism,
  numberOf: (device: number, port: number) => number,
): DiscoveryResults | null {
  const { discovery } = fabric.scenario;
  if (!discovery.enabled) return null;
  const times = epochsOf(discovery);
  const ports = fabric.linkEnds.flatMap((ends, device) =>
    ends.map(({ port, name }) => {
      const number = numberOf(device, port);
      const deviceName = fabric.topology.devices[device]!.name;
      const place = { name, device: deviceName, built: fabric.methods[device]![port]! };
      return portResult(place, mechanism, number, times);
    }),
  );
  return {
    convergence: times.map((fromPs, i) => {
      const settled = ports.flatMap(({ convergencePs }) => convergencePs[i] ?? []);
      return { fromPs, durationPs: settled.length === 0 ? null : Math.max(...settled) };
    }),
    lldpdus: ports.reduce((sum, { statistics }) => sum + statistics.statsFramesOutTotal, 0),
    ports,
    paths: flowPaths(fabric, mechanism, numberOf),
    blocked: blockedLinks({ fabric, mechanism, numberOf }),
  };
}

/** By source, destination and priority of flows, each once. */
function flowPaths(
  fabric: Fabric,
  mechanism: DiscoveryMechanism,
  numberOf: (device: number, port: number) => number,
): PathSummary[] {
  const seen = new Set<string>();
  return fabric.flows.flatMap(({ source, destination, group, priority }) => {
    const key = `${source} ${destination} ${priority}`;
    if (group || seen.has(key)) return [];
    seen.add(key);
    const paths = pathResults({ fabric, mechanism, numberOf }, source, destination, [priority]);
    return paths.map(({ hops: _, ...summary }) => summary);
  });
}

interface PortPlace {
  readonly name: string;
  readonly device: string;
  /** By priority: what its link is built for. */
  readonly built: Methods;
}

function portResult(
  { name: port, device, built }: PortPlace,
  mechanism: DiscoveryMechanism,
  number: number,
  times: readonly number[],
): DiscoveryPortResult {
  const spec = mechanism.specs[number]!;
  const state = mechanism.ports[number]!;
  const { neighbors, tooManyNeighborsTimer } = state.agents[0]!.rx;
  const { operation, agreement, level } = state;
  const { admin } = spec.stages[state.stage]!;
  const [peer] = neighbors.length === 1 ? neighbors : [];
  return {
    port,
    device,
    convergencePs: times.map((fromPs, epoch) => {
      const atPs = state.settledPs[epoch]!;
      return atPs < 0 ? null : atPs - fromPs;
    }),
    statistics: statisticsOf(state),
    tooManyNeighbors: tooManyNeighborsTimer > 0,
    neighbors: neighbors.map(neighborResult),
    machines: machineStates(admin, state),
    dcbx: operation.protocol,
    local: localResult(admin),
    remote: peer === undefined ? null : remoteResult(peer),
    operational: operationalResult(admin, state),
    hardware: hardwareResult(operation.ets, mechanism.tableInHardware(number)),
    etsFrom: operation.etsFrom,
    pfcFrom: operation.pfcFrom,
    credit: agreement,
    methods: state.starts.map((rule, priority) => nameOf(rule, built[priority]!)),
    level,
    mismatches: MISMATCH_NAMES.filter(([bit]) => (operation.mismatches & bit) !== 0).map(
      ([, name]) => name,
    ),
    exposedFrames: mechanism.exposedFrames(number),
    exposedPs: exposuresOf(state),
  };
}

/** While it lasts there is no end. */
function exposuresOf({ exposure }: PortDiscovery): DiscoveryPortResult['exposedPs'] {
  return exposure.fromPs.map((atPs, priority) => {
    const lasts = (exposure.priorities & (1 << priority)) !== 0;
    return { fromPs: whenOf(atPs), untilPs: lasts ? null : whenOf(exposure.untilPs[priority]!) };
  });
}

const whenOf = (atPs: number): number | null => (atPs < 0 ? null : atPs);

function statisticsOf({ agents }: PortDiscovery): LldpStatistics {
  const sum = { ...agents[0]!.stats };
  for (const { stats } of agents.slice(1)) {
    for (const name of Object.keys(sum) as (keyof LldpStatistics)[]) sum[name] += stats[name];
  }
  return sum;
}

const CAPABILITIES: readonly (readonly [number, string])[] = [
  [1 << 2, 'bridge'],
  [1 << 4, 'router'],
  [1 << 7, 'station'],
];

function neighborResult({ chassisId, portId, remote, ttl }: Neighbor): NeighborResult {
  const enabled = remote.capabilities?.enabled ?? 0;
  return {
    chassisId: showIdentifier(chassisId, CHASSIS_MAC),
    portId: showIdentifier(portId, PORT_MAC),
    systemName: remote.systemName,
    systemDescription: remote.systemDescription,
    portDescription: remote.portDescription,
    ttlSeconds: ttl,
    capabilities: CAPABILITIES.filter(([bit]) => (enabled & bit) !== 0).map(([, name]) => name),
    unrecognizedTlvs: remote.unrecognized.map(
      ({ type, value }) =>
        `${type}:${Array.from(value, (octet) => octet.toString(16).padStart(2, '0')).join('')}`,
    ),
  };
}

function localResult({ dcbx }: DiscoveryAdmin): DcbxResult {
  const { ets, pfc, applications } = dcbx;
  return {
    ets: etsResult(ets),
    pfc: pfcResult(pfc.willing, pfc.capability, pfc.enabled),
    applications,
  };
}

function remoteResult({ remote }: Neighbor): DcbxResult | null {
  const { etsConfiguration, pfc, applications, cee } = remote;
  if (cee !== null && etsConfiguration === null && pfc === null) return ceeResult(cee);
  if (etsConfiguration === null && pfc === null && applications === null) return null;
  return {
    ets: etsConfiguration && etsResult(etsConfiguration),
    pfc: pfc && pfcResult(pfc.willing, pfc.capability, pfc.enabled),
    applications: applications?.entries ?? [],
  };
}

function ceeResult({ groups, pfc }: NonNullable<Neighbor['remote']['cee']>): DcbxResult {
  return {
    ets: groups && {
      willing: groups.willing,
      classOf: groups.groupOf,
      shares: groups.shares.map((share, group) =>
        groups.groupOf.includes(group) ? share : 'strict',
      ),
    },
    pfc: pfc && pfcResult(pfc.willing, pfc.classes, pfc.enabled),
    applications: [],
  };
}

function operationalResult({ dcbx }: DiscoveryAdmin, { operation }: PortDiscovery): DcbxResult {
  const { willing, capability } = dcbx.pfc;
  return {
    ets: etsResult(operation.ets),
    pfc: pfcResult(willing, capability, operation.pfc),
    applications: operation.applications,
  };
}

function hardwareResult(
  ets: Ets,
  table: ReturnType<DiscoveryMechanism['tableInHardware']>,
): EtsResult | null {
  return table === null || isSameTable(table, ets) ? null : etsResult({ ...ets, ...table });
}

function etsResult({ willing, classOf, shares, algorithms }: Ets): EtsResult {
  const named = (algorithm: number): string => (algorithm === TSA_STRICT ? 'strict' : 'vendor');
  return {
    willing,
    classOf,
    shares: shares.map((share, tc) =>
      algorithms[tc] === TSA_ETS ? share : named(algorithms[tc]!),
    ),
  };
}

function pfcResult(willing: boolean, capability: number, enabled: number): PfcResult {
  const priorities = [0, 1, 2, 3, 4, 5, 6, 7].filter((p) => (enabled & (1 << p)) !== 0);
  return { willing, capability, priorities };
}
