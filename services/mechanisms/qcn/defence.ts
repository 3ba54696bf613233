import type { DomainBoundary } from '../../engine/contract/slice.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { CLASS, LENGTH, PRIORITY_MASK } from '../../engine/frame/frame-pool.js';
import { SHAPE } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { Counters } from '../../engine/port/counters.js';
import { CN_TAG_OCTETS } from '../../engine/wire/cn-tag.js';
import type { QcnSwitchSpec } from './spec.js';
import type { FrameRef, PortRow } from '../../engine/units/indices.js';

/**
 * Congestion notification domain defence (802.1Q 32.1.1). A CNPV is for the members of the domain:
 * a frame that an edge port receives with one gets another priority. A CN-TAG is sent only to a
 * link partner that supports it.
 */
export class QcnDefences implements DomainBoundary {
  /** By port: priorities that are remapped, and that are sent without their tag; one bit each. */
  private readonly remapped: Uint8Array;
  private readonly untagged: Uint8Array;
  private readonly alternate: Uint8Array;

  constructor(
    tables: Tables,
    private readonly pool: FramePool,
    private readonly counters: Counters,
  ) {
    this.remapped = tables.uint8('port', field('remapped', SHAPE));
    this.untagged = tables.uint8('port', field('untagged', SHAPE));
    this.alternate = tables.uint8('port', field('alternate', SHAPE));
  }

  configure(firstPort: number, spec: QcnSwitchSpec): void {
    spec.ports.forEach(({ defence }, p) => {
      const port = firstPort + p;
      this.alternate[port] = spec.alternatePriority;
      if (defence === 'edge') this.remapped[port] = spec.priorities;
      if (defence !== 'interior-ready') this.untagged[port] = spec.priorities;
    });
  }

  remaps(port: PortRow): boolean {
    return this.remapped[port] !== 0;
  }

  untags(port: PortRow): boolean {
    return this.untagged[port] !== 0;
  }

  entered(port: PortRow, frame: FrameRef): void {
    const { words } = this.pool;
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    if ((this.remapped[port] & (1 << priority)) === 0) return;
    const alternate = this.alternate[port];
    this.shorten(port, frame);
    this.pool.setFlowId(frame, 0);
    words[frame + CLASS] = (words[frame + CLASS] & ~PRIORITY_MASK) | alternate;
    this.counters.remapped(port, priority, alternate, words[frame + LENGTH]);
  }

  /** The congestion point of the queue still knows the flow. */
  joined(port: PortRow, frame: FrameRef): void {
    const priority = this.pool.words[frame + CLASS] & PRIORITY_MASK;
    if ((this.untagged[port] & (1 << priority)) !== 0) this.shorten(port, frame);
  }

  left(port: PortRow, frame: FrameRef): void {
    const priority = this.pool.words[frame + CLASS] & PRIORITY_MASK;
    if ((this.untagged[port] & (1 << priority)) !== 0) this.pool.setFlowId(frame, 0);
  }

  private shorten(port: PortRow, frame: FrameRef): void {
    const { pool } = this;
    if (pool.flowId(frame) === 0) return;
    pool.words[frame + LENGTH] -= CN_TAG_OCTETS;
    this.counters.retagged(port, pool.words[frame + CLASS] & PRIORITY_MASK, -CN_TAG_OCTETS);
  }
}
