import type { SfcCounters } from './managed.js';
import type { SfcProxyReceiver } from './proxy.js';
import type { SfcSender } from './sender.js';
import type { SfcStationReceiver } from './station.js';

/** An SFC point: source flow control of one device. */
export interface SfcPoint {
  readonly counters: SfcCounters;
  /** Of a bridge. */
  readonly sender: SfcSender | null;
  readonly proxy: SfcProxyReceiver | null;
  /** Of an end station. */
  readonly station: SfcStationReceiver | null;
}
