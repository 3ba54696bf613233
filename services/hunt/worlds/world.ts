import { buildFabric } from '../../fabric/assembly/fabric.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { ScenarioError } from '../../settings/errors.js';
import { scenarioOfDocument } from '../../fabric/scenario/load-scenario.js';
import type { Flow } from '../../fabric/load/flow.js';
import { RAW_OVERHEAD_BYTES } from '../../fabric/load/flow.js';
import { buildTopology } from '../../fabric/topology/build-topology.js';
import { portName } from '../../fabric/topology/topology.js';
import type { Document } from '../document.js';
import { notAssembled } from '../trial.js';
import { Sampler } from './sampler.js';
import type { Draft } from './drafter.js';
import { Drafter, keepPromises } from './drafter.js';
import { sampleFabric } from './sampled-fabric.js';
import { addIslands } from './islands.js';
import { negotiate } from './negotiated.js';
import { plugIn } from './outside.js';
import type { Place } from './samples.js';
import { liveHosts } from './live-hosts.js';
import { addPools } from './pools.js';
import { LATER_KEYS, samplesOf } from './samples.js';
import { Drawer } from './schema-values.js';
import { strayMessages } from './strays.js';

/** A small scenario in which any features may be combined. */
interface World {
  readonly document: Document;
  readonly fabric: Fabric | Broken;
}

/** A scenario that ends its own assembly, and not by an error about what is written in it. */
interface Broken {
  readonly broken: string;
}

export function isBroken(fabric: Fabric | Broken): fabric is Broken {
  return 'broken' in fabric;
}

type Key = string | number;

const FRAME_BITS = 12_304;
const FRAMES_OF_A_SPAN = 60;
const LEAST_SPAN_PS = 8e6;
/** More would only take longer. */
const MOST_DEVICES = 24;
const MOST_FLOWS = 40;
const MOST_FRAMES = 1500;

/** Room for more frames than a small world has in flight: a dozen engines are created for each. */
const FRAMES_AT_ONCE = 1 << 14;

/** A fabric with this warning would lose frames by design, and end as soon as it does. */
const WILL_LOSE = 'cannot be lossless';

/** Of worlds: they end when their loads do. One whose load never ends is replaced by another. */
const OPEN_END = 0.12;

/** A draft that needs more repairs is replaced by another. */
const MOST_REPAIRS = 60;
/** World `number` of a seed: always the same, as long as the schema is the same. */
export function makeWorld(seed: number, number: number): World {
  for (let attempt = 0; ; attempt++) {
    const draft = draftOf(seed, number, attempt);
    const fabric = draft === null ? null : repaired(draft);
    if (draft !== null && fabric !== null) return { document: draft, fabric };
  }
}

/** Null where links and generator make no valid fabric. */
function draftOf(seed: number, number: number, attempt: number): Draft | null {
  try {
    return draftWorld(seed, number, attempt);
  } catch (error) {
    if (error instanceof ScenarioError) return null;
    throw error;
  }
}

/** Removes what the checks of scenarios refuse, one error after the other. */
function repaired(draft: Draft): Fabric | Broken | null {
  for (let repairs = 0; repairs < MOST_REPAIRS; repairs++) {
    try {
      const fabric = buildFabric(scenarioOfDocument('world.yaml', structuredClone(draft)));
      const warning = fabric.warnings.find(({ message }) => message.includes(WILL_LOSE));
      if (warning === undefined)
        return isSmall(fabric) ? { ...fabric, frames: FRAMES_AT_ONCE } : null;
      if (!takeOut(draft, warning.path)) return null;
    } catch (error) {
      if (!(error instanceof ScenarioError)) return { broken: notAssembled(error) };
      if (!takeOut(draft, error.path)) return null;
    }
  }
  return null;
}

function isSmall({ specs, flows, scenario }: Fabric): boolean {
  if (specs.length > MOST_DEVICES || flows.length === 0 || flows.length > MOST_FLOWS) return false;
  const frames = flows.reduce((sum, flow) => {
    const { octetPs } = specs[flow.source]!.ports[0]!;
    return sum + framesOf(flow, octetPs, scenario.durationPs ?? Infinity);
  }, 0);
  return frames <= MOST_FRAMES;
}

/** Load of a flow; one without an end as much as its link carries. */
function framesOf(flow: Flow, octetPs: number, durationPs: number): number {
  const { transport, messages, messageBytes, startPs, endPs } = flow;
  const packet =
    transport.kind === 'raw' ? transport.frameBytes - RAW_OVERHEAD_BYTES : transport.mtuBytes;
  const frames = messages * Math.ceil(messageBytes / packet);
  const lastsPs = Math.max(0, Math.min(endPs, durationPs) - startPs);
  return Math.min(frames, lastsPs / (packet * octetPs));
}

/** The value at a path, or as near to it as there is any. */
function takeOut(draft: Draft, written: readonly Key[]): boolean {
  const path = whereWritten(draft, written);
  let parent: unknown = draft;
  let last: { readonly of: Record<Key, unknown> | unknown[]; readonly key: Key } | null = null;
  for (const key of path) {
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) break;
    last = { of: parent as Record<Key, unknown>, key };
    parent = (parent as Record<Key, unknown>)[key];
  }
  if (last === null || path[0] === 'fabric') return false;
  if (Array.isArray(last.of)) last.of.splice(Number(last.key), 1);
  else Reflect.deleteProperty(last.of, last.key);
  return true;
}

/** Errors about NICs in `hosts` are reported at each host. */
function whereWritten(draft: Draft, path: readonly Key[]): readonly Key[] {
  const [section, device, key, ...rest] = path;
  if (section !== 'devices' || key !== 'nic') return path;
  const own = (draft['devices'] as Record<Key, Draft> | undefined)?.[device!];
  return own?.['nic'] === undefined ? ['hosts', 'nic', ...rest] : path;
}

/** All sections of a scenario, before it is checked. */
export function draftWorld(seed: number, number: number, attempt: number): Draft {
  const sampler = new Sampler(seed, `world ${number} ${attempt}`);
  const model = sampler.below(12);
  const isSlotted = model === 0;
  const isSlow = isSlotted || model === 1;
  // Each has a stream of its own, so that one more leaves the rest of a world as it was.
  const stream = (name: string): Sampler => new Sampler(seed, `world ${number} ${attempt} ${name}`);
  const { fabric, bps: sampledBps } = sampleFabric(sampler, isSlow, isSlotted);
  const isMixed = !isSlow && slowHosts(fabric, stream('rates'));
  const bps = isMixed ? 1e9 : sampledBps;
  const spanPs = Math.max(LEAST_SPAN_PS, (FRAMES_OF_A_SPAN * FRAME_BITS * 1e12) / bps);
  const place = placeOf(fabric, sampler, spanPs);
  const later = new Sampler(seed, `world ${number} ${attempt} later`);
  const samples = samplesOf(place);
  const drawer = new Drawer(sampler, samples, {
    keys: LATER_KEYS,
    drawer: new Drawer(later, samples, null),
  });
  const draft = new Drafter(drawer, place, isSlow, isSlotted).draft(fabric);
  if (isMixed) draft['pause'] ??= true;
  if (!isSlow) negotiate(draft, stream('negotiation'), place);
  if (!isSlow) strayMessages(draft, stream('strays'), place);
  if (!isSlotted) addPools(draft, stream('pools'), place.switches);
  plugIn(draft, stream('plugins'));
  liveHosts(draft, stream('live'), place);
  addIslands(draft, new Drawer(stream('islands'), samples, null), place, isSlow);
  keepPromises(draft, spanPs);
  // Until LLDP has settled, a run that ends by itself may last for seconds.
  const isSoonQuiet = draft['discovery'] === undefined;
  if (stream('end').chance(OPEN_END) && isSoonQuiet) delete draft['duration'];
  return draft;
}

/** Hosts at 1 Gb/s, which have PAUSE beside what priorities have at the links between switches. */
function slowHosts(fabric: Draft, sampler: Sampler): boolean {
  const written = JSON.stringify(fabric);
  // Codes are defined for faster links, and ratios for those that were sampled.
  const isPlain = written.includes('"hostLink"') && !/"(fec|oversubscription)"/.test(written);
  if (!sampler.chance(0.1) || !isPlain) return false;
  Object.assign(fabric['hostLink'] as Draft, { rate: '1G' });
  Object.assign(fabric['fabricLink'] as Draft, { rate: '10G' });
  return true;
}

function placeOf(fabric: Draft, sampler: Sampler, spanPs: number): Place {
  const loaded = scenarioOfDocument('world.yaml', { selvage: 1, fabric });
  const topology = buildTopology(loaded.scenario.fabric, (at, message) =>
    loaded.errorAt(at, message),
  );
  const { devices, links } = topology;
  const names = (kind: string): string[] =>
    devices.filter((device) => device.kind === kind).map(({ name }) => name);
  return {
    hosts: names('host'),
    switches: names('switch'),
    tiers: [...new Set(devices.map(({ tier }) => tier))],
    ports: links.flatMap(({ a, b }) => [portName(topology, a), portName(topology, b)]),
    links: links.map(({ a, b }) => [devices[a.device]!.name, devices[b.device]!.name]),
    spanPs,
    priorities: sampler.some([0, 1, 2, 3, 4, 5, 6, 7], 1, 4),
    vlans: sampler.some([1, 2, 7, 10, 100, 4094], 3, 6),
  };
}
