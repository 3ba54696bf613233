import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Congestion } from '../congestion/congestion.js';
import type { OperationResult } from '../../jobs/job-rows.js';
import type { FrameTrace } from '../traces/frame-trace.js';
import { addEpisodes } from './add-episodes.js';
import { addFaults } from './add-faults.js';
import { addJobs } from './add-jobs.js';
import { FrameSlices } from './frame-slices.js';
import type { Series } from './queue-counters.js';
import { addCounters } from './queue-counters.js';
import { Timeline } from './timeline.js';

/** What a timeline is made of. */
interface TimelineSources {
  readonly fabric: Fabric;
  /** How far the run came. */
  readonly nowPs: number;
  readonly congestion: Congestion;
  readonly operations: readonly OperationResult[];
  readonly traces: Iterable<FrameTrace>;
  readonly series: Series;
}

/**
 * A run as a timeline of Perfetto: jobs with their ranks; below each device its ports, and below
 * each port its pauses, queues, frames and counters; and how many frames it shows.
 */
export function runTimeline(sources: TimelineSources): { timeline: Timeline; frames: number } {
  const { fabric, nowPs, congestion, operations, traces, series } = sources;
  const timeline = new Timeline(fabric.scenario.name);
  const { root } = timeline;
  // Devices and ports in their order, with their tracks below them in the order of a frame's path.
  fabric.linkEnds.forEach((ends, device) => {
    const track = root.child(fabric.topology.devices[device]!.name);
    for (const { name } of ends) track.child(name);
  });
  addJobs(timeline, operations, nowPs);
  addCounters(root, series);
  addFaults(timeline, fabric, nowPs);
  const episodes = addEpisodes(timeline, congestion, nowPs);
  const slices = new FrameSlices(timeline, episodes, fabric);
  let frames = 0;
  for (const trace of traces) {
    slices.add(trace);
    frames++;
  }
  return { timeline, frames };
}
