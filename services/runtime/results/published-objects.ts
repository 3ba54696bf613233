/**
 * Managed objects of one device as instance data of modules that standards have published: LLDP
 * (802.1ABcu), and what mechanisms have of bridges, with the interfaces (RFC 8343) to
 * which they refer.
 */

import type {
  DiscoveryAdmin,
  DiscoveryPortSpec,
  LldpStatus,
} from '../../engine/contract/discovery.js';
import type { LldpAgent, PortDiscovery } from '../../engine/discovery/port-discovery.js';
import type { Neighbor } from '../../engine/discovery/lldp/receive-machine.js';
import type { LldpStatistics } from '../../engine/discovery/lldp/lldp-managed.js';
import type { Engine } from '../../engine/device/engine.js';
import { readU24 } from '../../engine/wire/big-endian.js';
import {
  CAN_BRIDGE,
  CHASSIS_MAC,
  showIdentifier,
  STATION_ONLY,
} from '../../engine/wire/lldp/basic-tlvs.js';
import { TLV_ORGANIZATIONAL, type Tlv } from '../../engine/wire/lldp/tlv.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import {
  macOf,
  type PublishedObjects,
  type YangContainer,
} from '../../mechanisms/managed-objects.js';

/** What the module allows; the standard's own text has no such limit. */
const [HOLD_LEAST, HOLD_MOST] = [2, 10];
const COUNTER_32 = 2 ** 32;
/** A device has one component, of this name. */
const COMPONENT = 'bridge';

const STATUS: Readonly<Record<LldpStatus, string>> = {
  both: 'tx-and-rx',
  send: 'tx-only',
  receive: 'rx-only',
  disabled: 'disabled',
};

/** Values of chassis and port ID subtypes, by their names in `ieee802-types`. */
const CHASSIS_SUBTYPES = [
  ...['', 'chassis-component', 'interface-alias', 'port-component', 'mac-address'],
  ...['network-address', 'interface-name', 'local'],
];
const PORT_SUBTYPES = [
  ...['', 'interface-alias', 'port-component', 'mac-address', 'network-address'],
  ...['interface-name', 'agent-circuit-id', 'local'],
];
const PORT_MAC_SUBTYPE = PORT_SUBTYPES.indexOf('mac-address');

/** Where a device is in a fabric, and in its engine. */
interface Place {
  readonly fabric: Fabric;
  readonly engine: Engine;
  readonly device: number;
}

export function publishedObjects(at: Place): YangContainer {
  const { fabric, engine, device } = at;
  const { name, ports } = fabric.specs[device]!;
  const { place } = engine.devices.find(({ spec }) => spec.name === name)!;
  const own = fabric.mechanisms.flatMap(({ slice }) => slice.published?.({ engine, place }) ?? []);
  const [first] = ports.flatMap(({ discovery }) => discovery ?? []);
  const lldp = first === undefined ? {} : { 'ieee802-dot1ab-lldp:lldp': lldpOf(at, first) };
  return { ...interfacesOf(at, own), ...bridgesOf(at, own), ...lldp };
}

function interfacesOf({ fabric, device }: Place, own: readonly PublishedObjects[]): YangContainer {
  const bridge = own.length === 0 ? {} : { 'bridge-name': fabric.specs[device]!.name };
  const rows = fabric.linkEnds[device]!.map(({ name, port }) => {
    const parts = own.map(({ ports }) => ports[port] ?? {});
    const bridgePort = { ...bridge, 'component-name': COMPONENT, ...merged(parts) };
    return {
      name,
      type: 'iana-if-type:ethernetCsmacd',
      'oper-status': 'unknown',
      statistics: { 'discontinuity-time': '1970-01-01T00:00:00Z' },
      ...(own.length > 0 && { 'ieee802-dot1q-bridge:bridge-port': bridgePort }),
    };
  });
  return { 'ietf-interfaces:interfaces': { interface: rows } };
}

function merged(parts: readonly YangContainer[]): YangContainer {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}

function bridgesOf({ fabric, device }: Place, own: readonly PublishedObjects[]): YangContainer {
  if (own.length === 0) return {};
  const { name } = fabric.specs[device]!;
  const address = macOf(own[0]!.address);
  const type = 'ieee802-dot1q-bridge:c-vlan-component';
  const component = own.map((part) => part.component);
  const bridge = {
    ...{ name, address, 'bridge-type': 'ieee802-dot1q-bridge:customer-vlan-bridge' },
    component: [{ name: COMPONENT, type, ...merged(component) }],
  };
  return { 'ieee802-dot1q-bridge:bridges': { bridge: [bridge] } };
}

function lldpOf({ fabric, engine, device }: Place, spec: DiscoveryPortSpec): YangContainer {
  const { name } = fabric.specs[device]!;
  const { firstPort } = engine.devices.find((each) => each.spec.name === name)!;
  const ports = fabric.linkEnds[device]!.flatMap((end) => {
    const own = fabric.specs[device]!.ports[end.port]!.discovery;
    const state = engine.discovery.ports[firstPort + end.port] ?? null;
    return own == null || state === null ? [] : [{ name: end.name, spec: own, state }];
  });
  const sum = (of: keyof LldpStatistics): number =>
    ports.reduce(
      (total, { state }) => total + state.agents.reduce((all, { stats }) => all + stats[of], 0),
      0,
    ) % COUNTER_32;
  return {
    ...timersOf(spec),
    'remote-statistics': {
      'remote-inserts': sum('statsRemTablesInserts'),
      'remote-deletes': sum('statsRemTablesDeletes'),
      'remote-drops': sum('refusedNeighborsTotal'),
      'remote-ageouts': sum('statsAgeoutsTotal'),
    },
    'local-system-data': systemOf(spec),
    port: ports.flatMap((port) => agentsOf(port)),
  };
}

function timersOf({ timers }: DiscoveryPortSpec): YangContainer {
  const { msgTxHold } = timers;
  return {
    'message-fast-tx': timers.msgFastTx,
    ...(msgTxHold >= HOLD_LEAST &&
      msgTxHold <= HOLD_MOST && { 'message-tx-hold-multiplier': msgTxHold }),
    'message-tx-interval': timers.msgTxInterval,
    'reinit-delay': timers.reinitDelay,
    'tx-credit-max': timers.txCreditMax,
    'tx-fast-init': timers.txFastInit,
  };
}

function systemOf({ identity }: DiscoveryPortSpec): YangContainer {
  const able = capabilitiesOf(identity.isBridge ? CAN_BRIDGE : STATION_ONLY);
  return {
    'chassis-id-subtype': CHASSIS_SUBTYPES[CHASSIS_MAC]!,
    'chassis-id': macOf(identity.chassisMac),
    'system-name': identity.systemName,
    'system-description': identity.systemDescription,
    'system-capabilities-supported': able,
    'system-capabilities-enabled': able,
  };
}

/** An entry for each destination address of a port. */
function agentsOf(port: {
  readonly name: string;
  readonly spec: DiscoveryPortSpec;
  readonly state: PortDiscovery;
}): YangContainer[] {
  const { name, spec, state } = port;
  const admin: DiscoveryAdmin = spec.stages[state.stage]!.admin;
  return state.agents.map((agent, i): YangContainer => ({
    name,
    'dest-mac-address': macOf(spec.destinations[i]!),
    'admin-status': STATUS[admin.status],
    'tlvs-tx-enable': 'port-desc sys-name sys-desc sys-cap',
    'port-id-subtype': 'interface-name',
    'port-id': spec.identity.portId,
    'port-desc': spec.identity.portDescription,
    ...countersOf(agent),
    'remote-systems-data': agent.rx.neighbors.map((neighbor, n) => ({
      ...{ 'time-mark': 0, 'remote-index': n + 1 },
      'remote-too-many-neighbors': agent.rx.tooManyNeighborsTimer > 0,
      ...remoteOf(neighbor),
    })),
  }));
}

function countersOf({ stats }: LldpAgent): YangContainer {
  const value = (of: keyof LldpStatistics): number => stats[of] % COUNTER_32;
  return {
    'tx-statistics': {
      'total-frames': value('statsFramesOutTotal'),
      'total-length-errors': value('lengthErrorsTotal'),
    },
    'rx-statistics': {
      'total-ageouts': value('statsAgeoutsTotal'),
      'total-discarded-frames': value('statsFramesDiscardedTotal'),
      'error-frames': value('statsFramesInErrorsTotal'),
      'total-frames': value('statsFramesInTotal'),
      'total-discarded-tlvs': value('statsTLVsDiscardedTotal'),
      'total-unrecognized-tlvs': value('statsTLVsUnrecognizedTotal'),
    },
  };
}

function remoteOf({ chassisId, portId, remote }: Neighbor): YangContainer {
  const { portDescription, systemName, systemDescription, capabilities, unrecognized } = remote;
  const own = unrecognized.filter(({ type }) => type === TLV_ORGANIZATIONAL);
  const basic = unrecognized.filter(({ type }) => type !== TLV_ORGANIZATIONAL);
  return {
    'chassis-id-subtype': CHASSIS_SUBTYPES[chassisId[0]!]!,
    'chassis-id': identifierOf(chassisId, CHASSIS_MAC),
    'port-id-subtype': PORT_SUBTYPES[portId[0]!]!,
    'port-id': identifierOf(portId, PORT_MAC_SUBTYPE),
    ...(portDescription !== null && { 'port-desc': portDescription }),
    ...(systemName !== null && { 'system-name': systemName }),
    ...(systemDescription !== null && { 'system-description': systemDescription }),
    ...(capabilities !== null && {
      'system-capabilities-supported': capabilitiesOf(capabilities.supported),
      'system-capabilities-enabled': capabilitiesOf(capabilities.enabled),
    }),
    'remote-unknown-tlv': basic.map(({ type, value }) => ({
      ...{ 'tlv-type': type, 'tlv-info': base64(value) },
    })),
    'remote-org-defined-info': own.map((tlv, n) => organizationalOf(tlv, n + 1)),
  };
}

function organizationalOf({ value }: Tlv, index: number): YangContainer {
  return {
    'info-identifier': readU24(value, 0),
    'info-subtype': value[3]!,
    'info-index': index,
    'remote-info': base64(value.subarray(4)),
  };
}

function identifierOf(value: Uint8Array, macSubtype: number): string {
  const shown = showIdentifier(value, macSubtype);
  return value[0] === macSubtype ? shown.replaceAll(':', '-').toUpperCase() : shown;
}

/** By bit of the TLV of system capabilities. */
const CAPABILITIES = [
  ...['other', 'repeater', 'bridge', 'wlan-access-point', 'router', 'telephone'],
  ...['docsis-cable-device', 'station-only', 'cvlan-component', 'svlan-component'],
  'two-port-mac-relay',
];

function capabilitiesOf(map: number): string {
  return CAPABILITIES.filter((_, bit) => (map & (1 << bit)) !== 0).join(' ');
}

function base64(octets: Uint8Array): string {
  return Buffer.from(octets).toString('base64');
}
