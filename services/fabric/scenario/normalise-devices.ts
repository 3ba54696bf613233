/** `hosts`, `switches` and `devices` of the file -> settings of all devices and of single ones. */

import { show } from '../../settings/errors.js';
import type { Located } from './located.js';
import { discoveryOf } from './normalise-discovery.js';
import type { NicSection } from '../../mechanisms/nic-context.js';
import { NIC, SLOTTED } from '../../mechanisms/registry.js';
import { nicSource } from './traced-writes.js';
import { ecmpSection } from './equal-cost.js';
import { arbiterSection, priorityChanges } from './normalise-flow-control.js';
import { mechanismSections } from './mechanism-sections.js';
import type {
  ArbiterSection,
  BufferSection,
  DeviceOverride,
  FailoverSection,
  HostSection,
  PortSection,
  SwitchSection,
} from './scenario.js';
import type { Asic } from '../buffers/asics.js';
import { ASICS } from '../buffers/asics.js';
import { profilesOf } from './headroom-tables.js';
import type { AsicInput } from './schema-buffer.js';
import type { DeviceInput, FailoverInput, SwitchesInput } from './schema-devices.js';
import { failoverKeys } from './schema-devices.js';
import type { ScenarioInput } from './schema.js';
import type { Path } from '../../settings/source-tree.js';

export function hostSection(input: ScenarioInput['hosts'], located: Located): HostSection {
  const arbiter = arbiterOf(input, ['hosts'], located);
  const nic = nicChange(input, ['hosts'], located).nic ?? null;
  return { mac: null, ipv4: null, ipv6: null, nic, arbiter: arbiter ?? null };
}

export function switchSection(input: SwitchesInput, located: Located): SwitchSection {
  const arbiter = arbiterOf(input, ['switches'], located);
  return {
    model: input.model,
    pipelinePs: input.pipeline,
    cutThrough: input.cutThrough,
    forwarding: input.forwarding,
    ecmp: ecmpSection(input.ecmp),
    buffer: {
      sizeBytes: input.buffer.size === 'auto' ? null : input.buffer.size,
      cellBytes: input.buffer.cell,
      egressReservedBytes: input.buffer.egressReserved,
      egressAlpha: input.buffer.egressAlpha,
      asic: asicOf(input.buffer.asic),
      pools: input.buffer.pools,
      profiles: profilesOf(input.buffer.profiles, ['switches', 'buffer', 'profiles'], located),
      wred: input.buffer.wred,
      assign: input.buffer.assign,
      portLimits: input.buffer.portLimits,
    },
    slots: SLOTTED?.section(input, ['switches'], located) ?? {},
    ports: [],
    arbiter: arbiter ?? null,
    ageingPs: input.ageing,
    failover: failoverSection(input.failover),
  };
}

function arbiterOf(
  { arbiter }: Pick<DeviceInput, 'arbiter'>,
  path: Path,
  located: Located,
): ArbiterSection | undefined {
  return arbiter === undefined ? undefined : arbiterSection(arbiter, [...path, 'arbiter'], located);
}

function failoverSection(input: FailoverInput): FailoverSection {
  const keys = typeof input === 'object' ? input : failoverKeys.parse({});
  const { detection, reconvergence, queued } = keys;
  return {
    enabled: input !== 'off',
    detectionPs: typeof input === 'number' ? input : detection,
    reconvergencePs: reconvergence === 'off' ? Infinity : reconvergence,
    queued,
  };
}

export function deviceOverrides(
  input: ScenarioInput['devices'],
  located: Located,
): readonly DeviceOverride[] {
  checkAddresses(input, located);
  return Object.entries(input).map(([match, device]) => {
    const path = ['devices', match];
    const arbiter = arbiterOf(device, path, located);
    const priorities = priorityChanges(device.priorities ?? {}, [...path, 'priorities'], located);
    return {
      match,
      host: hostChange(device, arbiter, path, located),
      switch: switchChange(device, arbiter, path, located),
      priorities,
      discovery: discoveryOf(device.discovery ?? {}),
      mechanisms: mechanismSections(device, path, located),
    };
  });
}

function hostChange(
  device: DeviceInput,
  arbiter: DeviceOverride['host']['arbiter'],
  path: Path,
  located: Located,
): DeviceOverride['host'] {
  return {
    ...(device.mac !== undefined && { mac: device.mac }),
    ...(device.ipv4 !== undefined && { ipv4: device.ipv4 }),
    ...(device.ipv6 !== undefined && { ipv6: device.ipv6 }),
    ...nicChange(device, path, located),
    ...(arbiter && { arbiter }),
  };
}

/** Of `hosts` or a device at a path: the NIC that its key has; null for the plain one. */
function nicChange(
  input: object,
  path: Path,
  located: Located,
): { readonly nic?: NicSection | null } {
  const { nic } = input as { readonly nic?: unknown };
  if (NIC === null || nic === undefined) return {};
  return { nic: NIC.section(nic, [...path, 'nic'], nicSource(located)) };
}

function switchChange(
  device: DeviceInput,
  arbiter: DeviceOverride['switch']['arbiter'],
  path: Path,
  located: Located,
): DeviceOverride['switch'] {
  const { model, pipeline, cutThrough, forwarding, ecmp, ageing, buffer, ports } = device;
  const { failover } = device;
  return {
    ...(model !== undefined && { model }),
    ...(pipeline !== undefined && { pipelinePs: pipeline }),
    ...(cutThrough !== undefined && { cutThrough }),
    ...(forwarding !== undefined && { forwarding }),
    ...(ecmp !== undefined && { ecmp: ecmpSection(ecmp) }),
    ...(ageing !== undefined && { ageingPs: ageing }),
    ...(failover !== undefined && { failover: failoverSection(failover) }),
    ...(buffer && { buffer: bufferChange(buffer, [...path, 'buffer'], located) }),
    ...SLOTTED?.change(device, path, located),
    ...(ports && { ports: portSections(ports, [...path, 'ports'], located) }),
    ...(arbiter && { arbiter }),
  };
}

function bufferChange(
  buffer: NonNullable<DeviceInput['buffer']>,
  path: Path,
  located: Located,
): Partial<BufferSection> {
  return {
    ...(buffer.size !== undefined && {
      sizeBytes: buffer.size === 'auto' ? null : buffer.size,
    }),
    ...(buffer.cell !== undefined && { cellBytes: buffer.cell }),
    ...(buffer.egressReserved !== undefined && { egressReservedBytes: buffer.egressReserved }),
    ...(buffer.egressAlpha !== undefined && { egressAlpha: buffer.egressAlpha }),
    ...(buffer.asic !== undefined && { asic: asicOf(buffer.asic) }),
    ...(buffer.pools !== undefined && { pools: buffer.pools }),
    ...(buffer.profiles !== undefined && {
      profiles: profilesOf(buffer.profiles, [...path, 'profiles'], located),
    }),
    ...(buffer.wred !== undefined && { wred: buffer.wred }),
    ...(buffer.assign !== undefined && { assign: buffer.assign }),
    ...(buffer.portLimits !== undefined && { portLimits: buffer.portLimits }),
  };
}

function asicOf(asic: AsicInput): Asic {
  if (typeof asic === 'string') return ASICS[asic];
  return {
    cellBytes: asic.cell,
    frameBytes: asic.frame,
    slices: asic.slices,
    poolSize: asic.poolSize,
    portReserveCells: asic.portReserve,
    rounding: asic.rounding,
    headroomTimes: asic.headroomTimes,
    headroomLost: [{ fromBps: 0, cells: asic.headroomLost }],
    xonFrom: asic.xonFrom,
    memoryCells: asic.memory ?? null,
  };
}

function portSections(
  input: NonNullable<DeviceInput['ports']>,
  path: Path,
  located: Located,
): readonly PortSection[] {
  return Object.entries(input).map(([port, section]) => {
    const { native, tagged } = section;
    for (const [index, vlan] of tagged.entries()) {
      const at = [...path, port, 'tagged', index];
      if (vlan === native) throw located.errorAt(at, `VLAN ${vlan} is native, so not tagged, here`);
      if (tagged.indexOf(vlan) < index) throw located.errorAt(at, `VLAN ${vlan} is given twice`);
    }
    return {
      port: Number(port),
      native,
      tagged,
      slots: SLOTTED?.portSection(section) ?? {},
    };
  });
}

/** An address is unique: no pattern may set it, and no two hosts may have it. */
function checkAddresses(input: ScenarioInput['devices'], located: Located): void {
  const owners = new Map<string, string>();
  for (const [match, device] of Object.entries(input)) {
    for (const key of ['mac', 'ipv4', 'ipv6'] as const) {
      const address = device[key];
      if (address === undefined) continue;
      const path = ['devices', match, key];
      if (/[*?]/.test(match)) {
        throw located.errorAt(path, `one address for every ${show(match)}: give it to one host`);
      }
      const owner = owners.get(address);
      if (owner !== undefined) {
        throw located.errorAt(path, `the same address twice: ${address} is that of ${owner}`);
      }
      owners.set(address, match);
    }
  }
}
