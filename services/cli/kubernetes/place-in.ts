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
  if (broker?.memory === undefined || broker.memoryLimit === undefined) return;
  container.resources.requests['memory'] = broker.memory;
  container.resources.limits = { memory: broker.memoryLimit };
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
