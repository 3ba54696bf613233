import { either, integer, quantity, word } from '../settings/parts.js';
import { aboveZero, rate, time } from '../settings/quantities.js';

/** From 4 ms to 64 ms: InfiniBand local ACK timeouts of 10 to 14, which applications set. */
const BACK_OFF_BOUND = 16;

/** Keys of every transport that acknowledges packets. */
export const connectionKeys = {
  mtu: integer(64, 9000).describe('Payload bytes of a full packet.').prefault(1024),
  window: either([word('auto'), integer(1, 1 << 24)], 'a window', 'auto, or a number of packets')
    .describe('Most packets unacknowledged.')
    .prefault('auto'),
  rate: quantity(aboveZero(rate))
    .describe('Most that a flow sends. Default: the rate of the link.')
    .exactOptional(),
  ackEvery: integer(1, 65536)
    .describe('One acknowledgement for so many packets; the last of a message always has one.')
    .prefault(1),
  ackPriority: integer(0, 7)
    .describe('Priority of acknowledgements. Default: as the data.')
    .exactOptional(),
  timeout: quantity(aboveZero(time))
    .describe(
      'Time without progress after which unacknowledged packets are retransmitted. It doubles ' +
        'with each timeout in a row, until an acknowledgement makes progress.',
    )
    .prefault('4ms'),
  maxTimeout: quantity(aboveZero(time))
    .describe(
      'Most that the retransmission timeout grows to; equal to timeout, it is fixed. ' +
        `Default: ${BACK_OFF_BOUND} times timeout.`,
    )
    .exactOptional(),
};

export interface ConnectionSettings {
  readonly mtu: number;
  readonly window: 'auto' | number;
  readonly rate?: number;
  readonly ackEvery: number;
  readonly ackPriority?: number;
  readonly timeout: number;
  readonly maxTimeout?: number;
  /** The timeout while fewer than `fewPackets` are outstanding. */
  readonly lowTimeout?: number;
  readonly fewPackets?: number;
}

/** What the timeout grows to. */
export function maxTimeoutOf({ timeout, maxTimeout }: ConnectionSettings): number {
  return maxTimeout ?? BACK_OFF_BOUND * timeout;
}
