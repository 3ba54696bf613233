import type { V1LimitRange, V1LimitRangeItem, V1ResourceQuota } from '@kubernetes/client-node';
import { quantityToScalar } from '@kubernetes/client-node/dist/util.js';
import type { Cluster } from './cluster.js';
import { ClusterError, FORBIDDEN } from './cluster.js';
import type { Container, Manifest, PodSpec } from './manifests.js';

// What a namespace allows: all of its quotas and ranges of limits, before anything is made. The
// server would refuse pods one by one, and long after the objects that make them.

/** Reports everything of a run that the policies of its namespace refuse. */
export async function checkPolicies(
  cluster: Cluster,
  manifests: readonly Manifest[],
): Promise<void> {
  const [quotas, ranges] = [
    await readable(() => cluster.quotas()),
    await readable(() => cluster.limitRanges()),
  ];
  const { namespace } = cluster;
  const found = [
    ...quotas.flatMap((quota) => quotaFaults(quota, manifests, { namespace, ranges })),
    ...ranges.flatMap((range) => rangeFaults(range, manifests)),
  ];
  if (found.length > 0) throw new ClusterError([...new Set(found)].join('\n'));
}

/** Who may not read policies learns of them by refusals. */
async function readable<T>(list: () => Promise<T[]>): Promise<T[]> {
  try {
    return await list();
  } catch (error) {
    if ((error as ClusterError).code === FORBIDDEN) return [];
    throw error;
  }
}

interface Place {
  readonly namespace: string;
  readonly ranges: readonly V1LimitRange[];
}

function quotaFaults(
  { metadata, spec, status }: V1ResourceQuota,
  manifests: readonly Manifest[],
  { namespace, ranges }: Place,
): string[] {
  const own = manifests.filter((manifest) => isCounted(spec, manifest));
  const needs = needsOf(own);
  return Object.entries(status?.hard ?? {}).flatMap(([resource, hard]) => {
    const unset = unsetIn(own, resource, ranges);
    if (unset.length > 0) {
      const value = resource.endsWith('cpu') ? 'cpuLimit' : 'memoryLimit';
      return [
        `quota ${metadata?.name} of namespace ${namespace} counts ${resource}, and pods of ` +
          `${unset.join(', ')} have none: set ${value} of these in --values`,
      ];
    }
    const left = amountOf(hard) - amountOf(status?.used?.[resource] ?? '0');
    const need = needs.get(resource) ?? 0;
    if (need <= left) return [];
    return [
      `the quota of namespace ${namespace} leaves ${left} of ${hard} ${resource}, ` +
        `and the run needs ${need}: ${remedyFor(resource)}`,
    ];
  });
}

function remedyFor(resource: string): string {
  if (!/storage|persistentvolumeclaims/.test(resource)) return 'try fewer --services';
  return 'set runsStorage and brokerStorage of --values, or results in S3-compatible storage';
}

/** Whether a quota has an object in its scopes. Pods of a run have requests, and no deadline. */
function isCounted(spec: V1ResourceQuota['spec'], { spec: own }: Manifest): boolean {
  const scopes = spec?.scopes ?? [];
  const selected = spec?.scopeSelector?.matchExpressions ?? [];
  if (scopes.length === 0 && selected.length === 0) return true;
  const pod = own?.template?.spec;
  if (pod === undefined) return false;
  const holds = (scope: string): boolean => ['NotBestEffort', 'NotTerminating'].includes(scope);
  return (
    scopes.every(holds) &&
    selected.every(({ scopeName, operator, values = [] }) => {
      if (scopeName !== 'PriorityClass') return holds(scopeName);
      const name = pod.priorityClassName;
      if (operator === 'Exists') return name !== undefined;
      if (operator === 'DoesNotExist') return name === undefined;
      return (name !== undefined && values.includes(name)) === (operator === 'In');
    })
  );
}

/** Roles whose pods say nothing of what a quota counts, which no range has a default for. */
function unsetIn(
  manifests: readonly Manifest[],
  resource: string,
  ranges: readonly V1LimitRange[],
): string[] {
  const [, kind, name] = /^(limits|requests)\.(cpu|memory)$/.exec(resource) ?? [];
  if (kind === undefined) return [];
  const hasDefault = limitsIn(ranges, 'Container').some(
    (limit) => (kind === 'limits' ? limit._default : limit.defaultRequest)?.[name!] !== undefined,
  );
  if (hasDefault) return [];
  return manifests.flatMap(({ spec }) =>
    (spec?.template?.spec.containers ?? []).flatMap((container) =>
      amountsOf(container, kind as 'limits' | 'requests')[name!] === undefined
        ? [container.name]
        : [],
    ),
  );
}

/** What the objects of a run count for, by the names that quotas have. */
function needsOf(manifests: readonly Manifest[]): Map<string, number> {
  const needs = new Map<string, number>();
  const add = (name: string, amount: number): void => {
    needs.set(name, (needs.get(name) ?? 0) + amount);
  };
  for (const { kind, apiVersion, spec } of manifests) {
    const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
    const plural = `${kind.toLowerCase()}${kind.endsWith('y') ? '' : 's'}`.replace(/y$/, 'ies');
    if (kind !== 'PersistentVolumeClaim') add(`count/${plural}${group}`, 1);
    if (['Service', 'Secret', 'ConfigMap'].includes(kind)) add(plural, 1);
    if (kind === 'PersistentVolumeClaim') addClaim(add, spec as unknown as ClaimSpec, 1);
    if (spec?.template === undefined) continue;
    const pods = spec.parallelism ?? spec.replicas ?? 1;
    add('pods', pods);
    add('count/pods', pods);
    for (const claim of spec.volumeClaimTemplates ?? []) {
      addClaim(add, claim.spec as ClaimSpec, pods);
    }
    const { requests, limits } = podAmounts(spec.template.spec);
    for (const [name, amount] of requests) {
      add(`requests.${name}`, pods * amount);
      add(name, pods * amount);
    }
    for (const [name, amount] of limits) add(`limits.${name}`, pods * amount);
  }
  return needs;
}

interface ClaimSpec {
  readonly storageClassName?: string;
  readonly resources: { readonly requests: { readonly storage: string } };
}

type Add = (name: string, amount: number) => void;

function addClaim(add: Add, { storageClassName, resources }: ClaimSpec, count: number): void {
  const classes = storageClassName === undefined ? [] : [storageClassName];
  for (const prefix of ['', ...classes.map((name) => `${name}.storageclass.storage.k8s.io/`)]) {
    add(`${prefix}persistentvolumeclaims`, count);
    add(`${prefix}requests.storage`, count * amountOf(resources.requests.storage));
  }
  add('count/persistentvolumeclaims', count);
}

/** Of a pod: of its containers together, or of the largest of those before them. */
function podAmounts({ containers, initContainers = [] }: PodSpec): {
  readonly requests: Map<string, number>;
  readonly limits: Map<string, number>;
} {
  const sum = (kind: 'requests' | 'limits'): Map<string, number> => {
    const all = new Map<string, number>();
    for (const container of containers) {
      for (const [name, amount] of Object.entries(amountsOf(container, kind))) {
        all.set(name, (all.get(name) ?? 0) + amountOf(amount));
      }
    }
    for (const container of initContainers as Container[]) {
      for (const [name, amount] of Object.entries(amountsOf(container, kind))) {
        all.set(name, Math.max(all.get(name) ?? 0, amountOf(amount)));
      }
    }
    return all;
  };
  return { requests: sum('requests'), limits: sum('limits') };
}

/** A container that has a limit and no request requests its limit. */
function amountsOf(
  { resources }: Pick<Container, 'resources'>,
  kind: 'requests' | 'limits',
): Readonly<Record<string, string>> {
  const { requests = {}, limits = {} } = resources as Partial<Container['resources']>;
  return kind === 'limits' ? limits : { ...limits, ...requests };
}

function limitsIn(ranges: readonly V1LimitRange[], type: string): V1LimitRangeItem[] {
  return ranges.flatMap(({ spec }) => (spec?.limits ?? []).filter((one) => one.type === type));
}

/** What a range refuses of containers, pods and claims. */
function rangeFaults(range: V1LimitRange, manifests: readonly Manifest[]): string[] {
  const at = `LimitRange ${range.metadata?.name}`;
  return manifests.flatMap((manifest) => {
    const { kind, metadata, spec } = manifest;
    const claims = [
      ...(kind === 'PersistentVolumeClaim' ? [spec as unknown as ClaimSpec] : []),
      ...(spec?.volumeClaimTemplates ?? []).map((claim) => claim.spec as ClaimSpec),
    ];
    const ofClaims = claims.flatMap(({ resources }) => {
      const amounts = new Map([['storage', amountOf(resources.requests.storage)]]);
      return boundFaults(limitsIn([range], 'PersistentVolumeClaim'), amounts, amounts);
    });
    const pod = spec?.template?.spec;
    if (pod === undefined) return ofClaims.map((fault) => `${at}: ${metadata.name}: ${fault}`);
    const ofContainers = [
      ...pod.containers,
      ...((pod.initContainers ?? []) as Container[]),
    ].flatMap((one) => {
      const limits = limitsIn([range], 'Container');
      const set = (which: 'requests' | 'limits'): Map<string, number> =>
        new Map(
          Object.entries(amountsOf(one, which)).map(([name, text]) => [name, amountOf(text)]),
        );
      return boundFaults(limits, set('requests'), set('limits'));
    });
    const { requests, limits } = podAmounts(pod);
    const ofPod = boundFaults(limitsIn([range], 'Pod'), requests, limits);
    return [...ofClaims, ...ofContainers, ...ofPod].map(
      (fault) => `${at}: ${metadata.name}: ${fault}`,
    );
  });
}

type Amounts = ReadonlyMap<string, number>;

function boundFaults(
  bounds: readonly V1LimitRangeItem[],
  requests: Amounts,
  limits: Amounts,
): string[] {
  return bounds.flatMap(({ type, max = {}, min = {}, maxLimitRequestRatio = {}, _default }) => [
    ...Object.entries(max).flatMap(([name, most]) => {
      const has = limits.get(name) ?? amountOrNone(_default?.[name]);
      if (has !== undefined && has <= amountOf(most)) return [];
      const what = has === undefined ? `has no limit of ${name}` : `${name} of ${has}`;
      return [`${what}, and a ${type} has at most ${most}: change it in --values`];
    }),
    ...Object.entries(min).flatMap(([name, least]) => {
      const has = requests.get(name);
      if (has === undefined || has >= amountOf(least)) return [];
      return [`${name} of ${has}, and a ${type} has at least ${least}: change it in --values`];
    }),
    ...Object.entries(maxLimitRequestRatio).flatMap(([name, most]) => {
      const [limit, request] = [limits.get(name), requests.get(name)];
      if (limit === undefined || request === undefined) return [];
      if (limit / request <= amountOf(most)) return [];
      return [
        `its limit of ${name} is ${limit / request} times its request, and at most ${most} ` +
          'times are allowed: change it in --values',
      ];
    }),
  ]);
}

function amountOrNone(text: string | undefined): number | undefined {
  return text === undefined ? undefined : amountOf(text);
}

function amountOf(text: string): number {
  return Number(quantityToScalar(text));
}
