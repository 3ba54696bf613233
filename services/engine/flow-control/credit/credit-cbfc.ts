import { PRIORITIES } from '../../units/ethernet.js';
import type { CbfcFrame } from '../../wire/mac-control/cbfc-frame.js';
import { CBFC_CONSUMED, CBFC_FREED } from '../../wire/mac-control/cbfc-frame.js';
import type { CeFrame } from '../../wire/mac-control/ce-frame.js';
import { OPCODE_CE_GRANT, OPCODE_CE_REQUEST } from '../../wire/mac-control/opcodes.js';
import type { CreditAccounts } from './credit-accounts.js';
import { COUNT_MASK, WORD_MASK } from './credit-machine.js';

/**
 * Says with CBFC what a message of credit exchange says: a limit is what was freed and the buffer
 * on top, so the neighbour may send while consumed - freed + cost <= buffer.
 */
export function intoCbfc(
  accounts: CreditAccounts,
  port: number,
  from: Readonly<CeFrame>,
  isWide: boolean,
  into: CbfcFrame,
): CbfcFrame {
  const slot = accounts.slotOfChannel(port, from.channel);
  const isFreed = from.opcode === OPCODE_CE_GRANT;
  into.source = from.source;
  into.message = isFreed ? CBFC_FREED : CBFC_CONSUMED;
  into.flags = from.flags;
  into.virtualChannels = from.tcSelectionVector;
  into.slice = from.channel;
  into.isWide = isWide;
  for (let n = 0; n < PRIORITIES; n++) {
    if ((from.tcSelectionVector & (1 << n)) === 0) continue;
    const buffer = isFreed ? accounts.bufferUnits(accounts.row(port, slot, n)) : 0;
    into.buffers[n] = buffer;
    into.counters[n] = (from.tcCredits[n] - buffer) & (isWide ? COUNT_MASK : WORD_MASK);
  }
  return into;
}

/** What a message of CBFC says, as one of credit exchange. */
export function outOfCbfc(from: Readonly<CbfcFrame>, into: CeFrame): void {
  into.opcode = from.message === CBFC_FREED ? OPCODE_CE_GRANT : OPCODE_CE_REQUEST;
  into.flags = from.flags;
  into.tcSelectionVector = from.virtualChannels;
  into.channel = from.slice;
  into.amounts.fill(0);
  const mask = from.isWide ? COUNT_MASK : WORD_MASK;
  for (let n = 0; n < PRIORITIES; n++) {
    into.tcCredits[n] = (from.counters[n] + from.buffers[n]) & mask;
  }
}
