/**
 * Stations under source flow control: an SFCM that reaches the source which it names pauses its
 * priority from when it has been processed, and replaces the pause before (P802.1Qdw 52.5.2,
 * processSfcmPdu; figure 52-3).
 */

import type { SfcSettings } from '../model/settings.js';
import { showPs } from '../ethernet.js';
import { sfcmOf } from '../messages.js';
import type { Observer, Start } from '../model/observer.js';
import type { Device, Port } from '../model/port.js';
import type { WireFrame } from '../record.js';
import type { Verdict } from '../verdict.js';

/** From a time on, a priority is paused until another. */
interface Effect {
  readonly fromPs: number;
  readonly untilPs: number;
}

const NS = 1000;

export class StationPauses implements Observer {
  /** By host, then by priority, in order; empty where they are not known. */
  private readonly effects: Effect[][][];
  private readonly isUsed: boolean;

  constructor(
    devices: readonly Device[],
    private readonly verdict: Verdict,
  ) {
    this.effects = devices.map(() => Array.from({ length: 8 }, () => []));
    this.isUsed = devices.some((device) => monitored(device).length > 0);
  }

  arrived(port: Port, frame: WireFrame, atPs: number): void {
    const { device } = port;
    if (!device.isHost || frame.kind !== 'notice' || frame.target !== device.index) return;
    const { receive, scope, processing } = sfcOf(device);
    const sfcm = frame.payload === null ? null : sfcmOf(frame.payload);
    if (!this.isUsed || !receive || scope === 'flow' || sfcm?.isForSource !== true) return;
    const why = whyUnknown(port);
    if (why !== null) {
      this.verdict.decline('pause-responder', why);
      return;
    }
    const fromPs = atPs + processing;
    const untilPs = fromPs + sfcm.pauseNs * NS;
    this.effects[device.index]![sfcm.priority]!.push({ fromPs, untilPs });
  }

  /** From a time on, when a priority may start a frame. */
  opensPs({ device }: Port, priority: number, fromPs: number): number {
    const effects = this.effects[device.index]![priority]!;
    let atPs = fromPs;
    for (;;) {
      const now = effects.findLast((own) => own.fromPs <= atPs);
      if (now === undefined || now.untilPs <= atPs) return atPs;
      const next = effects.find((own) => own.fromPs > atPs)?.fromPs ?? Infinity;
      atPs = Math.min(now.untilPs, next);
    }
  }

  starting(port: Port, { frame: { priority }, atPs }: Start): void {
    const { device } = port;
    const effects = this.effects[device.index]![priority]!;
    if (effects.length === 0) return;
    this.verdict.judge('pause-responder');
    // What takes effect at this very moment may do so before or after.
    const opensPs = Math.min(...[atPs - 1, atPs].map((at) => this.opensPs(port, priority, at)));
    // Effects before the last one that is in force are over.
    const last = effects.findLastIndex((own) => own.fromPs < atPs);
    if (last > 0) effects.splice(0, last);
    if (opensPs <= atPs) return;
    const place = { device: device.index, port: port.index, atPs, priority };
    const what = `a frame starts while an SFCM pauses its priority until ${showPs(opensPs)}`;
    this.verdict.broken('pause-responder', place, `${what} (P802.1Qdw 52.5.2)`);
  }
}

export function sfcOf({ configuration }: Device): SfcSettings {
  return configuration.settings.mechanisms['sfc'] as SfcSettings;
}

/** Priorities whose queues a switch monitors. */
export function monitored(device: Device): number[] {
  if (device.isHost || !sfcOf(device).send) return [];
  const { priorities } = device.configuration.settings;
  return priorities.filter((own) => own.mechanisms['sfc'] === true).map((own) => own.priority);
}

function whyUnknown({ device, configuration: { faults } }: Port): string | null {
  if (device.configuration.ownMemory === 'nic') return 'an 82599 that keeps messages for a while';
  return faults.has('down') || faults.has('flush') ? 'a fault that ends pauses' : null;
}
