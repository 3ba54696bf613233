import { TRAFFIC_CLASSES } from '../units/ethernet.js';
import { assert } from '../kernel/assert.js';

/** Latencies of frames by traffic class, in one direction (7.7.1). */
export class Latencies {
  readonly frames = new Float64Array(TRAFFIC_CLASSES);
  readonly sumPs = new Float64Array(TRAFFIC_CLASSES);
  readonly mostPs = new Float64Array(TRAFFIC_CLASSES);
  readonly leastPs = new Float64Array(TRAFFIC_CLASSES).fill(Infinity);

  add(trafficClass: number, ps: number): void {
    assert(ps > 0, 'nic.latency');
    this.frames[trafficClass]++;
    this.sumPs[trafficClass] += ps;
    if (ps > this.mostPs[trafficClass]) this.mostPs[trafficClass] = ps;
    if (ps < this.leastPs[trafficClass]) this.leastPs[trafficClass] = ps;
  }
}
