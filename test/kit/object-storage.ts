import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { goProgram, whyNo } from './go-programs.js';

/** Credentials of every storage here; the variables that name one. */
export const ACCESS = { AWS_ACCESS_KEY_ID: 'selvage', AWS_SECRET_ACCESS_KEY: 'of/tests+only' };
export const BUCKET = 'runs';

/** Storage with an empty bucket. */
export interface ObjectStorage {
  /** Its address and credentials, for processes. */
  readonly env: Readonly<Record<string, string>>;
  stop(): void;
}

export const GATEWAY = goProgram('versitygw');
export const noGateway = whyNo('versitygw', GATEWAY);
const TRIES = 500;
const PAUSE_MS = 20;

/** Its arguments, for buckets that are folders of `data`. */
export function gatewayWords(address: string, data: string, metadata: string): string[] {
  const { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret } = ACCESS;
  const own = ['--access', access, '--secret', secret, '--port', address, '--quiet'];
  return [...own, 'posix', '--sidecar', metadata, data];
}

/** A storage server that others have made, over a folder. */
export class Gateway implements ObjectStorage {
  private constructor(
    readonly env: Readonly<Record<string, string>>,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** Objects lie below a folder. */
  static async start(above = tmpdir()): Promise<Gateway> {
    const port = await freePort();
    const folder = mkdtempSync(join(above, 'selvage-s3-'));
    const [data, metadata] = [join(folder, 'data'), join(folder, 'metadata')];
    for (const one of [join(data, BUCKET), metadata]) mkdirSync(one, { recursive: true });
    const words = gatewayWords(`127.0.0.1:${port}`, data, metadata);
    const child = spawn(GATEWAY!, words, { stdio: 'ignore' });
    const url = `http://127.0.0.1:${port}`;
    const gateway = new Gateway({ ...ACCESS, AWS_ENDPOINT_URL: url }, child, folder);
    for (let left = TRIES; left > 0 && child.exitCode === null; left--) {
      if ((await fetch(url).catch(() => null)) !== null) return gateway;
      await setTimeout(PAUSE_MS);
    }
    gateway.stop();
    throw new Error('versitygw does not start');
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  stop(): void {
    this.child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Storage in memory that verifies each signature by code of its own (AWS Signature Version 4, in
 * headers), and that can fail as real storage does.
 */
export class MemoryBucket implements ObjectStorage {
  readonly objects = new Map<string, Buffer>();
  private readonly parts = new Map<string, Buffer>();
  /** Statuses that the next requests get. */
  readonly failures: number[] = [];
  /** Requests wait for it. */
  gate: Promise<void> = Promise.resolve();
  /** Entries on a page of a list. */
  pageLength = 1000;
  ignoresConditions = false;
  /** Hosts of requests. */
  readonly hosts = new Set<string>();
  readonly env: Readonly<Record<string, string>>;

  private constructor(
    private readonly server: Server,
    private readonly token: string | undefined,
  ) {
    const { port } = server.address() as AddressInfo;
    this.env = {
      ...{ ...ACCESS, AWS_ENDPOINT_URL: `http://localhost:${port}` },
      ...(token !== undefined && { AWS_SESSION_TOKEN: token }),
    };
  }

  static async start(token?: string): Promise<MemoryBucket> {
    const server = createServer((request, response) => {
      void storage.answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const storage = new MemoryBucket(server, token);
    return storage;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    await this.gate;
    const url = new URL(request.url!, 'http://x');
    const host = request.headers.host!;
    this.hosts.add(host.replace(/:\d+$/, ''));
    const inHost = host.startsWith('localhost') ? '' : `/${host.slice(0, host.indexOf('.'))}`;
    const [, bucket, ...rest] = `${inHost}${url.pathname}`.split('/').map(decodeURIComponent);
    const fail = (status: number, code: string): void => {
      response.writeHead(status).end(`<Error><Code>${code}</Code><Message>m</Message></Error>`);
    };
    const failure = this.failures.shift();
    if (failure !== undefined) fail(failure, 'InternalError');
    else if (!isSigned(request, url, body)) fail(403, 'SignatureDoesNotMatch');
    else if (request.headers['x-amz-security-token'] !== this.token) fail(403, 'InvalidToken');
    else if (bucket !== BUCKET) fail(404, 'NoSuchBucket');
    else if (url.searchParams.has('list-type')) response.end(this.page(url.searchParams));
    else this.serve(request, rest.join('/'), body, response, fail);
  }

  private serve(
    request: IncomingMessage,
    key: string,
    body: Buffer,
    response: ServerResponse,
    fail: (status: number, code: string) => void,
  ): void {
    const { objects } = this;
    const isNew = request.headers['if-none-match'] === '*' && !this.ignoresConditions;
    const query = new URL(request.url!, 'http://x').searchParams;
    if (query.has('uploads') || query.has('uploadId')) {
      this.serveParts(key, query, body, response);
      return;
    }
    if (request.method === 'DELETE') objects.delete(key);
    if (request.method === 'DELETE') response.writeHead(204).end();
    else if (request.method === 'GET') {
      const found = objects.get(key);
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
      if (found === undefined) fail(404, 'NoSuchKey');
      else if (from === undefined) response.end(found);
      else if (Number(from) >= found.length) fail(416, 'InvalidRange');
      else response.writeHead(206).end(found.subarray(Number(from), Number(to) + 1));
    } else if (isNew && objects.has(key)) fail(412, 'PreconditionFailed');
    else {
      objects.set(key, body);
      response.end();
    }
  }

  /** An object in parts, which appears when all of them are there. */
  private serveParts(
    key: string,
    query: URLSearchParams,
    body: Buffer,
    response: ServerResponse,
  ): void {
    const number = query.get('partNumber');
    if (query.has('uploads')) response.end('<R><UploadId>1</UploadId></R>');
    else if (number !== null) {
      this.parts.set(`"${number}"`, body);
      response.writeHead(200, { etag: `"${number}"` }).end();
    } else {
      const tags = [...body.toString().matchAll(/<ETag>([^<]+)<\/ETag>/g)].map(([, tag]) => tag!);
      this.objects.set(key, Buffer.concat(tags.map((tag) => this.parts.get(tag)!)));
      response.end('<CompleteMultipartUploadResult/>');
    }
  }

  private page(query: URLSearchParams): string {
    const keys = [...this.objects.keys()].filter((key) =>
      key.startsWith(query.get('prefix') ?? ''),
    );
    const from = Number(query.get('continuation-token') ?? 0);
    const page = keys.sort().slice(from, from + this.pageLength);
    const next = from + page.length;
    const entries = page.map((key) => `<Contents><Key>${escaped(key)}</Key></Contents>`);
    const more = `<NextContinuationToken>${next}</NextContinuationToken>`;
    return `<ListBucketResult>${entries.join('')}${next < keys.length ? more : ''}</ListBucketResult>`;
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function isSigned(request: IncomingMessage, url: URL, body: Buffer): boolean {
  const { headers, method } = request;
  const given = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/;
  const [, credential = '', names = '', signature] = given.exec(headers.authorization ?? '') ?? [];
  const [access, day = '', region = '', service = '', end = ''] = credential.split('/');
  const payload = createHash('sha256').update(body).digest('hex');
  if (headers['x-amz-content-sha256'] !== payload) return false;
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const query = [...url.searchParams].map(([key, value]) => `${quoted(key)}=${quoted(value)}`);
  const path = decodeURIComponent(url.pathname).split('/').map(quoted).join('/');
  const canonical = [method, path, query.sort().join('&'), signed.join(''), names, payload];
  const digest = createHash('sha256').update(canonical.join('\n')).digest('hex');
  const scope = [day, region, service, end].join('/');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, digest].join('\n');
  let key: Buffer = Buffer.from(`AWS4${ACCESS.AWS_SECRET_ACCESS_KEY}`);
  for (const part of [day, region, service, end]) key = hmac(key, part);
  const needed = ['host', 'x-amz-content-sha256', 'x-amz-date'];
  if (headers['if-none-match'] !== undefined) needed.push('if-none-match');
  return (
    access === ACCESS.AWS_ACCESS_KEY_ID &&
    needed.every((name) => names.split(';').includes(name)) &&
    hmac(key, text).toString('hex') === signature
  );
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** All but what RFC 3986 calls unreserved. */
function quoted(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
