import { PRIORITIES, QUANTUM_OCTETS } from '../../engine/units/ethernet.js';
import type { Engine } from '../../engine/device/engine.js';
import { blankPauseFrame, decodePause } from '../../engine/wire/mac-control/pause-frame.js';
import { blankPfcFrame, decodePfc } from '../../engine/wire/mac-control/pfc-frame.js';

const ALL = 0xff;

/**
 * Reads every PAUSE and PFC frame that takes effect and keeps the times that it names, in a book of
 * its own: so that a mechanism that forgets a stop, or ends it early, does not judge itself.
 */
export class PauseCheck {
  /** By port and priority. */
  private readonly untilPs: Float64Array;
  private readonly pause = blankPauseFrame();
  private readonly pfc = blankPfcFrame();

  constructor(private readonly engine: Engine) {
    this.untilPs = new Float64Array(engine.shared.ports.count * PRIORITIES);
  }

  /** `port` is numbered through the service, here and below. */
  heard(port: number, now: number, octets: Uint8Array): void {
    const spec = this.specOf(port);
    // Which stops count is agreed on with the neighbour, and may change at any time.
    if (spec.discovery?.drives === true) return;
    if (spec.pause !== null && decodePause(octets, 0, this.pause) === 'ok') {
      for (let p = 0; p < PRIORITIES; p++) this.load(port, p, now, this.pause.quanta);
    } else if (spec.pfc !== null && decodePfc(octets, 0, this.pfc) === 'ok') {
      const named = this.pfc.enableVector & spec.pfc.priorities & ALL;
      for (let p = 0; p < PRIORITIES; p++) {
        if ((named & (1 << p)) !== 0) this.load(port, p, now, this.pfc.quanta[p]!);
      }
    }
  }

  /** Whether a frame of a priority must not start; a watchdog may have stopped obeying. */
  forbids(port: number, priority: number, now: number): boolean {
    if (now >= this.untilPs[port * PRIORITIES + priority]!) return false;
    if (this.engine.pfc.watchdog.isStorm(port, priority)) return false;
    // A carrier that comes back ends every stop, and is no frame that could be read.
    return !this.engine.faults.mayBe(port, 'down');
  }

  private load(port: number, priority: number, now: number, quanta: number): void {
    const lasts = quanta * QUANTUM_OCTETS * this.engine.shared.ports.octetPs(port);
    this.untilPs[port * PRIORITIES + priority] = now + lasts;
  }

  private specOf(port: number): Engine['devices'][number]['spec']['ports'][number] {
    const { spec, firstPort } = this.engine.devices[this.engine.shared.ports.owner(port)]!;
    return spec.ports[port - firstPort]!;
  }
}
