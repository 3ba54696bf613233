import { ROLE_LABEL, RUN_LABEL, SERVICE } from './labels.js';
import type { Container, Manifest, PodSpec } from './manifests.js';
import type { Values } from './values.js';

/** Puts what values say of nodes, images and volumes into a manifest. */
export function placeIn(manifest: Manifest, values: Values, run: string): void {
  const { kind, metadata, spec } = manifest;
  const { storageClass, runsStorage, brokerStorage } = values;
  if (kind === 'PersistentVolumeClaim') claim(spec as never, storageClass, runsStorage);
  for (const template of spec?.volumeClaimTemplates ?? []) {
    claim(template.spec as never, storageClass, brokerStorage);
  }
  const pod = spec?.template?.spec;
  if (pod === undefined) return;
  const { imagePullSecrets, nodeSelector, tolerations, priorityClass, affinity } = values;
  if (imagePullSecrets !== undefined) pod.imagePullSecrets = imagePullSecrets.map(named);
  if (nodeSelector !== undefined) pod.nodeSelector = nodeSelector;
  if (tolerations !== undefined) pod.tolerations = [...(pod.tolerations ?? []), ...tolerations];
  if (priorityClass !== undefined) pod.priorityClassName = priorityClass;
  if (affinity !== undefined) pod.affinity = affinity;
  identify(pod, values);
  for (const container of pod.containers) {
    if (values.imagePullPolicy !== undefined) container.imagePullPolicy = values.imagePullPolicy;
  }
  if (kind === 'StatefulSet') fitBroker(pod.containers[0]!, values);
  if (metadata.labels?.[ROLE_LABEL] === SERVICE) keepApart(pod, values, run);
}

interface ClaimSpec {
  storageClassName?: string;
  resources: { requests: { storage: string } };
}

function claim(spec: ClaimSpec, storageClass?: string, storage?: string): void {
  if (storageClass !== undefined) spec.storageClassName = storageClass;
  if (storage !== undefined) spec.resources.requests.storage = storage;
}

function fitBroker(container: Container, { brokerImage, broker }: Values): void {
  if (brokerImage !== undefined) container.image = brokerImage;
  if (broker?.cpu !== undefined) container.resources.requests['cpu'] = broker.cpu;
  const limits = { ...container.resources.limits };
  if (broker?.cpuLimit !== undefined) limits['cpu'] = broker.cpuLimit;
  if (broker?.memory !== undefined && broker.memoryLimit !== undefined) {
    container.resources.requests['memory'] = broker.memory;
    limits['memory'] = broker.memoryLimit;
  }
  container.resources.limits = limits;
}

/** Where a cluster assigns users, as OpenShift does, a pod names none. */
function identify(pod: PodSpec, { user, group, seccomp }: Values): void {
  const seccompProfile = seccomp === undefined ? undefined : profileOf(seccomp);
  const wanted = { runAsUser: user, runAsGroup: group, fsGroup: group, seccompProfile };
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined);
  const all = { ...pod.securityContext, ...Object.fromEntries(given) };
  pod.securityContext = Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== NONE),
  );
}

const NONE = 'none';

function profileOf(seccomp: string): object | string {
  const [type, ...path] = seccomp.split('/');
  if (path.length === 0) return seccomp === NONE ? NONE : { type };
  return { type, localhostProfile: path.join('/') };
}

const NODE = 'kubernetes.io/hostname';
const TOPOLOGY_KEYS = { nodes: NODE, zones: 'topology.kubernetes.io/zone' } as const;

function keepApart(
  pod: PodSpec,
  { spread = 'none', antiAffinity = false }: Values,
  run: string,
): void {
  const labelSelector = { matchLabels: { [ROLE_LABEL]: SERVICE, [RUN_LABEL]: run } };
  if (spread !== 'none') {
    const topologyKey = TOPOLOGY_KEYS[spread];
    const preferred = { maxSkew: 1, topologyKey, whenUnsatisfiable: 'ScheduleAnyway' };
    pod.topologySpreadConstraints = [{ ...preferred, labelSelector }];
  }
  if (!antiAffinity) return;
  const required = [{ topologyKey: NODE, labelSelector }];
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
  pod.affinity = { ...pod.affinity, podAntiAffinity };
}

function named(name: string): { name: string } {
  return { name };
}
