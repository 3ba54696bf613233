import type { KubernetesObject } from '@kubernetes/client-node';

// By these labels the objects of a run are found again, from any machine.

/** Recommended by Kubernetes for every object of an application. */
export const NAME_LABEL = 'app.kubernetes.io/name';
export const RUN_LABEL = 'app.kubernetes.io/instance';
export const SELVAGE = 'selvage';
/** Role of a pod, and of the Job or StatefulSet that makes it. */
export const ROLE_LABEL = 'selvage';

export function isOfRole({ metadata }: KubernetesObject, role: string): boolean {
  return metadata?.labels?.[ROLE_LABEL] === role;
}

export function runLabels(run: string): Readonly<Record<string, string>> {
  return { [NAME_LABEL]: SELVAGE, [RUN_LABEL]: run };
}

/** On a namespace that was made for a run. */
export const MANAGED_LABEL = 'app.kubernetes.io/managed-by';

/** Roles of Jobs: the main one owns all that a run, or a campaign of runs, has in the cluster. */
export const COORDINATOR = 'coordinator';
export const POINTS = 'points';
export const SERVICE = 'service';

/** Name of an object: several runs in one namespace have their own. */
export function nameIn(run: string, what: string): string {
  return `${run}-${what}`;
}

/** Number of a pod of an indexed Job: an annotation and a label. */
export const INDEX_LABEL = 'batch.kubernetes.io/job-completion-index';

/** Role of a pod, and its number where there are several. */
export function sourceOf({ metadata }: KubernetesObject): string {
  const { [ROLE_LABEL]: role = 'pod', [RUN_LABEL]: run } = metadata?.labels ?? {};
  const index = metadata?.annotations?.[INDEX_LABEL];
  if (role === 'nats') return metadata!.name!.replace(`${run}-`, '');
  return index === undefined ? role : `${role}-${index}`;
}
