import type { Device, Wire } from '../../engine/device/device.js';

/** A link whose far end lives in the same service. */
export class LocalWire implements Wire {
  /** `port`: of the peer, numbered through the service. */
  constructor(
    private readonly peer: Device,
    private readonly port: number,
  ) {}

  accept(frame: number): void {
    this.peer.accept(this.port, frame);
  }

  acceptControl(octets: Uint8Array, length: number, lastBit: number): void {
    this.peer.acceptControl(this.port, octets, length, lastBit);
  }
}
