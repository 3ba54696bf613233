import { QUANTUM_OCTETS } from '../units/ethernet.js';
import type { PausingSpec, PortSpec } from './spec.js';

export type PauseTimes = Pick<PausingSpec, 'quanta' | 'refreshFraction' | 'responseDelayPs'>;

/** PAUSE of a port (802.3 31B): all priorities together. */
export function wholePortPausing(times: PauseTimes): PausingSpec {
  const { quanta, refreshFraction, responseDelayPs } = times;
  return {
    ...{ mechanism: 'pause', priorities: 0xff, wholePort: true },
    ...{ quanta, refreshFraction, responseDelayPs, watchdog: null, partnerWatchdog: null },
  };
}

/** Time (ps) for which one control frame of a port pauses its link partner; 0 where none does. */
export function pausePsOf({ pausing, octetPs }: PortSpec): number {
  return (pausing?.quanta ?? 0) * QUANTUM_OCTETS * octetPs;
}
