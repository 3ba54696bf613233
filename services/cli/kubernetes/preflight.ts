import { quantityToScalar } from '@kubernetes/client-node/dist/util.js';
import type { Cluster, Right } from './cluster.js';
import { ClusterError } from './cluster.js';
import type { Manifest } from './manifests.js';
import type { NodeChoice } from './room.js';
import { choiceOf, roomOf } from './room.js';

/** `podReplacementPolicy` of Jobs is on by default from here on. */
const OLDEST = [1, 29] as const;

/** What a run asks the API server for: verbs, API group, resource. ClusterRole `edit` has all. */
const RIGHTS: readonly (readonly [string, string, string])[] = [
  ...['create', 'get', 'delete'].flatMap((verb) =>
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
  ['patch', 'batch', 'jobs'],
  ['patch', 'apps', 'statefulsets'],
  ...['list', 'watch'].flatMap((verb) =>
    (
      [
        ['', 'pods'],
        ['batch', 'jobs'],
        ['', 'events'],
        ['', 'persistentvolumeclaims'],
      ] as const
    ).map(([group, resource]) => [verb, group, resource] as const),
  ),
  ['get', '', 'pods/log'],
  ['create', '', 'pods/exec'],
  ['create', '', 'pods/portforward'],
];

/** For a coordinator with rights of its own; ClusterRole `admin` has them. */
const ROLE_RIGHTS = ['roles', 'rolebindings'].map(
  (resource) => ['create', 'rbac.authorization.k8s.io', resource] as const,
);

interface PreflightOptions {
  readonly makesNamespace: boolean;
  /** How many nodes the brokers need. */
  readonly nodes: number;
}

/** Reports what would fail before any object is created: version, permissions, quotas. */
export async function preflight(
  cluster: Cluster,
  manifests: readonly Manifest[],
  { makesNamespace, nodes }: PreflightOptions,
): Promise<void> {
  const [major, minor] = await cluster.version();
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new ClusterError(`Kubernetes ${major}.${minor} is older than ${OLDEST.join('.')}`);
  }
  await checkRights(
    cluster,
    makesNamespace,
    manifests.some(({ kind }) => kind === 'Role'),
  );
  if (!makesNamespace) await checkQuotas(cluster, manifests);
  if (nodes > 1) await checkNodes(cluster, nodes, choiceOf(manifests));
}

/** Brokers that are kept apart need a node each, as far as the user may list nodes. */
async function checkNodes(cluster: Cluster, wanted: number, choice: NodeChoice): Promise<void> {
  const machine = await cluster.machine();
  if (machine === null) return;
  const { length } = roomOf(machine.nodes, [], choice);
  if (length >= wanted) return;
  throw new ClusterError(
    `--cluster keeps ${wanted} brokers on nodes of their own, and ${length} of ` +
      `${machine.nodes.length} nodes take its pods`,
  );
}

async function checkRights(
  cluster: Cluster,
  makesNamespace: boolean,
  makesRole: boolean,
): Promise<void> {
  const { namespace } = cluster;
  const wanted = [...RIGHTS, ...(makesRole ? ROLE_RIGHTS : [])].map(([verb, group, path]) => {
    const [resource, subresource] = path.split('/');
    const right = { verb, group, namespace, resource: resource! };
    return { name: `${verb} ${path}`, right: { ...right, ...(subresource && { subresource }) } };
  });
  const namespaces = {
    name: 'create namespaces',
    right: { verb: 'create', resource: 'namespaces' },
  };
  const all: readonly { readonly name: string; readonly right: Right }[] = [
    ...wanted,
    ...(makesNamespace ? [namespaces] : []),
  ];
  const granted = await Promise.all(all.map(({ right }) => cluster.mayI(right)));
  const missing = all.filter((_, index) => granted[index] !== true).map(({ name }) => name);
  if (missing.length === 0) return;
  const enough = makesRole ? 'admin' : 'edit';
  throw new ClusterError(
    `no right in namespace ${namespace} to ${missing.join(', ')}\n` +
      `ClusterRole ${enough} in one existing namespace is enough: kubectl create rolebinding ` +
      `selvage --clusterrole=${enough} --user=<you> --namespace=${namespace}`,
  );
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

/** Total requests of the pods of a run, by the names that quotas have. */
function needsOf(manifests: readonly Manifest[]): Map<string, number> {
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
