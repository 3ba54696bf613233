import { stringify } from 'yaml';
import type { Placement } from '../../fabric/placement/placement.js';
import type { Manifest } from './manifests.js';
import { KUSTOMIZATION, manifestsIn, textOf } from './manifests.js';

/** A run as a cluster is to have it. */
export interface ClusterRun {
  /** Names the run, its subjects and its buckets. */
  readonly run: string;
  readonly key: string;
  readonly image: string;
  /** The scenario with everything that it includes. */
  readonly document: unknown;
  readonly deviceNames: readonly string[];
  readonly placement: Placement;
  /** Words for the coordinator that give this placement. */
  readonly placementArgs: readonly string[];
  /** Three brokers that are kept apart, rather than one. */
  readonly cluster: boolean;
}

/** What Kubernetes takes as one object. */
const CONFIG_MAP_OCTETS = 1 << 20;
const SCENARIO = 'scenario.yaml';
const MOUNT = '/scenario';
const CLUSTER = 'components/cluster';

/** A scenario too large to be handed to a cluster; the message says so. */
export class RenderError extends Error {}

/** Files by path: a folder for `kubectl apply -k`. */
export function renderRun(run: ClusterRun): Map<string, string> {
  const files = new Map<string, string>();
  for (const [name, manifests] of manifestsIn('base')) {
    for (const manifest of manifests) fit(manifest, run);
    files.set(name, yamlOf(manifests));
  }
  files.set('run.yaml', yamlOf([scenarioMap(run), keySecret(run)]));
  if (run.cluster) {
    for (const [name, manifests] of manifestsIn(CLUSTER)) {
      files.set(`cluster/${name}`, yamlOf(manifests));
    }
    files.set(`cluster/${KUSTOMIZATION}`, textOf(CLUSTER, KUSTOMIZATION));
  }
  const resources = [...files.keys()].filter((path) => !path.includes('/'));
  files.set(KUSTOMIZATION, stringify(kustomization(resources, run.cluster)));
  return files;
}

function yamlOf(manifests: readonly object[]): string {
  return manifests.map((manifest) => stringify(manifest, { lineWidth: 0 })).join('---\n');
}

function kustomization(resources: readonly string[], cluster: boolean): object {
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: 'selvage',
    resources,
    ...(cluster && { components: ['cluster'] }),
  };
}

/** Makes a manifest of the demo one of this run. */
function fit({ kind, metadata, spec }: Manifest, run: ClusterRun): void {
  const pod = spec?.template?.spec;
  if (kind !== 'Job' || spec === undefined || pod === undefined) return;
  const container = pod.containers[0]!;
  container.image = run.image;
  for (const variable of container.env) {
    if (variable.name === 'SELVAGE_RUN') variable.value = run.run;
  }
  if (metadata.name === 'services') {
    const services = run.placement.length;
    spec.completions = services;
    spec.parallelism = services;
    container.resources.requests['memory'] = memoryFor(run.placement);
  } else {
    container.args = coordinatorArgs(container.args, run.placementArgs);
    container.volumeMounts.push({ name: 'scenario', mountPath: MOUNT, readOnly: true });
    pod.volumes.push({
      name: 'scenario',
      configMap: { name: 'scenario', items: [{ key: SCENARIO, path: SCENARIO }] },
    });
  }
}

function coordinatorArgs(args: readonly string[], placementArgs: readonly string[]): string[] {
  const others = args.filter((word) => !word.startsWith('--services='));
  return [
    ...others.map((word) =>
      word.startsWith('/selvage/examples/') ? `${MOUNT}/${SCENARIO}` : word,
    ),
    ...placementArgs,
  ];
}

/** An idle service is 65 MB (docs/distributed.md); a device in it, some more. */
const IDLE_MIB = 112;
const DEVICE_MIB = 16;

function memoryFor(placement: Placement): string {
  const most = Math.max(...placement.map(({ devices }) => devices.length));
  return `${IDLE_MIB + DEVICE_MIB * most}Mi`;
}

/** The scenario, and for people which devices are in which pod. */
function scenarioMap({ document, placement, deviceNames }: ClusterRun): object {
  const data = {
    [SCENARIO]: stringify(document),
    'placement.yaml': stringify(
      placement.map(({ devices }) => devices.map((device) => deviceNames[device]!).join(' ')),
      { lineWidth: 0 },
    ),
  };
  const octets = Buffer.byteLength(JSON.stringify(data));
  if (octets > CONFIG_MAP_OCTETS) {
    throw new RenderError(
      `the scenario is ${octets} octets, and a ConfigMap holds at most ${CONFIG_MAP_OCTETS}`,
    );
  }
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: named('scenario'), data };
}

function keySecret({ key }: ClusterRun): object {
  const stringData = { SELVAGE_KEY: key };
  return { apiVersion: 'v1', kind: 'Secret', metadata: named('run-key'), stringData };
}

function named(name: string): object {
  return { name, namespace: 'selvage' };
}
