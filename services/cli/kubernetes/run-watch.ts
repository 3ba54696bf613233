import type {
  CoreV1Event,
  V1Job,
  V1Node,
  V1PersistentVolumeClaim,
  V1Pod,
} from '@kubernetes/client-node';
import type { Cluster, ClusterError } from './cluster.js';
import { FORBIDDEN } from './cluster.js';
import { Changes, Watched } from './watched.js';

/** Where nothing changes, whoever waits looks at the time so often. */
const IDLE_MS = 5_000;

interface Watcher {
  start(): Promise<void>;
  close(): void;
}

/** Several kinds that are watched together. */
abstract class Watching {
  protected readonly changes = new Changes();
  protected abstract readonly watches: readonly Watcher[];

  /** Resolves when something has changed, or after a time. */
  changed(stopped: AbortSignal, withinMs = IDLE_MS): Promise<void> {
    return this.changes.next(stopped, withinMs);
  }

  close(): void {
    for (const one of this.watches) one.close();
  }

  protected async start(): Promise<void> {
    try {
      await Promise.all(this.watches.map((one) => one.start()));
    } catch (error) {
      this.close();
      throw error;
    }
  }
}

/** The objects of a run as they are now, without a question to the API server. */
export class RunWatch extends Watching {
  /** Pods that were deleted, as they were at last. */
  readonly gone: V1Pod[] = [];
  protected readonly watches: readonly [
    Watched<V1Pod>,
    Watched<V1Job>,
    Watched<V1PersistentVolumeClaim>,
    Watched<CoreV1Event>,
  ];

  private constructor({ config, sources }: Cluster) {
    super();
    const { pods, jobs, claims, events } = sources;
    this.watches = [
      new Watched(config, pods, this.changes, (pod) => this.gone.push(pod)),
      new Watched(config, jobs, this.changes),
      new Watched(config, claims, this.changes),
      new Watched(config, events, this.changes),
    ];
  }

  static async open(cluster: Cluster): Promise<RunWatch> {
    const watch = new RunWatch(cluster);
    await watch.start();
    return watch;
  }

  get pods(): V1Pod[] {
    return this.watches[0].all;
  }

  get jobs(): V1Job[] {
    return this.watches[1].all;
  }

  get claims(): V1PersistentVolumeClaim[] {
    return this.watches[2].all;
  }

  get events(): CoreV1Event[] {
    return this.watches[3].all;
  }
}

/** Nodes, and pods of all namespaces. */
export class MachineWatch extends Watching {
  protected readonly watches: readonly [Watched<V1Node>, Watched<V1Pod>];

  private constructor({ config, sources }: Cluster) {
    super();
    const { nodes, everyPod } = sources;
    this.watches = [
      new Watched(config, nodes, this.changes),
      new Watched(config, everyPod, this.changes),
    ];
  }

  /** Null where the user may not list them. */
  static async open(cluster: Cluster): Promise<MachineWatch | null> {
    const watch = new MachineWatch(cluster);
    try {
      await watch.start();
      return watch;
    } catch (error) {
      if ((error as ClusterError).code === FORBIDDEN) return null;
      throw error;
    }
  }

  get nodes(): V1Node[] {
    return this.watches[0].all;
  }

  get pods(): V1Pod[] {
    return this.watches[1].all;
  }
}
