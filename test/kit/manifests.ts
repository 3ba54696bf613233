import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from './emulate.js';

/** A Kubernetes object, as far as tests look into it. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  binaryData?: Record<string, string>;
  spec?: Record<string, unknown> & { template?: { metadata: Labelled; spec: PodSpec } };
}

interface Labelled {
  labels: Record<string, string>;
}

export interface PodSpec {
  serviceAccountName: string;
  automountServiceAccountToken: boolean;
  securityContext: Record<string, unknown>;
  containers: Container[];
  volumes?: { name: string }[];
  initContainers?: Container[];
}

export interface Container {
  name: string;
  image: string;
  args: string[];
  env: { name: string; value?: string }[];
  ports: { name: string; containerPort: number }[];
  resources: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext: Record<string, unknown>;
  volumeMounts: { name: string; mountPath: string }[];
  [probe: `${string}Probe`]: object;
}

export interface Policy {
  podSelector: LabelSelector;
  policyTypes: string[];
  ingress?: { from?: Peer[]; ports: { protocol: string; port: number }[] }[];
  egress?: { to?: Peer[]; ports: { protocol: string; port: number }[] }[];
}

export interface Peer {
  podSelector: LabelSelector;
}

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    return document.toJS() as Manifest;
  });
}

/** Every object in the files of a folder, except what only Kustomize reads. */
export function manifestsOf(folder: string): Manifest[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'kustomization.yaml')
    .flatMap(({ name }) => parseManifests(readFileSync(join(folder, name), 'utf8')));
}

export const K8S = join(ROOT, 'k8s');

const KUBECTL = spawnSync('kubectl', ['version', '--client']).status === 0;
/** For tests that need `kubectl kustomize`. */
export const skipWithoutKubectl = KUBECTL ? false : 'no kubectl on the PATH';

export function kustomize(folder: string): Manifest[] {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(stderr);
  return parseManifests(stdout);
}
