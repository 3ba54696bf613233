import { stringify } from 'yaml';
import type { Placement } from '../../fabric/placement/placement.js';
import type { Footprint } from './footprint.js';
import { coordinatorFootprint, serviceFootprint } from './footprint.js';
import { encrypt, tlsSecret } from './encrypt.js';
import type { ResultsPlace } from './keep-results.js';
import { fitResults, resultsManifests } from './keep-results.js';
import { nameIn, ROLE_LABEL, runLabels, SELVAGE, SERVICE } from './labels.js';
import type { Container, Manifest } from './manifests.js';
import { KUSTOMIZATION, manifestsIn, textOf } from './manifests.js';
import { SCENARIO_IN_POD } from './points-task.js';
import { fitObserved, optionalManifests } from './observe-run.js';
import type { ScenarioFiles } from './scenario-files.js';
import { mountScenario, scenarioMaps } from './scenario-files.js';
import type { Values } from './values.js';
import { placeIn } from './place-in.js';

/** Settings of a run in a cluster. */
interface ClusterRun {
  /** Names the run, its subjects and its buckets. */
  readonly run: string;
  readonly key: string;
  readonly image: string;
  /** The scenario and the files that it names. */
  readonly files: ScenarioFiles;
  readonly deviceNames: readonly string[];
  readonly placement: Placement;
  /** Of each service. */
  readonly threads: number;
  /** Arguments of the coordinator for this placement. */
  readonly placementArgs: readonly string[];
  /** Three brokers on separate nodes, rather than one. */
  readonly cluster: boolean;
  readonly values: Values;
  /** Null: results are on a volume. */
  readonly results: ResultsPlace | null;
  /** The scenario has infrastructure faults. */
  readonly breaksPods: boolean;
}

const CLUSTER = 'components/cluster';
const CLAIM = 'PersistentVolumeClaim';

/** Files by path: a folder for `kubectl apply -k`. */
export function renderRun(run: ClusterRun): Map<string, string> {
  const files = new Map<string, string>();
  const maps = scenarioMaps(filesWithPlacement(run), run.run);
  for (const [name, manifests] of manifestsIn('base', run.run)) {
    const wanted = manifests.filter(({ kind }) => kind !== CLAIM || keepsVolume(run));
    for (const manifest of wanted) fit(manifest, run, maps);
    files.set(name, yamlOf(wanted));
  }
  const { results } = run;
  const own = [
    ...maps,
    keySecret(run),
    tlsSecret(run),
    ...optionalManifests(run),
    ...(results === null ? [] : resultsManifests(results, run.run)),
  ];
  for (const manifest of own) label(manifest, run);
  files.set('run.yaml', yamlOf(own));
  if (run.cluster) {
    for (const [name, manifests] of manifestsIn(CLUSTER, run.run)) {
      for (const manifest of manifests) {
        label(manifest, run);
        encrypt(manifest, run.run);
      }
      files.set(`cluster/${name}`, yamlOf(manifests));
    }
    files.set(`cluster/${KUSTOMIZATION}`, textOf(CLUSTER, KUSTOMIZATION));
  }
  const resources = [...files.keys()].filter((path) => !path.includes('/'));
  files.set(KUSTOMIZATION, stringify(kustomization(resources, run.cluster)));
  return files;
}

/** What infrastructure faults have struck outlives the pod of a coordinator. */
function keepsVolume({ results, breaksPods }: ClusterRun): boolean {
  return results === null || breaksPods;
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

/** By labels every object of a run is found again. */
export function label(
  { metadata, spec }: Manifest,
  { run, values }: Pick<ClusterRun, 'run' | 'values'>,
): void {
  for (const target of [metadata, spec?.template?.metadata]) {
    if (target === undefined) continue;
    target.labels = { ...target.labels, ...values.labels, ...runLabels(run) };
    if (values.annotations === undefined) continue;
    target.annotations = { ...target.annotations, ...values.annotations };
  }
}

/** Adapts a manifest of the demo to this run. */
function fit(manifest: Manifest, run: ClusterRun, maps: readonly Manifest[]): void {
  const { kind, metadata, spec } = manifest;
  label(manifest, run);
  placeIn(manifest, run.values, run.run);
  encrypt(manifest, run.run);
  const pod = spec?.template?.spec;
  if (kind !== 'Job' || spec === undefined || pod === undefined) return;
  const container = pod.containers[0]!;
  container.image = run.image;
  setVariable(container, 'SELVAGE_LOG_FORMAT', run.values.logs ?? 'text');
  const { deadline, queue } = run.values;
  if (deadline !== undefined) spec.activeDeadlineSeconds = deadline;
  if (queue !== undefined) {
    metadata.labels = { ...metadata.labels, 'kueue.x-k8s.io/queue-name': queue };
  }
  if (metadata.labels?.[ROLE_LABEL] === SERVICE) fitServices(spec, container, run);
  else {
    fitCoordinator(container, run);
    fitObserved(spec.template!, run);
    mountScenario(pod, container, maps);
    const { results } = run;
    if (results !== null) fitResults(pod, results, { run: run.run, keepsVolume: keepsVolume(run) });
  }
}

function fitServices(
  spec: NonNullable<Manifest['spec']>,
  container: Container,
  { placement, threads, values }: ClusterRun,
): void {
  spec.completions = placement.length;
  spec.parallelism = placement.length;
  if (values.serviceImage !== undefined) container.image = values.serviceImage;
  const most = Math.max(...placement.map(({ devices }) => devices.length));
  request(container, serviceFootprint(most, threads), values.service);
}

function fitCoordinator(container: Container, run: ClusterRun): void {
  container.args = coordinatorArgs(container.args, run.placementArgs);
  const { deviceNames, values } = run;
  request(container, coordinatorFootprint(deviceNames.length), values.coordinator);
}

export function request(
  container: Container,
  footprint: Footprint,
  {
    cpu = footprint.cpu,
    cpuLimit,
    memory = footprint.memory,
    memoryLimit = footprint.memoryLimit,
  }: NonNullable<Values['service']> = {},
): void {
  const limits = { memory: memoryLimit, ...(cpuLimit !== undefined && { cpu: cpuLimit }) };
  container.resources = { requests: { cpu, memory }, limits };
}

function setVariable({ env }: Container, name: string, value: string): void {
  for (const variable of env) if (variable.name === name) variable.value = value;
}

function coordinatorArgs(args: readonly string[], placementArgs: readonly string[]): string[] {
  const others = args.filter((word) => !word.startsWith('--services='));
  return [
    ...others.map((word) => (word.startsWith('/selvage/examples/') ? SCENARIO_IN_POD : word)),
    ...placementArgs,
  ];
}

/** As documentation: which devices are in which pod. */
function filesWithPlacement({ files, placement, deviceNames }: ClusterRun): ScenarioFiles {
  const names = placement.map(({ devices }) =>
    devices.map((device) => deviceNames[device]!).join(' '),
  );
  return new Map([...files, ['placement.yaml', stringify(names, { lineWidth: 0 })]]);
}

function keySecret({ run, key }: ClusterRun): Manifest {
  const stringData = { SELVAGE_KEY: key };
  const metadata = { name: nameIn(run, 'key'), namespace: SELVAGE };
  return { apiVersion: 'v1', kind: 'Secret', metadata, stringData } as Manifest;
}
