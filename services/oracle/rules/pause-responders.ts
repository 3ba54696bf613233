/**
 * Pause responders: a received time, in quanta of 512 bit times, replaces the running one, and zero
 * ends it; until it is over no frame of the priority starts (802.1Q 36.1.3.3; 802.3 31B.3.3).
 */

import {
  ETHERTYPE,
  etherTypeOf,
  OPCODE,
  opcodeOf,
  ORDERED_SET,
  PRIORITIES,
  QUANTUM,
  showPs,
  u16,
} from '../ethernet.js';
import type { Negotiation } from '../model/negotiation.js';
import type { Observer, Start } from '../model/observer.js';
import type { Device, Port } from '../model/port.js';
import type { Verdict } from '../verdict.js';

const ENABLE_AT = 16;
const TIMES_AT = 18;

export class PauseResponders implements Observer {
  /** By device, port and priority: paused until. */
  private readonly untilPs: Float64Array[][];
  /** Priorities whose pauses a watchdog ignores, one bit each. */
  private readonly ignored: number[][];
  private readonly unknown: (string | null)[][];

  constructor(
    devices: readonly Device[],
    private readonly negotiation: Negotiation,
    private readonly verdict: Verdict,
  ) {
    this.untilPs = devices.map(({ ports }) => ports.map(() => new Float64Array(8)));
    this.ignored = devices.map(({ ports }) => ports.map(() => 0));
    this.unknown = devices.map(({ ports }) => ports.map((port) => this.whyUnknown(port)));
    negotiation.listeners.push(this);
  }

  /** Until when a priority may not start a frame; 0: it may. */
  pausedUntil(port: Port, priority: number): number {
    if ((this.ignored[port.device.index]![port.index]! & (1 << priority)) !== 0) return 0;
    return this.untilPs[port.device.index]![port.index]![priority]!;
  }

  /** A priority that has no PFC any more is not paused. */
  pfcChanged(port: Port, enabled: number): void {
    const untilPs = this.untilPs[port.device.index]![port.index]!;
    for (const priority of PRIORITIES) {
      if ((enabled & (1 << priority)) === 0) untilPs[priority] = 0;
    }
  }

  /** Whether pauses of a port are known in full. */
  isKnown(port: Port): boolean {
    return this.unknown[port.device.index]![port.index] === null;
  }

  controlEffective(port: Port, octets: Uint8Array, atPs: number): void {
    if (octets.length === ORDERED_SET || etherTypeOf(octets) !== ETHERTYPE.macControl) return;
    const why = this.unknown[port.device.index]![port.index] ?? null;
    const opcode = opcodeOf(octets);
    if (opcode !== OPCODE.pfc && opcode !== OPCODE.pause) return;
    if (why !== null) {
      this.verdict.decline('pause-responder', why);
      return;
    }
    const isWholePort = port.configuration.pause !== null;
    if (isWholePort !== (opcode === OPCODE.pause)) return;
    for (const priority of PRIORITIES) {
      const isNamed = isWholePort || (u16(octets, ENABLE_AT) & (1 << priority)) !== 0;
      if (!isNamed || !this.responds(port, priority)) continue;
      const quanta = u16(octets, isWholePort ? ENABLE_AT : TIMES_AT + 2 * priority);
      const lastsPs = quanta * QUANTUM * port.octetPs;
      this.untilPs[port.device.index]![port.index]![priority] = quanta === 0 ? 0 : atPs + lastsPs;
    }
  }

  watchdog(port: Port, priority: number, isOn: boolean): void {
    const bit = 1 << priority;
    const ignored = this.ignored[port.device.index]!;
    ignored[port.index] = isOn ? ignored[port.index]! | bit : ignored[port.index]! & ~bit;
  }

  starting(port: Port, { frame: { priority }, atPs }: Start): void {
    if (!this.isKnown(port)) return;
    const untilPs = this.pausedUntil(port, priority);
    if (this.responds(port, priority)) this.verdict.judge('pause-responder');
    if (atPs >= untilPs) return;
    const place = { device: port.device.index, port: port.index, atPs, priority };
    const what = `a frame starts while its priority is paused until ${showPs(untilPs)}`;
    this.verdict.broken('pause-responder', place, what);
  }

  /** By PAUSE (802.3 31B), or by priority. */
  private responds(port: Port, priority: number): boolean {
    return port.configuration.pause !== null || this.negotiation.hasPfc(port, priority);
  }

  private whyUnknown(port: Port): string | null {
    const { device } = port;
    const { faults } = port.configuration;
    const negotiated = this.negotiation.whyUnknown(port);
    if (negotiated !== null) return negotiated;
    if (faults.has('down')) return 'a link that goes down ends pauses';
    if (faults.has('map')) return 'a fault pauses other classes';
    if (faults.has('flush')) return 'a device that restarts forgets pauses';
    const { hasPlainClasses, ownMemory } = device.configuration;
    if (!hasPlainClasses && ownMemory === null) return 'isolated flows are paused with others';
    return null;
  }
}
