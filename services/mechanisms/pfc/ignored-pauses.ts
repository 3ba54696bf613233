import type { PausingSpec, PauseWatchdogSpec } from '../../engine/contract/spec.js';
import type { Clock } from '../../engine/kernel/clock.js';
import { SHAPE, unknown } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { StopListener } from '../../engine/quanta/pause-responder.js';
import type { PortRow } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

const GROUPS = 8;
/** With less time between them two pauses may look like one to polls, on whichever chip. */
const POLLS_APART = 3;

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
  private readonly endedAt: Float64Array;
  private readonly isOff: Uint8Array;
  private readonly specs: (PausingSpec['partnerWatchdog'] | undefined)[] = [];

  constructor(
    tables: Tables,
    private readonly clock: Clock,
  ) {
    this.beganAt = tables.float64('port', field('pause began', unknown(0), GROUPS));
    this.until = tables.float64('port', field('pause ignored until', unknown(0), GROUPS));
    this.endedAt = tables
      .float64('port', field('pause ended', unknown(-Infinity), GROUPS))
      .fill(-Infinity);
    this.isOff = tables.uint8('port', field('pauses watched', SHAPE));
  }

  configure(port: PortRow, spec: PausingSpec | null): void {
    this.specs[port] = spec?.partnerWatchdog ?? null;
  }

  stopBegan(port: PortRow, group: number): void {
    const i = port * GROUPS + group;
    const watch = this.watchOf(port, group);
    if (watch === null) return;
    const pollPs = watch.polled?.pollPs ?? 0;
    // Polls may take pauses that follow each other for one.
    const isNext = pollPs > 0 && this.clock.now < this.endedAt[i] + POLLS_APART * pollPs;
    if (!isNext) this.beganAt[i] = this.clock.now;
    this.isOff[port] |= 1 << group;
  }

  stopEnded(port: PortRow, group: number): void {
    const i = port * GROUPS + group;
    const watch = this.watchOf(port, group);
    if (watch === null) return;
    assert((this.isOff[port] & (1 << group)) !== 0, 'pfc.ended-pause-had-begun');
    if (this.mayIgnore(port, group)) {
      const pollPs = watch.polled?.pollPs ?? 0;
      const most = watch.restorationPs + watch.detectionPs + POLLS_APART * pollPs;
      this.until[i] = this.clock.now + most;
    }
    this.endedAt[i] = this.clock.now;
    this.isOff[port] &= ~(1 << group);
  }

  mayIgnore(port: PortRow, group: number): boolean {
    const i = port * GROUPS + group;
    const watch = this.watchOf(port, group);
    if (watch === null) return false;
    const { now } = this.clock;
    if ((this.isOff[port] & (1 << group)) === 0) return now < this.until[i];
    return now >= this.beganAt[i] + soonestPs(watch) || this.beganAt[i] < this.until[i];
  }

  private watchOf(port: PortRow, group: number): PauseWatchdogSpec | null {
    return this.specs[port]?.[group] ?? null;
  }
}

/** After so long a pause a watchdog may act: polls see its beginning late, or as it happens. */
function soonestPs({ detectionPs, polled }: PauseWatchdogSpec): number {
  if (polled === null) return detectionPs;
  const polls = Math.ceil(detectionPs / polled.pollPs);
  return Math.max(0, polls - POLLS_APART) * polled.pollPs;
}
