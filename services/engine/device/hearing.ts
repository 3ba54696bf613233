import type { Probe } from '../contract/probe.js';
import { pointsOf } from '../contract/probe.js';
import { ProbeFanOut } from '../contract/probe-fan-out.js';
import type { TraceMask, Passing } from '../frame/trace-mask.js';
import { PASSINGS, TELLS_ALL, TELLS_FOLLOWED } from '../frame/trace-mask.js';
import type { Device } from './device.js';

/**
 * Who listens to which device. Probes are rare but for the frames that pass (received, queued,
 * sent): of these a port tells only what somebody asked for.
 */
export class Hearing {
  /** By what happens and port: how many want to be told of all. */
  private readonly followers: readonly Uint16Array[];

  constructor(
    private readonly devices: readonly Device[],
    private readonly traceMask: TraceMask,
  ) {
    this.followers = traceMask.minded.map(({ length }) => new Uint16Array(length));
  }

  listen(probe: Probe, devices: Iterable<number>, hearsFrames: boolean): void {
    for (const d of devices) {
      const device = this.devices[d];
      for (const point of pointsOf(probe)) {
        const others = device.heardBy[point];
        device.heardBy[point] = others === null ? probe : new ProbeFanOut(others, probe);
      }
      if (!hearsFrames) continue;
      device.spec.ports.forEach((_, p) => {
        for (const passing of PASSINGS) this.follow(d, p, passing, true);
      });
    }
  }

  /** One more (or less) wants to be told of all frames to which this happens at a port. */
  follow(device: number, port: number, passing: Passing, follows: boolean): void {
    const number = this.devices[device].firstPort + port;
    const minded = this.traceMask.minded[passing];
    this.followers[passing][number] += follows ? 1 : -1;
    if (this.followers[passing][number] > 0) minded[number] |= TELLS_ALL;
    else minded[number] &= ~TELLS_ALL;
  }

  /** Of what hosts make a share is drawn and followed; ports tell of those. */
  sample(share: number): void {
    this.traceMask.draw.setShare(share);
    for (const minded of this.traceMask.minded) {
      minded.forEach((_, port) => (minded[port] |= TELLS_FOLLOWED));
    }
  }
}
