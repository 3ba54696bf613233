import { quantityToScalar } from '@kubernetes/client-node/dist/util.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { KubernetesObject, V1Pod } from '@kubernetes/client-node';
import {
  ApiException,
  AuthorizationV1Api,
  CoreV1Api,
  Exec,
  KubeConfig,
  KubernetesObjectApi,
  V1ResourceAttributes,
  V1SelfSubjectAccessReview,
  V1SelfSubjectAccessReviewSpec,
  VersionApi,
} from '@kubernetes/client-node';

const NOT_FOUND = 404;
/** What the client takes if nobody names a cluster. */
const FALLBACK = 'http://localhost:8080';

/** A cluster did not do what it was asked; the message says what it said. */
export class ClusterError extends Error {}

/** The same, found out before anything was there. */
export class ClusterRefusal extends ClusterError {}

export interface Right {
  readonly verb: string;
  readonly resource: string;
  readonly group?: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

/** What a run asks of the API server, in a namespace. */
export class Cluster {
  private readonly core: CoreV1Api;
  private readonly objects: KubernetesObjectApi;

  private constructor(
    private readonly config: KubeConfig,
    readonly server: string,
    readonly namespace: string,
  ) {
    this.core = config.makeApiClient(CoreV1Api);
    this.objects = KubernetesObjectApi.makeApiClient(config);
  }

  /** The one that KUBECONFIG and its context name, or the one that this runs in. */
  static of(namespace: string): Cluster {
    const config = new KubeConfig();
    try {
      config.loadFromDefault();
    } catch (error) {
      throw new ClusterRefusal(`KUBECONFIG cannot be read: ${(error as Error).message}`);
    }
    const server = config.getCurrentCluster()?.server;
    if (server === undefined || server === FALLBACK) {
      throw new ClusterRefusal('no cluster: KUBECONFIG names none, and there is no ~/.kube/config');
    }
    return new Cluster(config, server, namespace);
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

  async has(object: KubernetesObject): Promise<boolean> {
    const { name, namespace } = object.metadata!;
    const header = { ...object, metadata: { name: name!, ...(namespace && { namespace }) } };
    try {
      await this.objects.read(header);
      return true;
    } catch (error) {
      if (error instanceof ApiException && error.code === NOT_FOUND) return false;
      throw clusterError(this.server, error);
    }
  }

  /** Has the server check an object with all that it would check, without keeping it. */
  async check(object: KubernetesObject): Promise<void> {
    await this.ask(() => this.objects.create(object, undefined, 'All'));
  }

  async create(object: KubernetesObject): Promise<void> {
    await this.ask(() => this.objects.create(object));
  }

  /** With all that it owns; what is not there is gone already. */
  async remove(object: KubernetesObject): Promise<void> {
    try {
      await this.objects.delete(object, undefined, undefined, undefined, undefined, 'Background');
    } catch (error) {
      if (error instanceof ApiException && error.code === NOT_FOUND) return;
      throw clusterError(this.server, error);
    }
  }

  /** By their label `selvage`. */
  async pods(): Promise<V1Pod[]> {
    const { namespace, core } = this;
    const request = { namespace, labelSelector: 'selvage' };
    return (await this.ask(() => core.listNamespacedPod(request))).items;
  }

  /** What is left of every quota of the namespace, by resource. */
  async quotas(): Promise<{ resource: string; left: number; hard: string }[]> {
    const { items } = await this.ask(() =>
      this.core.listNamespacedResourceQuota({ namespace: this.namespace }),
    );
    return items.flatMap(({ status }) =>
      Object.entries(status?.hard ?? {}).map(([resource, hard]) => ({
        resource,
        hard,
        left:
          Number(quantityToScalar(hard)) -
          Number(quantityToScalar(status?.used?.[resource] ?? '0')),
      })),
    );
  }

  async logOf(pod: string): Promise<string> {
    return this.ask(() => this.core.readNamespacedPodLog({ name: pod, namespace: this.namespace }));
  }

  /** Copies a folder out of a running pod, whose container is called like it. */
  async copyOut(pod: string, folder: string, into: string): Promise<void> {
    const unpack = spawn('tar', ['-x', '-C', into], { stdio: ['pipe', 'ignore', 'inherit'] });
    const unpacked = once(unpack, 'exit');
    const words = ['tar', '-C', folder, '-c', '.'];
    const exec = new Exec(this.config);
    const failure = await new Promise<string>((resolve, reject) => {
      exec
        .exec(
          this.namespace,
          pod,
          pod,
          words,
          unpack.stdin,
          process.stderr,
          null,
          false,
          (status) => {
            resolve(status.status === 'Success' ? '' : (status.message ?? 'no reason given'));
          },
        )
        .catch(reject);
    });
    unpack.stdin.end();
    const [code] = (await unpacked) as [number];
    if (failure !== '' || code !== 0) {
      throw new ClusterError(`${folder} of pod ${pod} could not be copied: ${failure}`);
    }
  }

  private async ask<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw clusterError(this.server, error);
    }
  }
}

function clusterError(server: string, error: unknown): ClusterError {
  if (error instanceof ApiException) {
    return new ClusterError(`the cluster at ${server} refuses: ${messageOf(error.body)}`);
  }
  const cause = (error as { cause?: Error }).cause ?? (error as Error);
  return new ClusterError(`the cluster at ${server} does not answer: ${cause.message}`);
}

/** Of a Status, as an API server answers with. */
function messageOf(body: unknown): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text;
  }
}
