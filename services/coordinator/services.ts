import type { selvage } from '#contracts';
import type { PartitionPlan } from '../fabric/placement/partition-plan.js';
import type { ServicePlan } from '../fabric/placement/service-plan.js';
import { packPlan, sha256 } from '../runtime/checkpoints/snapshots.js';
import type { ServiceStream } from './control-requests.js';
import type { Slot } from './slot.js';
import { vacant } from './slot.js';

type Down = selvage.v1.ToService.$Properties;

/** How long dismissed services are waited for. */
const FAREWELL_MS = 1_000;

/** Start of an epoch, without the plan. */
interface EpochStart {
  readonly epoch: number;
  readonly check: boolean;
  readonly changes: Uint8Array[];
  readonly salt: Uint8Array;
  readonly keptStateOf: (service: number) => selvage.v1.KeptState.$Properties | null;
}

/** The services of a run, and the streams of those that are connected. */
export class Services {
  readonly slots: readonly Slot[];
  private allLeft: () => void = () => undefined;

  constructor(plans: readonly ServicePlan[]) {
    this.slots = plans.map((plan) => {
      const packed = packPlan(plan);
      return { plan, packed, hash: sha256(packed), ...vacant() };
    });
  }

  get count(): number {
    return this.slots.length;
  }

  /** The partitions of all services, in their order. */
  get parts(): PartitionPlan[] {
    return this.slots.flatMap(({ plan }) => plan.parts);
  }

  /** Those that are not connected. */
  get missing(): number[] {
    return this.slots.flatMap(({ stream }, service) => (stream === null ? [service] : []));
  }

  /** False: another process has that number. */
  join(register: selvage.v1.Register.$Properties, stream: ServiceStream): boolean {
    const slot = this.slots[register.service ?? 0]!;
    const incarnation = register.incarnation ?? '';
    if (slot.stream !== null && slot.incarnation !== incarnation) return false;
    Object.assign(slot, { stream, incarnation, host: register.host ?? '', nextPs: null });
    return true;
  }

  /** Ends the stream of a service that does not answer, whose place is free then. */
  drop(service: number): void {
    const slot = this.slots[service]!;
    const { stream } = slot;
    Object.assign(slot, { ...vacant(), informed: slot.informed });
    stream?.end();
  }

  /** Connected services that have not built their parts. */
  get building(): number[] {
    return this.slots.flatMap(({ nextPs }, service) => (nextPs === null ? [service] : []));
  }

  /** A stream has ended; false: the service has opened another one since. */
  leave(service: number, stream: ServiceStream): boolean {
    const slot = this.slots[service]!;
    if (slot.stream !== stream) return false;
    Object.assign(slot, { ...vacant(), informed: slot.informed });
    if (this.missing.length === this.count) this.allLeft();
    return true;
  }

  /** All services build their parts; each then reports that it is `ready`. */
  assign({ epoch, check, changes, salt, keptStateOf }: EpochStart): void {
    for (const [service, slot] of this.slots.entries()) {
      slot.nextPs = null;
      const isInformed = slot.informed === slot.incarnation;
      slot.informed = slot.incarnation;
      const plan = isInformed ? new Uint8Array(0) : slot.packed;
      const from = keptStateOf(service);
      const neighbors = this.slots.filter(({ host }) => host === slot.host).length;
      slot.stream?.send({
        assignment: { epoch, plan, planHash: slot.hash, from, check, changes, salt, neighbors },
      });
    }
  }

  /** A service has built its part; with the last one, returns the next events of all. */
  ready(service: number, nextPs: number): readonly number[] | null {
    this.slots[service]!.nextPs = nextPs;
    const nexts = this.slots.flatMap((slot) => slot.nextPs ?? []);
    return nexts.length === this.count ? nexts : null;
  }

  send(messageOf: (service: number) => Down, to: Iterable<number> = this.slots.keys()): void {
    for (const service of to) this.slots[service]!.stream?.send(messageOf(service));
  }

  /** The run is over; resolves when all services have left, or soon. */
  dismiss(): Promise<void> {
    this.send(() => ({ leave: {} }));
    return new Promise((resolve) => {
      setTimeout(resolve, FAREWELL_MS);
      this.allLeft = resolve;
      if (this.missing.length === this.count) resolve();
    });
  }
}
