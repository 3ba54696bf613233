import type { Cluster, Right } from './cluster.js';
import { ClusterError } from './cluster.js';
import type { Manifest } from './manifests.js';
import { checkPolicies } from './policies.js';
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
const ROLE_RIGHTS = ['roles', 'rolebindings'].flatMap((resource) =>
  ['create', 'get'].map((verb) => [verb, 'rbac.authorization.k8s.io', resource] as const),
);

/** Whether the user may give a coordinator rights of its own. */
export async function mayMakeRoles(cluster: Cluster): Promise<boolean> {
  const { namespace } = cluster;
  const granted = await Promise.all(
    ROLE_RIGHTS.map(([verb, group, resource]) =>
      cluster.mayI({ verb, group, resource, namespace }),
    ),
  );
  return granted.every(Boolean);
}

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
  if (!makesNamespace) await checkPolicies(cluster, manifests);
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
