import type { Probe } from '../contract/probe.js';
import { ProbeFanOut } from '../contract/probe-fan-out.js';
import type { Heed } from '../frame/heed.js';
import { DICE_SIDES } from '../frame/heed.js';
import type { Device } from './device.js';

/**
 * Who listens to which device. Probes are rare but for the frames that pass (received, queued,
 * sent): of these a port tells only what somebody asked for.
 */
export class Hearing {
  /** By device. */
  private readonly listeners: Probe[][];
  private readonly shares: Float64Array;
  /** By port: how many want to be told of all frames. */
  private readonly followers: Uint16Array;

  constructor(
    private readonly devices: readonly Device[],
    private readonly heed: Heed,
  ) {
    this.listeners = devices.map(() => []);
    this.shares = new Float64Array(devices.length);
    this.followers = new Uint16Array(heed.limits.length);
  }

  listen(probe: Probe, devices: Iterable<number>, share: number): void {
    for (const d of devices) {
      const own = this.listeners[d];
      own.push(probe);
      const device = this.devices[d];
      device.probe = own.length === 1 ? probe : new ProbeFanOut(own);
      this.shares[d] = Math.max(this.shares[d], share);
      device.spec.ports.forEach((_, p) => {
        this.setLimit(d, device.firstPort + p);
      });
    }
  }

  /** One more (or less) wants to be told of all frames of a port. */
  follow(device: number, port: number, follows: boolean): void {
    const number = this.devices[device].firstPort + port;
    this.followers[number] += follows ? 1 : -1;
    this.setLimit(device, number);
  }

  private setLimit(device: number, port: number): void {
    const share = this.followers[port] > 0 ? 1 : this.shares[device];
    this.heed.limits[port] = share * DICE_SIDES;
  }
}
