import type { CaptureSpec } from '../../engine/analysis/capture/capture-filter.js';
import type { SamplingSpec } from '../../engine/analysis/trace/frame-sampler.js';
import type { DeviceSpec } from '../../engine/device/engine.js';
import type { PluginSource } from '../../plugins/source.js';
import type { SeriesInterval } from '../assembly/series-interval.js';
import { seriesIntervalOf } from '../assembly/series-interval.js';
import type { Fabric } from '../assembly/fabric.js';
import { capturesOf, samplingOf } from '../assembly/observer-plan.js';
import type { Cluster } from '../assembly/clusters.js';
import { clustersOf } from '../assembly/clusters.js';
import type { LinkEnd } from '../assembly/link-ends.js';
import { hopsOf, linkLookaheadPs } from '../assembly/lookahead.js';
import { matchesGlob } from '../scenario/selector.js';
import type { Placement } from './placement.js';

/** A port of a part, by the index of its device in the part. */
export interface PlacedPort {
  readonly place: number;
  readonly port: number;
}

/**
 * The input of a service: plain data, enough to build its part of the fabric and nothing else.
 * Devices are indexed: first its own, then proxy devices for link partners elsewhere.
 */
export interface PartitionPlan {
  /** Its number among all partitions. */
  readonly service: number;
  /** Of its own devices: position in the fabric. */
  readonly devices: readonly number[];
  readonly specs: readonly DeviceSpec[];
  readonly proxyDevices: readonly DeviceSpec[];
  readonly plugins: readonly PluginSource[];
  readonly links: readonly (readonly [PlacedPort, PlacedPort])[];
  /** As in a fabric. */
  readonly frames?: number;
  /** Its own devices, by how far they may be executed together. */
  readonly cluster: Cluster;
  readonly channels: readonly ChannelPlan[];
  readonly series: SeriesPlan | null;
  /** Record episodes, and traces of sampled frames. */
  readonly episodes: boolean;
  readonly traces: SamplingSpec | null;
  /** What is captured at its own ports; null: nothing. */
  readonly captures: CaptureSpec | null;
  /** Record events of frames and priorities. */
  readonly events: boolean | 'steps';
  /** A fingerprint of what each port transmitted. */
  readonly wire: boolean;
  /** The wait-for graph at the end, for a check. */
  readonly jams: boolean;
}

/** To and from another partition or service: one index per link, the same at both ends. */
export interface ChannelPlan {
  /** The number of the partition, or of the service where `inside` is false. */
  readonly peer: number;
  /** The partition is of the same service. */
  readonly inside: boolean;
  /** From an event here to its first effect there, and the other way. */
  readonly lookaheadOutPs: number;
  readonly lookaheadInPs: number;
  /**
   * By link: the lookahead from here, where it counts from the end of the frame that its port is
   * sending; null where something may overtake that frame, as link-state updates do.
   */
  readonly linksOutPs: readonly number[] | null;
  /**
   * By link: the proxy device's port that collects what leaves, and the own port of what arrives.
   */
  readonly outPorts: readonly PlacedPort[];
  readonly inPorts: readonly PlacedPort[];
}

interface SeriesPlan {
  readonly interval: SeriesInterval;
  readonly ports: readonly (PlacedPort & { readonly name: string })[];
}

/** Cuts an assembled fabric along a placement; `jams`: see there. */
export function planPartitions(
  fabric: Fabric,
  placement: Placement,
  jams = false,
): PartitionPlan[] {
  const serviceOf = new Int32Array(fabric.specs.length);
  placement.forEach(({ devices }, service) => {
    for (const device of devices) serviceOf[device] = service;
  });
  return placement.map(({ devices }, service) => ({
    ...planPartition(fabric, serviceOf, service, devices),
    jams,
  }));
}

function planPartition(
  fabric: Fabric,
  serviceOf: Int32Array,
  service: number,
  devices: readonly number[],
): Omit<PartitionPlan, 'jams'> {
  const { specs, linkEnds, scenario, topology } = fabric;
  const neighbors = neighborsOf(linkEnds, serviceOf, service, devices);
  const placeOf = new Map([...devices, ...neighbors].map((device, place) => [device, place]));
  const here = ({ device, port }: LinkEnd): PlacedPort => ({ place: placeOf.get(device)!, port });
  const there = ({ peerDevice, peerPort }: LinkEnd): PlacedPort => ({
    place: placeOf.get(peerDevice)!,
    port: peerPort,
  });
  const ends = devices.flatMap((device) => linkEnds[device]!);
  const isInside = (end: LinkEnd): boolean => serviceOf[end.peerDevice] === service;
  const hops = hopsOf(specs, ends.filter(isInside)).map(({ from, to, lookaheadPs }) => {
    return { from: placeOf.get(from)!, to: placeOf.get(to)!, lookaheadPs };
  });
  const pairs = (topology.pairs ?? [])
    .filter(([first]) => serviceOf[first] === service)
    .map(([first, second]) => [placeOf.get(first)!, placeOf.get(second)!] as const);
  return {
    service,
    devices,
    specs: devices.map((device) => specs[device]!),
    proxyDevices: neighbors.map((device) => proxyDeviceFor(specs[device]!)),
    plugins: scenario.plugins,
    links: ends
      .filter((end) => !isInside(end) || isFirst(end))
      .map((end) => [here(end), there(end)]),
    ...(fabric.frames !== undefined && { frames: fabric.frames }),
    cluster: clustersOf(devices.length, hops, pairs),
    channels: channelsOf(fabric, { serviceOf, service, ends, here, there }),
    series: seriesPlan(fabric, ends, here),
    episodes: scenario.observe.episodes,
    traces: samplingOf(fabric),
    captures: capturesOf(fabric, devices),
    events: scenario.observe.events,
    wire: scenario.observe.wire,
  };
}

/** The ports among these ends that a scenario wants to have sampled. */
function seriesPlan(
  fabric: Fabric,
  ends: readonly LinkEnd[],
  here: (end: LinkEnd) => PlacedPort,
): SeriesPlan | null {
  const interval = seriesIntervalOf(fabric);
  if (interval === null) return null;
  const { ports } = fabric.scenario.observe;
  const isWanted = ({ name }: LinkEnd): boolean =>
    ports.length === 0 || ports.some((glob) => matchesGlob(glob, name));
  const wanted = ends.filter(isWanted).map((end) => ({ ...here(end), name: end.name }));
  return { interval, ports: wanted };
}

/** Of a link's two ends, the one that represents it. */
function isFirst({ device, port, peerDevice, peerPort }: LinkEnd): boolean {
  return device < peerDevice || (device === peerDevice && port < peerPort);
}

function neighborsOf(
  linkEnds: readonly (readonly LinkEnd[])[],
  serviceOf: Int32Array,
  service: number,
  devices: readonly number[],
): number[] {
  const peers = devices.flatMap((device) => linkEnds[device]!.map((end) => end.peerDevice));
  const outside = new Set(peers.filter((peer) => serviceOf[peer] !== service));
  return [...outside].sort((a, b) => a - b);
}

/** Of a service, by the places that its devices and their link partners have in it. */
interface PlacedEnds {
  readonly serviceOf: Int32Array;
  readonly service: number;
  /** Of its devices. */
  readonly ends: readonly LinkEnd[];
  readonly here: (end: LinkEnd) => PlacedPort;
  readonly there: (end: LinkEnd) => PlacedPort;
}

function channelsOf(
  { specs, linkEnds }: Fabric,
  { serviceOf, service, ends, here, there }: PlacedEnds,
): ChannelPlan[] {
  const byPeer = new Map<number, LinkEnd[]>();
  for (const end of ends) {
    const peer = serviceOf[end.peerDevice]!;
    if (peer !== service) byPeer.set(peer, [...(byPeer.get(peer) ?? []), end]);
  }
  const peers = [...byPeer.keys()].sort((a, b) => a - b);
  return peers.map((peer) => {
    const links = byPeer.get(peer)!.sort(linkOrder(service < peer));
    const back = links.map((end) => linkEnds[end.peerDevice]![end.peerPort]!);
    const linksOutPs = links.map((end) => linkLookaheadPs(specs, end));
    return {
      peer,
      inside: true,
      lookaheadOutPs: Math.min(...linksOutPs),
      linksOutPs: links.some(({ device }) => sendsOffTheWire(specs[device]!)) ? null : linksOutPs,
      lookaheadInPs: Math.min(...back.map((end) => linkLookaheadPs(specs, end))),
      outPorts: links.map(there),
      inPorts: links.map(here),
    };
  });
}

function sendsOffTheWire(spec: DeviceSpec): boolean {
  return spec.kind === 'switch' && spec.failover !== null;
}

/** Both ends sort their common links by the end in the service of lower number. */
function linkOrder(lower: boolean): (a: LinkEnd, b: LinkEnd) => number {
  const key = (end: LinkEnd): [number, number] =>
    lower ? [end.device, end.port] : [end.peerDevice, end.peerPort];
  return (a, b) => {
    const [deviceA, portA] = key(a);
    const [deviceB, portB] = key(b);
    return deviceA - deviceB || portA - portB;
  };
}

/** A device that only receives: it needs its ports, and no behaviour. */
function proxyDeviceFor(spec: DeviceSpec): DeviceSpec {
  const ports = spec.ports.map((port) => ({ ...port, discovery: null }));
  if (spec.kind === 'host') return { ...spec, ports, sends: [], receives: [], operations: null };
  const routes = { setOfHost: new Int16Array(0), sets: [], groupPorts: [], toBridges: [] };
  return { ...spec, ports, forwarding: { kind: 'routed', routes, balancing: null } };
}
