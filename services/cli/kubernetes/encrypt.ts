import { issueCredentials } from './certificates.js';
import { nameIn, SELVAGE } from './labels.js';
import type { Container, Manifest, PodSpec } from './manifests.js';

// Every connection of a run has TLS on both sides: a process without a certificate of its authority
// can connect neither to its broker nor to its coordinator.

const MOUNT = '/tls';
const MOST_BROKERS = 3;
const OWNER_AND_GROUP = 0o440;
const CONFIGURATION = 'nats.conf';

const FILES = { ca: 'ca.crt', cert: 'tls.crt', key: 'tls.key' } as const;
const CLIENT_ARGS = ['nats', 'control'].flatMap((link) =>
  Object.entries(FILES).map(([what, file]) => `--${link}-${what}=${MOUNT}/${file}`),
);

export function tlsSecretOf(run: string): string {
  return nameIn(run, 'tls');
}

/** Names by which processes of a run find each other; commands come through a port of localhost. */
function namesOf(run: string): string[] {
  const broker = nameIn(run, 'nats');
  const each = Array.from({ length: MOST_BROKERS }, (_, i) => `${broker}-${i}.${broker}`);
  return [nameIn(run, 'coordinator'), broker, ...each, 'localhost', '127.0.0.1'];
}

/** Puts TLS where a manifest of k8s/, or a patch of one, does without. */
export function encrypt({ kind, spec }: Manifest, run: string): void {
  const pod: Partial<PodSpec> | undefined = spec?.template?.spec;
  const container: Partial<Container> | undefined = pod?.containers?.[0];
  if (container?.args === undefined) return;
  container.args =
    kind === 'StatefulSet'
      ? [...container.args, `--config=${MOUNT}/${CONFIGURATION}`]
      : container.args.flatMap((word) => (word === '--insecure' ? CLIENT_ARGS : word));
  const secret = { secretName: tlsSecretOf(run), defaultMode: OWNER_AND_GROUP };
  if (container.volumeMounts === undefined) return;
  container.volumeMounts.push({ name: 'tls', mountPath: MOUNT, readOnly: true });
  Object.assign(pod!, { volumes: [...(pod!.volumes ?? []), { name: 'tls', secret }] });
}

/** Certificate and key of all processes of a run, and what the broker does with them. */
export function tlsSecret({ run, cluster }: { run: string; cluster: boolean }): Manifest {
  const { authority, certificate, key } = issueCredentials(run, namesOf(run));
  const stringData = {
    [FILES.ca]: authority,
    [FILES.cert]: certificate,
    [FILES.key]: key,
    [CONFIGURATION]: brokerConfiguration(cluster),
  };
  const metadata = { name: tlsSecretOf(run), namespace: SELVAGE };
  const type = 'kubernetes.io/tls';
  return { apiVersion: 'v1', kind: 'Secret', metadata, type, stringData } as Manifest;
}

/** For clients and for routes to other brokers. Only options of files are here. */
function brokerConfiguration(cluster: boolean): string {
  const tls = `tls {
  ca_file: "${MOUNT}/${FILES.ca}"
  cert_file: "${MOUNT}/${FILES.cert}"
  key_file: "${MOUNT}/${FILES.key}"
  verify: true
}
`;
  return cluster ? `${tls}cluster {\n${tls}}\n` : tls;
}
