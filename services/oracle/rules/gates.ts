/**
 * Which frames may start: the first of each class, unless its priority is paused or lacks credit. A
 * port that does not start a frame which may is as wrong as one that starts one which may not.
 */

import { maskOf, PRIORITIES, showPs } from '../ethernet.js';
import { hasLinkRetry } from '../model/links.js';
import type { Model, Observer, Port, Queued, Start } from '../model/model.js';
import { reasonOf } from '../model/port.js';
import type { CreditBooks, CreditLines } from './credit-books.js';
import type { PauseResponders, StationPauses } from './pause-responders.js';

interface Holds {
  readonly responders: PauseResponders;
  readonly stations: StationPauses;
  readonly books: CreditBooks;
  readonly lines: CreditLines;
}

export class Gates implements Observer {
  private readonly unknown: ReadonlyMap<Port, string | null>;
  /** Since when nothing that decides about a start has changed. */
  private readonly sincePs = new Map<Port, number>();
  private readonly waiting = new Set<Port>();

  constructor(
    private readonly model: Model,
    private readonly holds: Holds,
  ) {
    const { ports, negotiation, verdict } = model;
    const reason = (port: Port): string | null =>
      negotiation.whyUnknown(port) ?? holds.books.whyUnknown(port) ?? whyUnknown(port);
    this.unknown = new Map(ports.map((port) => [port, reason(port)]));
    for (const why of new Set(this.unknown.values())) verdict.knows('work', why);
  }

  whyUnknown(port: Port): string | null {
    return this.unknown.get(port)!;
  }

  eligible(port: Port, atPs: number): number {
    return maskOf(PRIORITIES, (tc) => {
      const head = this.head(port, tc);
      return head !== undefined && this.opensPs(port, head, atPs) <= atPs;
    });
  }

  /** The frame of a class that is next, of those that have what they need to start. */
  head(port: Port, trafficClass: number): Queued | undefined {
    return this.holds.lines.head(port, trafficClass);
  }

  /** Something happens at a port: until now, nothing that could start may have waited. */
  readonly joining = (port: Port, _what: unknown, atPs: number): void => {
    if (port.isBacklogged) this.compare(port, atPs);
    this.sincePs.set(port, atPs);
  };
  readonly controlStarted = this.joining;
  readonly controlEffective = this.joining;

  joined(out: Port): void {
    this.waiting.add(out);
  }

  watchdog(port: Port, _priority: number, _isOn: boolean, atPs: number): void {
    this.sincePs.set(port, atPs);
  }

  discarded(port: Port): void {
    if (!port.isBacklogged) this.waiting.delete(port);
  }

  started(port: Port): void {
    this.discarded(port);
  }

  starting(port: Port, { atPs, queued: { trafficClass }, queued }: Start): void {
    this.joining(port, queued, atPs);
    if (this.whyUnknown(port) !== null) return;
    this.model.verdict.judge('work');
    const head = this.head(port, trafficClass);
    if (head === undefined || head === queued) return;
    const { sequence, source, vlan } = head.frame;
    const what = `another frame of class ${trafficClass} starts`;
    const expected = `expected ${sequence} of source ${source}, VLAN ${vlan}`;
    this.model.verdict.broken('work', port.at(atPs), `${what}: ${expected}`);
  }

  reached(atPs: number): void {
    for (const port of this.waiting) this.compare(port, atPs);
  }

  private compare(port: Port, atPs: number): void {
    if (this.whyUnknown(port) !== null) return;
    const fromPs = Math.max(this.sincePs.get(port) ?? 0, port.freePs);
    const heads = PRIORITIES.flatMap((tc) =>
      port.queues[tc]!.length === 0 ? [] : (this.head(port, tc) ?? []),
    );
    const duePs = Math.min(...heads.map((head) => this.opensPs(port, head, fromPs)));
    if (duePs >= atPs) return;
    const what = `a frame may start at ${showPs(duePs)}, and does not`;
    this.model.verdict.broken('work', port.at(duePs), what);
  }

  private opensPs(port: Port, { frame: { priority } }: Queued, fromPs: number): number {
    const { responders, stations } = this.holds;
    const pausedPs = responders.pausedUntil(port, priority);
    return stations.opensPs(port, priority, Math.max(fromPs, pausedPs));
  }
}

function whyUnknown(port: Port): string | null {
  const { ownMemory, hasPlainClasses } = port.device.configuration;
  return reasonOf({
    'a chip that shapes and holds classes': ownMemory === 'slots',
    'the transmit path of an 82599': ownMemory === 'nic',
    'isolated flows are paused with others': !hasPlainClasses,
    'a replay buffer that may be full': hasLinkRetry(port),
    'a fault at the port': port.hasFault('down', 'freeze', 'slow', 'link', 'flush', 'map', 'send'),
  });
}
