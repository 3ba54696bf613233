import type { IngressAccounts, MechanismHost } from '../contract/flow-control.js';
import type { StopPortSpec } from '../contract/spec.js';

const QUANTUM_OCTETS = 64;

/**
 * The receiving side's half of PAUSE and PFC: watches ingress accounts, decides who must stop,
 * and repeats a standing stop before it expires. What differs between the two (one account or
 * eight, and the octets) is the caller's.
 */
export class StopAsker {
  /** By port: groups whose sender is asked to stop, one bit each. */
  readonly off: Uint8Array;
  /** By port: groups that may go on but have not been told yet. */
  private readonly releases: Uint8Array;
  private readonly refreshAt: Float64Array;
  private readonly refreshArmed: Uint8Array;
  private readonly refreshPs: Float64Array;

  static readonly wiring = ['accounts', 'host'];

  /** `slot` is the mechanism's index at its host: its timers and its frames go by it. */
  constructor(
    private readonly host: MechanismHost,
    private readonly accounts: IngressAccounts | null,
    private readonly slot: number,
    ports: readonly (StopPortSpec | null)[],
    octetPs: readonly number[],
  ) {
    this.off = new Uint8Array(ports.length);
    this.releases = new Uint8Array(ports.length);
    this.refreshAt = new Float64Array(ports.length);
    this.refreshArmed = new Uint8Array(ports.length);
    this.refreshPs = Float64Array.from(ports, (spec, port) =>
      spec === null
        ? Infinity
        : Math.floor(spec.refreshFraction * spec.quanta * QUANTUM_OCTETS * octetPs[port]),
    );
  }

  admitted(port: number, group: number, now: number): void {
    const bit = 1 << group;
    if ((this.off[port] & bit) !== 0 || this.accounts?.atXoff(port, group) !== true) return;
    this.off[port] |= bit;
    this.releases[port] &= ~bit;
    this.change(port, group, true, now);
  }

  released(port: number, group: number, now: number): void {
    const bit = 1 << group;
    if ((this.off[port] & bit) === 0 || this.accounts?.atXon(port, group) !== true) return;
    this.off[port] &= ~bit;
    this.releases[port] |= bit;
    this.change(port, group, false, now);
  }

  /** Groups to name with time zero in the frame now being composed; each is told once. */
  takeReleases(port: number): number {
    const releases = this.releases[port];
    this.releases[port] = 0;
    return releases;
  }

  /** A frame that restates every stop has been composed and ends at `txEnd`. */
  stated(port: number, txEnd: number): void {
    if (this.off[port] === 0) return;
    this.refreshAt[port] = txEnd + this.refreshPs[port];
    if (this.refreshArmed[port] === 0) this.arm(port);
  }

  onTimer(port: number, now: number): void {
    this.refreshArmed[port] = 0;
    if (this.off[port] === 0) return;
    if (this.refreshAt[port] > now) this.arm(port);
    else this.host.requestControl(this.slot, port, now);
  }

  private arm(port: number): void {
    this.refreshArmed[port] = 1;
    this.host.arm(this.slot, port, this.refreshAt[port]);
  }

  private change(port: number, group: number, stop: boolean, now: number): void {
    this.accounts?.setStopped(port, group, stop);
    this.host.requestControl(this.slot, port, now);
    this.host.announceStop(port, group, stop, now);
  }
}
