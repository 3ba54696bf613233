import { UNKNOWN } from '../../engine/kernel/kinds.js';
import type {
  DevicePlace,
  DomainBoundary,
  QueueSampler,
  SwitchCarrier,
  SwitchRole,
} from '../../engine/contract/slice.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { HASH, SOURCE } from '../../engine/frame/frame-pool.js';
import { RandomStream } from '../../engine/kernel/random.js';
import type { QcnDefences } from './defence.js';
import type { QcnPoints } from './points.js';
import type { QcnSwitchSpec } from './spec.js';
import type { FrameRef, PortRow, TrafficClass } from '../../engine/units/indices.js';
import { messageTags } from '../../engine/notices/notice-envelope.js';

interface Parts {
  readonly place: DevicePlace;
  readonly spec: QcnSwitchSpec;
  readonly carrier: SwitchCarrier;
  readonly points: QcnPoints;
  readonly defences: QcnDefences;
  readonly pool: FramePool;
}

/** Congestion points of one switch, and its ports at the edge of the domain. */
export class QcnSwitch implements SwitchRole, QueueSampler {
  static readonly kinds = UNKNOWN;

  readonly #boundary: DomainBoundary;
  /** Spreads the sampling periods. */
  readonly jitter: RandomStream;
  readonly #points: QcnPoints;
  readonly #carrier: SwitchCarrier;
  readonly #pool: FramePool;

  readonly #spec: QcnSwitchSpec;

  constructor({ place, spec, carrier, points, defences, pool }: Parts) {
    const { name, seed, firstPort, ports } = place;
    this.#spec = spec;
    this.#points = points;
    this.#boundary = defences;
    this.#carrier = carrier;
    this.#pool = pool;
    this.jitter = new RandomStream(seed, `${name}/qcn`);
    points.configure(firstPort, spec, ports[0].classOf, this.jitter);
    defences.configure(firstPort, spec);
  }

  sampledClasses(port: PortRow): number {
    return this.#points.watched[port];
  }

  joined(
    via: number,
    out: number,
    trafficClass: TrafficClass,
    frame: FrameRef,
    octets: number,
    queueOctets: number,
  ): void {
    const points = this.#points;
    if (!points.isDue(out, trafficClass, octets)) return;
    if (points.measure(out, trafficClass, frame, queueOctets)) this.notify(via, out, frame);
  }

  broken(): string | null {
    return null;
  }

  /** Sends a CNM to the source of a frame, by the frame's ingress port. */
  private notify(via: number, out: number, frame: FrameRef): void {
    const points = this.#points;
    const carrier = this.#carrier;
    const pool = this.#pool;
    const vlan = messageTags(carrier.answerTags(out, frame), 'ethernet');
    const length = points.compose(out, frame, vlan);
    const around = {
      priority: points.messagePriority(out),
      target: pool.ends[frame + SOURCE],
      hash: pool.words[frame + HASH],
      vlan,
      bornPs: carrier.clock.now,
    };
    carrier.sendMessage(via, around, points.octets, length);
  }

  get sampler(): QueueSampler {
    return this;
  }

  get boundary(): DomainBoundary {
    return this.#boundary;
  }

  get spec(): QcnSwitchSpec {
    return this.#spec;
  }
}
