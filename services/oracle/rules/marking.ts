/**
 * ECN marks by the length of the egress queue, the frame itself included, when it leaves or joins
 * it (RFC 3168 5). A step marks from its threshold on. RED marks nothing up to `min` and everything
 * from `max` on; between them by the line, and the draws of the switch.
 */

import { Draws } from '../model/draws.js';
import type { Device, Model, Observer, Port, Queued, Start, WireFrame } from '../model/model.js';
import { reasonOf } from '../model/port.js';

type Moment = 'dequeue' | 'enqueue';
type Curve =
  | 'off'
  | { readonly step: number; readonly at: Moment }
  | {
      readonly min: number;
      readonly max: number;
      readonly probability: number;
      readonly at: Moment;
    };

const CAPABLE = 2;
const MARKED = 3;

export class Marking implements Observer {
  private readonly switches = new Map<Device, { draws: Draws; curves: readonly Curve[] }>();

  constructor(private readonly model: Model) {
    const { seed } = model.configuration.scenario;
    for (const device of model.devices) {
      const curves = this.curvesOf(device);
      if (curves === null) continue;
      this.switches.set(device, { draws: new Draws(seed, `${device.name}/ecn`), curves });
    }
  }

  joining(out: Port, queued: Queued, atPs: number): void {
    if (!queued.isMoved)
      this.compare(out, queued, { moment: 'enqueue', atPs, after: queued.frame });
  }

  starting(port: Port, { queued, frame, atPs }: Start): void {
    this.compare(port, queued, { moment: 'dequeue', atPs, after: frame });
  }

  private compare(
    port: Port,
    queued: Queued,
    at: { moment: Moment; atPs: number; after: WireFrame },
  ) {
    const { moment, atPs, after: frame } = at;
    const { trafficClass, cameEcn, octets } = queued;
    const own = this.switches.get(port.device);
    if (own === undefined) return;
    const curve = own.curves[trafficClass]!;
    const isJoining = moment === 'enqueue';
    // A queue does not have yet what joins it.
    const queueOctets = port.queueOctets[trafficClass]! + (isJoining ? octets : 0);
    const before = isJoining ? cameEcn : queued.frame.ecn;
    const chance = curve === 'off' || curve.at !== moment ? 0 : probability(curve, queueOctets);
    if (curve !== 'off') this.model.verdict.judge('marking');
    if (before !== CAPABLE) return;
    const isDue = chance > 0 && (chance >= 1 || own.draws.uniform() < chance);
    if (isDue === (frame.ecn === MARKED)) return;
    const what = isDue ? 'is not marked that must be' : 'is marked that must not be';
    const length = `its queue has ${queueOctets} bytes at ${moment}`;
    const place = port.at(atPs, frame.priority);
    this.model.verdict.broken('marking', place, `a frame ${what}: ${length}`);
  }

  private curvesOf(device: Device): readonly Curve[] | null {
    if (device.isHost) return null;
    const { configuration, verdict } = this.model;
    const { settings, ownMemory, hasPlainClasses, hasWred, classOf } = device.configuration;
    const curves = new Array<Curve>(8).fill('off');
    const keys = settings.priorities.map(({ mechanisms }) => mechanisms['ecn']);
    for (const [priority, key] of keys.entries()) curves[classOf[priority]!] = key as Curve;
    const isMarking = curves.some((curve) => curve !== 'off');
    const isKnown = ownMemory === null && hasPlainClasses;
    const why = reasonOf({
      'a marking of a plugin': keys.some((key) => typeof key === 'string' && key !== 'off'),
      'classes are negotiated during the run': isMarking && !isKnown && configuration.negotiates,
      'queues that are not known': (isMarking && !isKnown) || hasWred,
    });
    return verdict.knows('marking', why) ? curves : null;
  }
}

function probability(curve: Exclude<Curve, 'off'>, octets: number): number {
  if ('step' in curve) return octets >= curve.step ? 1 : 0;
  const { min, max, probability: most } = curve;
  if (octets <= min) return 0;
  return octets >= max ? 1 : (most * (octets - min)) / (max - min);
}
