import { QUANTA_MOST } from '../pausing-settings.js';
import type { SlottedPausing } from '../slotted-slice.js';
import type { SlotsSection, SlottedPortSection } from './section.js';

/** Of Xoff: the longest time that PAUSE can state, refreshed when half of it is over. */
const REFRESH = 0.5;

/** 802.3x of a port, counted from 1; null where it has none. There is no other flow control. */
export function pausingAt(
  { cpuPort, flowControl, responseDelayPs }: SlotsSection,
  own: SlottedPortSection | undefined,
  port: number,
): SlottedPausing | null {
  const isOn = cpuPort !== port && (own?.flowControl ?? flowControl);
  return isOn ? { quanta: QUANTA_MOST, refresh: REFRESH, responseDelay: responseDelayPs } : null;
}
