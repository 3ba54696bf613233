import { ADMITTED } from '../../buffer/shared-buffer.js';
import type { TrafficClass } from '../../units/indices.js';
import type { SwitchSpec } from '../../contract/spec.js';
import type { Device } from '../device.js';
import type { Shared } from '../shared.js';

/** Switches whose buffer has pools: a frame is charged to its group and to its queue. */
export function makePooledBuffers({ buffer, ports }: Shared) {
  const { pools } = buffer;
  /** By port: 1 where its switch has pools. */
  const at = new Uint8Array(ports.count);

  /** Configures the buffer of a switch, of either kind. */
  function configure({ place, firstPort, rows }: Device, spec: SwitchSpec): void {
    buffer.configure(place, firstPort, spec.buffer, rows.pool.first);
    at.fill(spec.buffer.pools === null ? 0 : 1, firstPort, firstPort + spec.ports.length);
  }

  /**
   * Charges a frame of so many octets to both, or to neither; returns why it must be dropped. Each
   * counts what it refused.
   */
  function admit(
    port: number,
    group: number,
    stored: number,
    out: number,
    trafficClass: TrafficClass,
    octets: number,
  ): number {
    const refusal = pools.refusesQueue(out, trafficClass, stored);
    if (refusal !== ADMITTED) {
      pools.refusedAtQueue(out, trafficClass, octets);
      return refusal;
    }
    const verdict = pools.admit(port, group, stored);
    if (verdict === ADMITTED) pools.queued(out, trafficClass, stored);
    else pools.refusedAtGroup(port, group);
    return verdict;
  }

  /** The same of a copy, whose group is charged. */
  function admitCopy(
    out: number,
    trafficClass: TrafficClass,
    stored: number,
    octets: number,
  ): number {
    const refusal = pools.refusesQueue(out, trafficClass, stored);
    if (refusal === ADMITTED) pools.queued(out, trafficClass, stored);
    else pools.refusedAtQueue(out, trafficClass, octets);
    return refusal;
  }

  /** A frame or a copy has left its queue. */
  function left(port: number, trafficClass: TrafficClass, stored: number): void {
    if (at[port] !== 0) pools.queued(port, trafficClass, -stored);
  }

  return { at, configure, admit, admitCopy, left };
}
