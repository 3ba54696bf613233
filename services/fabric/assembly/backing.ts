import { PRIORITIES } from '../../engine/units/ethernet.js';
import type { MemorySize, PlannedMechanism } from '../../mechanisms/mechanism-slice.js';
import type { LinkEnd } from './link-ends.js';

/** Buffer that ports reserve for what they grant, by whichever flow control. */
export class Backing {
  private readonly granting: readonly PlannedMechanism[];

  constructor(mechanisms: readonly PlannedMechanism[]) {
    this.granting = mechanisms.filter(({ plan }) => plan.backing !== undefined);
  }

  /** By priority: octets behind a port, at most. */
  at({ device, port }: LinkEnd, cellOctets: number): readonly number[] {
    const own = this.granting.map(({ plan }) => plan.backing!(device, port, cellOctets));
    return Array.from({ length: PRIORITIES }, (_, priority) =>
      own.reduce((sum, granted) => sum + granted[priority]!, 0),
    );
  }

  /** The largest of a device as far as it is planned, and its flow control; null: it has none. */
  largest(device: number): (MemorySize & { readonly name: string }) | null {
    const sizes = this.granting.flatMap(({ slice, plan }) =>
      (slice.sizes?.(plan, device) ?? []).map((size) => ({ ...size, name: slice.name })),
    );
    return sizes.length === 0
      ? null
      : sizes.reduce((a, b) => ((b.givenOctets ?? 0) > (a.givenOctets ?? 0) ? b : a));
  }
}
