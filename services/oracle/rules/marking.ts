/**
 * ECN marks by the length of the egress queue, the frame itself included, when it leaves or joins
 * it (RFC 3168 5). A step marks from its threshold on. RED marks nothing up to `min` and everything
 * from `max` on; between them by the line, and the draws of the switch.
 */

import type { Configuration } from '../configuration.js';
import { Draws } from '../model/draws.js';
import type { Observer, Start } from '../model/observer.js';
import type { Device, Port, Queued } from '../model/port.js';
import type { WireFrame } from '../record.js';
import type { Verdict } from '../verdict.js';

type Curve =
  | 'off'
  | { readonly step: number; readonly at: 'dequeue' | 'enqueue' }
  | {
      readonly min: number;
      readonly max: number;
      readonly probability: number;
      readonly at: 'dequeue' | 'enqueue';
    };

const CAPABLE = 2;
const MARKED = 3;
/** A frame that joins or leaves a queue. */
interface Passing {
  readonly moment: 'dequeue' | 'enqueue';
  /** As it is then, and the ECN field that it had before. */
  readonly frame: WireFrame;
  readonly before: number;
  readonly trafficClass: number;
  readonly queueOctets: number;
  readonly atPs: number;
}

export class Marking implements Observer {
  /** By device; only of switches they are used. */
  private readonly draws: readonly Draws[];
  /** By switch, then by traffic class. */
  private readonly curves: (readonly Curve[] | null)[];

  constructor(
    configuration: Configuration,
    devices: readonly Device[],
    private readonly verdict: Verdict,
  ) {
    const { seed } = configuration.scenario;
    this.draws = devices.map(({ name }) => new Draws(seed, `${name}/ecn`));
    this.curves = devices.map((device) => this.curvesOf(configuration, device));
  }

  /** The queue does not have it yet. */
  joining(out: Port, queued: Queued, atPs: number): void {
    const { frame, cameEcn, trafficClass, octets, isMoved } = queued;
    if (isMoved) return;
    const queueOctets = out.queueOctets[trafficClass]! + octets;
    this.compare(out, {
      moment: 'enqueue',
      frame,
      before: cameEcn,
      trafficClass,
      queueOctets,
      atPs,
    });
  }

  starting(port: Port, { queued, frame, atPs }: Start): void {
    const { trafficClass } = queued;
    const queueOctets = port.queueOctets[trafficClass]!;
    const before = queued.frame.ecn;
    this.compare(port, { moment: 'dequeue', frame, before, trafficClass, queueOctets, atPs });
  }

  private compare(port: Port, passing: Passing): void {
    const { moment, frame, before, trafficClass, queueOctets, atPs } = passing;
    const curves = this.curves[port.device.index];
    if (port.device.isHost || curves === null || curves === undefined) return;
    const curve = curves[trafficClass]!;
    const chance = curve === 'off' || curve.at !== moment ? 0 : probability(curve, queueOctets);
    if (curve !== 'off') this.verdict.judge('marking');
    if (before !== CAPABLE) return;
    const isDue = chance > 0 && (chance >= 1 || this.draws[port.device.index]!.uniform() < chance);
    if (isDue === (frame.ecn === MARKED)) return;
    const place = { device: port.device.index, port: port.index, atPs, priority: frame.priority };
    const what = isDue ? 'is not marked that must be' : 'is marked that must not be';
    const length = `its queue has ${queueOctets} bytes at ${moment}`;
    this.verdict.broken('marking', place, `a frame ${what}: ${length}`);
  }

  private curvesOf({ negotiates }: Configuration, device: Device): readonly Curve[] | null {
    if (device.isHost) return null;
    const { settings, ownMemory, hasPlainClasses, classOf } = device.configuration;
    const curves = new Array<Curve>(8).fill('off');
    let isOutside = false;
    for (const { priority, mechanisms } of settings.priorities) {
      const key = mechanisms['ecn'] as object | string;
      if (typeof key === 'string' && key !== 'off') isOutside = true;
      else curves[classOf[priority]!] = key as Curve;
    }
    if (isOutside) {
      this.verdict.decline('marking', 'a marking of a plugin');
      return null;
    }
    if (curves.every((curve) => curve === 'off')) return curves;
    if (ownMemory === null && hasPlainClasses) return curves;
    const why = negotiates ? 'classes are negotiated during the run' : 'queues that are not known';
    this.verdict.decline('marking', why);
    return null;
  }
}

function probability(curve: Exclude<Curve, 'off'>, octets: number): number {
  if ('step' in curve) return octets >= curve.step ? 1 : 0;
  const { min, max, probability: most } = curve;
  if (octets <= min) return 0;
  return octets >= max ? 1 : (most * (octets - min)) / (max - min);
}
