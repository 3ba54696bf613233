import { type GrantMargin, type GrantPlan } from '../../mechanisms/registry.js';
import type { PlannedMechanism } from '../../mechanisms/mechanism-slice.js';
import type { LinkEnd } from './link-ends.js';
import type { Methods } from './link-methods.js';

/** Buffer that ports reserve for what they grant, by whichever flow control. */
export class Backing {
  constructor(
    private readonly grants: GrantPlan,
    private readonly mechanisms: readonly PlannedMechanism[],
  ) {}

  /** By priority: octets of memory behind a port, at most. */
  memoryOf(end: LinkEnd, methods: Methods, cellOctets: number): number[] {
    const { device, port } = end;
    const own = this.mechanisms.map(({ plan }) => plan.backing?.(device, port, cellOctets));
    return this.grants
      .memoryOf(end, methods, cellOctets)
      .map((octets, p) => own.reduce((sum, granted) => sum + (granted?.[p] ?? 0), octets));
  }

  /** Of grants, as far as they are planned. */
  get margins(): readonly GrantMargin[] {
    return this.grants.margins;
  }
}
