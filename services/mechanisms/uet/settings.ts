import type { z } from 'zod';
import {
  among,
  choice,
  either,
  integer,
  mapping,
  positive,
  quantity,
  word,
} from '../../settings/parts.js';
import { aboveZero, share, size, time } from '../../settings/quantities.js';
import { PS_PER_US } from '../../engine/units/time.js';
import { connectionKeys, type ConnectionSettings } from '../transport-settings.js';
import { MOST_WINDOW } from './layout.js';
import { ENTROPY_POLICIES } from './spec.js';

/** Octets for which a receiver sends one acknowledgement, unless a packet requests one. */
const ACK_OCTETS = 16_384;
const ENTROPY_VALUES = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;

/** Defaults of UE 1.0.3, table 3-82, as two implementations cite it. */
const nscc = mapping({
  maxWindow: positive()
    .describe('Largest window, and the first, in bandwidth-delay products.')
    .prefault(1.5),
  target: quantity(aboveZero(time))
    .describe(
      'Queueing delay to aim at. Default: the round trip of the idle path, or 75% of it where ' +
        'switches trim packets.',
    )
    .exactOptional(),
  proportional: positive()
    .describe('Growth by how far the delay is below the target (alpha).')
    .prefault(4),
  fair: positive()
    .describe('Growth while delay is above the target and unmarked (fi).')
    .prefault(5),
  fast: positive().describe('Growth while there is no delay (fi_scale).').prefault(0.25),
  eta: positive().describe('Growth in each round trip, whatever the delay.').prefault(0.15),
  gamma: quantity(aboveZero(share))
    .describe('How much the share of the average delay above the target counts in a cut.')
    .prefault('80%'),
  maxDecrease: quantity(aboveZero(share))
    .describe('Share of the window that one cut takes at most.')
    .prefault('50%'),
  gain: quantity(aboveZero(share))
    .describe('Weight of a new delay in the average.')
    .prefault('1.25%'),
  adjust: integer(1, 1024)
    .describe('Packets after which the window grows, if a round trip is not over before.')
    .prefault(8),
  adaptGate: integer(0, 16)
    .describe('Quick adapt: less than the largest window over 2^n has arrived (qa_gate).')
    .prefault(3),
  adaptDelay: positive()
    .describe('Quick adapt: delay, in targets, that begins it as a loss does.')
    .prefault(4),
}).describe('Network-signalled congestion control.');

const rccc = mapping({
  maxCredit: positive()
    .describe('Most credit, and what a connection begins with, in bandwidth-delay products.')
    .prefault(1.5),
  grant: quantity(aboveZero(size)).describe('Credit granted at a time.').prefault('16384B'),
  share: quantity(aboveZero(share))
    .describe('Share of the rate of its link that a NIC grants to all its senders.')
    .prefault('99%'),
}).describe('Receiver-credit congestion control.');

export const uetSettings = mapping({
  ...connectionKeys,
  mtu: integer(64, 9000).describe('Payload bytes of a full packet.').prefault(4096),
  window: either(
    [word('auto'), integer(1, MOST_WINDOW)],
    'a window',
    `auto, or a number of packets up to ${MOST_WINDOW}`,
  )
    .describe(
      'Most packets from the oldest that is not acknowledged on; nscc limits the bytes in ' +
        'flight. auto: three times the largest window of nscc.',
    )
    .prefault('auto'),
  ackEvery: integer(1, 65536)
    .describe(
      'One acknowledgement for so many packets. One that is marked, comes twice or requests it ' +
        `has its own. Default: ${ACK_OCTETS.toLocaleString('en')} bytes.`,
    )
    .exactOptional(),
  timeout: quantity(aboveZero(time))
    .describe(
      'Time without progress after which what has not arrived is retransmitted. It doubles with ' +
        'each timeout in a row, until an acknowledgement makes progress. Default: 100us.',
    )
    .exactOptional(),
  entropy: choice(ENTROPY_POLICIES)
    .describe(
      'Which entropy value, and with it which path, a packet takes. oblivious: all in turn; ' +
        'bitmap: in turn without those that came back marked or lost; reps: one that came back ' +
        'good, or a random one; mixed: one that came back good, or by bitmap.',
    )
    .prefault('mixed'),
  entropies: among('a number of entropy values', ENTROPY_VALUES)
    .describe('How many entropy values there are; 1: one path, by hash.')
    .prefault(64),
  sleek: choice(['auto', 'on', 'off'])
    .describe(
      'Whether packets out of order tell of losses (SLEEK). auto: where no switch trims packets.',
    )
    .prefault('auto'),
  control: choice(['nscc', 'rccc', 'both'])
    .describe(
      'What limits a sender. nscc: a window, by marks and delays; rccc: credit, which each NIC ' +
        'grants its senders in turn; both: either.',
    )
    .prefault('nscc'),
  nscc: nscc.prefault({}),
  rccc: rccc.prefault({}),
});

export type UetInput = z.output<typeof uetSettings>;
export type NsccSettings = z.output<typeof nscc>;

export interface UetSettings extends ConnectionSettings {
  readonly entropy: UetInput['entropy'];
  readonly entropies: number;
  readonly sleek: UetInput['sleek'];
  readonly nscc: NsccSettings;
  readonly control: UetInput['control'];
  readonly rccc: UetInput['rccc'];
}

export function completeUet(written: UetInput): UetSettings {
  const ackEvery = Math.max(1, Math.floor(ACK_OCTETS / written.mtu));
  return { ackEvery, timeout: 100 * PS_PER_US, ...written };
}
