import { ADMITTED } from '../../buffer/shared-buffer.js';
import { DROPS, makeWred, MARKS } from '../../buffer/wred.js';
import { DROP } from '../../contract/probe.js';
import { CLASS, ECN_CE } from '../../frame/frame-pool.js';
import type { FrameRef, PortRow, TrafficClass } from '../../units/indices.js';
import type { SwitchSpec } from '../../contract/spec.js';
import type { Device } from '../device.js';
import type { Shared } from '../shared.js';

/** Switches whose buffer has pools: a frame is charged to its group and to its queue. */
export function makePooledBuffers(
  { buffer, ports, tables, pool }: Shared,
  /** A frame that joins a queue was marked. */
  marked: (out: PortRow, frame: FrameRef) => void,
) {
  const { pools } = buffer;
  const wred = makeWred(tables);
  /** By port: 1 where its switch has pools. */
  const at = new Uint8Array(ports.count);

  /** Configures the buffer of a switch, of either kind. */
  function configure({ place, firstPort, rows }: Device, spec: SwitchSpec): void {
    buffer.configure(place, firstPort, spec.buffer, rows.pool.first);
    wred.configure({ firstPort, first: rows.wred.first }, spec.buffer, spec);
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
    frame: FrameRef,
    octets: number,
  ): number {
    const early = earlyVerdict(out, trafficClass, frame);
    const refusal = early === DROPS ? DROP.WRED : pools.refusesQueue(out, trafficClass, stored);
    if (refusal !== ADMITTED) {
      pools.refusedAtQueue(out, trafficClass, octets);
      return refusal;
    }
    const verdict = pools.admit(port, group, stored);
    if (verdict === ADMITTED) {
      pools.queued(out, trafficClass, stored);
      if (early === MARKS) mark(out, frame);
    } else pools.refusedAtGroup(port, group);
    return verdict;
  }

  function earlyVerdict(out: number, trafficClass: TrafficClass, frame: FrameRef): number {
    const length = pools.octetsQueued(out, trafficClass);
    return wred.verdict(out, trafficClass, length, pool.words[frame + CLASS]);
  }

  function mark(out: PortRow, frame: FrameRef): void {
    pool.words[frame + CLASS] |= ECN_CE;
    marked(out, frame);
  }

  /** The same of a copy, whose group is charged. */
  function admitCopy(
    out: number,
    trafficClass: TrafficClass,
    stored: number,
    frame: FrameRef,
    octets: number,
  ): number {
    const early = earlyVerdict(out, trafficClass, frame);
    const refusal = early === DROPS ? DROP.WRED : pools.refusesQueue(out, trafficClass, stored);
    if (refusal === ADMITTED) {
      pools.queued(out, trafficClass, stored);
      if (early === MARKS) mark(out, frame);
    } else pools.refusedAtQueue(out, trafficClass, octets);
    return refusal;
  }

  /** A frame or a copy has left its queue. */
  function left(port: number, trafficClass: TrafficClass, stored: number): void {
    if (at[port] !== 0) pools.queued(port, trafficClass, -stored);
  }

  return { at, configure, admit, admitCopy, left };
}
