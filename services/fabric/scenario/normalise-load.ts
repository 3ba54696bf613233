/** `groups` and `load` of the file -> loads, with every default in place. */

import { BASIC_FRAME_OCTETS_MAX } from '../../engine/units/ethernet.js';
import { RELIABLE_OVERHEAD_BYTES } from '../load/flow.js';
import { TRANSPORTS } from '../../mechanisms/registry.js';
import type { TransportSlice } from '../../mechanisms/transport-slice.js';
import { type ConnectionSettings, maxTimeoutOf } from '../../mechanisms/transport-settings.js';
import { reactsToMarks } from '../../plugins/plugins.js';
import type { PluginSource } from '../../plugins/source.js';
import type { Located } from './located.js';
import { jobSection } from './normalise-job.js';
import { hostSelector } from './selector.js';
import type {
  GroupSection,
  HostSelector,
  LoadCommon,
  LoadSection,
  RateSection,
  ReliableSection,
  SizeDistribution,
} from './scenario.js';
import type { LoadInput, SelectorsInput } from './schema-load.js';
import type { ScenarioInput } from './schema.js';
import type { Path } from '../../settings/source-tree.js';

type StreamInput = Extract<LoadInput, { stream: unknown }>;
type Kind = LoadSection['kind'];

const FULL_SHARE: RateSection = { kind: 'share', share: 1 };

/** Named selections of devices: multicast groups, or services. */
export function groupSections(
  input: ScenarioInput['groups'],
  section: 'groups' | 'placement',
  located: Located,
): readonly GroupSection[] {
  return Object.entries(input).map(([name, members]) => ({
    name,
    members: hostSelector(members, [section, name], located),
  }));
}

export function loadSections(
  input: ScenarioInput['load'],
  groups: readonly GroupSection[],
  plugins: readonly PluginSource[],
  located: Located,
): readonly LoadSection[] {
  const names = new Set<string>();
  return input.map((load, index) => {
    const section = loadSection(load, index, groups, plugins, located);
    if (names.has(section.name)) {
      throw located.errorAt(['load', index, 'name'], `the same name twice: ${section.name}`);
    }
    names.add(section.name);
    return section;
  });
}

function loadSection(
  input: LoadInput,
  index: number,
  groups: readonly GroupSection[],
  plugins: readonly PluginSource[],
  located: Located,
): LoadSection {
  const path = ['load', index];
  const common = (kind: Kind): LoadCommon => loadCommon(input, kind, index, plugins, located);
  const select = (hosts: SelectorsInput, ...keys: string[]): HostSelector =>
    hostSelector(hosts, [...path, ...keys], located);
  if ('stream' in input) return streamSection(input, common('stream'), index, groups, located);
  if ('incast' in input) {
    const { from, to } = input.incast;
    const senders = select(from, 'incast', 'from');
    return { ...common('incast'), kind: 'incast', from: senders, to, bytes: input.bytes };
  }
  if ('permutation' in input) {
    const { hosts, shift = null } = input.permutation;
    return {
      ...common('permutation'),
      kind: 'permutation',
      hosts: select(hosts, 'permutation', 'hosts'),
      shift,
      rate: input.rate,
      bytes: input.bytes ?? null,
    };
  }
  if ('all-to-all' in input) {
    const hosts = select(input['all-to-all'].hosts, 'all-to-all', 'hosts');
    return { ...common('all-to-all'), kind: 'all-to-all', hosts, bytes: input.bytes };
  }
  if ('all-reduce' in input) {
    const { algorithm, chunks, hosts } = input['all-reduce'];
    return {
      ...common('all-reduce'),
      kind: 'all-reduce',
      algorithm,
      hosts: select(hosts, 'all-reduce', 'hosts'),
      bytes: input.bytes,
      chunks,
    };
  }
  if ('random' in input) {
    const { hosts, sizes, load: share } = input.random;
    return {
      ...common('random'),
      kind: 'random',
      hosts: select(hosts, 'random', 'hosts'),
      sizes: sizeDistribution(sizes, [...path, 'random', 'sizes', 'file'], located),
      share,
    };
  }
  if ('plugin' in input) {
    const { kind: plugin, hosts, settings } = input.plugin;
    const members = select(hosts, plugin, 'hosts');
    return { ...common('plugin'), kind: 'plugin', plugin, hosts: members, settings };
  }
  if ('job' in input) {
    const at = [...path, 'job'];
    const own = jobSection(input.job, at, located);
    return {
      ...common('job'),
      kind: 'job',
      ...own,
      hosts: select(input.job.hosts, 'job', 'hosts'),
    };
  }
  const file = located.fileAt([...path, 'replay'], input.replay);
  return { ...common('replay'), kind: 'replay', path: file };
}

function streamSection(
  input: StreamInput,
  common: LoadCommon,
  index: number,
  groups: readonly GroupSection[],
  located: Located,
): LoadSection {
  const path = ['load', index];
  const { arrivals, rate, on, off, randomOnOff } = input;
  if (arrivals === 'poisson' && rate.kind === 'line') {
    const message = 'poisson arrivals need a rate below the line: give rate, such as 40G or 60%';
    throw located.errorAt([...path, 'arrivals'], message);
  }
  const to = hostSelector(input.stream.to, [...path, 'stream', 'to'], located);
  const group = to.length === 1 && groups.some(({ name }) => name === to[0]);
  if (group && common.transport.kind === 'reliable') {
    const message = 'reliable transport has one receiver: a multicast group needs transport raw';
    throw located.errorAt([...path, 'transport'], message);
  }
  return {
    ...common,
    kind: 'stream',
    from: hostSelector(input.stream.from, [...path, 'stream', 'from'], located),
    to,
    group,
    arrivals,
    // A burst at line rate is defined by its time, so it is paced and no backlog.
    rate: arrivals === 'on-off' && rate.kind === 'line' ? FULL_SHARE : rate,
    onPs: on,
    offPs: off,
    randomOnOff,
    bytes: input.bytes ?? null,
  };
}

function loadCommon(
  input: LoadInput,
  kind: Kind,
  index: number,
  plugins: readonly PluginSource[],
  located: Located,
): LoadCommon {
  const path = ['load', index];
  const transport = transportSection(input, kind, path, located);
  const vlan = typeof input.vlan === 'number' ? { inner: input.vlan, dei: false } : input.vlan;
  const { start: startPs, end: endPs = null } = input;
  if (endPs !== null && endPs <= startPs) {
    throw located.errorAt([...path, 'end'], 'it ends before it starts: end is not after start');
  }
  if (input.spoof !== undefined && (transport.kind !== 'raw' || input.congestion !== 'none')) {
    const message =
      'replies would go to another host; spoof needs transport: raw and congestion: none';
    throw located.errorAt([...path, 'spoof'], message);
  }
  return {
    name: input.name ?? `${'plugin' in input ? input.plugin.kind : kind}${index + 1}`,
    priority: input.priority,
    dscp: input.dscp ?? null,
    ect: input.ect ?? (transport.kind === 'reliable' || reactsToMarks(input.congestion, plugins)),
    congestion: input.congestion,
    vlan: { inner: null, outer: null, dei: false, ...vlan },
    vm: input.vm,
    toVm: input.toVm ?? input.vm,
    spoof: input.spoof ?? null,
    transport,
    startPs,
    endPs,
  };
}

function transportSection(
  input: LoadInput,
  kind: Kind,
  path: Path,
  located: Located,
): LoadCommon['transport'] {
  const isPlain = kind === 'stream' || kind === 'replay';
  const transport = input.transport ?? (isPlain ? 'raw' : usualTransport(path, located));
  if (transport === 'raw')
    return { kind: 'raw', frameBytes: input.frame ?? BASIC_FRAME_OCTETS_MAX };
  if (input.frame !== undefined) {
    const name = typeof transport === 'string' ? transport : Object.keys(transport)[0]!;
    const message = `frame is for raw transport; ${name} has { ${name}: { mtu: 1024 } }`;
    throw located.errorAt([...path, 'frame'], message);
  }
  const name = typeof transport === 'string' ? transport : Object.keys(transport)[0]!;
  const slice = TRANSPORTS.find((own) => own.name === name)!;
  const written = typeof transport === 'string' ? slice.settings.parse({}) : transport[name]!;
  const settings = slice.complete(written);
  const own = [...path, 'transport', name];
  if (maxTimeoutOf(settings) < settings.timeout) {
    const message = 'maxTimeout is below timeout: the timeout grows from timeout to maxTimeout';
    throw located.errorAt([...own, 'maxTimeout'], message);
  }
  slice.check?.(settings, own, located);
  return reliableSection(slice, settings);
}

function usualTransport(path: Path, located: Located): string {
  const usual = TRANSPORTS.find(({ isUsual }) => isUsual === true);
  if (usual !== undefined) return usual.name;
  const names = ['raw', ...TRANSPORTS.map(({ name }) => name)];
  throw located.errorAt(path, `no transport; write transport: one of ${names.join(', ')}`);
}

function reliableSection(slice: TransportSlice, settings: ConnectionSettings): ReliableSection {
  const { name } = slice;
  return {
    kind: 'reliable',
    name,
    settings,
    overheadBytes: slice.overheadBytes?.(settings) ?? RELIABLE_OVERHEAD_BYTES,
    spreads: slice.spreads?.(settings) ?? false,
    mtuBytes: settings.mtu,
    windowPackets: settings.window === 'auto' ? null : settings.window,
    rateBps: settings.rate ?? null,
    ackEvery: settings.ackEvery,
    ackPriority: settings.ackPriority ?? null,
    timeoutPs: settings.timeout,
    maxTimeoutPs: maxTimeoutOf(settings),
    fewPackets: settings.fewPackets ?? 0,
    fewTimeoutPs: settings.lowTimeout ?? settings.timeout,
  };
}

function sizeDistribution(
  sizes: Extract<LoadInput, { random: unknown }>['random']['sizes'],
  filePath: Path,
  located: Located,
): SizeDistribution {
  if (typeof sizes === 'string') return { kind: 'named', name: sizes };
  if ('fixed' in sizes) return { kind: 'fixed', bytes: sizes.fixed };
  return { kind: 'file', path: located.fileAt(filePath, sizes.file) };
}
