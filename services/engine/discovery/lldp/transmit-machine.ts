import type { LldpTimers } from '../../contract/discovery.js';
import { assert } from '../../kernel/assert.js';

/**
 * Transmit timer and transmit machines of one agent (802.1AB 9.2.8 to 9.2.10), under the names of
 * their variables. The standard counts every second; here several seconds are counted at once, up
 * to the next one with an action, so that an idle agent costs one event per LLDPDU.
 */
export interface LldpTransmit {
  state: 'initialize' | 'idle' | 'shutdown';
  txNow: boolean;
  localChange: boolean;
  newNeighbor: boolean;
  txTTR: number;
  txFast: number;
  txCredit: number;
  txShutdownWhile: number;
  /** The shutdown LLDPDU is on the wire. */
  shutdownSent: boolean;
}

type Due = 'nothing' | 'information' | 'shutdown';

export function blankTransmit(): LldpTransmit {
  return {
    state: 'initialize',
    txNow: false,
    localChange: false,
    newNeighbor: false,
    txTTR: 0,
    txFast: 0,
    txCredit: 0,
    txShutdownWhile: 0,
    shutdownSent: false,
  };
}

/** TX_TIMER_INITIALIZE and TX_LLDP_INITIALIZE: from anywhere when the port is down. */
export function resetTransmit(tx: LldpTransmit): void {
  Object.assign(tx, blankTransmit());
}

/** So many ticks have passed; none but the last may be one of `ticksToTransmit`. */
export function countDownTransmit(tx: LldpTransmit, timers: LldpTimers, ticks: number): void {
  assert(ticks >= 0, 'lldp.ticks');
  tx.txTTR = Math.max(0, tx.txTTR - ticks);
  tx.txShutdownWhile = Math.max(0, tx.txShutdownWhile - ticks);
  if (tx.state === 'idle') tx.txCredit = Math.min(timers.txCreditMax, tx.txCredit + ticks);
}

/** Runs both machines until they wait: for time, for credit, or for the frame that is due. */
export function runTransmit(tx: LldpTransmit, timers: LldpTimers, allowed: boolean): void {
  if (tx.state === 'idle' && !allowed) {
    tx.state = 'shutdown';
    tx.shutdownSent = false;
  }
  if (tx.state === 'shutdown' && tx.shutdownSent && tx.txShutdownWhile === 0) resetTransmit(tx);
  if (tx.state === 'initialize' && allowed) {
    resetTransmit(tx);
    tx.state = 'idle';
    tx.txCredit = timers.txCreditMax;
  }
  if (tx.state === 'idle') runTimer(tx, timers);
}

/** TX_TIMER_IDLE with its consequences. */
function runTimer(tx: LldpTransmit, timers: LldpTimers): void {
  while (tx.localChange || tx.txTTR === 0 || tx.newNeighbor) {
    if (!tx.localChange) {
      if (tx.txTTR !== 0) {
        tx.newNeighbor = false;
        if (tx.txFast === 0) tx.txFast = timers.txFastInit;
      }
      if (tx.txFast > 0) tx.txFast--;
    }
    tx.txNow = true;
    tx.localChange = false;
    assert(tx.txFast >= 0 && timers.msgTxInterval > 0, 'lldp.timers');
    tx.txTTR = tx.txFast > 0 ? timers.msgFastTx : timers.msgTxInterval;
  }
}

export function dueOf(tx: LldpTransmit): Due {
  if (tx.state === 'idle' && tx.txNow && tx.txCredit > 0) return 'information';
  return tx.state === 'shutdown' && !tx.shutdownSent ? 'shutdown' : 'nothing';
}

/** TX_INFO_FRAME or TX_SHUTDOWN_FRAME: the frame that was due starts on the wire. */
export function transmitted(tx: LldpTransmit, timers: LldpTimers, due: Due): void {
  if (due === 'shutdown') {
    tx.shutdownSent = true;
    tx.txShutdownWhile = timers.reinitDelay;
    return;
  }
  assert(tx.txCredit > 0 && tx.state === 'idle', 'lldp.credit-to-transmit');
  tx.txCredit--;
  tx.txNow = false;
}

/** After how many ticks the machines must run again; Infinity: only on an event. */
export function ticksToTransmit(tx: LldpTransmit): number {
  if (tx.state === 'shutdown') return tx.shutdownSent ? tx.txShutdownWhile : Infinity;
  if (tx.state === 'initialize') return Infinity;
  return tx.txNow && tx.txCredit === 0 ? 1 : tx.txTTR;
}
