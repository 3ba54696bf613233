import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

/** What is read and changed of a Kubernetes object here; the rest passes through. */
export interface Manifest {
  readonly kind: string;
  readonly metadata: { name: string; namespace: string };
  readonly spec?: {
    completions?: number;
    parallelism?: number;
    readonly replicas?: number;
    readonly template?: PodTemplate;
  };
}

interface PodTemplate {
  readonly spec: { readonly containers: Container[]; readonly volumes: Named[] };
}

interface Container {
  image: string;
  args: string[];
  readonly env: { readonly name: string; value?: string }[];
  readonly resources: { requests: Record<string, string>; limits?: Record<string, string> };
  readonly securityContext: object;
  readonly volumeMounts: Named[];
}

/** More is said of it than its name. */
interface Named {
  readonly name: string;
  readonly [more: string]: unknown;
}

const K8S = fileURLToPath(new URL('../../../../k8s/', import.meta.url));

/** The manifests of a folder of k8s/, by file; without what only Kustomize reads. */
export function manifestsIn(folder: string): Map<string, Manifest[]> {
  const files = readdirSync(join(K8S, folder)).filter((name) => name !== KUSTOMIZATION);
  return new Map(files.sort().map((name) => [name, manifestsOf(textOf(folder, name))]));
}

export const KUSTOMIZATION = 'kustomization.yaml';

export function textOf(folder: string, name: string): string {
  return readFileSync(join(K8S, folder, name), 'utf8');
}

export function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}
