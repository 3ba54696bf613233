import { FRAME_OCTETS_MIN, PREAMBLE_OCTETS } from '../units/ethernet.js';
import { DROP } from '../contract/probe.js';
import type { FaultMechanism } from '../faults/fault-mechanism.js';
import { CUT } from '../faults/fault-flags.js';
import { UNHURT } from '../faults/frame-errors.js';
import { CARRIES_FLAG, CLASS, LENGTH, POISONED_FLAG, PRIORITY_MASK } from '../frame/frame-pool.js';
import type { Shared } from './shared.js';
import type { FrameRef } from '../units/indices.js';

const LONGEST_OCTETS = 65_536;

/** What is wrong with what arrives at a port. */
interface ArrivalErrors {
  /** Why a frame that comes in is lost, or UNHURT. */
  errorOf(port: number, frame: FrameRef, isImpaired: boolean): number;
  /**
   * Whether what takes effect now was on the wire when the carrier was lost: `octets` of it had to
   * come in, and `delayPs` passed after the last of them that counts.
   */
  isCut(port: number, octets: number, delayPs: number): boolean;
  isFrameCut(port: number, frame: FrameRef): boolean;
}

export function makeArrivalErrors(
  { clock, pool, ports }: Shared,
  faults: FaultMechanism,
): ArrivalErrors {
  const { flags } = faults;
  const { words } = pool;

  function isCut(port: number, octets: number, delayPs: number): boolean {
    const octetPs = ports.octetPs(port);
    const wirePs = ports.latencyPs(ports.peer(port)) + delayPs;
    const flightPs = (PREAMBLE_OCTETS + octets) * octetPs + wirePs;
    const delaysPs = ports.ingressPs(port) + ports.controlDelayPs(port);
    return faults.isCut(port, clock.now - flightPs, LONGEST_OCTETS * octetPs + wirePs + delaysPs);
  }

  function isFrameCut(port: number, frame: FrameRef): boolean {
    if ((flags[port] & CUT) === 0) return false;
    const octets = ports.cutsThrough(port) ? FRAME_OCTETS_MIN : words[frame + LENGTH];
    return isCut(port, octets, ports.ingressPs(port));
  }

  function onLink(port: number, frame: FrameRef): number {
    if (isFrameCut(port, frame)) return DROP.LINK_DOWN;
    return faults.fate(port, words[frame + CLASS] & PRIORITY_MASK, words[frame + LENGTH]);
  }

  /**
   * The FCS of a frame is at its end. A switch that cuts through forwards what is bad, and poisons
   * it; octets that it reads on the way are checked whole.
   */
  function errorOf(port: number, frame: FrameRef, isImpaired: boolean): number {
    const error = isImpaired ? onLink(port, frame) : UNHURT;
    const frameClass = words[frame + CLASS];
    if (ports.cutsThrough(port)) {
      if (error !== DROP.FCS_ERROR || (frameClass & CARRIES_FLAG) !== 0) return error;
      words[frame + CLASS] = frameClass | POISONED_FLAG;
      return UNHURT;
    }
    return error === UNHURT && (frameClass & POISONED_FLAG) !== 0 ? DROP.POISONED : error;
  }

  return { errorOf, isCut, isFrameCut };
}
