/**
 * Which frames may start: the first of each class, unless its priority is paused or lacks credit. A
 * port that does not start a frame which may is as wrong as one that starts one which may not.
 */

import { PRIORITIES, showPs } from '../ethernet.js';
import { hasLinkRetry } from '../model/links.js';
import type { Negotiation } from '../model/negotiation.js';
import type { Observer, Start } from '../model/observer.js';
import type { Device, Port, Queued } from '../model/port.js';
import type { Verdict } from '../verdict.js';
import type { CreditLines } from './credit-lines.js';
import type { PauseResponders } from './pause-responders.js';
import type { StationPauses } from './station-pauses.js';

export class Gates implements Observer {
  /** By device and port: why it is not known what may start; null: it is. */
  private readonly unknown: (string | null)[][];
  /** By device and port: since when nothing that decides about a start has changed. */
  private readonly sincePs: Float64Array[];
  private readonly waiting = new Set<Port>();

  constructor(
    negotiation: Negotiation,
    devices: readonly Device[],
    private readonly pauses: { responders: PauseResponders; stations: StationPauses },
    private readonly lines: CreditLines,
    private readonly verdict: Verdict,
  ) {
    this.unknown = devices.map(({ ports }) =>
      ports.map(
        (port) => negotiation.whyUnknown(port) ?? this.lines.whyUnknown(port) ?? whyUnknown(port),
      ),
    );
    this.sincePs = devices.map(({ ports }) => new Float64Array(ports.length));
    for (const why of new Set(this.unknown.flat())) {
      if (why !== null) verdict.decline('work', why);
    }
  }

  /** Why it is not known which frames of a port may start; null: it is. */
  whyUnknown(port: Port): string | null {
    return this.unknown[port.device.index]![port.index]!;
  }

  /** Classes whose first frame may start, one bit each. */
  eligible(port: Port, atPs: number): number {
    return PRIORITIES.reduce((mask, tc) => {
      const head = this.head(port, tc);
      const isOpen = head !== undefined && this.opensPs(port, head, atPs) <= atPs;
      return isOpen ? mask | (1 << tc) : mask;
    }, 0);
  }

  /** The frame of a class that is next, of those that have what they need to start. */
  head(port: Port, trafficClass: number): Queued | undefined {
    return this.lines.head(port, trafficClass);
  }

  joining(out: Port, _queued: Queued, atPs: number): void {
    this.before(out, atPs);
  }

  joined(out: Port): void {
    this.waiting.add(out);
  }

  controlEffective(port: Port, _octets: Uint8Array, atPs: number): void {
    this.before(port, atPs);
  }

  controlStarted(port: Port, _octets: Uint8Array, atPs: number): void {
    this.before(port, atPs);
  }

  watchdog(port: Port, _priority: number, _isOn: boolean, atPs: number): void {
    this.sincePs[port.device.index]![port.index] = atPs;
  }

  discarded(port: Port): void {
    if (!port.isBacklogged) this.waiting.delete(port);
  }

  starting(port: Port, { atPs, queued }: Start): void {
    this.before(port, atPs);
    if (this.whyUnknown(port) !== null) return;
    this.verdict.judge('work');
    const head = this.head(port, queued.trafficClass);
    if (head === undefined || head === queued) return;
    const { sequence, source, vlan } = head.frame;
    const place = { device: port.device.index, port: port.index, atPs };
    const expected = `expected ${sequence} of source ${source}, VLAN ${vlan}`;
    this.verdict.broken(
      'work',
      place,
      `another frame of class ${queued.trafficClass} starts: ${expected}`,
    );
  }

  started(port: Port): void {
    if (!port.isBacklogged) this.waiting.delete(port);
  }

  reached(atPs: number): void {
    for (const port of this.waiting) this.compare(port, atPs);
  }

  /** Something happens at a port: until now, nothing that could start may have waited. */
  private before(port: Port, atPs: number): void {
    if (port.isBacklogged) this.compare(port, atPs);
    this.sincePs[port.device.index]![port.index] = atPs;
  }

  private compare(port: Port, atPs: number): void {
    if (this.whyUnknown(port) !== null) return;
    const duePs = this.duePs(port);
    if (duePs >= atPs) return;
    const place = { device: port.device.index, port: port.index, atPs: duePs };
    this.verdict.broken('work', place, `a frame may start at ${showPs(duePs)}, and does not`);
  }

  private duePs(port: Port): number {
    const fromPs = Math.max(this.sincePs[port.device.index]![port.index]!, port.freePs);
    let openPs = Infinity;
    for (const trafficClass of PRIORITIES) {
      if (port.queues[trafficClass]!.length === 0) continue;
      const head = this.head(port, trafficClass);
      if (head !== undefined) openPs = Math.min(openPs, this.opensPs(port, head, fromPs));
    }
    return openPs;
  }

  /** From a time on, when a frame may start. */
  private opensPs(port: Port, { frame: { priority } }: Queued, fromPs: number): number {
    const pausedPs = this.pauses.responders.pausedUntil(port, priority);
    return this.pauses.stations.opensPs(port, priority, Math.max(fromPs, pausedPs));
  }
}

const STOPPING = ['down', 'freeze', 'slow', 'flush', 'map', 'send'] as const;

function whyUnknown(port: Port): string | null {
  const { device } = port;
  const { faults } = port.configuration;
  if (device.configuration.ownMemory === 'slots') return 'a chip that shapes and holds classes';
  if (device.configuration.ownMemory === 'nic') return 'the transmit path of an 82599';
  if (!device.configuration.hasPlainClasses) return 'isolated flows are paused with others';
  if (hasLinkRetry(port)) return 'a replay buffer that may be full';
  return STOPPING.some((fault) => faults.has(fault)) ? 'a fault at the port' : null;
}
