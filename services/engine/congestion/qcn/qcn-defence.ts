import type { QcnPointSpec } from '../../contract/spec.js';
import type { FramePool } from '../../frame/frame-pool.js';
import { CLASS, LENGTH, PRIORITY_MASK } from '../../frame/frame-pool.js';
import type { Tables } from '../../kernel/tables.js';
import type { Counters } from '../../port/counters.js';
import { CN_TAG_OCTETS } from '../../wire/cnm.js';

/**
 * Congestion notification domain defence (802.1Q 32.1.1). Only those who obey may use a CNPV: what
 * comes in at an edge port with one gets another priority. A CN-TAG goes out only to who is ready.
 */
export class QcnDefences {
  /** By port: priorities that are not let in, and that go out without their tag; one bit each. */
  readonly remapped: Uint8Array;
  readonly untagged: Uint8Array;
  private readonly alternate: Uint8Array;

  constructor(
    tables: Tables,
    private readonly pool: FramePool,
    private readonly counters: Counters,
  ) {
    this.remapped = tables.uint8('port', 1);
    this.untagged = tables.uint8('port', 1);
    this.alternate = tables.uint8('port', 1);
  }

  configure(firstPort: number, spec: QcnPointSpec): void {
    spec.ports.forEach(({ defence }, p) => {
      const port = firstPort + p;
      this.alternate[port] = spec.alternatePriority;
      if (defence === 'edge') this.remapped[port] = spec.priorities;
      if (defence !== 'interior-ready') this.untagged[port] = spec.priorities;
    });
  }

  /** A frame has come in by a port that remaps. */
  receive(port: number, frame: number): void {
    const { words } = this.pool;
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    if ((this.remapped[port] & (1 << priority)) === 0) return;
    const alternate = this.alternate[port];
    this.shorten(port, frame);
    this.pool.setFlowId(frame, 0);
    words[frame + CLASS] = (words[frame + CLASS] & ~PRIORITY_MASK) | alternate;
    this.counters.remapped(port, priority, alternate, words[frame + LENGTH]);
  }

  /** A frame joins the queue of a port that takes tags off; its point still knows the flow. */
  join(port: number, frame: number): void {
    const priority = this.pool.words[frame + CLASS] & PRIORITY_MASK;
    if ((this.untagged[port] & (1 << priority)) !== 0) this.shorten(port, frame);
  }

  /** It leaves. */
  leave(port: number, frame: number): void {
    const priority = this.pool.words[frame + CLASS] & PRIORITY_MASK;
    if ((this.untagged[port] & (1 << priority)) !== 0) this.pool.setFlowId(frame, 0);
  }

  private shorten(port: number, frame: number): void {
    const { pool } = this;
    if (pool.flowId(frame) === 0) return;
    pool.words[frame + LENGTH] -= CN_TAG_OCTETS;
    this.counters.retagged(port, pool.words[frame + CLASS] & PRIORITY_MASK, -CN_TAG_OCTETS);
  }
}
