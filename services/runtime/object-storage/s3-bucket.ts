import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { StoreError } from '../checkpoints/store-error.js';
import type { S3Address } from './s3-address.js';

/** A request gets so long, and a second for each megabyte that it carries. */
const REQUEST_MS = 10_000;
const OCTETS_PER_MS = 1_000;

/** Statuses after which the same request may succeed. */
const TEMPORARY = [408, 409, 425, 429];
const ABSENT = 404;
const EXISTS = 412;
const DENIED = [401, 403];

type Method = 'GET' | 'PUT' | 'DELETE';

/**
 * Objects in S3-compatible storage, under the prefix of an address. Each operation is one attempt:
 * an error is final where another cannot help. All are idempotent.
 */
export class S3Bucket {
  private readonly client: AwsClient;
  private readonly base: string;

  constructor(private readonly address: S3Address) {
    const { endpoint, bucket, isPathStyle, region, sessionToken } = address;
    const { accessKeyId, secretAccessKey } = address;
    this.base = isPathStyle
      ? `${endpoint.origin}/${bucket}`
      : `${endpoint.protocol}//${bucket}.${endpoint.host}`;
    this.client = new AwsClient({
      ...{ accessKeyId, secretAccessKey, region },
      ...(sessionToken !== undefined && { sessionToken }),
      ...{ service: 's3', retries: 0 },
    });
  }

  async put(key: string, octets: Uint8Array): Promise<void> {
    await this.send('PUT', this.urlOf(key), octets);
  }

  /** Returns false if there is an object with this key already. */
  async create(key: string, octets: Uint8Array): Promise<boolean> {
    return (await this.send('PUT', this.urlOf(key), octets, { 'if-none-match': '*' })) !== EXISTS;
  }

  /** Returns null if there is no object with this key. */
  async get(key: string): Promise<Uint8Array | null> {
    const answer = await this.send('GET', this.urlOf(key));
    return typeof answer === 'number' ? null : answer;
  }

  /** Keys that begin with a text; without the prefix of the address. */
  async list(begin: string): Promise<string[]> {
    const { prefix } = this.address;
    const keys: string[] = [];
    let more: string | null = '';
    while (more !== null) {
      const query = new URLSearchParams({ 'list-type': '2', prefix: `${prefix}${begin}` });
      if (more !== '') query.set('continuation-token', more);
      const page = await this.send('GET', `${this.base}/?${query.toString()}`);
      const text = typeof page === 'number' ? '' : Buffer.from(page).toString('utf8');
      for (const key of textsOf(text, 'Key')) keys.push(key.slice(prefix.length));
      more = textsOf(text, 'NextContinuationToken')[0] ?? null;
    }
    return keys;
  }

  async remove(key: string): Promise<void> {
    await this.send('DELETE', this.urlOf(key));
  }

  private urlOf(key: string): string {
    const path = `${this.address.prefix}${key}`.split('/').map(encodeURIComponent);
    return `${this.base}/${path.join('/')}`;
  }

  /** Returns what the storage answers, or the status of an object that is absent or exists. */
  private async send(
    method: Method,
    url: string,
    body?: Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<Uint8Array | typeof ABSENT | typeof EXISTS> {
    const silent = new AbortController();
    const abort = (): void => {
      silent.abort(new Error('no answer'));
    };
    let timer = setTimeout(abort, REQUEST_MS + (body?.length ?? 0) / OCTETS_PER_MS);
    try {
      const hash = createHash('sha256')
        .update(body ?? '')
        .digest('hex');
      const response = await this.client.fetch(url, {
        method,
        headers: { ...headers, 'x-amz-content-sha256': hash },
        ...(body !== undefined && { body: Uint8Array.from(body) }),
        signal: silent.signal,
      });
      clearTimeout(timer);
      const length = Number(response.headers.get('content-length') ?? 0);
      timer = setTimeout(abort, REQUEST_MS + length / OCTETS_PER_MS);
      const answer = new Uint8Array(await response.arrayBuffer());
      if (response.ok) return answer;
      return this.judged(response.status, Buffer.from(answer).toString('utf8'));
    } catch (error) {
      throw error instanceof StoreError ? error : this.silence(error as Error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The status, if it says whether there is an object; any other is an error. */
  private judged(status: number, text: string): typeof ABSENT | typeof EXISTS {
    const { bucket, endpoint } = this.address;
    const [code = `status ${status}`] = textsOf(text, 'Code');
    const [message = ''] = textsOf(text, 'Message');
    if (status === EXISTS) return EXISTS;
    if (status === ABSENT && code === 'NoSuchKey') return ABSENT;
    const reason = message === '' ? code : `${code}: ${message}`;
    if (code === 'NoSuchBucket') {
      throw new StoreError(`${endpoint.origin} has no bucket ${bucket}: create it there`);
    }
    if (DENIED.includes(status)) {
      throw new StoreError(
        `${endpoint.origin} gives AWS_ACCESS_KEY_ID no rights to the bucket ${bucket} ` +
          `(${reason}): let it list, read, write and delete there`,
      );
    }
    const isFinal = status < 500 && !TEMPORARY.includes(status);
    throw new StoreError(`${endpoint.origin}, bucket ${bucket}: ${reason}`, isFinal);
  }

  private silence({ message, cause }: Error): StoreError {
    const reason = cause instanceof Error && cause.message !== '' ? cause.message : message;
    return new StoreError(`${this.address.endpoint.origin}: ${reason}`, false);
  }
}

/** Contents of the elements of a name, in a document without attributes or nesting in them. */
function textsOf(xml: string, element: string): string[] {
  const found = xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'));
  return [...found].map(([, text = '']) => text.replace(/&(#?\w+);/g, characterOf));
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" },
};

function characterOf(whole: string, name: string): string {
  const [, hexadecimal, decimal] = /^#(?:x([\da-f]+)|(\d+))$/i.exec(name) ?? [];
  if (hexadecimal !== undefined) return String.fromCodePoint(parseInt(hexadecimal, 16));
  return decimal === undefined ? (ENTITIES[name] ?? whole) : String.fromCodePoint(Number(decimal));
}
