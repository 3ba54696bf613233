/** Counters of a port, under the names of SAI. */
export const LLR_COUNTERS = [
  'LLR_TX_INIT_CTL_OS',
  'LLR_TX_INIT_ECHO_CTL_OS',
  'LLR_TX_ACK_CTL_OS',
  'LLR_TX_NACK_CTL_OS',
  'LLR_TX_DISCARD',
  'LLR_TX_OK',
  'LLR_TX_POISONED',
  'LLR_TX_REPLAY',
  'LLR_RX_INIT_CTL_OS',
  'LLR_RX_INIT_ECHO_CTL_OS',
  'LLR_RX_ACK_CTL_OS',
  'LLR_RX_NACK_CTL_OS',
  'LLR_RX_ACK_NACK_SEQ_ERROR',
  'LLR_RX_OK',
  'LLR_RX_POISONED',
  'LLR_RX_BAD',
  'LLR_RX_EXPECTED_SEQ_GOOD',
  'LLR_RX_EXPECTED_SEQ_POISONED',
  'LLR_RX_EXPECTED_SEQ_BAD',
  'LLR_RX_MISSING_SEQ',
  'LLR_RX_DUPLICATE_SEQ',
  'LLR_RX_REPLAY',
] as const;

/** What each counts. */
export const LLR_MEANINGS: Readonly<Record<LlrCounter, string>> = {
  LLR_TX_INIT_CTL_OS: 'LLR_INIT sent.',
  LLR_TX_INIT_ECHO_CTL_OS: 'LLR_INIT_ECHO sent.',
  LLR_TX_ACK_CTL_OS: 'LLR_ACK sent.',
  LLR_TX_NACK_CTL_OS: 'LLR_NACK sent.',
  LLR_TX_DISCARD: 'Frames given up: it flushed or did not run.',
  LLR_TX_OK: 'Eligible frames sent.',
  LLR_TX_POISONED: 'Eligible frames sent with a poisoned FCS.',
  LLR_TX_REPLAY: 'Replays that were completed.',
  LLR_RX_INIT_CTL_OS: 'LLR_INIT received.',
  LLR_RX_INIT_ECHO_CTL_OS: 'LLR_INIT_ECHO received.',
  LLR_RX_ACK_CTL_OS: 'LLR_ACK received.',
  LLR_RX_NACK_CTL_OS: 'LLR_NACK received.',
  LLR_RX_ACK_NACK_SEQ_ERROR: 'LLR_ACK or LLR_NACK of a number that was not sent.',
  LLR_RX_OK: 'Good eligible frames received.',
  LLR_RX_POISONED: 'Frames received with a poisoned FCS.',
  LLR_RX_BAD: 'Bad frames received.',
  LLR_RX_EXPECTED_SEQ_GOOD: 'Frames received in sequence, good.',
  LLR_RX_EXPECTED_SEQ_POISONED: 'Frames received in sequence, poisoned.',
  LLR_RX_EXPECTED_SEQ_BAD: 'Frames received in sequence, bad.',
  LLR_RX_MISSING_SEQ: 'Frames received that follow a missing one.',
  LLR_RX_DUPLICATE_SEQ: 'Frames received again.',
  LLR_RX_REPLAY: 'Replays received.',
};

export type LlrCounter = (typeof LLR_COUNTERS)[number];

export const LLR_COUNT = LLR_COUNTERS.length;
