import type { CreditExchange } from '../wire/lldp/capability-tlvs.js';
import type { MechanismTlvs } from '../wire/lldp/mechanism-tlvs.js';
import type {
  Application,
  CongestionNotification,
  Ets,
  EtsTable,
  PfcConfiguration,
} from '../wire/lldp/dcbx-ieee.js';

/** What a port is told about LLDP and DCBX: plain data, made by assembly from a scenario. */

export interface DiscoveryPortSpec {
  /** What LLDP counts as a second. */
  readonly tickPs: number;
  readonly timers: LldpTimers;
  /** Neighbours that a port has room for. */
  readonly neighborsMost: number;
  /** Destination addresses; DCBX goes with the first. */
  readonly destinations: readonly number[];
  readonly identity: DiscoveryIdentity;
  /** What an administrator configured at first, and what at later times. */
  readonly stages: readonly { readonly fromPs: number; readonly admin: DiscoveryAdmin }[];
  /** When anything changes anywhere in the fabric, from the beginning on: convergence counts so. */
  readonly epochsPs: readonly number[];
  /** Data goes by what was negotiated; false: by what the scenario says. */
  readonly drives: boolean;
  /** A priority for credit starts no frame before the neighbour has agreed to it. */
  readonly holdsWithoutCredit: boolean;
  /** By destination: what the neighbour said before the run began; null where nothing was. */
  readonly learned: readonly (Uint8Array | null)[];
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

/** Who is heard of a port (adminStatus, 802.1AB 9.2.5.1). */
export type LldpStatus = 'disabled' | 'send' | 'receive' | 'both';

/** Which DCBX a port speaks; `auto` is IEEE until a neighbour is heard that only has CEE. */
export type DcbxMode = 'auto' | 'ieee' | 'cee' | 'off';

export interface DiscoveryAdmin extends MechanismTlvs {
  readonly status: LldpStatus;
  readonly dcbx: DcbxAdmin;
  /** Null, here and below: the port does not speak of it. */
  readonly credit: CreditExchange | null;
  readonly congestionNotification: CongestionNotification | null;
}

/** What mechanisms advertise. */
export type AdvertisedTlvs = Pick<DiscoveryAdmin, keyof MechanismTlvs | 'congestionNotification'>;

/** The local side of 802.1Q clause 38. */
export interface DcbxAdmin {
  readonly mode: DcbxMode;
  /** Its `willing` goes for ETS, and for priority groups of CEE. */
  readonly ets: Ets;
  /** What the neighbour should use; null: no recommendation. */
  readonly recommendation: Ets | null;
  readonly pfc: PfcConfiguration;
  readonly applications: readonly Application[];
  /** Priorities that stay in their traffic class, and apart from others, one bit each. */
  readonly fixedClasses: number;
}

/** What negotiation tells the data path of a port. */
export interface OperatingPort {
  readonly ets: Ets;
  /** Priorities with PFC, one bit each. */
  readonly pfc: number;
  readonly credit: OperatingCredit;
  /** What the link partner advertises of mechanisms. */
  readonly advertised: MechanismTlvs;
}

/** What two neighbours use of credit exchange. */
export interface OperatingCredit {
  /** Priorities whose frames need it, one bit each. */
  readonly priorities: number;
  /** Octets of a credit that the neighbour grants. */
  readonly askedUnitOctets: number;
  /** Its totals have 31 bits. */
  readonly askedWide: boolean;
  /** Each channel has its share of its buffer, and no more. */
  readonly askedDivided: boolean;
  /** By priority: units of its buffer; 0 or nothing where it does not say. */
  readonly askedBufferUnits: readonly number[];
  /** Words may ride on data frames. */
  readonly tags: boolean;
}

/** Puts what was negotiated into force. */
export interface PortOperator {
  operate(port: number, operating: OperatingPort): void;
  /** Classes and shares as the registers of the port have them; null where it has none. */
  tableInHardware(port: number): EtsTable | null;
}
