import type { WriteKind } from './dca.js';
import { dcaTag } from './dca.js';
import type { RegisterFile } from './register-file.js';
import { assert } from '../kernel/assert.js';

const TAGS = 256;

/** A descriptor that is written back. */
export const DESCRIPTOR_OCTETS = 16;

/** Posted writes to host memory on the link: counts by hint (7.5). */
export class HintedWrites {
  readonly #registers: RegisterFile;
  readonly writes = new Float64Array(TAGS);
  readonly octets = new Float64Array(TAGS);

  enabled = false;

  constructor(registers: RegisterFile) {
    this.#registers = registers;
  }

  /** A receive queue writes a frame, its header apart if it is split, and then its descriptor. */
  received(queue: number, headerOctets: number, frameOctets: number): void {
    const own = this.#registers.get('DCA_RXCTRL', queue);
    if (headerOctets > 0) this.add(own, 'header', headerOctets);
    assert(headerOctets < frameOctets, 'nic.header-of-frame');
    this.add(own, 'payload', frameOctets - headerOctets);
    this.add(own, 'descriptor', DESCRIPTOR_OCTETS);
  }

  /** The data of a transmit queue's frame is requested, and its descriptor written back. */
  transmitted(queue: number): void {
    this.add(this.#registers.get('DCA_TXCTRL', queue), 'descriptor', DESCRIPTOR_OCTETS);
  }

  private add(queueControl: number, kind: WriteKind, octets: number): void {
    const tag = dcaTag(this.#registers.get('DCA_CTRL'), queueControl, kind);
    this.writes[tag]++;
    this.octets[tag] += octets;
  }
}
