import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../services/cli/fleet/free-port.js';
import { ROOT } from './emulate.js';
import type { ReceivedSpan } from './otlp-receiver.js';

/** Where test/needs.mjs puts it. */
const JAR = join(ROOT, 'node_modules/.cache/zipkin/zipkin-server.jar');
const POLL_MS = 200;
const POLLS = 600;
/** Kinds that Zipkin knows, as OTLP numbers them; an internal span has none. */
const KINDS: Readonly<Record<number, string>> = {
  2: 'SERVER',
  3: 'CLIENT',
  4: 'PRODUCER',
  5: 'CONSUMER',
};
const ERROR = 2;

/** Why Zipkin cannot be started here; false where it can. */
export const noZipkin = ((): string | false => {
  if (spawnSync('java', ['-version'], { stdio: 'ignore' }).error) return 'java is not installed';
  return existsSync(JAR) ? false : 'no Zipkin: node test/needs.mjs fetches it, where Maven can';
})();

/** A span as Zipkin gives it. */
export interface ZipkinSpan {
  readonly traceId: string;
  readonly id: string;
  readonly parentId?: string;
  readonly name: string;
  readonly timestamp: number;
  readonly duration: number;
  readonly localEndpoint: { readonly serviceName: string };
  readonly tags?: Readonly<Record<string, string>>;
}

/** A trace viewer that others have made, with its page and its API. */
export class Zipkin {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(): Promise<Zipkin> {
    const port = await freePort();
    const env = { ...process.env, QUERY_PORT: String(port), STORAGE_TYPE: 'mem' };
    const words = ['-Xmx384m', '-XX:TieredStopAtLevel=1', '-jar', JAR];
    const child = spawn('java', words, { stdio: 'ignore', env });
    const zipkin = new Zipkin(child, `http://127.0.0.1:${port}`);
    for (let left = POLLS; left > 0 && child.exitCode === null; left--) {
      const reply = await fetch(`${zipkin.url}/health`).catch(() => null);
      if (reply?.ok === true) return zipkin;
      await setTimeout(POLL_MS);
    }
    await zipkin.stop();
    throw new Error('Zipkin does not start');
  }

  /** Hands on what a collector received, as OpenTelemetry maps spans to Zipkin's, until it is found. */
  async take(spans: readonly ReceivedSpan[]): Promise<void> {
    const body = JSON.stringify(spans.map(zipkinSpan));
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${this.url}/api/v2/spans`, { method: 'POST', headers, body });
    if (reply.status !== 202) throw new Error(`Zipkin: ${reply.status} ${await reply.text()}`);
    // It stores spans after it has answered, those of a request in their order.
    const last = spans.at(-1)!;
    for (let left = POLLS; left > 0; left--) {
      const found = await fetch(`${this.url}/api/v2/trace/${last.traceId}`);
      const stored = found.ok ? ((await found.json()) as ZipkinSpan[]) : [];
      if (stored.some(({ id }) => id === last.spanId)) return;
      await setTimeout(POLL_MS);
    }
    throw new Error('Zipkin does not store what it has taken');
  }

  async services(): Promise<string[]> {
    return (await (await fetch(`${this.url}/api/v2/services`)).json()) as string[];
  }

  /** Traces in which the service has a span with all these tags. */
  async traces(service: string, tags: Readonly<Record<string, string>>): Promise<ZipkinSpan[][]> {
    const query = new URLSearchParams({ serviceName: service, limit: '200' });
    const wanted = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
    query.set('annotationQuery', wanted.join(' and '));
    const reply = await fetch(`${this.url}/api/v2/traces?${query.toString()}`);
    return (await reply.json()) as ZipkinSpan[][];
  }

  async stop(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const over = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await over;
  }
}

function zipkinSpan(span: ReceivedSpan): object {
  const { traceId, spanId, parentSpanId, name, start, end, attributes, service, namespace } = span;
  const kind = KINDS[span.kind];
  const tags = Object.fromEntries(Object.entries(attributes).map(([k, v]) => [k, String(v)]));
  return {
    ...{ traceId, id: spanId, name, timestamp: Number(start / 1000n) },
    ...(parentSpanId === '' ? {} : { parentId: parentSpanId }),
    ...(kind === undefined ? {} : { kind }),
    duration: Math.max(1, Number((end - start) / 1000n)),
    localEndpoint: { serviceName: service },
    tags: {
      ...{ ...tags, 'service.namespace': namespace },
      ...(span.status === ERROR ? { error: 'true' } : {}),
    },
  };
}
