import type {
  Transport,
  TransportEnds,
  TransportReceiver,
  TransportSender,
} from '../../engine/contract/transport.js';
import type { Tables } from '../../engine/kernel/tables.js';
import { makeReceiver, makeSender } from './machine.js';

/**
 * Go-back-N (InfiniBand Architecture, volume 1, 9.7): a receiver accepts packets in order only. It
 * answers the first of a gap with a NAK, and the sender sends everything again from there.
 */
export class GoBackN implements Transport {
  readonly sending: TransportSender;
  readonly receiving: TransportReceiver;

  constructor(tables: Tables, ends: TransportEnds) {
    this.sending = makeSender(ends);
    this.receiving = makeReceiver(tables);
  }
}
