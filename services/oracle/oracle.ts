/**
 * The second oracle of `--check=deep`: a slow model of the fabric beside the engine, which shares
 * no code with it. It rebuilds queues and buffers from what is on the wires, and compares what
 * devices do with the clauses.
 */

import type { Configuration } from './configuration.js';
import { showPs } from './ethernet.js';
import { Links } from './model/links.js';
import type { Observer } from './model/observer.js';
import { Passage } from './model/passage.js';
import { Device, type Port } from './model/port.js';
import type { WireEvent } from './record.js';
import { rulesOf } from './rules/rules.js';
import type { DeepBreach, DeepSummary } from './verdict.js';
import { Verdict } from './verdict.js';

export class Oracle {
  readonly verdict = new Verdict();
  readonly devices: readonly Device[];
  private readonly links: Links;
  private readonly passage: Passage;
  readonly observers: Observer[];

  constructor(configuration: Configuration) {
    this.devices = configuration.devices.map((device) => new Device(device));
    const ports = this.devices.flatMap((device) => [...device.ports]);
    for (const port of ports) {
      const { peerDevice, peerPort } = port.configuration;
      port.peer = this.devices[peerDevice]!.ports[peerPort]!;
    }
    this.links = new Links(this.verdict);
    this.observers = rulesOf(configuration, { devices: this.devices, ports }, this.verdict);
    this.passage = new Passage(this.links, this.observers, this.verdict);
  }

  get breach(): DeepBreach | null {
    return this.verdict.breach;
  }

  summary(): DeepSummary {
    return this.verdict.summary();
  }

  blinded(atPs: number): void {
    this.verdict.blind(`the fabric was changed at ${showPs(atPs)}`);
  }

  /** One more event; those of a device in order, all by time. */
  take(event: WireEvent): void {
    const { atPs } = event;
    const device = this.devices[event.device]!;
    const port = device.ports[event.port]!;
    if (event.kind === 'start') this.passage.start(port, event);
    else if (event.kind === 'arrival') this.passage.arrival(port, event);
    else if (event.kind === 'rejected') this.passage.rejected(port, event);
    else if (event.kind === 'queued') {
      this.passage.queued(port, device.ports[event.ingress]!, event);
    } else if (event.kind === 'dropped') this.passage.dropped(port, event);
    else if (event.kind === 'discarded') this.passage.discarded(port, event);
    else if (event.kind === 'again') {
      this.links.frameStarts(port, event.frame, atPs);
      this.tell((rule) => rule.repeated?.(port, event.frame, event.number, atPs));
    } else if (event.kind === 'watchdog') {
      this.tell((rule) => rule.watchdog?.(port, event.priority, event.isOn, atPs));
    } else this.takeControl(port, event);
  }

  reached(atPs: number): void {
    this.tell((rule) => rule.reached?.(atPs));
    this.links.reached(this.devices, atPs);
  }

  private takeControl(
    port: Port,
    { kind, octets, atPs }: Extract<WireEvent, { kind: 'control' | 'tag' | 'effect' }>,
  ): void {
    if (kind === 'control') {
      this.tell((rule) => rule.controlStarted?.(port, octets, atPs));
      this.links.controlStarts(port, octets, atPs);
    } else if (kind === 'tag') {
      this.links.tagStarts(port, octets);
      this.tell((rule) => rule.tagged?.(port, octets, atPs));
    } else {
      this.links.controlTakesEffect(port, octets, atPs);
      this.tell((rule) => rule.controlEffective?.(port, octets, atPs));
    }
  }

  private tell(event: (rule: Observer) => void): void {
    for (const rule of this.observers) event(rule);
  }
}
