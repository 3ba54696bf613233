import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { packageFile } from '../../runtime/package-files.js';

/** The fields of a Kubernetes object that are used here; others are copied. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  /** Of a RoleBinding. */
  readonly subjects?: readonly { namespace: string }[];
  readonly spec?: {
    completions?: number;
    parallelism?: number;
    activeDeadlineSeconds?: number;
    readonly replicas?: number;
    readonly template?: PodTemplate;
    readonly volumeClaimTemplates?: readonly { readonly spec: object }[];
    readonly [more: string]: unknown;
  };
}

interface Metadata {
  name: string;
  namespace: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export interface PodTemplate {
  readonly metadata: Pick<Metadata, 'labels' | 'annotations'>;
  readonly spec: PodSpec;
}

/** Of a taint; what it leaves out is the same as anything. */
export interface Toleration {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly value?: string | undefined;
  readonly effect?: string | undefined;
}

export interface PodSpec {
  readonly containers: Container[];
  automountServiceAccountToken?: boolean;
  securityContext: Record<string, unknown>;
  initContainers?: object[];
  volumes: Named[];
  imagePullSecrets?: readonly Named[];
  nodeSelector?: Readonly<Record<string, string>>;
  tolerations?: readonly Toleration[];
  priorityClassName?: string;
  affinity?: object;
  topologySpreadConstraints?: readonly object[];
}

export interface Container {
  readonly name: string;
  image: string;
  imagePullPolicy?: string;
  args: string[];
  readonly env: { readonly name: string; value?: string; readonly valueFrom?: object }[];
  readonly ports: { readonly name: string; readonly containerPort: number }[];
  resources: { requests: Record<string, string>; limits?: Record<string, string> };
  readonly securityContext: object;
  readonly volumeMounts: Named[];
}

/** An object with more than a name. */
interface Named {
  readonly name: string;
  readonly [more: string]: unknown;
}

const K8S = packageFile('k8s');

/** The run of k8s/: a rendering writes another name in its place, wherever it stands. */
const DEMO = /\bdemo\b/g;

/** The manifests of a folder of k8s/ for a run, by file; without what only Kustomize reads. */
export function manifestsIn(folder: string, run: string): Map<string, Manifest[]> {
  const files = readdirSync(join(K8S, folder)).filter((name) => name !== KUSTOMIZATION);
  return new Map(files.sort().map((name) => [name, manifestsOfFile(folder, name, run)]));
}

/** Of one file of k8s/. */
export function manifestsOfFile(folder: string, name: string, run: string): Manifest[] {
  return manifestsOf(textOf(folder, name).replace(DEMO, run));
}

export const KUSTOMIZATION = 'kustomization.yaml';

export function textOf(folder: string, name: string): string {
  return readFileSync(join(K8S, folder, name), 'utf8');
}

/** Moves an object, or renames a namespace. */
export function moveTo(namespace: string, { kind, metadata, subjects = [] }: Manifest): void {
  if (kind === 'Namespace') metadata.name = namespace;
  else metadata.namespace = namespace;
  for (const subject of subjects) subject.namespace = namespace;
}

export function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}
