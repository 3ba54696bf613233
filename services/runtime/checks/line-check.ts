import type { Engine } from '../../engine/device/engine.js';
import { FCS_OCTETS, FRAME_OCTETS_MIN, WIRE_OVERHEAD_OCTETS } from '../../engine/units/ethernet.js';
import { ORDERED_SET_OCTETS } from '../../engine/wire/ordered-set.js';

/**
 * A port starts nothing while what it has started is on its link: by the rate of the link and the
 * octets alone, whatever the port itself takes for free.
 */
export class LineCheck {
  private readonly busyUntil: Float64Array;
  private readonly octetPs: Float64Array;

  constructor({ shared, devices }: Engine) {
    this.busyUntil = new Float64Array(shared.ports.count).fill(-Infinity);
    this.octetPs = Float64Array.from(devices.flatMap(({ spec }) => spec.ports).map(octetPsOf));
  }

  /** A frame of so many octets starts; false if the line is busy. */
  frameStarts(port: number, now: number, octets: number): boolean {
    return this.starts(port, now, octets + WIRE_OVERHEAD_OCTETS);
  }

  /** The same of the octets of a control frame, or an ordered set. */
  controlStarts(port: number, now: number, octets: number): boolean {
    if (octets === ORDERED_SET_OCTETS) return this.starts(port, now, octets);
    const frame = Math.max(FRAME_OCTETS_MIN, octets + FCS_OCTETS);
    return this.starts(port, now, frame + WIRE_OVERHEAD_OCTETS);
  }

  private starts(port: number, now: number, wireOctets: number): boolean {
    const isFree = now >= this.busyUntil[port]!;
    this.busyUntil[port] = now + wireOctets * this.octetPs[port]!;
    return isFree;
  }

  /** The run continues from a saved state. */
  restored(): void {
    this.busyUntil.fill(-Infinity);
  }
}

function octetPsOf({ octetPs }: { readonly octetPs: number }): number {
  return octetPs;
}
