/**
 * Pause responders: a received time, in quanta of 512 bit times, replaces the running one, and zero
 * ends it; until it is over no frame of the priority starts (802.1Q 36.1.3.3; 802.3 31B.3.3).
 */

import { bitsOf, OPCODE, pauseOpcodeOf, PRIORITIES, QUANTUM, showPs, u16 } from '../ethernet.js';
import { sfcmOf } from '../messages.js';
import type { Device, Model, Observer, Port, Start, WireFrame } from '../model/model.js';
import { reasonOf } from '../model/port.js';
import type { SfcSettings } from '../model/settings.js';
import { ENABLE_AT, TIMES_AT } from './pause-initiators.js';

interface Responder {
  readonly untilPs: number[];
  /** Priorities whose pauses a watchdog ignores, one bit each. */
  ignored: number;
  readonly why: string | null;
}

export class PauseResponders implements Observer {
  private readonly responders: ReadonlyMap<Port, Responder>;

  constructor(private readonly model: Model) {
    const { ports, negotiation } = model;
    const responderOf = (port: Port): Responder => ({
      ...{ untilPs: PRIORITIES.map(() => 0), ignored: 0 },
      why: negotiation.whyUnknown(port) ?? whyUnknown(port),
    });
    this.responders = new Map(ports.map((port) => [port, responderOf(port)]));
    negotiation.listeners.push(this);
  }

  /** Until when a priority may not start a frame; 0: it may. */
  pausedUntil(port: Port, priority: number): number {
    const { untilPs, ignored } = this.responders.get(port)!;
    return (ignored & (1 << priority)) === 0 ? untilPs[priority]! : 0;
  }

  /** A priority that has no PFC any more is not paused. */
  pfcChanged(port: Port, enabled: number): void {
    for (const priority of bitsOf(~enabled & 0xff)) {
      this.responders.get(port)!.untilPs[priority] = 0;
    }
  }

  isKnown(port: Port): boolean {
    return this.responders.get(port)!.why === null;
  }

  controlEffective(port: Port, octets: Uint8Array, atPs: number): void {
    const opcode = pauseOpcodeOf(octets);
    const { why, untilPs } = this.responders.get(port)!;
    const isWhole = port.configuration.pause !== null;
    if (opcode === null || !this.model.verdict.knows('pause-responder', why)) return;
    if (isWhole !== (opcode === OPCODE.pause)) return;
    for (const priority of isWhole ? PRIORITIES : bitsOf(u16(octets, ENABLE_AT))) {
      if (!this.responds(port, priority)) continue;
      const quanta = u16(octets, isWhole ? ENABLE_AT : TIMES_AT + 2 * priority);
      untilPs[priority] = quanta === 0 ? 0 : atPs + quanta * QUANTUM * port.octetPs;
    }
  }

  watchdog(port: Port, priority: number, isOn: boolean): void {
    const own = this.responders.get(port)!;
    own.ignored = isOn ? own.ignored | (1 << priority) : own.ignored & ~(1 << priority);
  }

  starting(port: Port, { frame: { priority }, queued, atPs }: Start): void {
    // Pauses of an isolated flow are of the queue that it waits in.
    const usual = port.configuration.classOf[queued.frame.priority];
    const isIsolated = queued.trafficClass !== usual;
    if (!this.isKnown(port) || isIsolated) return;
    const untilPs = this.pausedUntil(port, priority);
    if (this.responds(port, priority)) this.model.verdict.judge('pause-responder');
    if (atPs >= untilPs) return;
    const what = `a frame starts while its priority is paused until ${showPs(untilPs)}`;
    this.model.verdict.broken('pause-responder', port.at(atPs, priority), what);
  }

  /** By PAUSE (802.3 31B), or by priority. */
  private responds(port: Port, priority: number): boolean {
    return port.configuration.pause !== null || this.model.negotiation.hasPfc(port, priority);
  }
}

function whyUnknown(port: Port): string | null {
  const { hasPlainClasses, isolates, ownMemory } = port.device.configuration;
  return reasonOf({
    'a link that goes down ends pauses': port.hasFault('down'),
    'a fault pauses other classes': port.hasFault('map'),
    'a device that restarts forgets pauses': port.hasFault('flush'),
    'maps of ports, or classes that ends negotiate':
      !hasPlainClasses && !isolates && ownMemory === null,
  });
}

const NS = 1000;

/**
 * Stations under source flow control: an SFCM that reaches the source which it names pauses its
 * priority from when it has been processed, and replaces the pause before (P802.1Qdw 52.5.2,
 * processSfcmPdu; figure 52-3).
 */
export class StationPauses implements Observer {
  /** By host and priority, in order; empty where they are not known. */
  private readonly effects = new Map<
    string,
    { readonly fromPs: number; readonly untilPs: number }[]
  >();
  private readonly isUsed: boolean;

  constructor(private readonly model: Model) {
    this.isUsed = model.devices.some((device) => monitored(device).length > 0);
  }

  arrived(port: Port, frame: WireFrame, atPs: number): void {
    const { device } = port;
    if (!device.isHost || frame.kind !== 'notice' || frame.target !== device.index) return;
    const { receive, scope, processing } = sfcOf(device);
    const sfcm = frame.payload === null ? null : sfcmOf(frame.payload);
    if (!this.isUsed || !receive || scope === 'flow' || sfcm?.isForSource !== true) return;
    if (!this.model.verdict.knows('pause-responder', whyUnheard(port))) return;
    const fromPs = atPs + processing;
    const key = `${port.name} ${sfcm.priority}`;
    const untilPs = fromPs + sfcm.pauseNs * NS;
    this.effects.set(key, [...(this.effects.get(key) ?? []), { fromPs, untilPs }]);
  }

  /** From a time on, when a priority may start a frame. */
  opensPs({ name }: Port, priority: number, fromPs: number): number {
    const effects = this.effects.get(`${name} ${priority}`) ?? [];
    let atPs = fromPs;
    for (;;) {
      const now = effects.findLast((own) => own.fromPs <= atPs);
      if (now === undefined || now.untilPs <= atPs) return atPs;
      const next = effects.find((own) => own.fromPs > atPs)?.fromPs ?? Infinity;
      atPs = Math.min(now.untilPs, next);
    }
  }

  starting(port: Port, { frame: { priority }, atPs }: Start): void {
    const effects = this.effects.get(`${port.name} ${priority}`);
    if (effects === undefined) return;
    this.model.verdict.judge('pause-responder');
    // What takes effect at this very moment may do so before or after.
    const opensPs = Math.min(...[atPs - 1, atPs].map((at) => this.opensPs(port, priority, at)));
    // Effects before the last one that is in force are over.
    const last = effects.findLastIndex((own) => own.fromPs < atPs);
    if (last > 0) effects.splice(0, last);
    if (opensPs <= atPs) return;
    const what = `a frame starts while an SFCM pauses its priority until ${showPs(opensPs)}`;
    const place = port.at(atPs, priority);
    this.model.verdict.broken('pause-responder', place, `${what} (P802.1Qdw 52.5.2)`);
  }
}

export const sfcOf = (device: Device): SfcSettings => device.keysOf('sfc') as SfcSettings;

/** Priorities whose queues a switch monitors. */
export function monitored(device: Device): number[] {
  if (device.isHost || !sfcOf(device).send) return [];
  const { priorities } = device.configuration.settings;
  return priorities.filter((own) => own.mechanisms['sfc'] === true).map((own) => own.priority);
}

function whyUnheard(port: Port): string | null {
  return reasonOf({
    'an 82599 that keeps messages for a while': port.device.configuration.ownMemory === 'nic',
    'a fault that ends pauses': port.hasFault('down', 'flush'),
  });
}
