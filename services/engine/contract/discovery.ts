import type { CreditExchange as GrantTlv } from '../wire/lldp/capability-tlvs.js';
import type { MechanismTlvs } from '../wire/lldp/mechanism-tlvs.js';
import type {
  Application,
  CongestionNotification,
  Ets,
  EtsTable,
  PfcConfiguration,
} from '../wire/lldp/dcbx-ieee.js';

export type { GrantTlv };

/** Configuration of LLDP and DCBX at a port: plain data, made by assembly from a scenario. */

export interface DiscoveryPortSpec {
  /** What LLDP counts as a second. */
  readonly tickPs: number;
  readonly timers: LldpTimers;
  /** Remote systems that a port has room for. */
  readonly neighborsMost: number;
  /** Destination addresses; DCBX TLVs are sent to the first only. */
  readonly destinations: readonly number[];
  /** OUI or CID of TLVs of which no standard assigns the number. */
  readonly identifier: number;
  readonly identity: DiscoveryIdentity;
  /** What an administrator configured at the start, and at later times. */
  readonly stages: readonly { readonly fromPs: number; readonly admin: DiscoveryAdmin }[];
  /** Times of every change in the fabric; convergence times are measured from them. */
  readonly epochsPs: readonly number[];
  /** Data uses the negotiated configuration; false: that of the scenario. */
  readonly drives: boolean;
  readonly built: BuiltLink;
  /** By destination: the LLDPDU received before the run began; null where there was none. */
  readonly learned: readonly (Uint8Array | null)[];
}

/** What a port and its link are built for; priorities one bit each. */
export interface BuiltLink {
  /** PAUSE stops all priorities, and no flow control is negotiated. */
  readonly wholePort: boolean;
  /** Those that may have PFC. */
  readonly pausable: number;
  /** Those whose frames may start with grants that both ends agree on. */
  readonly grants: number;
  /** Those that start no frame where they are to exchange grants and nothing is agreed on. */
  readonly grantsOnly: number;
  /** Null: no frame needs credits of a virtual channel. */
  readonly channels: ChannelTerms | null;
}

/** Credits of virtual channels, as the sender of a port counts them. */
export interface ChannelTerms {
  /** Of the flow control. */
  readonly name: string;
  readonly priorities: number;
  readonly channelOf: readonly number[];
  readonly creditOctets: number;
  readonly overhead: number;
}

/** All in ticks. The names are those of 802.1AB 9.2.5. */
export interface LldpTimers {
  readonly msgTxInterval: number;
  readonly msgTxHold: number;
  readonly msgFastTx: number;
  readonly txFastInit: number;
  readonly txCreditMax: number;
  readonly reinitDelay: number;
}

export interface DiscoveryIdentity {
  readonly chassisMac: number;
  /** Of the port itself. */
  readonly mac: number;
  readonly portId: string;
  readonly portDescription: string;
  readonly systemName: string;
  readonly systemDescription: string;
  readonly isBridge: boolean;
  /** Counted from 1. */
  readonly portNumber: number;
  /** Four octets; null for a device without an address. */
  readonly ipv4: Uint8Array | null;
  /** 0: none. */
  readonly vlan: number;
  readonly maximumFrameOctets: number;
}

/** adminStatus of a port (802.1AB 9.2.5.1). */
export type LldpStatus = 'disabled' | 'send' | 'receive' | 'both';

/** Which DCBX a port uses; `auto` is IEEE until a neighbor is found that has CEE only. */
export type DcbxMode = 'auto' | 'ieee' | 'cee' | 'off';

export interface DiscoveryAdmin extends MechanismTlvs {
  readonly status: LldpStatus;
  readonly dcbx: DcbxAdmin;
  /** Null, here and below: the port does not advertise it. */
  readonly exchange: GrantTlv | null;
  /** Grants are advertised by applications of DCBX alone. */
  readonly byApplicationsAlone?: boolean;
  readonly congestionNotification: CongestionNotification | null;
}

/** What mechanisms advertise. */
export type AdvertisedTlvs = Pick<
  DiscoveryAdmin,
  keyof MechanismTlvs | 'congestionNotification' | 'exchange' | 'byApplicationsAlone'
>;

/** The local side of 802.1Q clause 38. */
export interface DcbxAdmin {
  readonly mode: DcbxMode;
  /** Its `willing` applies to ETS, and to priority groups of CEE. */
  readonly ets: Ets;
  /** Recommendation to the neighbor; null: none. */
  readonly recommendation: Ets | null;
  readonly pfc: PfcConfiguration;
  readonly applications: readonly Application[];
  /** Priorities that stay in their traffic class, and apart from others, one bit each. */
  readonly fixedClasses: number;
}

/** The negotiated configuration that the data path of a port uses. */
export interface OperatingPort {
  readonly ets: Ets;
  /** Priorities with PFC, one bit each. */
  readonly pfc: number;
  readonly exchange: OperatingExchange;
  /** Priorities whose virtual channels have credits, one bit each. */
  readonly channels: number;
  /** What the link partner advertises of mechanisms. */
  readonly advertised: MechanismTlvs;
}

/** What both ends of a link use of the exchange of grants. */
interface OperatingExchange extends ExchangeTerms {
  /** Priorities whose frames need them, one bit each. */
  readonly priorities: number;
}

export interface ExchangeTerms {
  /** Messages say totals, or amounts. */
  readonly mode: 'cumulative' | 'incremental';
  /** Octets of a unit that the link partner grants. */
  readonly askedUnitOctets: number;
  /** Its totals have 31 bits. */
  readonly askedWide: boolean;
  /** Each channel has its share of its buffer, and no more. */
  readonly askedDivided: boolean;
  /** By priority: units of its buffer; 0 or nothing where it is not advertised. */
  readonly askedBufferUnits: readonly number[];
  /** Messages may be carried in tags of data frames. */
  readonly tags: boolean;
}

/** Applies what was negotiated. */
export interface PortOperator {
  operate(port: number, operating: OperatingPort): void;
  /** Classes and shares as the registers of the port have them; null where it has none. */
  tableInHardware(port: number): EtsTable | null;
}
