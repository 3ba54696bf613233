import { QUANTUM_OCTETS } from '../../engine/units/ethernet.js';
import type { IngressBuffers, MechanismHost } from '../../engine/contract/flow-control.js';
import type { PauseTimes } from '../../engine/contract/pausing.js';
import { DUE, SHAPE } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { StopListener } from '../../engine/quanta/pause-responder.js';
import { REFRESH_TIMER } from '../../engine/quanta/pause-responder.js';
import type { PortRow } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

/**
 * The pause initiator: XOFF of PFC (802.1Q 36) and of PAUSE (802.3 31B) is decided here, when an
 * ingress buffer reaches its threshold, and XON when it has fallen. A pause is refreshed before it
 * expires, unless the scenario has it expire. What differs between the two (one account or eight,
 * and the octets) is the caller's.
 */
export class PauseInitiator {
  /** By port: groups whose sender is paused, one bit each. */
  readonly off: Uint8Array;
  /** By port: groups to release for which no frame was sent yet. */
  private readonly releases: Uint8Array;
  private readonly refreshAt: Float64Array;
  private readonly refreshArmed: Uint8Array;
  private readonly refreshPs: Float64Array;
  listener: StopListener | null = null;

  /** `slot` is the mechanism's index at its host, by which timers and frames are assigned. */
  constructor(
    tables: Tables,
    private readonly host: MechanismHost,
    private readonly accounts: IngressBuffers,
    private readonly slot: number,
  ) {
    this.off = tables.uint8('port', field('pauses', SHAPE));
    this.releases = tables.uint8('port', field('releases', SHAPE));
    this.refreshAt = tables.float64('port', field('refresh at', DUE));
    this.refreshArmed = tables.uint8('port', field('refresh armed', SHAPE));
    this.refreshPs = tables.float64('port', field('refresh period', SHAPE));
  }

  configure(port: PortRow, spec: PauseTimes, octetPs: number): void {
    const quantaPs = spec.quanta * QUANTUM_OCTETS * octetPs;
    this.refreshPs[port] = Math.floor(spec.refreshFraction * quantaPs);
    const isInTime = this.refreshPs[port] < quantaPs || spec.refreshFraction > 1;
    assert(this.refreshPs[port] > 0 && isInTime, 'pfc.refresh-in-time');
  }

  /** A frame was admitted to an account: XOFF if it has reached its threshold. */
  decideXoff(port: PortRow, group: number): void {
    const bit = 1 << group;
    if ((this.off[port] & bit) !== 0 || !this.accounts.atXoff(port, group)) return;
    this.off[port] |= bit;
    this.releases[port] &= ~bit;
    this.change(port, group, true);
  }

  /** A frame of an account was released: XON if it has fallen far enough. */
  decideXon(port: PortRow, group: number): void {
    if ((this.off[port] & (1 << group)) === 0 || !this.accounts.atXon(port, group)) return;
    this.end(port, group);
  }

  /** Sends the present pauses again at once. */
  restate(port: PortRow): void {
    if (this.off[port] !== 0) this.host.requestControl(this.slot, port);
  }

  /** Ends pausing for a group; a paused sender is released. */
  cease(port: PortRow, group: number): void {
    if ((this.off[port] & (1 << group)) === 0) return;
    this.end(port, group);
  }

  /** Groups to name with time zero in the frame now being composed; each is named once. */
  takeReleases(port: PortRow): number {
    const releases = this.releases[port];
    assert((releases & this.off[port]) === 0, 'pfc.paused-or-released');
    this.releases[port] = 0;
    return releases;
  }

  /** A frame with every pause has been composed and ends at `txEnd`. */
  stated(port: PortRow, txEnd: number): void {
    if (this.off[port] === 0) return;
    assert(txEnd >= this.host.clock.now, 'pfc.stated-when-sent');
    this.disarm(port);
    this.refreshAt[port] = txEnd + this.refreshPs[port];
    this.refreshArmed[port] = 1;
    this.host.arm(this.slot, port, REFRESH_TIMER, this.refreshAt[port]);
  }

  /** A frame with this port's pauses is due, or its time is planned. */
  willState(port: PortRow): boolean {
    return this.refreshArmed[port] !== 0 || this.host.controlDue(this.slot, port);
  }

  onTimer(port: PortRow): void {
    assert(this.refreshArmed[port] !== 0, 'pfc.refresh-was-armed');
    assert(this.off[port] !== 0, 'pfc.refresh-of-a-pause');
    this.refreshArmed[port] = 0;
    this.host.requestControl(this.slot, port);
  }

  private disarm(port: PortRow): void {
    if (this.refreshArmed[port] === 0) return;
    this.refreshArmed[port] = 0;
    this.host.disarm(this.slot, port, REFRESH_TIMER, this.refreshAt[port]);
  }

  private end(port: PortRow, group: number): void {
    this.off[port] &= ~(1 << group);
    this.releases[port] |= 1 << group;
    if (this.off[port] === 0) this.disarm(port);
    this.change(port, group, false);
  }

  private change(port: PortRow, group: number, stop: boolean): void {
    assert(((this.off[port] & (1 << group)) !== 0) === stop, 'pfc.paused-group');
    assert((this.off[port] & this.releases[port]) === 0, 'pfc.paused-or-released');
    this.accounts.setPaused(port, group, stop);
    this.host.requestControl(this.slot, port);
    if (stop) this.listener?.stopBegan(port, group);
    else this.listener?.stopEnded(port, group);
    this.host.announceStop(port, group, stop);
  }
}
