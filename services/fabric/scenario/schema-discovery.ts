/** Schema of `discovery`: LLDP and DCBX on every port. */

import type { z } from 'zod';
import { LLDP_RANGES } from '../../engine/discovery/lldp/lldp-managed.js';
import { aboveZero, time } from '../../settings/quantities.js';
import { arbiterSchema, classMap } from './schema-flow-control.js';
import {
  choice,
  either,
  flag,
  freeText,
  integer,
  list,
  mapping,
  overriding,
  quantity,
  text,
  word,
} from '../../settings/parts.js';

/** Worse than any oscillator, so that a short run shows its effect. */
const DRIFT_MOST_PPM = 500_000;

const ranged = (
  { least, most, default: usual }: (typeof LLDP_RANGES)[keyof typeof LLDP_RANGES],
  what: string,
) => integer(least, most).describe(what).prefault(usual);

const priorityList = () => list(integer(0, 7), 'priorities 0 to 7');

const application = either(
  [
    mapping({
      ethertype: integer(0, 0xffff).describe('EtherType; 0: all that has no other entry.'),
      priority: integer(0, 7).describe('Priority of its frames.'),
    }),
    mapping({
      tcp: integer(1, 0xffff).describe('TCP or SCTP port.'),
      priority: integer(0, 7).describe('Priority of its frames.'),
    }),
    mapping({
      udp: integer(1, 0xffff).describe('UDP or DCCP port.'),
      priority: integer(0, 7).describe('Priority of its frames.'),
    }),
    mapping({
      port: integer(1, 0xffff).describe('Port of any of these protocols.'),
      priority: integer(0, 7).describe('Priority of its frames.'),
    }),
    mapping({
      dscp: integer(0, 63).describe('Code point of IP.'),
      priority: integer(0, 7).describe('Priority of its frames.'),
    }),
  ],
  'an application',
  'a mapping such as { udp: 4791, priority: 3 } or { ethertype: 0x8906, priority: 3 }',
);

/** Settings of the administrator of each device. */
const endKeys = {
  status: choice(['both', 'send', 'receive', 'disabled'])
    .describe('Whether the ports send LLDPDUs, read them, or both (adminStatus).')
    .prefault('both'),
  dcbx: choice(['auto', 'ieee', 'cee', 'off'])
    .describe('Version of DCBX; auto: IEEE, until the peer turns out to support CEE only.')
    .prefault('auto'),
  willing: list(choice(['ets', 'pfc', 'credit']), 'ets, pfc and credit')
    .describe(
      'Features in which the device is willing: it takes over the configuration of its peer.',
    )
    .prefault([]),
  recommend: flag()
    .describe('Send the own ETS table in the ETS Recommendation TLV.')
    .prefault(false),
  classes: either(
    [word('common'), classMap('Traffic class of each priority at these ports.')],
    'a map of classes',
    'common, or eight numbers 0 to 7',
  )
    .describe('Traffic class of each priority here; common: as classes.transmit says for all.')
    .prefault('common'),
  creditCapable: priorityList()
    .describe('Priorities that could have credit, beside those that are configured for it.')
    .prefault([]),
  pfcCapability: integer(0, 8)
    .describe('How many priorities can have PFC at the same time.')
    .prefault(8),
  drift: integer(-DRIFT_MOST_PPM, DRIFT_MOST_PPM)
    .describe('Parts in a million by which the clock of its LLDP timers is fast.')
    .prefault(0),
  applications: list(application, 'applications')
    .describe('Priorities of applications.')
    .prefault([]),
};

/** Of organizations whose TLVs ports send or read: 802.1, 802.3, CEE, and LLDP-MED. */
const ASSIGNED = ['00-80-C2', '00-12-0F', '00-1B-21', '00-12-BB'];
const inBothCases = (written: string): string =>
  written.replace(/[A-F]/g, (letter) => `[${letter}${letter.toLowerCase()}]`);
/** The last bit of the first octet makes a group address. */
const IDENTIFIER = new RegExp(
  `^(?!${ASSIGNED.map(inBothCases).join('|')})[0-9A-Fa-f][02468ACEace](?:-[0-9A-Fa-f]{2}){2}$`,
  'v',
);

/** A device has one for good. */
const identityKeys = {
  identifier: text(
    'an identifier of TLVs',
    IDENTIFIER,
    'an OUI or CID such as 02-CE-70: three octets in hexadecimal, no group address (the first is ' +
      `even), and none of ${ASSIGNED.join(', ')}`,
  )
    .describe(
      'OUI or CID of the TLVs that no standard numbers; a device reads those under its own.',
    )
    .prefault('02-CE-70'),
};

const change = mapping({
  at: quantity(aboveZero(time)).describe('When the administrator changes something.'),
  devices: freeText().describe('Which devices: a name, or a pattern such as leaf*.'),
  pfc: priorityList().describe('Priorities that have PFC from then on.').exactOptional(),
  credit: priorityList().describe('Priorities that have credit from then on.').exactOptional(),
  arbiter: arbiterSchema.describe('ETS table from then on.').exactOptional(),
  ...overriding(endKeys),
});

export const discoverySchema = either(
  [
    flag(),
    mapping({
      start: choice(['live', 'converged'])
        .describe('live: LLDP begins with the run; converged: it has spoken before.')
        .prefault('live'),
      drives: flag()
        .describe('The data path uses what DCBX negotiates; false: what the scenario configures.')
        .prefault(true),
      second: quantity(aboveZero(time))
        .describe('What LLDP takes for a second; shorter ones make its timers run faster.')
        .prefault('1s'),
      interval: ranged(LLDP_RANGES.msgTxInterval, 'Seconds between LLDPDUs (msgTxInterval).'),
      hold: ranged(LLDP_RANGES.msgTxHold, 'TTL of an LLDPDU, in intervals (msgTxHold).'),
      fastInterval: ranged(
        LLDP_RANGES.msgFastTx,
        'Seconds between LLDPDUs after a new neighbor appears (msgFastTx).',
      ),
      fastInit: ranged(LLDP_RANGES.txFastInit, 'How many of these are sent.'),
      creditMax: ranged(LLDP_RANGES.txCreditMax, 'LLDPDUs that may be sent at once.'),
      reinitDelay: ranged(LLDP_RANGES.reinitDelay, 'Seconds of silence after a shutdown.'),
      neighbors: ranged(LLDP_RANGES.neighbors, 'Most neighbors that a port stores.'),
      reach: list(
        choice(['nearest-bridge', 'nearest-non-tpmr-bridge', 'nearest-customer-bridge']),
        'addresses such as nearest-bridge',
      )
        .min(1, 'empty; DCBX goes with the first address')
        .describe('Destination addresses (802.1AB 7.1); DCBX goes with the first.')
        .prefault(['nearest-bridge']),
      ...endKeys,
      ...identityKeys,
      changes: list(change, 'changes').describe('What administrators change later.').prefault([]),
    }),
  ],
  'a discovery setting',
  'true, false, or a mapping such as { willing: [pfc] }',
);

/** Within `devices`: absent keys are those of the scenario's own `discovery`. */
export const discoveryOverridesSchema = mapping(overriding({ ...endKeys, ...identityKeys }));

export type DiscoveryInput = z.output<typeof discoverySchema>;
export type DiscoveryDeviceInput = z.output<typeof discoveryOverridesSchema>;
export type DiscoveryEndInput = Omit<DiscoveryDeviceInput, keyof typeof identityKeys>;
