import { ALONG } from '../engine/analysis/waits/wait-records.js';
import { LACKED, PAUSES } from './page/page-data.js';

/** As the mechanisms are written in standards. */
export function mechanismName(mechanism: string): string {
  return isPause(mechanism) || mechanism.length <= 4 ? mechanism.toUpperCase() : mechanism;
}

/** A port is paused by its link partner, or blocked by what is not a pause. */
export function isPause(mechanism: string): boolean {
  return PAUSES.includes(mechanism);
}

/** What keeps a port from sending. */
export function blockedText(mechanism: string): string {
  if (mechanism === ALONG) return 'held along with another priority';
  if (isPause(mechanism)) return `paused by ${mechanismName(mechanism)}`;
  return `blocked ${mechanism === LACKED ? 'on' : 'by'} ${mechanismName(mechanism)}`;
}
