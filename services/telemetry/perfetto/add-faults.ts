import type { Fabric } from '../../fabric/assembly/fabric.js';
import { faultTimes } from '../congestion/fault-times.js';
import type { Timeline } from './timeline.js';

/** Adds a track of each fault, with a slice for each time that it was active at a port. */
export function addFaults(timeline: Timeline, fabric: Fabric, nowPs: number): void {
  for (const { name, kind, device, port, spells } of faultTimes(fabric, nowPs)) {
    if (spells.length === 0) continue;
    const { name: place } = fabric.linkEnds[device]![port]!;
    const track = timeline.root.child('faults').child(name).child(place);
    for (const { beginPs, endPs } of spells) {
      timeline.slice(track, {
        name: kind,
        category: 'fault',
        startPs: beginPs,
        endPs: Math.min(endPs, nowPs),
        details: { fault: name, port: place, start_ps: beginPs },
      });
    }
  }
}
