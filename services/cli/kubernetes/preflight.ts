import { quantityToScalar } from '@kubernetes/client-node/dist/util.js';
import type { Cluster } from './cluster.js';
import { ClusterError } from './cluster.js';
import type { Manifest } from './manifests.js';

/** `podReplacementPolicy` of Jobs is on by default from here on. */
const OLDEST = [1, 29] as const;

/** What a run does there: verbs, API group, resource. */
const RIGHTS: readonly (readonly [string, string, string])[] = [
  ...['create', 'delete'].flatMap((verb) =>
    (
      [
        ['', 'configmaps'],
        ['', 'secrets'],
        ['', 'services'],
        ['', 'serviceaccounts'],
        ['', 'persistentvolumeclaims'],
        ['', 'pods'],
        ['apps', 'statefulsets'],
        ['batch', 'jobs'],
        ['networking.k8s.io', 'networkpolicies'],
      ] as const
    ).map(([group, resource]) => [verb, group, resource] as const),
  ),
  ['list', '', 'pods'],
  ['get', '', 'pods/log'],
  ['create', '', 'pods/exec'],
];

/** Says what would fail before anything is there: version, rights, what the namespace has left. */
export async function preflight(
  cluster: Cluster,
  manifests: readonly Manifest[],
  makesNamespace: boolean,
): Promise<void> {
  const [major, minor] = await cluster.version();
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new ClusterError(`Kubernetes ${major}.${minor} is older than ${OLDEST.join('.')}`);
  }
  await checkRights(cluster, makesNamespace);
  if (!makesNamespace) await checkQuotas(cluster, manifests);
}

async function checkRights(cluster: Cluster, makesNamespace: boolean): Promise<void> {
  const { namespace } = cluster;
  const missing: string[] = [];
  for (const [verb, group, path] of RIGHTS) {
    const [resource, subresource] = path.split('/');
    const asked = {
      verb,
      group,
      namespace,
      resource: resource!,
      ...(subresource && { subresource }),
    };
    if (!(await cluster.mayI(asked))) missing.push(`${verb} ${path}`);
  }
  if (makesNamespace && !(await cluster.mayI({ verb: 'create', resource: 'namespaces' }))) {
    missing.push('create namespaces');
  }
  if (missing.length === 0) return;
  throw new ClusterError(`no right in namespace ${namespace} to ${missing.join(', ')}`);
}

async function checkQuotas(cluster: Cluster, manifests: readonly Manifest[]): Promise<void> {
  const needs = needsOf(manifests);
  for (const { resource, left, hard } of await cluster.quotas()) {
    const need = needs.get(resource) ?? 0;
    if (need <= left) continue;
    throw new ClusterError(
      `the quota of namespace ${cluster.namespace} leaves ${left} of ${hard} ${resource}, ` +
        `and the run needs ${need}: try fewer --services`,
    );
  }
}

/** What the pods of a run ask for together, by the names that quotas have. */
export function needsOf(manifests: readonly Manifest[]): Map<string, number> {
  const needs = new Map<string, number>();
  const add = (name: string, amount: number): void => {
    needs.set(name, (needs.get(name) ?? 0) + amount);
  };
  for (const { spec } of manifests) {
    if (spec?.template === undefined) continue;
    const pods = spec.parallelism ?? spec.replicas ?? 1;
    add('pods', pods);
    for (const { resources } of spec.template.spec.containers) {
      for (const [name, amount] of Object.entries(resources.requests)) {
        const all = pods * Number(quantityToScalar(amount));
        add(`requests.${name}`, all);
        add(name, all);
      }
      for (const [name, amount] of Object.entries(resources.limits ?? {})) {
        add(`limits.${name}`, pods * Number(quantityToScalar(amount)));
      }
    }
  }
  return needs;
}
