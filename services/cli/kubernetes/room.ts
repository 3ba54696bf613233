import { quantityToScalar } from '@kubernetes/client-node/dist/util.js';
import type { V1Node, V1Pod, V1Taint } from '@kubernetes/client-node';
import type { Manifest, Toleration } from './manifests.js';

/** Amounts by resource name; `pods` is one of them. */
type Amounts = ReadonlyMap<string, number>;

/** On which nodes the pods of a run may be, as values and pods have it. */
export interface NodeChoice {
  readonly nodeSelector?: Readonly<Record<string, string>> | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
}

/** What each pod of a run requests. */
export function podNeeds(manifests: readonly Manifest[]): Amounts[] {
  return manifests.flatMap(({ spec }) => {
    if (spec?.template === undefined) return [];
    const pods = spec.parallelism ?? spec.replicas ?? 1;
    const need = requestsOf(spec.template.spec.containers);
    return Array.from({ length: pods }, () => need);
  });
}

/** The first workload's choice: all of a run have the same. */
export function choiceOf(manifests: readonly Manifest[]): NodeChoice {
  const workload = manifests.find(({ spec }) => spec?.template !== undefined);
  return workload?.spec?.template?.spec ?? {};
}

/** What is left on every node that takes such pods. */
export function roomOf(
  nodes: readonly V1Node[],
  pods: readonly V1Pod[],
  choice: NodeChoice,
): Amounts[] {
  const open = nodes.filter((node) => isOpenTo(choice, node));
  return open.map(({ metadata, status }) => {
    const left = new Map<string, number>();
    for (const [name, amount] of Object.entries(status?.allocatable ?? {})) {
      left.set(name, Number(quantityToScalar(amount)));
    }
    for (const { spec } of pods.filter((pod) => pod.spec?.nodeName === metadata?.name)) {
      for (const [name, amount] of requestsOf(spec?.containers ?? [])) {
        left.set(name, (left.get(name) ?? 0) - amount);
      }
    }
    return left;
  });
}

/** Whether all pods find a place: the largest first, each on the first node that has room. */
export function fits(needs: readonly Amounts[], room: readonly Amounts[]): boolean {
  const left = room.map((amounts) => new Map(amounts));
  const largestFirst = [...needs].sort((a, b) => (b.get('cpu') ?? 0) - (a.get('cpu') ?? 0));
  return largestFirst.every((need) => {
    const node = left.find((amounts) =>
      [...need].every(([name, amount]) => amount <= (amounts.get(name) ?? 0)),
    );
    for (const [name, amount] of need) node?.set(name, (node.get(name) ?? 0) - amount);
    return node !== undefined;
  });
}

function isOpenTo(
  { nodeSelector = {}, tolerations = [] }: NodeChoice,
  { metadata, spec, status }: V1Node,
): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isSelected = Object.entries(nodeSelector).every(
    ([key, value]) => metadata?.labels?.[key] === value,
  );
  const isClosed = spec?.taints?.some(
    (taint) =>
      taint.effect !== 'PreferNoSchedule' && !tolerations.some((one) => tolerates(one, taint)),
  );
  return (
    ready?.status === 'True' && spec?.unschedulable !== true && isSelected && isClosed !== true
  );
}

/** As the scheduler compares them. */
function tolerates(
  { key = '', operator, value = '', effect = '' }: Toleration,
  taint: V1Taint,
): boolean {
  const isOfEffect = effect === '' || effect === taint.effect;
  const isOfKey = key === taint.key || (key === '' && operator === 'Exists');
  return isOfEffect && isOfKey && (operator === 'Exists' || value === (taint.value ?? ''));
}

interface Requesting {
  readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
}

function requestsOf(containers: readonly Requesting[]): Map<string, number> {
  const sum = new Map([['pods', 1]]);
  for (const { resources } of containers) {
    for (const [name, amount] of Object.entries(resources?.requests ?? {})) {
      sum.set(name, (sum.get(name) ?? 0) + Number(quantityToScalar(amount)));
    }
  }
  return sum;
}
