import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import type { Duplex } from 'node:stream';
import { join } from 'node:path';
import type { Manifest, PodSpec } from './manifests.js';
import type { Running } from './pods.js';
import { Pods } from './pods.js';

/** Paths of the objects of a run in the API. */
const GROUPS: Readonly<Record<string, readonly (readonly [string, string, boolean])[]>> = {
  '/api/v1': [
    ['Namespace', 'namespaces', false],
    ['ConfigMap', 'configmaps', true],
    ['Secret', 'secrets', true],
    ['Service', 'services', true],
    ['ServiceAccount', 'serviceaccounts', true],
    ['PersistentVolumeClaim', 'persistentvolumeclaims', true],
    ['Pod', 'pods', true],
  ],
  '/apis/apps/v1': [['StatefulSet', 'statefulsets', true]],
  '/apis/rbac.authorization.k8s.io/v1': [
    ['Role', 'roles', true],
    ['RoleBinding', 'rolebindings', true],
  ],
  '/apis/batch/v1': [['Job', 'jobs', true]],
  '/apis/policy/v1': [['PodDisruptionBudget', 'poddisruptionbudgets', true]],
  '/apis/networking.k8s.io/v1': [['NetworkPolicy', 'networkpolicies', true]],
};

const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';

const COLLECTIONS = new Set([
  ...Object.values(GROUPS).flatMap((resources) => resources.map(([, name]) => name)),
  'events',
]);

/** How this cluster differs from one where all goes well. */
export interface ClusterTraits {
  readonly minor?: string;
  /** `verb resource` of what is not allowed. */
  readonly denied?: readonly string[];
  /** Paths of which nothing may be read. */
  readonly forbidden?: readonly string[];
  readonly image?: string;
  /** Part of a sweep whose pod is killed for memory. */
  readonly lostPart?: number;
  /** Part of a sweep whose pod does not end until its Job has been suspended. */
  readonly heldPart?: number;
  /** A pod whose node is lost. */
  readonly lost?: string;
  /** As many connections to a copying pod are lost. */
  readonly lostCopies?: number;
  /** Every third answer is lost on its way. */
  readonly isUnreliable?: boolean;
  /** The namespace exists before the run, with a quota. */
  readonly quota?: Readonly<Record<string, string>>;
  /** LimitRanges of that namespace. */
  readonly limits?: readonly object[];
}

type Labels = Readonly<Record<string, string>>;

const RUN_LABEL = 'app.kubernetes.io/instance';

interface Listed {
  readonly metadata: { readonly name: string; readonly labels?: Labels };
}

/** Objects by name, in JSON. */
type Known = ReadonlyMap<string, string>;

/** How often a watch looks for what has changed. */
const WATCH_MS = 20;

interface PodObject {
  readonly metadata: {
    readonly name: string;
    readonly labels: Labels;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: PodSpec;
  status: object;
}

type Stored = Record<string, unknown> & { spec: Manifest['spec'] & PodSpec };

/**
 * Enough of an API server and its controllers for one run: objects are kept, Jobs and pods become
 * processes of this machine. A proxy device, written from the API's documentation: it proves our
 * side.
 */
export class ApiServer {
  readonly objects = new Map<string, Stored>();
  readonly seen: string[] = [];
  /** Pods whose processes were begun. */
  readonly started: string[] = [];
  /** Lists of objects that were asked for, and watches. */
  readonly calls: string[] = [];
  private version = 0;
  /** What each list and each event of a watch left known, by its version. */
  private readonly known = new Map<string, Known>();
  private wasSuspended = false;
  private answers = 0;
  private copies = 0;
  private readonly pods = new Map<string, PodObject>();
  /** Of each run: a broker, and an address of its coordinator. */
  private readonly machines = new Map<string, Pods>();
  private readonly logs = new Map<string, Running>();
  private readonly server = createServer((request, response) => {
    void this.answer(request, response);
  });

  private constructor(
    readonly folder: string,
    private readonly traits: ClusterTraits,
  ) {
    if (traits.quota !== undefined) this.objects.set('/api/v1/namespaces/selvage', {} as Stored);
    this.server.on('upgrade', (request, socket) => {
      if (request.url!.includes('/portforward')) this.forward(request, socket);
      else this.copyOut(request, socket);
    });
  }

  static async open(traits: ClusterTraits = {}): Promise<ApiServer> {
    const api = new ApiServer(mkdtempSync(join(tmpdir(), 'selvage-api-')), traits);
    await new Promise<void>((resolve) => api.server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  /** A file for KUBECONFIG. */
  config(namespace?: string): string {
    const { port } = this.server.address() as AddressInfo;
    const file = join(this.folder, 'config');
    const server = `http://127.0.0.1:${port}`;
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'double', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'nobody', user: {} }],
      contexts: [{ name: 'here', context: { cluster: 'double', user: 'nobody', namespace } }],
      'current-context': 'here',
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  }

  /** Objects that were made for a run. */
  made(run: string): Manifest[] {
    return [...this.objects.values()].filter(
      (object) =>
        (object['metadata'] as { labels?: Labels } | undefined)?.labels?.[RUN_LABEL] === run,
    ) as unknown as Manifest[];
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
    for (const pods of this.machines.values()) pods.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString();
    await this.prepare(text);
    const url = new URL(request.url!, 'http://api');
    if (url.searchParams.get('watch') === 'true') {
      this.watch(url, response);
      return;
    }
    const [code, body] = this.respond(request.method!, url, text);
    if (this.traits.isUnreliable === true && ++this.answers % 3 === 0) {
      request.socket.destroy();
      return;
    }
    const isText = typeof body === 'string';
    response.writeHead(code, { 'content-type': isText ? 'text/plain' : 'application/json' });
    response.end(isText ? body : JSON.stringify(body));
  }

  /** Ports of a run are found before its first object is made. */
  private async prepare(text: string): Promise<void> {
    const run = /"app.kubernetes.io\/instance":"([a-z0-9-]+)"/.exec(text)?.[1];
    if (run === undefined || this.machines.has(run)) return;
    const pods = await Pods.withoutBroker(run);
    if (this.machines.has(run)) pods.close();
    else this.machines.set(run, pods);
  }

  private machinesOf(labels: Labels): Pods {
    return this.machines.get(labels[RUN_LABEL]!)!;
  }

  private respond(method: string, url: URL, text: string): [number, object | string] {
    const path = url.pathname;
    if (path === '/version') return [200, { major: '1', minor: this.traits.minor ?? '34' }];
    if (path in GROUPS) return [200, resourceList(path)];
    const body = JSON.parse(text === '' ? '{}' : text) as Stored;
    if (path.endsWith('/selfsubjectaccessreviews')) return [201, this.review(body)];
    if (path.endsWith('/resourcequotas')) return [200, { items: this.quotas() }];
    if (this.traits.forbidden?.includes(path) === true) return [403, { message: 'forbidden' }];
    if (path.endsWith('/limitranges')) return [200, { items: this.traits.limits ?? [] }];
    if (path === '/api/v1/nodes') return [403, { message: 'nodes is forbidden' }];
    if (path.endsWith('/log')) return this.logOf(path.split('/').at(-2)!);
    if (method === 'POST') return this.create(path, url, body);
    if (method === 'GET' && COLLECTIONS.has(path.split('/').at(-1)!)) {
      return [200, this.listed(url)];
    }
    const found = this.objects.get(path);
    if (found === undefined) return [404, { message: `${path} not found` }];
    if (method === 'DELETE') this.remove(path);
    if (method === 'PATCH') this.patch(path, found, body);
    return [200, found];
  }

  private logOf(pod: string): [number, object | string] {
    if (pod === this.traits.lost) return [500, { message: 'dial tcp: connection refused' }];
    return [200, this.logs.get(pod)?.output ?? ''];
  }

  private listed(url: URL): object {
    this.calls.push(`list ${url.pathname}`);
    const items = this.selected(url);
    const resourceVersion = `${++this.version}`;
    this.known.set(resourceVersion, knownOf(items));
    return { metadata: { resourceVersion }, items };
  }

  private selected(url: URL): Listed[] {
    return (this.list(url.pathname) as Listed[]).filter((one) => isSelected(one, url));
  }

  /** What has become of objects since a version. */
  private watch(url: URL, response: ServerResponse): void {
    this.calls.push(`watch ${url.pathname}`);
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    const known = new Map(this.known.get(url.searchParams.get('resourceVersion')!));
    const tell = (type: string, object: Listed): void => {
      const resourceVersion = `${++this.version}`;
      this.known.set(resourceVersion, new Map(known));
      const metadata = { ...object.metadata, resourceVersion };
      response.write(`${JSON.stringify({ type, object: { ...object, metadata } })}\n`);
    };
    const timer = setInterval(() => {
      const items = new Map(this.selected(url).map((one) => [one.metadata.name, one]));
      for (const [name, object] of items) {
        const text = JSON.stringify(object);
        const before = known.get(name);
        if (before === text) continue;
        known.set(name, text);
        tell(before === undefined ? 'ADDED' : 'MODIFIED', object);
      }
      for (const [name, text] of known) {
        if (items.has(name)) continue;
        known.delete(name);
        tell('DELETED', JSON.parse(text) as Listed);
      }
    }, WATCH_MS);
    response.on('close', () => {
      clearInterval(timer);
    });
    if (this.traits.isUnreliable === true && ++this.answers % 3 === 0) response.destroy();
  }

  private list(path: string): object[] {
    if (path.endsWith('/pods')) return [...this.pods.values()];
    // Of all namespaces, if the path names none.
    const within = `${path.replace(/^.*v1\/(?=[a-z]+$)/, '/')}/`;
    return [...this.objects].flatMap(([own, object]) => (own.includes(within) ? [object] : []));
  }

  /** A Job that is no longer suspended starts its pods. */
  private patch(path: string, found: Stored, { spec }: Stored): void {
    const isResumed = found.spec['suspend'] === true && spec['suspend'] === false;
    Object.assign(found.spec, spec);
    const name = path.split('/').at(-1)!;
    if (isResumed) this.startJob(name, found);
    if (found['kind'] === 'Job' && spec['suspend'] === true) this.suspend(name);
    if (found['kind'] !== 'StatefulSet') return;
    if (found.spec['replicas'] === 0) this.pods.delete(`${name}-0`);
    if (found.spec['replicas'] === 0 || this.pods.has(`${name}-0`)) return;
    const { spec: pod, metadata } = found.spec.template!;
    const machines = this.machinesOf(metadata.labels);
    const configuration = pod.containers[0]!.args.filter((word) => word.startsWith('--config='));
    machines.startBroker(...configuration.map((word) => this.here(word, machines)));
    this.startPod(`${name}-0`, metadata.labels, found.spec);
  }

  /** Its pods that have not ended go. */
  private suspend(job: string): void {
    this.wasSuspended = true;
    for (const [name, { status }] of this.pods) {
      const { phase } = status as { phase: string };
      if (name.startsWith(`${job}-`) && phase === 'Running') this.pods.delete(name);
    }
  }

  private review(body: Stored): object {
    const { verb, resource } = (
      body.spec as unknown as { resourceAttributes: Record<string, string> }
    ).resourceAttributes;
    const isDenied = this.traits.denied?.includes(`${verb} ${resource}`) === true;
    return { spec: body.spec, status: { allowed: !isDenied } };
  }

  private quotas(): object[] {
    const { quota } = this.traits;
    return quota === undefined ? [] : [{ status: { hard: quota, used: {} } }];
  }

  private create(path: string, url: URL, body: Stored): [number, object] {
    const { name } = body['metadata'] as { name: string };
    const own = `${path}/${name}`;
    if (this.objects.has(own)) return [409, { message: `${own} exists already` }];
    if (url.searchParams.get('dryRun') === 'All') return [201, body];
    const creationTimestamp = '2026-01-01T00:00:00Z';
    Object.assign(body['metadata'] as object, { uid: `uid-${name}`, creationTimestamp });
    const texts = Object.entries((body['stringData'] ?? {}) as Record<string, string>);
    const encoded = texts.map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
    if (texts.length > 0) body['data'] = Object.fromEntries(encoded) as unknown;
    this.objects.set(own, body);
    this.seen.push(`${body['kind'] as string} ${name}`);
    const { labels } = body['metadata'] as { labels: Labels };
    if (body['kind'] === 'Pod') this.startPod(name, labels, body.spec);
    return [201, body];
  }

  /** A namespace takes all that is in it along, and a workload its pods. */
  private remove(path: string): void {
    const [, namespace] = /^\/api\/v1(\/namespaces\/[^/]+)$/.exec(path) ?? [];
    for (const one of [...this.objects.keys()]) {
      const isInside = namespace !== undefined && one.includes(`${namespace}/`);
      if (one === path || isInside) this.objects.delete(one);
    }
    const name = path.split('/').at(-1)!;
    const isWorkload = /\/(jobs|statefulsets)\/[^/]+$/.test(path);
    for (const pod of [...this.pods.keys()]) {
      if (pod === name || (isWorkload && pod.startsWith(`${name}-`))) this.pods.delete(pod);
    }
  }

  /** A pod that waits until its files have been copied. */
  private startPod(name: string, labels: Labels, spec: PodSpec): void {
    const status = { phase: 'Running' };
    this.pods.set(name, { metadata: { name, labels }, spec, status });
  }

  private startJob(name: string, job: Stored): void {
    const { spec, metadata } = job.spec.template!;
    const { labels } = metadata;
    const { image } = spec.containers[0]!;
    const count = Number(job.spec['completions'] ?? 1);
    const hasEnded = (index: number): boolean => {
      const { phase } = (this.pods.get(`${name}-${index}`)?.status ?? {}) as { phase?: string };
      return phase === 'Succeeded';
    };
    const left = Array.from({ length: count }, (_, index) => index).filter((i) => !hasEnded(i));
    const codes: number[] = Array.from({ length: count - left.length }, () => 0);
    for (const index of left) {
      const pod: PodObject = {
        metadata: {
          name: `${name}-${index}`,
          labels,
          annotations: { [COMPLETION_INDEX]: `${index}` },
        },
        spec,
        status: { phase: 'Running' },
      };
      this.pods.set(pod.metadata.name, pod);
      if (this.traits.image !== undefined && image !== this.traits.image) {
        const waiting = { reason: 'ImagePullBackOff', message: `no such image: ${image}` };
        pod.status = { phase: 'Pending', containerStatuses: [{ state: { waiting } }] };
        continue;
      }
      const isPart = (part: number | undefined): boolean =>
        part === index && labels['selvage'] === 'points';
      if (isPart(this.traits.heldPart) && !this.wasSuspended) continue;
      this.started.push(pod.metadata.name);
      const message = join(this.folder, `${pod.metadata.name}.message`);
      const running = this.startContainer(spec, this.machinesOf(labels), index, message);
      this.logs.set(pod.metadata.name, running);
      void running.ended.then(({ code }) => {
        const text = existsSync(message) ? readFileSync(message, 'utf8') : '';
        const isKilled = isPart(this.traits.lostPart);
        const terminated = isKilled
          ? { exitCode: 137, reason: 'OOMKilled' }
          : { exitCode: code ?? 137, message: text };
        const phase = terminated.exitCode === 0 ? 'Succeeded' : 'Failed';
        pod.status = { phase, containerStatuses: [{ state: { terminated } }] };
        codes.push(terminated.exitCode);
        const type = codes.every((one) => one === 0) ? 'Complete' : 'Failed';
        const conditions = [{ type, status: 'True', reason: 'PodFailurePolicy' }];
        const isAlone = labels['selvage'] !== 'points';
        if (codes.length === count || (isAlone && type === 'Failed')) {
          job['status'] = { conditions };
        }
      });
    }
  }

  private startContainer(
    { containers }: PodSpec,
    machines: Pods,
    index: number,
    message: string,
  ): Running {
    const { args, env } = containers[0]!;
    const named = env.flatMap(({ name, value }) =>
      value === undefined ? [] : [[name, this.here(value, machines)]],
    );
    return machines.ofWords(
      args.map((word) => this.here(word, machines).replace('$(SELVAGE_POINT)', `${index}`)),
      {
        ...(Object.fromEntries(named) as Record<string, string>),
        SELVAGE_SERVICE: `${index}`,
        SELVAGE_HEALTH_PORT: '',
        SELVAGE_TERMINATION_LOG: message,
      },
    );
  }

  /** Addresses and mounts of a pod, as they are on this machine. */
  private here(word: string, { run, folder, nats, address }: Pods): string {
    return word
      .replace(/nats:\/\/[a-z0-9-]+-nats:4222/, nats)
      .replace(/(0\.0\.0\.0|[a-z0-9-]+-coordinator):7400/, address)
      .replace('/scenario/', () => `${this.mounted(`configmaps/${run}-scenario`)}/`)
      .replace('/tmp/hunted', () => join(folder, 'hunted'))
      .replace(/(?<=^|=)\/key\//, () => `${this.mounted(`secrets/${run}-key`)}/`)
      .replace(/(?<=^|=)\/tls\//, () => `${this.mounted(`secrets/${run}-tls`)}/`);
  }

  /** The files of a ConfigMap or a Secret. */
  private mounted(path: string): string {
    const folder = join(this.folder, path);
    if (existsSync(folder)) return folder;
    const { data, stringData } = this.objects.get(`/api/v1/namespaces/selvage/${path}`)!;
    const files = Object.entries((stringData ?? data) as Record<string, string>);
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of files) {
      writeFileSync(join(folder, name), text.replaceAll('/tls/', `${folder}/`));
    }
    return folder;
  }

  private podIn({ url }: IncomingMessage): PodObject {
    return this.pods.get(new URL(url!, 'http://api').pathname.split('/').at(-2)!)!;
  }

  /** A port of a pod over a web socket: channel 0, after the port's number. */
  private forward(request: IncomingMessage, socket: Duplex): void {
    accept(request, socket);
    const [host, port] = this.machinesOf(this.podIn(request).metadata.labels).address.split(':');
    const target = connect(Number(port), host);
    const number = Buffer.from([0, 0]);
    socket.write(Buffer.concat([webSocketFrame(0, number), webSocketFrame(1, number)]));
    target.on('data', (piece: Buffer) => socket.write(webSocketFrame(0, piece)));
    target.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('error', () => target.destroy()).on('close', () => target.destroy());
    let rest = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      rest = Buffer.concat([rest, piece]);
      for (let frame = maskedFrame(rest); frame !== null; frame = maskedFrame(rest)) {
        rest = rest.subarray(frame.length);
        if (frame.opcode === 2) target.write(frame.payload.subarray(1));
      }
    });
  }

  /** What `exec` says over a web socket: a channel in front, 1 for output and 3 for the end. */
  private copyOut(request: IncomingMessage, socket: Duplex): void {
    accept(request, socket);
    if (this.copies++ < (this.traits.lostCopies ?? 0)) {
      socket.destroy();
      return;
    }
    const { folder } = this.machinesOf(this.podIn(request).metadata.labels);
    const words = new URL(request.url!, 'http://api').searchParams.getAll('command');
    const [, ...args] = words.map((word) => word.replace('/work', folder));
    const child = spawn(words[0]!, args);
    child.stdout.on('data', (piece: Buffer) => socket.write(webSocketFrame(1, piece)));
    child.on('close', (code) => {
      const status = { status: code === 0 ? 'Success' : 'Failure', message: `code ${code}` };
      socket.write(webSocketFrame(3, Buffer.from(JSON.stringify(status))));
      socket.end(Buffer.from([0x88, 0]));
    });
  }
}

function resourceList(path: string): object {
  const groupVersion = path.replace(/^\/apis?\//, '');
  const resources = GROUPS[path]!.map(([kind, name, namespaced]) => ({ kind, name, namespaced }));
  return { kind: 'APIResourceList', groupVersion, resources };
}

function knownOf(items: readonly Listed[]): Known {
  return new Map(items.map((one) => [one.metadata.name, JSON.stringify(one)]));
}

/** By a label selector of equalities, and of keys that there are. */
function isSelected({ metadata: { labels = {} } }: Listed, { searchParams }: URL): boolean {
  const words = (searchParams.get('labelSelector') ?? '').split(',').filter(Boolean);
  return words.every((word) => {
    const [key, value] = word.split('=') as [string, string?];
    return value === undefined ? labels[key] !== undefined : labels[key] === value;
  });
}

function accept(request: IncomingMessage, socket: Duplex): void {
  const proof = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  const [protocol] = request.headers['sec-websocket-protocol']!.split(',');
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      `Sec-WebSocket-Accept: ${proof}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
  );
}

/** The first frame of a client, whose payload is masked (RFC 6455 5.2); null: not all of it yet. */
function maskedFrame(
  bytes: Buffer,
): { readonly opcode: number; readonly payload: Buffer; readonly length: number } | null {
  if (bytes.length < 6) return null;
  const short = bytes[1]! & 0x7f;
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0;
  if (bytes.length < 6 + extra) return null;
  const size =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? bytes.readUIntBE(4, 6) : short;
  const start = 6 + extra;
  if (bytes.length < start + size) return null;
  const mask = bytes.subarray(start - 4, start);
  const payload = Buffer.from(bytes.subarray(start, start + size));
  for (let at = 0; at < size; at++) payload[at]! ^= mask[at & 3]!;
  return { opcode: bytes[0]! & 0xf, payload, length: start + size };
}

/** One binary message, its length in eight octets. */
function webSocketFrame(channel: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(11);
  header[0] = 0x82;
  header[1] = 127;
  header.writeBigUInt64BE(BigInt(payload.length + 1), 2);
  header[10] = channel;
  return Buffer.concat([header, payload]);
}
