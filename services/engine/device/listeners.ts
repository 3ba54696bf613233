import type { Probe } from '../contract/probe.js';
import { pointsOf } from '../contract/probe.js';
import { ProbeFanOut } from '../contract/probe-fan-out.js';
import type { TraceMask, Passing } from '../frame/trace-mask.js';
import { PASSINGS, WANTS_ALL, WANTS_FOLLOWED } from '../frame/trace-mask.js';
import type { Device } from './device.js';

/**
 * Which probes observe which devices. Probe points are rare but for frames that pass (received,
 * queued, sent): of these only selected ones are reported.
 */
export class Listeners {
  /** By event and port: number of requests to trace all frames. */
  private readonly followers: readonly Uint16Array[];

  constructor(
    private readonly devices: readonly Device[],
    private readonly traceMask: TraceMask,
  ) {
    this.followers = traceMask.wanted.map(({ length }) => new Uint16Array(length));
  }

  listen(probe: Probe, devices: Iterable<number>, withFrames: boolean): void {
    for (const d of devices) {
      const device = this.devices[d];
      for (const point of pointsOf(probe)) {
        const others = device.listeners[point];
        device.listeners[point] = others === null ? probe : new ProbeFanOut(others, probe);
      }
      if (!withFrames) continue;
      device.spec.ports.forEach((_, p) => {
        for (const passing of PASSINGS) this.follow(d, p, passing, true);
      });
    }
  }

  /** Begins (or ends) to trace all frames to which this happens at a port. */
  follow(device: number, port: number, passing: Passing, follows: boolean): void {
    const number = this.devices[device].firstPort + port;
    const wanted = this.traceMask.wanted[passing];
    this.followers[passing][number] += follows ? 1 : -1;
    if (this.followers[passing][number] > 0) wanted[number] |= WANTS_ALL;
    else wanted[number] &= ~WANTS_ALL;
  }

  /** A random share of the frames of hosts is marked, and traced at every port. */
  sample(share: number): void {
    this.traceMask.draw.setShare(share);
    for (const wanted of this.traceMask.wanted) {
      wanted.forEach((_, port) => (wanted[port] |= WANTS_FOLLOWED));
    }
  }
}
