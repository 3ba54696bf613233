import type { TransportSpec } from '../../contract/spec.js';
import type { TransportReceiver } from '../../contract/transport.js';
import type { FramePool } from '../../frame/frame-pool.js';
import type { FrameRef } from '../../units/indices.js';
import type { Device } from '../device.js';
import { KIND_DEVICE } from '../device.js';
import type { Receivers } from './receivers.js';
import type { Senders } from './senders.js';

/** Receiving ends of a device may say what no packet requests. */
export const KIND_PACE = KIND_DEVICE + 14;

interface PacingParts {
  readonly pool: FramePool;
  readonly senders: Senders;
  readonly receivers: Receivers;
  /** `c`: the connection at the device. */
  readonly queueAnswer: (d: number, c: number, frame: FrameRef) => void;
}

/** What receiving ends send by themselves: one timer a device, of the transport that has it. */
interface Pacing {
  configure(d: number, transport: TransportSpec | null): void;
  onTimer(d: number): void;
}

export function makePacing(
  devices: readonly Device[],
  { pool, senders, receivers, queueAnswer }: PacingParts,
): Pacing {
  /** By device. */
  const paced: (TransportReceiver | undefined)[] = [];

  senders.setPacing({
    pace: (d, atPs) => {
      devices[d].schedule(atPs, KIND_PACE, 0, 0);
    },
    tell: (d, c, say) => {
      queueAnswer(d, c - devices[d].rows.receive.first, receivers.answer(c, say, pool));
    },
  });

  return {
    configure: (d, transport) => {
      if (transport === null) return;
      const { receiving } = senders.transportOf(transport);
      if (receiving.paced !== undefined) paced[d] = receiving;
    },
    onTimer: (d) => {
      paced[d]!.paced!(d, devices[d].rows.receive.first);
    },
  };
}
