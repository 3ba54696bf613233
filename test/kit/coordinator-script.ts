import { selvage } from '#contracts';
import { Coordinator } from '../../services/coordinator/coordinator.js';
import type { CoordinatorOptions } from '../../services/coordinator/coordinator-options.js';
import type { ServiceStream } from '../../services/coordinator/control-requests.js';
import { planServices } from '../../services/fabric/placement/service-plan.js';
import { placeEachAlone } from '../../services/fabric/placement/placement.js';
import type { CheckpointStorage } from '../../services/runtime/checkpoints/store.js';
import { CheckpointStore } from '../../services/runtime/checkpoints/store.js';
import { LiveFaults } from '../../services/runtime/live-faults.js';
import type { Log } from '../../services/runtime/log.js';
import { PROTOCOL } from '../../services/runtime/partition/messages.js';
import { sourceOf } from './emulate.js';

type Down = selvage.v1.ToService.$Properties;
type Up = selvage.v1.FromService.$Properties;

const nothing = (): void => undefined;

export const SILENT_LOG: Log = { error: nothing, warn: nothing, info: nothing, debug: nothing };

export const LAYOUT = { services: null, devicesPerService: null, threads: 1 };

/** The stream of a service that is sent messages and does nothing. */
export function streamTo(hear: (message: Down) => void, end = nothing): ServiceStream {
  return { send: hear, end };
}

/** The coordinator of a link between two hosts, and two services that say what a test wants. */
export class CoordinatorScript {
  readonly coordinator: Coordinator;
  /** Services whose streams the coordinator has ended. */
  readonly dropped: number[] = [];
  private readonly heard: Down[] = [];
  private readonly streams: ServiceStream[];

  constructor(storage: CheckpointStorage, options: Partial<CoordinatorOptions> = {}) {
    const { loaded, fabric } = sourceOf('examples/pair-line-rate.yaml', 'duration=10us');
    const placement = placeEachAlone(fabric.topology);
    const plans = planServices(fabric, { placement, threads: 1, jams: false });
    this.coordinator = new Coordinator(
      new LiveFaults(loaded, fabric),
      plans,
      new CheckpointStore(storage),
      {
        ...{ run: 'r', version: '1', check: false, checkpointMs: 1e9, patienceMs: 1e6 },
        ...{ layout: LAYOUT, roundLength: null, log: SILENT_LOG, ...options },
      },
    );
    this.streams = [0, 1].map((service) =>
      streamTo(
        (message) => {
          if (service === 0) this.heard.push(message);
        },
        () => {
          this.dropped.push(service);
        },
      ),
    );
  }

  /** Picks up what is in the storage, and connects both services. */
  async begin(): Promise<void> {
    await this.coordinator.recall();
    for (const service of [0, 1]) this.connect(service);
  }

  connect(service: number): void {
    const register = { protocol: PROTOCOL, run: 'r', version: '1', incarnation: 'a' };
    this.coordinator.register({ ...register, service }, this.streams[service]!);
  }

  lose(service: number): void {
    this.coordinator.lost(service, this.streams[service]!);
  }

  from(service: number, message: Up): void {
    this.coordinator.receive(service, new selvage.v1.FromService(message));
  }

  fromBoth(message: Up): void {
    for (const service of [0, 1]) this.from(service, message);
  }

  /** The next message of a kind; what comes before it is passed over. */
  async next<K extends 'assignment' | 'round' | 'save' | 'show' | 'change'>(
    kind: K,
  ): Promise<NonNullable<Down[K]>> {
    for (;;) {
      for (let message = this.heard.shift(); message; message = this.heard.shift()) {
        const found = message[kind];
        if (found) return found;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Both have built their parts. */
  async ready(): Promise<void> {
    const { epoch } = await this.next('assignment');
    this.fromBoth({ ready: { epoch: epoch!, nextPs: 0 } });
  }

  /** Both have executed the round, and have their next event at a time. */
  report(round: selvage.v1.Round.$Properties, nextPs: number): void {
    const times = { nextPs, handedOverPs: nextPs };
    this.fromBoth({ report: { epoch: round.epoch!, round: round.round!, ...times } });
  }
}
