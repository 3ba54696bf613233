import type { SfcCounters } from './sfc-managed.js';
import type { SfcProxyReceiver } from './sfc-proxy.js';
import type { SfcSender } from './sfc-sender.js';
import type { SfcStationReceiver } from './sfc-station.js';

/** An SFC point: what one device is of source flow control. */
export interface SfcPoint {
  readonly counters: SfcCounters;
  /** Of a bridge. */
  readonly sender: SfcSender | null;
  readonly proxy: SfcProxyReceiver | null;
  /** Of an end station. */
  readonly station: SfcStationReceiver | null;
}
