/**
 * What the oracle reads of a run: an ordered record of what is on the wires. It names the fields
 * that a frame has on a link, and nothing that is inside a device but the moment at which a frame
 * joins a queue, which breaks ties between events of one instant; what should have happened is
 * recomputed.
 */

export type FrameKind = 'raw' | 'data' | 'ack' | 'nak' | 'notice' | 'cut';

type Numbers =
  | ('octets' | 'priority' | 'dscp' | 'hash' | 'target' | 'source' | 'connection' | 'sequence')
  | ('remaining' | 'flowId');

/** The header fields of a frame, and its length from destination address to FCS. */
export interface WireFrame extends Readonly<Record<Numbers, number>> {
  readonly kind: FrameKind;
  readonly dei: boolean;
  /** The ECN field (RFC 3168): 0 not capable, 2 ECT(0), 3 CE. */
  readonly ecn: number;
  /** Addressed to a multicast group. */
  readonly isGroup: boolean;
  /** Marked as one of an isolated (congesting) flow. */
  readonly isIsolated: boolean;
  /** Its FCS is wrong on purpose: a switch had begun to forward it when its end turned out bad. */
  readonly isPoisoned: boolean;
  /** C-TAG in the low half, S-TAG in the high half. */
  readonly vlan: number;
  /** When its payload was ready, as the telemetry of a run carries it. */
  readonly bornPs: number;
  /** Octets of a message, or of telemetry, that the frame carries; null: none. */
  readonly payload: Uint8Array | null;
}

interface Event {
  readonly atPs: number;
  readonly device: number;
  readonly port: number;
}

/** Events of one device are in the order in which they happened, and of all devices by time. */
export type WireEvent = Event &
  (
    | {
        readonly kind: 'start';
        readonly frame: WireFrame;
        readonly trafficClass: number;
        /**
         * Classes that the device had a choice among, a bit each: for queues of a kind that is not
         * modelled.
         */
        readonly eligible: number;
      }
    /** Link-level retry sends a frame once more, with the number that it had. */
    | { readonly kind: 'again'; readonly frame: WireFrame; readonly number: number }
    /** A frame came in, and the device has it. */
    | { readonly kind: 'arrival'; readonly frame: WireFrame }
    /** Link-level retry discards a frame that came in. */
    | { readonly kind: 'rejected'; readonly frame: WireFrame; readonly reason: string }
    /** It joins the queue of `port`, having come in by `ingress` (of a device's own: the same). */
    | { readonly kind: 'queued'; readonly ingress: number; readonly frame: WireFrame }
    | { readonly kind: 'dropped'; readonly frame: WireFrame; readonly reason: string }
    | { readonly kind: 'discarded'; readonly frame: WireFrame }
    /** A control frame (without FCS), or an ordered set of eight octets, starts on the link. */
    | { readonly kind: 'control'; readonly octets: Uint8Array }
    /** The frame that has just started has this CE-Tag behind its addresses. */
    | { readonly kind: 'tag'; readonly octets: Uint8Array }
    | { readonly kind: 'effect'; readonly octets: Uint8Array }
    /** A watchdog begins to ignore pauses of a priority, or ends that. */
    | { readonly kind: 'watchdog'; readonly priority: number; readonly isOn: boolean }
  );

export type EventOf<Kind extends WireEvent['kind']> = Extract<WireEvent, { kind: Kind }>;
