// What a small cluster needs beside its components, as one program: names of Services and of their
// pods (DNS, RFC 1035), volumes of the class `standard` in folders of the node, and the API server at
// the address that pods have for it.
//
//   node addons.js FOLDER ADDRESS API-SERVER

import { createSocket } from 'node:dgram';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { Api } from './api.js';

const [folder, address, server] = process.argv.slice(2) as [string, string, string];
const SERVICE = '10.96.0.1';
const POLL_MS = 500;
const TTL_S = 1;
const HEADER_OCTETS = 12;
const TYPE_A = 1;
const NOT_FOUND = 3;
/** Response, authoritative. */
const ANSWER_FLAGS = 0x8580;
/** To the name of the question. */
const POINTER = 0xc00c;

const api = new Api(folder, server);

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
}

interface Slice {
  readonly metadata: Metadata;
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly hostname?: string;
  }[];
}

interface Claim {
  readonly metadata: Metadata;
  readonly spec: {
    readonly storageClassName?: string;
    readonly accessModes: readonly string[];
    readonly resources: { readonly requests: { readonly storage: string } };
  };
  readonly status: { readonly phase: string };
}

interface Volume {
  readonly metadata: Metadata;
  readonly spec: { readonly hostPath?: { readonly path: string } };
  readonly status: { readonly phase?: string };
}

/** Addresses by name. */
let names = new Map<string, readonly string[]>();

/** Services have the addresses of their pods: no proxy is needed. */
async function readNames(): Promise<void> {
  const { items } = await api.call<{ items: Slice[] }>(
    'GET',
    '/apis/discovery.k8s.io/v1/endpointslices',
  );
  const found = new Map<string, string[]>();
  for (const { metadata, endpoints } of items) {
    const service = metadata.labels?.['kubernetes.io/service-name'];
    const base = `${service}.${metadata.namespace}.svc.cluster.local`;
    for (const { addresses, hostname } of endpoints ?? []) {
      for (const name of hostname === undefined ? [base] : [base, `${hostname}.${base}`]) {
        found.set(name, [...(found.get(name) ?? []), ...addresses]);
      }
    }
  }
  names = found;
}

async function provide(): Promise<void> {
  const claims = await api.call<{ items: Claim[] }>('GET', '/api/v1/persistentvolumeclaims');
  const volumes = await api.call<{ items: Volume[] }>('GET', '/api/v1/persistentvolumes');
  const known = new Set(volumes.items.map(({ metadata }) => metadata.name));
  for (const { metadata, spec, status } of claims.items) {
    const name = `pvc-${metadata.uid}`;
    const isOurs = status.phase === 'Pending' && spec.storageClassName === 'standard';
    if (!isOurs || known.has(name) || metadata.deletionTimestamp !== undefined) continue;
    const path = join(folder, 'volumes', name);
    mkdirSync(path, { recursive: true });
    // Whatever mask this process has: pods are not root.
    chmodSync(path, 0o777);
    const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...reference(metadata) };
    await api.call('POST', '/api/v1/persistentvolumes', {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        storageClassName: 'standard',
        capacity: { storage: spec.resources.requests.storage },
        accessModes: spec.accessModes,
        persistentVolumeReclaimPolicy: 'Delete',
        hostPath: { path },
        claimRef,
      },
    });
  }
  for (const { metadata, spec, status } of volumes.items) {
    if (status.phase !== 'Released' && status.phase !== 'Failed') continue;
    if (spec.hostPath !== undefined) rmSync(spec.hostPath.path, { recursive: true, force: true });
    await api.call('DELETE', `/api/v1/persistentvolumes/${metadata.name}`);
  }
}

function reference({ name, namespace, uid }: Metadata): object {
  return { name, namespace, uid };
}

function questionOf(query: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = HEADER_OCTETS;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 5 };
}

function answerTo(query: Buffer): Buffer {
  const { name, end } = questionOf(query);
  const found = names.get(name);
  const type = query.readUInt16BE(end - 4);
  const records = (type === TYPE_A ? (found ?? []) : []).map((one) => {
    const record = Buffer.alloc(16);
    record.writeUInt16BE(POINTER, 0);
    record.writeUInt16BE(TYPE_A, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(TTL_S, 6);
    record.writeUInt16BE(4, 10);
    record.set(one.split('.').map(Number), 12);
    return record;
  });
  const header = Buffer.alloc(HEADER_OCTETS);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(ANSWER_FLAGS | (found === undefined ? NOT_FOUND : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, query.subarray(HEADER_OCTETS, end), ...records]);
}

const socket = createSocket('udp4');
socket.on('message', (query, { port, address: from }) => {
  socket.send(answerTo(query), port, from);
});
socket.bind(53, address);
// The one Service that pods reach by its own address.
const { hostname, port } = new URL(server);
createServer((client) => {
  const target = connect(Number(port), hostname);
  client.pipe(target).pipe(client);
  client.on('error', () => target.destroy());
  target.on('error', () => client.destroy());
}).listen(443, SERVICE);
for (;;) {
  for (const act of [readNames, provide]) {
    await act().catch((error: unknown) => {
      console.error((error as Error).message);
    });
  }
  await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
