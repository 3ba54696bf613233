import type { Probe } from '../contract/probe.js';
import { ProbeFanOut } from '../contract/probe-fan-out.js';
import type { Heed, Passing } from '../frame/heed.js';
import { DICE_SIDES, PASSINGS } from '../frame/heed.js';
import type { Device } from './device.js';

/**
 * Who listens to which device. Probes are rare but for the frames that pass (received, queued,
 * sent): of these a port tells only what somebody asked for.
 */
export class Hearing {
  /** By device. */
  private readonly listeners: Probe[][];
  private readonly shares: Float64Array;
  /** By what happens and port: the share that is sampled, and how many want to be told of all. */
  private readonly samples: readonly Float64Array[];
  private readonly followers: readonly Uint16Array[];

  constructor(
    private readonly devices: readonly Device[],
    private readonly heed: Heed,
  ) {
    this.listeners = devices.map(() => []);
    this.shares = new Float64Array(devices.length);
    this.samples = heed.limits.map(({ length }) => new Float64Array(length));
    this.followers = heed.limits.map(({ length }) => new Uint16Array(length));
  }

  listen(probe: Probe, devices: Iterable<number>, share: number): void {
    for (const d of devices) {
      const own = this.listeners[d];
      own.push(probe);
      const device = this.devices[d];
      device.probe = own.length === 1 ? probe : new ProbeFanOut(own);
      this.shares[d] = Math.max(this.shares[d], share);
      device.spec.ports.forEach((_, p) => {
        for (const passing of PASSINGS) this.setLimit(d, device.firstPort + p, passing);
      });
    }
  }

  /** One more (or less) wants to be told of all frames to which this happens at a port. */
  follow(device: number, port: number, passing: Passing, follows: boolean): void {
    const number = this.devices[device].firstPort + port;
    this.followers[passing][number] += follows ? 1 : -1;
    this.setLimit(device, number, passing);
  }

  /** The one who samples frames wants to be told of this share of them. */
  sample(device: number, port: number, passing: Passing, share: number): void {
    const number = this.devices[device].firstPort + port;
    this.samples[passing][number] = share;
    this.setLimit(device, number, passing);
  }

  private setLimit(device: number, port: number, passing: Passing): void {
    const share = Math.max(this.shares[device], this.samples[passing][port]);
    this.heed.limits[passing][port] = (this.followers[passing][port] > 0 ? 1 : share) * DICE_SIDES;
  }
}
