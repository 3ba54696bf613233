import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodePlace } from './node.js';

// Who is who in a cluster: certificates of one authority, with users and groups in their subjects.

const DAYS = '30';

interface Subject {
  readonly subject: string;
  /** Names and addresses of a server. */
  readonly names?: string;
}

/** A user of a cluster whose rights are those of its role bindings: none at first. */
export const MEMBER = 'member';

/** Certificates of a cluster, whose API server is on the first node; each user has a kubeconfig. */
export function makeCertificates(
  folder: string,
  places: readonly NodePlace[],
  server: string,
): void {
  const { address } = places[0]!;
  const pki = join(folder, 'pki');
  mkdirSync(pki, { recursive: true });
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', DAYS];
  const authority = { cert: join(pki, 'ca.crt'), key: join(pki, 'ca.key') };
  const files = ['-keyout', authority.key, '-out', authority.cert, '-subj', '/CN=kubernetes'];
  openssl(...request, ...files);
  openssl('genrsa', '-out', join(pki, 'accounts.key'), '2048');
  openssl('rsa', '-in', join(pki, 'accounts.key'), '-pubout', '-out', join(pki, 'accounts.pub'));
  const subjects: Record<string, Subject> = {
    apiserver: {
      subject: '/CN=kube-apiserver',
      names: `DNS:kubernetes,DNS:localhost,IP:127.0.0.1,IP:10.96.0.1,IP:${address}`,
    },
    'kubelet-client': { subject: '/O=system:masters/CN=kube-apiserver-kubelet-client' },
    admin: { subject: '/O=system:masters/CN=admin' },
    'controller-manager': { subject: '/CN=system:kube-controller-manager' },
    scheduler: { subject: '/CN=system:kube-scheduler' },
    [MEMBER]: { subject: `/O=fabric/CN=${MEMBER}` },
  };
  for (const { name, address: own } of places) {
    const subject = `/O=system:nodes/CN=system:node:${name}`;
    subjects[name] = { subject, names: `DNS:${name},IP:${own}` };
  }
  for (const [name, subject] of Object.entries(subjects)) {
    issue(pki, name, subject);
    writeFileSync(join(folder, `${name}.kubeconfig`), kubeconfig(pki, name, server));
  }
}

function issue(pki: string, name: string, { subject, names }: Subject): void {
  const file = (ending: string): string => join(pki, `${name}.${ending}`);
  const request = ['req', '-newkey', 'rsa:2048', '-nodes', '-subj', subject];
  openssl(...request, '-keyout', file('key'), '-out', file('csr'));
  const alternatives = names === undefined ? '' : `subjectAltName=${names}\n`;
  writeFileSync(file('ext'), `extendedKeyUsage=serverAuth,clientAuth\n${alternatives}`);
  openssl(
    ...['x509', '-req', '-in', file('csr'), '-out', file('crt'), '-extfile', file('ext')],
    ...['-CA', join(pki, 'ca.crt'), '-CAkey', join(pki, 'ca.key'), '-CAcreateserial'],
    ...['-days', DAYS],
  );
}

function kubeconfig(pki: string, name: string, server: string): string {
  const cluster = { server, 'certificate-authority': join(pki, 'ca.crt') };
  const user = {
    'client-certificate': join(pki, `${name}.crt`),
    'client-key': join(pki, `${name}.key`),
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster }],
    users: [{ name, user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: name } }],
    'current-context': 'test',
  });
}

function openssl(...words: string[]): void {
  const { status, stderr } = spawnSync('openssl', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${words.join(' ')}: ${stderr}`);
}
