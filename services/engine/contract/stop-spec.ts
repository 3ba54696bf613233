import { QUANTUM_OCTETS } from '../units/ethernet.js';
import type { PortSpec, StopPortSpec } from './spec.js';

/** PAUSE or PFC of a port, of which it has one at most; null where it has neither. */
export function stopSpecOf({ pfc, pause }: PortSpec): StopPortSpec | null {
  return pfc ?? pause;
}

/** Time (ps) for which one PAUSE or PFC frame of a port pauses its link partner. */
export function pausePsOf(port: PortSpec): number {
  return (stopSpecOf(port)?.quanta ?? 0) * QUANTUM_OCTETS * port.octetPs;
}
