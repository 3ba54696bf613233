import type { LivePortSpec } from '../../engine/contract/live.js';
import { readU48 } from '../../engine/wire/big-endian.js';
import type { HostAddress } from '../address.js';
import { readRecording } from '../scenario/read-source.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Fail } from '../topology/cabling.js';
import { hostCount, type Topology } from '../topology/topology.js';
import { unknownName } from '../../settings/errors.js';
import type { Settings } from '../assembly/settings.js';
import { padded } from './frame-facts.js';
import type { LiveHost, LiveInputs, LivePlan } from './live-section.js';
import { readInputs, type RecordedInput } from './recorded-inputs.js';
import { LiveStations } from './stations.js';

interface LiveSite {
  readonly scenario: Scenario;
  readonly topology: Topology;
  readonly settings: readonly Settings[];
  readonly addresses: readonly HostAddress[];
  readonly fail: Fail;
}

/** Null: every host is emulated. */
export function planLive({
  scenario,
  topology,
  settings,
  addresses,
  fail,
}: LiveSite): LivePlan | null {
  const { live, groups } = scenario;
  if (live === null) return null;
  const names = topology.devices.slice(0, hostCount(topology)).map(({ name }) => name);
  const hosts = live.hosts.map((section): LiveHost => {
    const { name } = section;
    const path = ['live', 'hosts', name];
    const position = names.indexOf(name);
    if (position < 0) throw fail(path, unknownName('host', name, names));
    const links = topology.links.filter(({ a, b }) => [a.device, b.device].includes(position));
    if (links.length !== 1)
      throw fail(path, `${name} has ${links.length} links; a live host has one`);
    if (settings[position]!.host.nic !== null) {
      throw fail(path, `${name} has a NIC with registers: a live host has a plain one`);
    }
    return { section, position };
  });
  const isLive = new Set(hosts.map(({ position }) => position));
  const emulated = new Map(
    addresses.flatMap(({ mac }, position) =>
      isLive.has(position) ? [] : [[readU48(mac, 0), position] as const],
    ),
  );
  return { hosts, group: groups.length, emulated };
}

/** By position: what ports of live hosts do, with what a recording has of them. */
export function livePorts(
  plan: LivePlan,
  inputs: LiveInputs | null,
  fail: Fail,
): ReadonlyMap<number, LivePortSpec> {
  const recorded = inputsOf(plan, inputs ?? [], fail);
  const stations = new LiveStations(plan);
  const byHost = new Map<number, LivePortSpec['inputs'][number][]>();
  for (const { position, atPs, octets } of recorded) {
    const entering = stations.enter(position, octets);
    if (typeof entering === 'string') continue;
    const own = byHost.get(position) ?? [];
    own.push({ atPs, octets, frame: entering.frame });
    byHost.set(position, own);
  }
  return new Map(
    plan.hosts.map(({ position, section: { isWire, mostOctets } }) => [
      position,
      { isWire, mostOctets, inputs: byHost.get(position) ?? [] },
    ]),
  );
}

function inputsOf(plan: LivePlan, inputs: LiveInputs, fail: Fail): readonly RecordedInput[] {
  const names = new Map(plan.hosts.map(({ section, position }) => [section.name, position]));
  if (typeof inputs !== 'string') {
    const recorded = inputs.map(({ host, atPs, octets }, index): RecordedInput => {
      const position = names.get(host);
      if (position !== undefined) return { position, atPs, octets: padded(octets) };
      const path = ['live', 'inputs', index, 'host'];
      throw fail(path, unknownName('live host', host, [...names.keys()]));
    });
    return recorded.sort((a, b) => a.atPs - b.atPs);
  }
  try {
    return readInputs(readRecording(inputs), names);
  } catch (error) {
    throw fail(['live', 'inputs'], `${inputs}: ${(error as Error).message}`);
  }
}
