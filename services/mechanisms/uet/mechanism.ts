import type {
  Transport,
  TransportEnds,
  TransportReceiver,
  TransportSender,
} from '../../engine/contract/transport.js';
import { BITMAP_WORDS } from '../../engine/contract/transport.js';
import { unknown } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import { makeReceiver } from './receiver.js';
import { makeSender } from './sender.js';

/** Ultra Ethernet Transport: reliable delivery without order, over many paths. */
export class Uet implements Transport {
  readonly sending: TransportSender;
  readonly receiving: TransportReceiver;

  constructor(tables: Tables, ends: TransportEnds) {
    const words = tables.int32('bitmap', field('packets', unknown(0), BITMAP_WORDS));
    this.sending = makeSender(tables, ends, words);
    this.receiving = makeReceiver(tables, ends, words);
  }
}
