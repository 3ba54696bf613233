import type { Decoded } from '../../wire/decoded.js';
import * as basic from '../../wire/lldp/basic-tlvs.js';
import * as capability from '../../wire/lldp/capability-tlvs.js';
import * as cee from '../../wire/lldp/dcbx-cee.js';
import * as ieee from '../../wire/lldp/dcbx-ieee.js';
import * as link from '../../wire/lldp/link-layer-tlvs.js';
import * as organizational from '../../wire/lldp/organizational-tlvs.js';
import {
  organizationAmong,
  TLV_CAPABILITIES,
  TLV_MANAGEMENT_ADDRESS,
  TLV_ORGANIZATIONAL,
  TLV_PORT_DESCRIPTION,
  TLV_SYSTEM_DESCRIPTION,
  TLV_SYSTEM_NAME,
  type Tlv,
} from '../../wire/lldp/tlv.js';

/** What a neighbor advertises beyond its identifiers; null where it does not. */
export interface Remote {
  portDescription: string | null;
  systemName: string | null;
  systemDescription: string | null;
  capabilities: basic.Capabilities | null;
  managementAddress: basic.ManagementAddress | null;
  portVlan: organizational.PortVlan | null;
  linkAggregation: organizational.LinkAggregation | null;
  maximumFrameSize: organizational.MaximumFrameSize | null;
  etsConfiguration: ieee.Ets | null;
  etsRecommendation: ieee.Ets | null;
  pfc: ieee.PfcConfiguration | null;
  applications: ieee.Applications | null;
  congestionNotification: ieee.CongestionNotification | null;
  cee: cee.CeeDcbx | null;
  grants: capability.CreditExchange | null;
  sourceFlowControl: capability.SourceFlowControl | null;
  congestionIsolation: capability.CongestionIsolation | null;
  linkLayer: link.LinkLayer | null;
  channelCredits: link.ChannelCredits | null;
  topology: capability.TopologyRecognition | null;
  /** Stored as received. */
  unrecognized: readonly Tlv[];
  discarded: number;
  /** Of those: with an invalid length, or invalid shares. */
  wrongLengths: number;
  wrongSums: number;
  duplicates: number;
}

function blankRemote(): Remote {
  return {
    portDescription: null,
    systemName: null,
    systemDescription: null,
    capabilities: null,
    managementAddress: null,
    portVlan: null,
    linkAggregation: null,
    maximumFrameSize: null,
    etsConfiguration: null,
    etsRecommendation: null,
    pfc: null,
    applications: null,
    congestionNotification: null,
    cee: null,
    grants: null,
    sourceFlowControl: null,
    congestionIsolation: null,
    linkLayer: null,
    channelCredits: null,
    topology: null,
    unrecognized: [],
    discarded: 0,
    wrongLengths: 0,
    wrongSums: 0,
    duplicates: 0,
  };
}

/** Decodes one TLV into its field; returns the outcome. */
type Reader = (value: Uint8Array, into: Remote) => Decoded;

/** A reader that decodes into a blank record, and keeps it if it is valid. */
function reader<K extends keyof Remote>(
  key: K,
  blank: () => NonNullable<Remote[K]>,
  decode: (value: Uint8Array, into: NonNullable<Remote[K]>) => Decoded,
): Reader {
  return (value, into) => {
    const record = blank();
    const decoded = decode(value, record);
    if (decoded === 'ok') into[key] = record;
    return decoded;
  };
}

function text(key: 'portDescription' | 'systemName' | 'systemDescription'): Reader {
  return (value, into) => {
    into[key] = basic.textOf(value);
    return 'ok';
  };
}

const BASIC: ReadonlyMap<number, Reader> = new Map([
  [TLV_PORT_DESCRIPTION, text('portDescription')],
  [TLV_SYSTEM_NAME, text('systemName')],
  [TLV_SYSTEM_DESCRIPTION, text('systemDescription')],
  [TLV_CAPABILITIES, reader('capabilities', basic.blankCapabilities, basic.decodeCapabilities)],
  [
    TLV_MANAGEMENT_ADDRESS,
    reader('managementAddress', basic.blankManagementAddress, basic.decodeManagementAddress),
  ],
]);

const ORGANIZATIONAL: ReadonlyMap<number, Reader> = new Map([
  [
    organizational.PORT_VLAN,
    reader('portVlan', organizational.blankPortVlan, organizational.decodePortVlan),
  ],
  [
    organizational.LINK_AGGREGATION,
    reader(
      'linkAggregation',
      organizational.blankLinkAggregation,
      organizational.decodeLinkAggregation,
    ),
  ],
  [
    organizational.MAXIMUM_FRAME_SIZE,
    reader(
      'maximumFrameSize',
      organizational.blankMaximumFrameSize,
      organizational.decodeMaximumFrameSize,
    ),
  ],
  [ieee.ETS_CONFIGURATION, reader('etsConfiguration', ieee.blankEts, ieee.decodeEts)],
  [ieee.ETS_RECOMMENDATION, reader('etsRecommendation', ieee.blankEts, ieee.decodeEts)],
  [ieee.PFC_CONFIGURATION, reader('pfc', ieee.blankPfcConfiguration, ieee.decodePfcConfiguration)],
  [
    ieee.APPLICATION_PRIORITY,
    reader('applications', ieee.blankApplications, ieee.decodeApplications),
  ],
  [
    ieee.CONGESTION_NOTIFICATION,
    reader(
      'congestionNotification',
      ieee.blankCongestionNotification,
      ieee.decodeCongestionNotification,
    ),
  ],
  [cee.CEE_DCBX, reader('cee', cee.blankCeeDcbx, cee.decodeCeeDcbx)],
  [
    capability.CREDIT_EXCHANGE,
    reader('grants', capability.blankCreditExchange, capability.decodeCreditExchange),
  ],
  [
    capability.SOURCE_FLOW_CONTROL,
    reader(
      'sourceFlowControl',
      capability.blankSourceFlowControl,
      capability.decodeSourceFlowControl,
    ),
  ],
  [
    capability.CONGESTION_ISOLATION,
    reader(
      'congestionIsolation',
      capability.blankCongestionIsolation,
      capability.decodeCongestionIsolation,
    ),
  ],
  [link.LINK_LAYER, reader('linkLayer', link.blankLinkLayer, link.decodeLinkLayer)],
  [
    link.CHANNEL_CREDITS,
    reader('channelCredits', link.blankChannelCredits, link.decodeChannelCredits),
  ],
  [
    capability.TOPOLOGY_RECOGNITION,
    reader('topology', capability.blankTopologyRecognition, capability.decodeTopologyRecognition),
  ],
]);

/**
 * Reads the TLVs behind the mandatory ones; own ones have the identifier. An organizational TLV
 * that is repeated is ignored altogether; of a basic one, or a management address, the first
 * counts. An invalid one is dropped alone; an unknown one is stored (802.1AB 9.2.7.7.3).
 */
export function readRemote(tlvs: readonly Tlv[], identifier: number): Remote {
  const remote = blankRemote();
  const unrecognized: Tlv[] = [];
  const seen = new Map<number, number>();
  for (const { type, value } of tlvs) {
    if (type === TLV_ORGANIZATIONAL) count(seen, organizationAmong(value, identifier));
  }
  const read = new Set<number>();
  for (const tlv of tlvs) {
    const { type, value } = tlv;
    const organization = type === TLV_ORGANIZATIONAL ? organizationAmong(value, identifier) : 0;
    const take = type === TLV_ORGANIZATIONAL ? ORGANIZATIONAL.get(organization) : BASIC.get(type);
    if (organization < 0) discard(remote, 'too-short');
    else if (take === undefined) unrecognized.push({ type, value: value.slice() });
    else if (organization !== 0 && seen.get(organization)! > 1) remote.duplicates++;
    else if (organization === 0 && read.has(type)) remote.duplicates++;
    else {
      const decoded = take(value, remote);
      if (decoded === 'ok') read.add(type);
      else discard(remote, decoded);
    }
  }
  remote.unrecognized = unrecognized;
  return remote;
}

/** Which versions of DCBX a neighbor sends. */
export function spokenBy(remote: Remote): { readonly ieee: boolean; readonly cee: boolean } {
  const { etsConfiguration, etsRecommendation, pfc, applications, cee: other } = remote;
  const ieee = [etsConfiguration, etsRecommendation, pfc, applications].some((tlv) => tlv !== null);
  return { ieee, cee: other !== null };
}

function discard(remote: Remote, why: Decoded): void {
  remote.discarded++;
  if (why === 'bad-length' || why === 'too-short') remote.wrongLengths++;
  if (why === 'bad-sum') remote.wrongSums++;
}

function count(seen: Map<number, number>, key: number): void {
  seen.set(key, (seen.get(key) ?? 0) + 1);
}
