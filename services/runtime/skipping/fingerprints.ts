import type { Engine } from '../../engine/device/engine.js';
import { QUEUE_OCTETS } from '../../engine/port/queues.js';
import { TRAFFIC_CLASSES } from '../../engine/units/ethernet.js';

const CLASSES = Array.from({ length: TRAFFIC_CLASSES }, (_, trafficClass) => trafficClass);
/** No arrival, or no transmission, is due. */
const NEVER = 0x3c6ef372;

/**
 * A hash over what ports are about to do, relative to a time: states that are alike have the same.
 * It only says where to look: others may have it, too.
 */
export class Fingerprints {
  private readonly ports: number;
  private first = 0;
  private second = 0;

  constructor(private readonly engine: Engine) {
    this.ports = engine.shared.ports.count;
  }

  at(nowPs: number): number {
    const { arrivals, transmits, queues, ports } = this.engine.shared;
    const { at: arrives } = arrivals;
    const { at: transmitsAt } = transmits;
    this.first = 0x243f6a88;
    this.second = 0x5a308d31;
    const classes = CLASSES.filter((trafficClass) => queues.isUsed(trafficClass));
    for (let port = 0; port < this.ports; port++) {
      const arrival = arrives[port]!;
      const transmission = transmitsAt[port]!;
      if (arrival === Infinity && transmission === Infinity) {
        this.mix(NEVER);
        continue;
      }
      this.mix(arrival === Infinity ? NEVER : (arrival - nowPs) | 0);
      this.mix(transmission === Infinity ? NEVER : (transmission - nowPs) | 0);
      this.mix(ports.blocked(port));
      this.mix((arrivals.turns[port]! << 3) | transmits.turns[port]!);
      for (const trafficClass of classes) this.mix(queues.get(port, trafficClass, QUEUE_OCTETS));
    }
    return (this.first >>> 0) * 2 ** 20 + (this.second >>> 12);
  }

  private mix(word: number): void {
    this.first = Math.imul(this.first ^ word, 0x9e3779b1);
    this.first ^= this.first >>> 15;
    this.second = Math.imul(this.second + word, 0x85ebca6b) ^ this.first;
  }
}
