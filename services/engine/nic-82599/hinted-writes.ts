import { dcaTag } from './dca.js';
import type { RegisterFile } from './register-file.js';

const TAGS = 256;

/** Posted writes to host memory as the link sees them: how many went with which hint (7.5). */
export class HintedWrites {
  readonly writes = new Float64Array(TAGS);
  readonly octets = new Float64Array(TAGS);

  enabled = false;

  static readonly wiring = ['registers'];

  constructor(private readonly registers: RegisterFile) {}

  /** A frame is written by a receive queue, and then its descriptor. */
  count(queue: number, payloadOctets: number, descriptorOctets: number): void {
    const control = this.registers.get('DCA_CTRL');
    const own = this.registers.get('DCA_RXCTRL', queue);
    this.add(dcaTag(control, own, 'payload'), payloadOctets);
    this.add(dcaTag(control, own, 'descriptor'), descriptorOctets);
  }

  private add(tag: number, octets: number): void {
    this.writes[tag]++;
    this.octets[tag] += octets;
  }
}
