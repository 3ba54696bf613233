import { pausingOf } from '../../mechanisms/registry.js';
import { PRIORITIES, QUANTUM_OCTETS } from '../../engine/units/ethernet.js';
import type { PauseWatchdog } from '../../engine/contract/flow-control.js';
import type { Engine } from '../../engine/device/engine.js';

/**
 * Parses every pause frame that takes effect and records its times separately: so that a
 * mechanism that loses a pause, or ends it early, is not checked against its own state.
 */
export class PauseCheck {
  /** By port and priority. */
  private readonly untilPs: Float64Array;

  private readonly watchdogs: readonly PauseWatchdog[];

  constructor(private readonly engine: Engine) {
    this.watchdogs = engine.mechanisms.flatMap(({ watchdog }) => watchdog ?? []);
    this.untilPs = new Float64Array(engine.shared.ports.count * PRIORITIES);
  }

  /** `port` is numbered through the service, here and below. */
  received(port: number, now: number, octets: Uint8Array): void {
    const spec = this.specOf(port);
    // Which pauses apply is negotiated with the link partner, and may change at any time.
    if (spec.discovery?.drives === true) return;
    const { pausing } = spec;
    if (pausing === null) return;
    pausingOf(pausing.mechanism)!.read(octets, (priority, quanta) => {
      if ((pausing.priorities & (1 << priority)) !== 0) this.load(port, priority, now, quanta);
    });
  }

  /** Whether a frame of a priority must not start; a watchdog may ignore pauses. */
  forbids(port: number, priority: number, now: number): boolean {
    if (now >= this.untilPs[port * PRIORITIES + priority]!) return false;
    if (this.watchdogs.some((watchdog) => watchdog.isStorm(port, priority))) return false;
    // A carrier that is back ends every pause, without a frame that could be parsed.
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
