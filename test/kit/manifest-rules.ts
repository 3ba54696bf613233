import type { Container, Manifest, Peer, PodSpec, Policy } from './manifests.js';
import { reachOf } from './selectors.js';

/** What is wrong with the manifests of a run, in words; nothing for those that may be applied. */
export function violationsOf(manifests: readonly Manifest[]): string[] {
  const accounts = manifests.filter(({ kind }) => kind === 'ServiceAccount');
  const names = accounts.map(({ metadata }) => metadata.name);
  return [
    ...podsOf(manifests).flatMap(({ role, pod }) => podViolations(role, pod, names)),
    ...namespaceViolations(manifests),
    ...policyViolations(manifests),
    ...reachOf(manifests),
  ];
}

interface Pod {
  readonly role: string;
  readonly pod: PodSpec;
}

function podsOf(manifests: readonly Manifest[]): Pod[] {
  return manifests.flatMap(({ spec }) =>
    spec?.template === undefined
      ? []
      : [{ role: spec.template.metadata.labels['selvage']!, pod: spec.template.spec }],
  );
}

function podViolations(role: string, pod: PodSpec, accounts: readonly string[]): string[] {
  const { securityContext: context, containers } = pod;
  const rules: [string, boolean][] = [
    ['runs as root', context['runAsNonRoot'] === true && context['runAsUser'] === 1000],
    ['has no seccomp profile', typeIs(context['seccompProfile'], 'RuntimeDefault')],
    ['has a token', !pod.automountServiceAccountToken],
    ['has no account of its own', accounts.includes(pod.serviceAccountName)],
    ['may write its secrets', secretsOf(pod).every(({ defaultMode }) => defaultMode === 0o440)],
  ];
  const broken = rules.filter(([, holds]) => !holds).map(([what]) => `${role} ${what}`);
  return [...broken, ...containers.flatMap((container) => containerViolations(role, container))];
}

function secretsOf({ volumes = [] }: PodSpec): { readonly defaultMode?: number }[] {
  return volumes.flatMap((volume) => (volume as { secret?: object }).secret ?? []);
}

function typeIs(value: unknown, type: string): boolean {
  return (value as { type?: string } | undefined)?.type === type;
}

function containerViolations(role: string, container: Container): string[] {
  const { image, securityContext: context, resources } = container;
  const capabilities = context['capabilities'] as { drop?: string[] } | undefined;
  const probes = ['startupProbe', 'livenessProbe'] as const;
  const rules: [string, boolean][] = [
    ['may gain privileges', context['allowPrivilegeEscalation'] === false],
    ['may write its root file system', context['readOnlyRootFilesystem'] === true],
    ['has a secret in its environment', !/secretRef|secretKeyRef/.test(JSON.stringify(container))],
    ['keeps capabilities', capabilities?.drop?.includes('ALL') === true],
    [`uses ${image}, which names no version`, /:(?!latest$)[\w.-]+$/.test(image)],
    ['asks for no memory', resources.requests?.['memory'] !== undefined],
    ['asks for no processor', resources.requests?.['cpu'] !== undefined],
    ['may take any memory', resources.limits?.['memory'] !== undefined],
    ...probes.map((probe): [string, boolean] => [`has no ${probe}`, probe in container]),
  ];
  return rules.filter(([, holds]) => !holds).map(([what]) => `${role} ${what}`);
}

function namespaceViolations(manifests: readonly Manifest[]): string[] {
  const namespace = manifests.find(({ kind }) => kind === 'Namespace');
  const level = namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce'];
  return level === 'restricted' ? [] : ['the namespace does not enforce restricted pods'];
}

/**
 * Connections, at which port: those that processes are configured for, and those that are allowed.
 */
function policyViolations(manifests: readonly Manifest[]): string[] {
  const policies = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => spec as unknown as Policy);
  const used = connectionsOf(manifests);
  const denied = policies.some(
    ({ podSelector, policyTypes, ingress, egress }) =>
      podSelector.matchLabels?.['selvage'] === undefined &&
      podSelector.matchExpressions === undefined &&
      policyTypes.length === 2 &&
      ingress === undefined &&
      egress === undefined,
  );
  return [
    ...(denied ? [] : ['what no policy allows is not denied']),
    ...difference('out', used, allowed(policies, 'egress')),
    ...difference('in', used, allowed(policies, 'ingress')),
    ...unheardOf(manifests, used),
  ];
}

/** `from > to:port`, out of every address among the words of every process. */
export function connectionsOf(manifests: readonly Manifest[]): Set<string> {
  const spoken = podsOf(manifests).flatMap(({ role, pod }) =>
    pod.containers
      .flatMap(({ args }) => args)
      .filter((word) => /^--(nats|join|routes)=/.test(word))
      .flatMap((word) => [...word.matchAll(/([a-z][\w.-]*):(\d+)/g)])
      .map(([, host, port]) => `${role} > ${roleBehind(manifests, host!)}:${port!}`),
  );
  return new Set(spoken);
}

/** Role of the pods that a Service gives a name; of no Service, the name itself. */
function roleBehind(manifests: readonly Manifest[], host: string): string {
  const name = host.split('.').at(-1)!;
  const service = manifests.find(
    ({ kind, metadata }) => kind === 'Service' && metadata.name === name,
  );
  const selector = service?.spec?.['selector'] as Record<string, string> | undefined;
  return selector?.['selvage'] ?? name;
}

const DNS = new Set(['UDP 53', 'TCP 53', 'UDP 5353', 'TCP 5353']);

function allowed(policies: readonly Policy[], way: 'ingress' | 'egress'): Set<string> {
  const found = new Set<string>();
  for (const policy of policies) {
    const own = policy.podSelector.matchLabels?.['selvage'] ?? 'anybody';
    for (const rule of policy[way] ?? []) {
      if (isNames(own, rule)) continue;
      const peers = ('to' in rule ? rule.to : 'from' in rule ? rule.from : undefined) ?? [ANYWHERE];
      for (const { port } of rule.ports) {
        for (const peer of peers) {
          const other = peer.podSelector.matchLabels?.['selvage'] ?? 'anybody';
          found.add(way === 'egress' ? `${own} > ${other}:${port}` : `${other} > ${own}:${port}`);
        }
      }
    }
  }
  return found;
}

/** Names are resolved somewhere: beside the pod, on its node, or in another namespace. */
function isNames(own: string, rule: { readonly ports: readonly Port[] }): boolean {
  const isOpen = !('to' in rule) && !('from' in rule);
  return (
    own === 'anybody' && isOpen && rule.ports.every((one) => DNS.has(`${one.protocol} ${one.port}`))
  );
}

const ANYWHERE: Peer = { podSelector: { matchLabels: { selvage: 'anything' } } };

interface Port {
  readonly protocol: string;
  readonly port: number;
}

function difference(way: string, used: Set<string>, allow: Set<string>): string[] {
  return [
    ...[...used].filter((one) => !allow.has(one)).map((one) => `${one} is not let ${way}`),
    ...[...allow].filter((one) => !used.has(one)).map((one) => `${one} is let ${way} idly`),
  ];
}

/** Addresses that no container listens at; a name of no Service is that of no role. */
function unheardOf(manifests: readonly Manifest[], used: Set<string>): string[] {
  const pods = podsOf(manifests);
  return [...used].flatMap((connection) => {
    const [host, port] = connection.split(' > ')[1]!.split(':');
    const listens = pods.some(
      ({ role, pod }) =>
        role === host &&
        pod.containers[0]!.ports.some(({ containerPort }) => `${containerPort}` === port),
    );
    return listens ? [] : [`nobody listens for ${connection}`];
  });
}
