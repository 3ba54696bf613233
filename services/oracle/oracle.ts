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
  private readonly observers: readonly Observer[];

  constructor(configuration: Configuration) {
    this.devices = configuration.devices.map((device) => new Device(device));
    for (const { ports } of this.devices) {
      for (const port of ports) {
        const { peerDevice, peerPort } = port.configuration;
        port.peer = this.devices[peerDevice]!.ports[peerPort]!;
      }
    }
    this.links = new Links(this.verdict);
    this.observers = rulesOf(configuration, this.devices, this.verdict);
    this.passage = new Passage(this.links, this.observers, this.verdict);
  }

  get breach(): DeepBreach | null {
    return this.verdict.breach;
  }

  summary(): DeepSummary {
    return this.verdict.summary();
  }

  /** Nothing is judged from a time on. */
  blinded(atPs: number): void {
    this.verdict.blind(`the fabric was changed at ${showPs(atPs)}`);
  }

  /** One more event; those of a device in order, all by time. */
  take(event: WireEvent): void {
    const port = this.devices[event.device]!.ports[event.port]!;
    switch (event.kind) {
      case 'start':
        this.passage.start(port, event);
        return;
      case 'again':
        this.links.frameStarts(port, event.frame, event.atPs);
        for (const rule of this.observers) {
          rule.repeated?.(port, event.frame, event.number, event.atPs);
        }
        return;
      case 'arrival':
        this.passage.arrival(port, event);
        return;
      case 'rejected':
        this.passage.rejected(port, event);
        return;
      case 'queued':
        this.passage.queued(port, this.portOf(event.device, event.ingress), event);
        return;
      case 'dropped':
        this.passage.dropped(port, event);
        return;
      case 'discarded':
        this.passage.discarded(port, event);
        return;
      default:
        this.takeControl(port, event);
    }
  }

  private takeControl(
    port: Port,
    event: Extract<WireEvent, { kind: 'control' | 'tag' | 'effect' | 'watchdog' }>,
  ): void {
    const { atPs } = event;
    if (event.kind === 'watchdog') {
      for (const rule of this.observers) rule.watchdog?.(port, event.priority, event.isOn, atPs);
      return;
    }
    const { octets } = event;
    if (event.kind === 'control') {
      for (const rule of this.observers) rule.controlStarted?.(port, octets, atPs);
      this.links.controlStarts(port, octets, atPs);
    } else if (event.kind === 'tag') {
      this.links.tagStarts(port, octets);
      for (const rule of this.observers) rule.tagged?.(port, octets, atPs);
    } else {
      this.links.controlTakesEffect(port, octets, atPs);
      for (const rule of this.observers) rule.controlEffective?.(port, octets, atPs);
    }
  }

  /** Everything before this time has been taken. */
  reached(atPs: number): void {
    for (const rule of this.observers) rule.reached?.(atPs);
    this.links.reached(this.devices, atPs);
  }

  private portOf(device: number, port: number): Port {
    return this.devices[device]!.ports[port]!;
  }
}
