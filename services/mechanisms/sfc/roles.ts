import { UNKNOWN } from '../../engine/kernel/kinds.js';
import type {
  DequeueObserver,
  EnqueueObserver,
  HostRole,
  NoticeFilter,
  SwitchRole,
} from '../../engine/contract/slice.js';
import { firstBroken } from '../../engine/contract/broken.js';
import * as invariants from './invariants.js';
import type { SfcCounters } from './managed.js';
import type { SfcPoint } from './point.js';
import type { SfcProxyReceiver } from './proxy.js';
import type { SfcSender } from './sender.js';
import type { SfcStationReceiver } from './station.js';
import type { PortRow } from '../../engine/units/indices.js';

export class SfcBridgePoint implements SfcPoint, SwitchRole {
  static readonly kinds = UNKNOWN;

  readonly station = null;
  readonly #onEnqueue: EnqueueObserver;
  readonly #onDequeue: DequeueObserver;
  readonly #forwardedNotices: NoticeFilter;

  constructor(
    readonly counters: SfcCounters,
    readonly sender: SfcSender,
    readonly proxy: SfcProxyReceiver,
  ) {
    this.#onEnqueue = sender;
    this.#onDequeue = sender;
    this.#forwardedNotices = proxy;
  }

  limit(entries: number): void {
    this.sender.table.ages.limit(entries);
  }

  broken(): string | null {
    return firstBroken('sfc', invariants, this);
  }

  get onEnqueue(): EnqueueObserver {
    return this.#onEnqueue;
  }

  get onDequeue(): DequeueObserver {
    return this.#onDequeue;
  }

  get forwardedNotices(): NoticeFilter {
    return this.#forwardedNotices;
  }
}

export class SfcStationPoint implements SfcPoint, HostRole {
  static readonly kinds = UNKNOWN;

  readonly sender = null;
  readonly proxy = null;

  constructor(
    readonly counters: SfcCounters,
    readonly station: SfcStationReceiver,
  ) {}

  /** A station that does not know messages of a kind ignores them. */
  takes(port: PortRow, mac: number, octets: Uint8Array, bornPs: number): boolean {
    this.station.processSfcmPdu(port, mac, octets, bornPs);
    return true;
  }

  broken(): string | null {
    return firstBroken('sfc', invariants, this);
  }
}
