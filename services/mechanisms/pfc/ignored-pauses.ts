import type { PausingSpec, PauseWatchdogSpec } from '../../engine/contract/spec.js';
import type { Clock } from '../../engine/kernel/clock.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { StopListener } from '../../engine/quanta/pause-responder.js';
import type { PortRow } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

const GROUPS = 8;

/**
 * Whether the link partner's watchdog may be ignoring a pause of this port: an overflow is then no
 * failure of the headroom. It is computed from this side alone, so it does not depend on where the
 * link partner runs: a watchdog acts after a pause of its detection time, and ends that after a
 * quiet time that is not longer than restoration and detection together.
 */
export class IgnoredPauses implements StopListener {
  /** By port and group: when the last pause began, and until when it may have been ignored. */
  private readonly beganAt: Float64Array;
  private readonly until: Float64Array;
  private readonly isOff: Uint8Array;
  private readonly specs: (PausingSpec['partnerWatchdog'] | undefined)[] = [];

  constructor(
    tables: Tables,
    private readonly clock: Clock,
  ) {
    this.beganAt = tables.float64('port', GROUPS);
    this.until = tables.float64('port', GROUPS);
    this.isOff = tables.uint8('port', 1);
  }

  configure(port: PortRow, spec: PausingSpec | null): void {
    this.specs[port] = spec?.partnerWatchdog ?? null;
  }

  stopBegan(port: PortRow, group: number): void {
    this.beganAt[port * GROUPS + group] = this.clock.now;
    this.isOff[port] |= 1 << group;
  }

  stopEnded(port: PortRow, group: number): void {
    const i = port * GROUPS + group;
    const watch = this.watchOf(port, group);
    assert((this.isOff[port] & (1 << group)) !== 0, 'pfc.ended-pause-had-begun');
    if (watch !== null && this.mayIgnore(port, group)) {
      this.until[i] = this.clock.now + watch.restorationPs + watch.detectionPs;
    }
    this.isOff[port] &= ~(1 << group);
  }

  mayIgnore(port: PortRow, group: number): boolean {
    const i = port * GROUPS + group;
    const watch = this.watchOf(port, group);
    if (watch === null) return false;
    const { now } = this.clock;
    if ((this.isOff[port] & (1 << group)) === 0) return now < this.until[i];
    return now >= this.beganAt[i] + watch.detectionPs || this.beganAt[i] < this.until[i];
  }

  private watchOf(port: PortRow, group: number): PauseWatchdogSpec | null {
    return this.specs[port]?.[group] ?? null;
  }
}
