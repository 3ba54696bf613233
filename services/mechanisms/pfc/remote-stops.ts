import { PRIORITIES, QUANTUM_OCTETS } from '../../engine/units/ethernet.js';
import type { MechanismHost } from '../../engine/contract/flow-control.js';
import { DUE, SHAPE, unknown } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { Ports } from '../../engine/port/ports.js';
import type { PortRow, Priority } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';

const QUANTA_MAX = 65_535;

/**
 * Pauses of a link partner on behalf of another device, priority by priority and for a time of
 * their own (P802.1Qdw: a bridge in proxy mode invokes PFC). They are sent in the same frames as
 * the port's own pauses; the link partner resumes when neither applies.
 */
export class RemoteStops {
  /** By port: priorities that are paused, and those to be released in the next frame. */
  readonly off: Uint8Array;
  private readonly releases: Uint8Array;
  private readonly until: Float64Array;
  private readonly armedFor: Float64Array;

  /** `slot` and `timer` are the mechanism's at its host. */
  constructor(
    tables: Tables,
    private readonly host: MechanismHost,
    private readonly slot: number,
    private readonly timer: number,
    private readonly ports: Ports,
  ) {
    this.off = tables.uint8('port', field('remote pauses', SHAPE));
    this.releases = tables.uint8('port', field('remote releases', SHAPE));
    this.until = tables.float64('port', field('remote until', unknown(0), PRIORITIES));
    this.armedFor = tables.float64('port', field('remote timer', DUE)).fill(Infinity);
  }

  /** A time replaces the running one, as in a received frame; zero releases. */
  stop(port: PortRow, priority: Priority, durationPs: number): void {
    const bit = 1 << priority;
    if (durationPs === 0) {
      if ((this.off[port] & bit) === 0) return;
      this.off[port] &= ~bit;
      this.releases[port] |= bit;
    } else {
      assert(durationPs > 0, 'remote-stop.duration');
      this.off[port] |= bit;
      this.until[port * PRIORITIES + priority] = this.host.clock.now + durationPs;
      this.arm(port);
    }
    this.host.requestControl(this.slot, port);
  }

  /** Sends the present pauses to a link partner that has lost them. */
  restate(port: PortRow): void {
    if (this.off[port] !== 0) this.host.requestControl(this.slot, port);
  }

  /** Adds these pauses to a frame with the port's own; returns its enable vector. */
  fill(port: PortRow, enableVector: number, quanta: Uint16Array): number {
    const off = this.off[port];
    const enable = enableVector | off | this.releases[port];
    this.releases[port] = 0;
    for (let p = 0; off !== 0 && p < PRIORITIES; p++) {
      if ((off & (1 << p)) === 0) continue;
      quanta[p] = Math.max(quanta[p], this.quantaLeft(port, p));
    }
    return enable;
  }

  onTimer(port: PortRow): void {
    const { now } = this.host.clock;
    if (this.armedFor[port] !== now) return;
    this.armedFor[port] = Infinity;
    for (let p = 0; p < PRIORITIES; p++) {
      // A pause that has expired needs no frame: the link partner's timer has expired as well.
      if (this.until[port * PRIORITIES + p] <= now) this.off[port] &= ~(1 << p);
    }
    if (this.off[port] === 0) return;
    if (this.needsRefresh(port)) this.host.requestControl(this.slot, port);
    this.arm(port);
  }

  private quantaLeft(port: PortRow, priority: Priority): number {
    const left = this.until[port * PRIORITIES + priority] - this.host.clock.now;
    assert(left >= 0, 'remote-stop.time-left');
    return Math.min(QUANTA_MAX, Math.ceil(left / this.quantumPs(port)));
  }

  /** A frame cannot express all of the time that is left. */
  private needsRefresh(port: PortRow): boolean {
    const most = this.refreshPs(port);
    for (let p = 0; p < PRIORITIES; p++) {
      if ((this.off[port] & (1 << p)) === 0) continue;
      if (this.until[port * PRIORITIES + p] - this.host.clock.now >= most) return true;
    }
    return false;
  }

  /** Runs again when the first pause expires, or when the longest must be refreshed. */
  private arm(port: PortRow): void {
    const { now } = this.host.clock;
    let next = now + this.refreshPs(port);
    for (let p = 0; p < PRIORITIES; p++) {
      const until = this.until[port * PRIORITIES + p];
      if ((this.off[port] & (1 << p)) !== 0 && until < next) next = until;
    }
    const armed = this.armedFor[port];
    if (next >= armed) return;
    assert(next > now, 'remote-stop.armed-ahead');
    if (armed !== Infinity) this.host.disarm(this.slot, port, this.timer, armed);
    this.armedFor[port] = next;
    this.host.arm(this.slot, port, this.timer, next);
  }

  private refreshPs(port: PortRow): number {
    return Math.floor(QUANTA_MAX / 2) * this.quantumPs(port);
  }

  private quantumPs(port: PortRow): number {
    return QUANTUM_OCTETS * this.ports.octetPs(port);
  }
}
