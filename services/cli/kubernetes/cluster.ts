import type {
  CoreV1Event,
  KubernetesObject,
  V1ConfigMap,
  V1Job,
  V1LimitRange,
  V1Node,
  V1PersistentVolumeClaim,
  V1Pod,
  V1ResourceQuota,
  V1Secret,
} from '@kubernetes/client-node';
import {
  ApiException,
  AuthorizationV1Api,
  BatchV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
  V1ResourceAttributes,
  V1SelfSubjectAccessReview,
  V1SelfSubjectAccessReviewSpec,
  VersionApi,
} from '@kubernetes/client-node';
import { didYouMean } from '../../settings/errors.js';
import { NAME_LABEL, ROLE_LABEL, RUN_LABEL, SELVAGE } from './labels.js';
import { retry } from './retry.js';

const NOT_FOUND = 404;
export const FORBIDDEN = 403;
const CONFLICT = 409;
/** Of a server that is overloaded, restarts, or has lost its store for a moment. */
const TRANSIENT = [408, 429, 500, 502, 503, 504];
/** The client's default where no cluster is named. */
const FALLBACK = 'http://localhost:8080';
/** A server that has not answered yet may not exist; one that has is expected to come back. */
const FIRST_ANSWER_MS = 3_000;
const ANSWER_MS = 120_000;

/** The API server refused a request or did not answer; the message says why. */
export class ClusterError extends Error {
  constructor(
    message: string,
    /** HTTP status; null: no answer. */
    readonly code: number | null = null,
  ) {
    super(message);
  }
}

/** A refusal before anything was created. */
export class ClusterRefusal extends ClusterError {}

export interface Right {
  readonly verb: string;
  readonly resource: string;
  readonly group?: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

/** Objects of a kind, as they are listed and watched. */
export interface Source<T extends KubernetesObject> {
  readonly path: string;
  /** Selectors of labels or fields. */
  readonly query: { readonly labelSelector?: string; readonly fieldSelector?: string };
  readonly list: () => Promise<Listed<T>>;
  /** Of what was selected. */
  readonly concerns: (object: T) => boolean;
}

interface Listed<T> {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly items: T[];
}

/** What a user lists and watches of the cluster. */
interface Sources {
  readonly pods: Source<V1Pod>;
  readonly jobs: Source<V1Job>;
  readonly claims: Source<V1PersistentVolumeClaim>;
  readonly events: Source<CoreV1Event>;
  readonly nodes: Source<V1Node>;
  /** Of all namespaces, but for those that have ended. */
  readonly everyPod: Source<V1Pod>;
}

/** Where a command acts; what it leaves out, KUBECONFIG says. */
export interface ClusterPlace {
  readonly namespace?: string;
  readonly context?: string;
}

interface ClusterOptions {
  readonly note?: (words: string) => void;
}

interface LogOptions {
  /** In front of every line. */
  readonly timestamps?: boolean;
  /** Milliseconds for which its node is awaited, which may be lost while the API server is well. */
  readonly withinMs?: number;
}

/** The API server, for the objects of one run, or of all, in one namespace. */
export class Cluster {
  private readonly core: CoreV1Api;
  private readonly objects: KubernetesObjectApi;
  private hasAnswered = false;

  private constructor(
    readonly config: KubeConfig,
    readonly server: string,
    readonly namespace: string,
    private readonly options: ClusterOptions,
    /** Null: all of the namespace. */
    private readonly run: string | null = null,
  ) {
    this.core = config.makeApiClient(CoreV1Api);
    this.objects = KubernetesObjectApi.makeApiClient(config);
  }

  /** The cluster that KUBECONFIG and its context name, or the one that this runs in. */
  static of({ namespace, context }: ClusterPlace, options: ClusterOptions = {}): Cluster {
    const config = new KubeConfig();
    try {
      config.loadFromDefault();
    } catch (error) {
      throw new ClusterRefusal(`KUBECONFIG cannot be read: ${(error as Error).message}`);
    }
    if (context !== undefined) {
      const names = config.getContexts().map(({ name }) => name);
      if (!names.includes(context)) {
        const there = names.length === 0 ? 'none' : names.join(', ');
        throw new ClusterRefusal(
          `--context ${context}: KUBECONFIG has no such context${didYouMean(context, names)}; ` +
            `it has ${there}`,
        );
      }
      config.setCurrentContext(context);
    }
    const server = config.getCurrentCluster()?.server;
    if (server === undefined || server === FALLBACK) {
      throw new ClusterRefusal('no cluster: KUBECONFIG names none, and there is no ~/.kube/config');
    }
    const own = config.getContextObject(config.getCurrentContext())?.namespace;
    return new Cluster(config, server, namespace ?? own ?? SELVAGE, options);
  }

  /** The same namespace, for the objects of one run. */
  ofRun(run: string): Cluster {
    return this.scoped(this.namespace, run);
  }

  /** The same namespace, for the objects of all runs. */
  ofAll(): Cluster {
    return this.scoped(this.namespace, null);
  }

  in(namespace: string): Cluster {
    return this.scoped(namespace, this.run);
  }

  private scoped(namespace: string, run: string | null): Cluster {
    const { config, server, options } = this;
    const other = new Cluster(config, server, namespace, options, run);
    other.hasAnswered = this.hasAnswered;
    return other;
  }

  /** Major and minor version of the API server. */
  async version(): Promise<readonly [number, number]> {
    const { major, minor } = await this.ask(() => this.config.makeApiClient(VersionApi).getCode());
    return [parseInt(major), parseInt(minor)];
  }

  async mayI(right: Right): Promise<boolean> {
    const api = this.config.makeApiClient(AuthorizationV1Api);
    const body = new V1SelfSubjectAccessReview();
    body.spec = new V1SelfSubjectAccessReviewSpec();
    body.spec.resourceAttributes = Object.assign(new V1ResourceAttributes(), right);
    const review = await this.ask(() => api.createSelfSubjectAccessReview({ body }));
    return review.status?.allowed === true;
  }

  /** An object as the server has it; null if it does not exist. */
  async read<T extends KubernetesObject>(object: KubernetesObject): Promise<T | null> {
    const { kind, apiVersion } = object;
    const { name, namespace } = object.metadata!;
    const header = {
      kind,
      apiVersion,
      metadata: { name: name!, ...(namespace && { namespace }) },
    };
    return this.ask(() => orNull(this.objects.read(header as never) as unknown as Promise<T>));
  }

  /** Lets the server validate and admit an object without keeping it. */
  async check(object: KubernetesObject): Promise<void> {
    await this.ask(() => this.objects.create(object, undefined, 'All'));
  }

  /** Creates it; a repeated request whose first answer was lost finds it created. */
  async create<T extends KubernetesObject>(object: T): Promise<T> {
    return this.ask(async (attempt) => {
      try {
        return await this.objects.create(object);
      } catch (error) {
        if (attempt === 0 || codeOf(error) !== CONFLICT) throw error;
        return (await this.objects.read(object as never)) as unknown as T;
      }
    });
  }

  async patch(object: KubernetesObject, change: object): Promise<void> {
    const { kind, apiVersion } = object;
    const { name, namespace } = object.metadata!;
    const own = { kind, apiVersion, metadata: { name, namespace }, ...change };
    const body = own as unknown as KubernetesObject;
    const merge = PatchStrategy.MergePatch;
    await this.ask(() =>
      this.objects.patch(body, undefined, undefined, undefined, undefined, merge),
    );
  }

  /** Deletes an object and, in the background, all that it owns; without it, does nothing. */
  async remove(object: KubernetesObject, graceSeconds?: number): Promise<void> {
    const { objects } = this;
    await this.ask(() =>
      orNull(objects.delete(object, undefined, undefined, graceSeconds, undefined, 'Background')),
    );
  }

  /** By which the API server finds the objects of the run, or of all runs. */
  private get labels(): string {
    const own = this.run === null ? '' : `,${RUN_LABEL}=${this.run}`;
    return `${NAME_LABEL}=${SELVAGE}${own}`;
  }

  get sources(): Sources {
    const { namespace, core, labels: labelSelector } = this;
    const batch = this.config.makeApiClient(BatchV1Api);
    const own = { labelSelector };
    const ofPods = { labelSelector: `${labelSelector},${ROLE_LABEL}` };
    const alive = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' };
    const within = `namespaces/${namespace}`;
    const source = <T extends KubernetesObject>(
      path: string,
      query: Source<T>['query'],
      list: () => Promise<Listed<T>>,
    ): Source<T> => ({ path, query, list: () => this.ask(list), concerns: () => true });
    return {
      pods: source(`/api/v1/${within}/pods`, ofPods, () =>
        core.listNamespacedPod({ namespace, ...ofPods }),
      ),
      jobs: source(`/apis/batch/v1/${within}/jobs`, own, () =>
        batch.listNamespacedJob({ namespace, ...own }),
      ),
      claims: source(`/api/v1/${within}/persistentvolumeclaims`, own, () =>
        core.listNamespacedPersistentVolumeClaim({ namespace, ...own }),
      ),
      events: {
        ...source(`/api/v1/${within}/events`, {}, () => core.listNamespacedEvent({ namespace })),
        concerns: (event) => this.concerns(event),
      },
      nodes: source('/api/v1/nodes', {}, () => core.listNode()),
      everyPod: source('/api/v1/pods', alive, () => core.listPodForAllNamespaces(alive)),
    };
  }

  /** Events have no labels: names of what they are of begin like that of the run. */
  private concerns({ involvedObject: { name = '' } }: CoreV1Event): boolean {
    return this.run === null || name.replace(/^data-/, '').startsWith(`${this.run}-`);
  }

  async pods(): Promise<V1Pod[]> {
    return (await this.sources.pods.list()).items;
  }

  /** Jobs of runs in the namespace; null: those of all namespaces. */
  async jobs(namespace: string | null = this.namespace): Promise<V1Job[]> {
    if (namespace !== null) return (await this.sources.jobs.list()).items;
    const batch = this.config.makeApiClient(BatchV1Api);
    const { labels: labelSelector } = this;
    return (await this.ask(() => batch.listJobForAllNamespaces({ labelSelector }))).items;
  }

  /** Objects of a kind. */
  async all(apiVersion: string, kind: string): Promise<KubernetesObject[]> {
    const { objects, namespace, labels } = this;
    const unset = undefined;
    const { items } = await this.ask(() =>
      objects.list(apiVersion, kind, namespace, unset, unset, unset, unset, labels),
    );
    return items;
  }

  async configMap(name: string): Promise<V1ConfigMap | null> {
    const { namespace, core } = this;
    return this.ask(() => orNull(core.readNamespacedConfigMap({ name, namespace })));
  }

  async claims(): Promise<V1PersistentVolumeClaim[]> {
    return (await this.sources.claims.list()).items;
  }

  async events(): Promise<CoreV1Event[]> {
    const { list, concerns } = this.sources.events;
    return (await list()).items.filter(concerns);
  }

  /** Nodes, and pods of all namespaces; null where the user may not list them. */
  async machine(): Promise<{ nodes: V1Node[]; pods: V1Pod[] } | null> {
    const { nodes, everyPod } = this.sources;
    try {
      return { nodes: (await nodes.list()).items, pods: (await everyPod.list()).items };
    } catch (error) {
      if ((error as ClusterError).code === FORBIDDEN) return null;
      throw error;
    }
  }

  async secret(name: string): Promise<V1Secret | null> {
    const { namespace, core } = this;
    return this.ask(() => orNull(core.readNamespacedSecret({ name, namespace })));
  }

  async quotas(): Promise<V1ResourceQuota[]> {
    const { namespace, core } = this;
    return (await this.ask(() => core.listNamespacedResourceQuota({ namespace }))).items;
  }

  async limitRanges(): Promise<V1LimitRange[]> {
    const { namespace, core } = this;
    return (await this.ask(() => core.listNamespacedLimitRange({ namespace }))).items;
  }

  /** The log of a pod; of a pod that has none yet, nothing. */
  async logOf(name: string, { timestamps = false, withinMs }: LogOptions = {}): Promise<string> {
    const { namespace, core } = this;
    const read = (): Promise<string> => core.readNamespacedPodLog({ name, namespace, timestamps });
    try {
      return await this.ask(read, withinMs);
    } catch (error) {
      const { code } = error as ClusterError;
      if (code !== null && code >= 400 && code < 500) return '';
      throw error;
    }
  }

  private async ask<T>(call: (attempt: number) => Promise<T>, withinMs = ANSWER_MS): Promise<T> {
    const { note } = this.options;
    try {
      const answer = await retry(call, {
        withinMs: this.hasAnswered ? withinMs : Math.min(withinMs, FIRST_ANSWER_MS),
        isTransient,
        onFirst: (error) => {
          const seconds = withinMs / 1000;
          if (!this.hasAnswered) return;
          note?.(`${clusterError(this.server, error).message}; tried again for ${seconds} s`);
        },
      });
      this.hasAnswered = true;
      return answer;
    } catch (error) {
      if (error instanceof ApiException) this.hasAnswered = true;
      throw clusterError(this.server, error);
    }
  }
}

function codeOf(error: unknown): number | null {
  return error instanceof ApiException ? error.code : null;
}

function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  return code === null ? !(error instanceof ClusterError) : TRANSIENT.includes(code);
}

async function orNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (codeOf(error) === NOT_FOUND) return null;
    throw error;
  }
}

function clusterError(server: string, error: unknown): ClusterError {
  if (error instanceof ClusterError) return error;
  if (error instanceof ApiException) {
    return new ClusterError(
      `the cluster at ${server} refuses: ${messageOf(error.body)}`,
      error.code,
    );
  }
  const cause = (error as { cause?: Error }).cause ?? (error as Error);
  return new ClusterError(`the cluster at ${server} does not answer: ${cause.message}`);
}

/** Of a Status, the error response of an API server. */
function messageOf(body: unknown): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text;
  }
}
