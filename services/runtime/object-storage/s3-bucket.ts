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
const OUT_OF_RANGE = 416;
const DENIED = [401, 403];

type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

/** What the storage answers. */
interface Answer {
  /** Of success, or ABSENT or EXISTS. */
  readonly status: number;
  readonly octets: Uint8Array;
  readonly headers: Headers;
}

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
    const condition = { 'if-none-match': '*' };
    const { status } = await this.send('PUT', this.urlOf(key), octets, condition);
    return status !== EXISTS;
  }

  /** Returns null if there is no object with this key. */
  async get(key: string): Promise<Uint8Array | null> {
    const { status, octets } = await this.send('GET', this.urlOf(key));
    return status === ABSENT ? null : octets;
  }

  /** Octets of an object from one of them on, at most so many; null: there is no such object. */
  async getPart(key: string, from: number, length: number): Promise<Uint8Array | null> {
    const range = { range: `bytes=${from}-${from + length - 1}` };
    const { status, octets } = await this.send('GET', this.urlOf(key), undefined, range);
    if (status === OUT_OF_RANGE) return new Uint8Array(0);
    return status === ABSENT ? null : octets;
  }

  /** Begins an object in parts, of which each but the last has 5 MiB or more; returns its id. */
  async beginParts(key: string): Promise<string> {
    const { octets } = await this.send('POST', `${this.urlOf(key)}?uploads=`);
    const [id] = textsOf(Buffer.from(octets).toString('utf8'), 'UploadId');
    if (id !== undefined) return id;
    throw new StoreError(`${this.address.endpoint.origin} begins no multipart upload`);
  }

  /** Returns the tag of a part, whose number is 1 or more. */
  async putPart(key: string, id: string, number: number, octets: Uint8Array): Promise<string> {
    const query = new URLSearchParams({ partNumber: `${number}`, uploadId: id });
    const url = `${this.urlOf(key)}?${query.toString()}`;
    return (await this.send('PUT', url, octets)).headers.get('etag') ?? '';
  }

  async endParts(key: string, id: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
    );
    const text = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
    const url = `${this.urlOf(key)}?${new URLSearchParams({ uploadId: id }).toString()}`;
    const { octets } = await this.send('POST', url, Buffer.from(text));
    // A failure after the first octets of the answer has the status of success.
    const [code] = textsOf(Buffer.from(octets).toString('utf8'), 'Code');
    if (code !== undefined) throw new StoreError(`${key}: ${code}`, false);
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
      const text = Buffer.from(page.octets).toString('utf8');
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

  /** Returns the answer of success, and that of an object that is absent or exists. */
  private async send(
    method: Method,
    url: string,
    body?: Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
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
      const octets = new Uint8Array(await response.arrayBuffer());
      const { status } = response;
      if (!response.ok) this.judge(status, Buffer.from(octets).toString('utf8'));
      return { status, octets, headers: response.headers };
    } catch (error) {
      throw error instanceof StoreError ? error : this.silence(error as Error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** A status that says what is there is an answer; any other is an error. */
  private judge(status: number, text: string): void {
    const { bucket, endpoint } = this.address;
    const [code = `status ${status}`] = textsOf(text, 'Code');
    const [message = ''] = textsOf(text, 'Message');
    if (status === EXISTS || status === OUT_OF_RANGE) return;
    if (status === ABSENT && code === 'NoSuchKey') return;
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
