/** `discovery` of the file -> settings of every port, and changes by an administrator. */

import {
  BY_DSCP,
  BY_ETHERTYPE,
  BY_PORT,
  BY_TCP_PORT,
  BY_UDP_PORT,
} from '../../engine/wire/lldp/dcbx-ieee.js';
import {
  NEAREST_BRIDGE,
  NEAREST_CUSTOMER_BRIDGE,
  NEAREST_NON_TPMR_BRIDGE,
} from '../../engine/wire/lldp/lldpdu.js';
import type { Located } from './located.js';
import { arbiterSection } from './normalise-flow-control.js';
import type {
  DiscoveryChange,
  DiscoveryEndSection,
  DiscoverySection,
} from './discovery-section.js';
import {
  type DiscoveryDeviceInput,
  type DiscoveryEndInput,
  type DiscoveryInput,
  discoverySchema,
} from './schema-discovery.js';
import type { Path } from '../../settings/source-tree.js';

const ADDRESSES = {
  'nearest-bridge': NEAREST_BRIDGE,
  'nearest-non-tpmr-bridge': NEAREST_NON_TPMR_BRIDGE,
  'nearest-customer-bridge': NEAREST_CUSTOMER_BRIDGE,
} as const;

const SELECTORS = {
  ethertype: BY_ETHERTYPE,
  tcp: BY_TCP_PORT,
  udp: BY_UDP_PORT,
  port: BY_PORT,
  dscp: BY_DSCP,
} as const;

type Keys = Exclude<DiscoveryInput, boolean>;
type ChangeInput = Keys['changes'][number];
type ApplicationInput = NonNullable<DiscoveryEndInput['applications']>[number];

export function discoverySection(input: DiscoveryInput, located: Located): DiscoverySection {
  const keys = typeof input === 'boolean' ? (discoverySchema.parse({}) as Keys) : input;
  return {
    enabled: input !== false,
    start: keys.start,
    drives: keys.drives,
    secondPs: keys.second,
    timers: {
      msgTxInterval: keys.interval,
      msgTxHold: keys.hold,
      msgFastTx: keys.fastInterval,
      txFastInit: keys.fastInit,
      txCreditMax: keys.creditMax,
      reinitDelay: keys.reinitDelay,
    },
    neighborsMost: keys.neighbors,
    destinations: [...new Set(keys.reach.map((address) => ADDRESSES[address]))],
    end: discoveryOf(keys) as DiscoveryEndSection,
    changes: keys.changes
      .map((change, index) => changeOf(change, ['discovery', 'changes', index], located))
      .sort((a, b) => a.atPs - b.atPs),
  };
}

/** Settings of a device, of which administrators change all but the identifier later. */
export function discoveryOf(input: DiscoveryDeviceInput): Partial<DiscoveryEndSection> {
  const { identifier } = input;
  return {
    ...discoveryEnd(input),
    ...(identifier !== undefined && { identifier: parseInt(identifier.replaceAll('-', ''), 16) }),
  };
}

function discoveryEnd(input: DiscoveryEndInput): Partial<DiscoveryEndSection> {
  const { status, dcbx, willing, recommend, pfcCapability, applications } = input;
  const { drift, creditCapable, classes } = input;
  return {
    ...(status !== undefined && { status }),
    ...(dcbx !== undefined && { dcbx }),
    ...(willing !== undefined && { willing }),
    ...(recommend !== undefined && { recommend }),
    ...(pfcCapability !== undefined && { pfcCapability }),
    ...(classes !== undefined && { classes: classes === 'common' ? null : classes }),
    ...(creditCapable !== undefined && { grantCapable: creditCapable }),
    ...(drift !== undefined && { driftPpm: drift }),
    ...(applications !== undefined && { applications: applications.map(applicationOf) }),
  };
}

function changeOf(change: ChangeInput, path: Path, located: Located): DiscoveryChange {
  const { at, devices, pfc, credit, arbiter } = change;
  const index = path[2] as number;
  return {
    atPs: at,
    devices,
    index,
    pfc: pfc === undefined ? null : maskOf(pfc),
    grants: credit === undefined ? null : maskOf(credit),
    arbiter: arbiter === undefined ? null : arbiterSection(arbiter, [...path, 'arbiter'], located),
    end: discoveryEnd(change),
  };
}

function applicationOf(input: ApplicationInput): DiscoveryEndSection['applications'][number] {
  const { priority, ...by } = input;
  const [[key, protocol]] = Object.entries(by) as [[keyof typeof SELECTORS, number]];
  return { priority, selector: SELECTORS[key], protocol };
}

function maskOf(priorities: readonly number[]): number {
  return priorities.reduce((mask, priority) => mask | (1 << priority), 0);
}
