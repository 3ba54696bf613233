/** What a port advertises: the LLDPDU of one agent, from its configuration and its state. */

import type { DiscoveryAdmin, DiscoveryIdentity } from '../contract/discovery.js';
import {
  CAN_BRIDGE,
  CHASSIS_MAC,
  encodeCapabilities,
  encodeManagementAddress,
  macIdentifier,
  PORT_INTERFACE_NAME,
  STATION_ONLY,
  textIdentifier,
  textOctets,
} from '../wire/lldp/basic-tlvs.js';
import {
  encodeCreditExchange,
  encodeTopologyRecognition,
  type TopologyRecognition,
} from '../wire/lldp/capability-tlvs.js';
import { mechanismTlvEncoders } from '../wire/lldp/mechanism-tlvs.js';
import { type CeeDcbx, encodeCeeDcbx } from '../wire/lldp/dcbx-cee.js';
import {
  encodeApplications,
  encodeCongestionNotification,
  encodeEtsConfiguration,
  encodeEtsRecommendation,
  encodePfcConfiguration,
} from '../wire/lldp/dcbx-ieee.js';
import {
  encodeLldp,
  LLDP_FRAME_MOST,
  LLDP_HEADER_OCTETS,
  type LldpFrame,
} from '../wire/lldp/lldpdu.js';
import {
  encodeLinkAggregation,
  encodeMaximumFrameSize,
  encodePortVlan,
} from '../wire/lldp/organizational-tlvs.js';
import {
  identifyBy,
  splitTlvs,
  TLV_HEADER_OCTETS,
  TLV_PORT_DESCRIPTION,
  TLV_SYSTEM_DESCRIPTION,
  TLV_SYSTEM_NAME,
  type Tlv,
} from '../wire/lldp/tlv.js';
import type { DcbxOperation } from './dcbx/dcbx-managed.js';

const IPV4_FAMILY = 1;
const BY_INTERFACE_INDEX = 2;
const END_OCTETS = 2;
const TTL_OCTETS = 2;

/** Everything that a port can advertise. */
export interface Announcement {
  readonly identity: DiscoveryIdentity;
  readonly identifier: number;
  readonly destination: number;
  readonly ttlSeconds: number;
  readonly admin: DiscoveryAdmin;
  readonly operation: DcbxOperation;
  /** Priorities on which the port agrees to exchange grants with its peer, one bit each. */
  readonly agreed: number;
  readonly cee: CeeDcbx | null;
  readonly topology: TopologyRecognition;
  /** DCBX and capabilities are sent to the nearest bridge only. */
  readonly speaksDcbx: boolean;
}

type Encode = (octets: Uint8Array, at: number) => number;

/** Returns the length of the frame, and how many TLVs did not fit into it. */
export function encodeAnnouncement(
  octets: Uint8Array,
  announcement: Announcement,
): { length: number; left: number } {
  const encoders = [...basicTlvs(announcement), ...organizationalTlvs(announcement.identity)];
  if (announcement.speaksDcbx)
    encoders.push(...dcbxTlvs(announcement), ...capabilityTlvs(announcement));
  const scratch = new Uint8Array(LLDP_FRAME_MOST);
  const tlvs: Tlv[] = [];
  let room = LLDP_FRAME_MOST - mandatoryOctets(announcement);
  for (const encode of encoders) {
    const end = encode(scratch, 0);
    identifyBy(scratch, 0, announcement.identifier);
    if (end > room) continue;
    room -= end;
    tlvs.push(...splitTlvs(scratch.slice(0, end))!);
  }
  const length = encodeLldp(octets, 0, frameOf(announcement, tlvs));
  return { length, left: encoders.length - tlvs.length };
}

/** Shutdown LLDPDU: the three mandatory TLVs with a time to live of zero (802.1AB 9.1.2.2). */
export function encodeShutdown(octets: Uint8Array, announcement: Announcement): number {
  return encodeLldp(octets, 0, { ...frameOf(announcement, []), ttlSeconds: 0 });
}

/** Frame header, two identifiers, time to live, End. */
function mandatoryOctets(announcement: Announcement): number {
  const { chassisId, portId } = frameOf(announcement, []);
  const tlvs = [chassisId.length, portId.length, TTL_OCTETS];
  return tlvs.reduce(
    (sum, octets) => sum + TLV_HEADER_OCTETS + octets,
    LLDP_HEADER_OCTETS + END_OCTETS,
  );
}

function frameOf(announcement: Announcement, tlvs: readonly Tlv[]): LldpFrame {
  const { identity, destination, ttlSeconds } = announcement;
  return {
    destination,
    source: identity.mac,
    chassisId: macIdentifier(CHASSIS_MAC, identity.chassisMac),
    portId: textIdentifier(PORT_INTERFACE_NAME, identity.portId),
    ttlSeconds,
    tlvs,
  };
}

function basicTlvs({ identity }: Announcement): Encode[] {
  const { ipv4, isBridge, portNumber } = identity;
  const role = isBridge ? CAN_BRIDGE : STATION_ONLY;
  const encoders = [
    text(TLV_PORT_DESCRIPTION, identity.portDescription),
    text(TLV_SYSTEM_NAME, identity.systemName),
    text(TLV_SYSTEM_DESCRIPTION, identity.systemDescription),
    (octets: Uint8Array, at: number): number =>
      encodeCapabilities(octets, at, { supported: role, enabled: role }),
  ];
  if (ipv4 !== null) {
    const managed = {
      family: IPV4_FAMILY,
      address: ipv4,
      interfaceNumbering: BY_INTERFACE_INDEX,
      interfaceNumber: portNumber,
    };
    encoders.push((octets, at) => encodeManagementAddress(octets, at, managed));
  }
  return encoders;
}

function text(type: number, words: string): Encode {
  return (octets, at) => {
    const value = textOctets(words);
    octets[at] = type << 1;
    octets[at + 1] = value.length;
    octets.set(value, at + TLV_HEADER_OCTETS);
    return at + TLV_HEADER_OCTETS + value.length;
  };
}

function organizationalTlvs({ vlan, portNumber, maximumFrameOctets }: DiscoveryIdentity): Encode[] {
  const aggregation = { capable: false, enabled: false, portNumber };
  return [
    (octets, at) => encodePortVlan(octets, at, { vlan }),
    (octets, at) => encodeLinkAggregation(octets, at, aggregation),
    (octets, at) => encodeMaximumFrameSize(octets, at, { octets: maximumFrameOctets }),
  ];
}

/** IEEE advertises the operational state, and whether it may be changed; CEE the desired state. */
function dcbxTlvs({ admin, operation, cee }: Announcement): Encode[] {
  if (cee !== null) return [(octets, at) => encodeCeeDcbx(octets, at, cee)];
  if (operation.protocol !== 'ieee') return [];
  const { dcbx } = admin;
  const enabled = operation.pfcFrom === 'peer' ? operation.pfc : dcbx.pfc.enabled;
  const encoders: Encode[] = [
    (octets, at) => encodeEtsConfiguration(octets, at, operation.ets),
    (octets, at) => encodePfcConfiguration(octets, at, { ...dcbx.pfc, enabled }),
  ];
  const { recommendation, applications } = dcbx;
  if (recommendation !== null) {
    encoders.push((octets, at) => encodeEtsRecommendation(octets, at, recommendation));
  }
  if (applications.length > 0) {
    encoders.push((octets, at) => encodeApplications(octets, at, { entries: applications }));
  }
  return encoders;
}

function capabilityTlvs({ admin, agreed, topology }: Announcement): Encode[] {
  const { exchange, byApplicationsAlone, congestionNotification } = admin;
  const encoders: Encode[] = [(octets, at) => encodeTopologyRecognition(octets, at, topology)];
  if (congestionNotification !== null) {
    encoders.push((octets, at) => encodeCongestionNotification(octets, at, congestionNotification));
  }
  if (exchange !== null && byApplicationsAlone !== true) {
    const tlv = { ...exchange, agreed };
    encoders.push((octets, at) => encodeCreditExchange(octets, at, tlv));
  }
  return [...encoders, ...mechanismTlvEncoders(admin)];
}
