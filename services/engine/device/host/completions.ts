import { DERIVED, SHAPE } from '../../kernel/kinds.js';
import { assert } from '../../kernel/assert.js';
const STRIDE = 4;

/** Messages that reached this host, in order of arrival. */
export class Completions {
  // Nothing reads the records before the end; while none is added they are as they were.
  static readonly kinds = { records: DERIVED, count: SHAPE };

  /** Flow, message, released, delivered; the first `count` records are valid. */
  private records = new Float64Array(4 * STRIDE);
  count = 0;

  add(flow: number, message: number, released: number, delivered: number): void {
    if (this.count * STRIDE === this.records.length) {
      const grown = new Float64Array(this.records.length * 2);
      grown.set(this.records);
      this.records = grown;
    }
    assert(delivered >= released, 'completion.delivered-after-release');
    const at = this.count++ * STRIDE;
    this.records[at] = flow;
    this.records[at + 1] = message;
    this.records[at + 2] = released;
    this.records[at + 3] = delivered;
  }

  forEach(
    visit: (flow: number, message: number, releasedPs: number, deliveredPs: number) => void,
  ): void {
    const { records } = this;
    for (let at = 0; at < this.count * STRIDE; at += STRIDE) {
      visit(records[at], records[at + 1], records[at + 2], records[at + 3]);
    }
  }
}
