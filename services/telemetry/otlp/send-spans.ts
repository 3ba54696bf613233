import type { Context } from '@opentelemetry/api';
import { ROOT_CONTEXT, trace as traceApi, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as HttpExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import type { PlannedSpan } from './planned-span.js';
import { virtualTime } from './planned-span.js';
import type { OtlpEndpoint } from './endpoint.js';

/** Where spans come from. */
export interface SpanOrigin {
  readonly scenario: string;
  readonly digest: string;
  readonly version: string;
}

/** What became of the spans; the reason is that of the first that were not taken. */
export interface Delivery {
  readonly sent: number;
  readonly lost: number;
  readonly reason: string | null;
}

const BATCH = 500;
/** A collector that is not there is not waited for any longer, whatever is left to send. */
const PATIENCE_MS = 3000;

/** Sends spans, batch after batch; a batch that is refused is the last. It never throws. */
export async function sendSpans(
  endpoint: OtlpEndpoint,
  origin: SpanOrigin,
  planned: readonly PlannedSpan[],
): Promise<Delivery> {
  const exporter = exporterFor(endpoint);
  const spans = new SpanMaker(origin);
  let sent = 0;
  let reason: string | null = null;
  for (; sent < planned.length && reason === null;) {
    const batch = planned.slice(sent, sent + BATCH);
    reason = await send(exporter, spans.make(batch));
    if (reason === null) sent += batch.length;
  }
  exporter.shutdown().catch(() => undefined);
  return { sent, lost: planned.length - sent, reason };
}

function exporterFor({ protocol, url }: OtlpEndpoint): SpanExporter {
  const settings = { url, timeoutMillis: PATIENCE_MS };
  return protocol === 'grpc' ? new GrpcExporter(settings) : new HttpExporter(settings);
}

/** Null if the spans were taken, else why they were not. */
function send(exporter: SpanExporter, spans: ReadableSpan[]): Promise<string | null> {
  return new Promise((resolve) => {
    const late = setTimeout(() => {
      resolve(`no answer in ${PATIENCE_MS / 1000} s`);
    }, PATIENCE_MS + 500);
    try {
      exporter.export(spans, ({ error }) => {
        clearTimeout(late);
        resolve(error === undefined ? null : error.message);
      });
    } catch (error) {
      clearTimeout(late);
      resolve((error as Error).message);
    }
  });
}

/** Makes spans of the SDK, with names and times that are ours. */
class SpanMaker {
  private readonly made: ReadableSpan[] = [];
  private readonly next = { trace: '', id: '' };
  private readonly provider: BasicTracerProvider;

  constructor({ scenario, digest, version }: SpanOrigin) {
    const { made, next } = this;
    const collect: SpanProcessor = {
      onStart: () => undefined,
      onEnd: (span) => {
        made.push(span);
      },
      forceFlush: () => Promise.resolve(),
      shutdown: () => Promise.resolve(),
    };
    this.provider = new BasicTracerProvider({
      resource: resourceFromAttributes({
        'service.name': 'selvage',
        'service.version': version,
        'selvage.scenario': scenario,
        'selvage.digest': digest,
      }),
      idGenerator: { generateTraceId: () => next.trace, generateSpanId: () => next.id },
      spanLimits: { attributeCountLimit: 32, linkCountLimit: 8 },
      spanProcessors: [collect],
    });
  }

  make(planned: readonly PlannedSpan[]): ReadableSpan[] {
    const tracer = this.provider.getTracer('selvage');
    for (const { trace, id, parent, name, startPs, endPs, attributes, links } of planned) {
      Object.assign(this.next, { trace, id });
      const span = tracer.startSpan(
        name,
        {
          startTime: virtualTime(startPs),
          attributes,
          links: links.map((link) => ({ context: contextOf(link.trace, link.id) })),
        },
        parent === null ? ROOT_CONTEXT : below(trace, parent),
      );
      span.end(virtualTime(endPs));
    }
    return this.made.splice(0);
  }
}

function below(traceId: string, spanId: string): Context {
  return traceApi.setSpanContext(ROOT_CONTEXT, contextOf(traceId, spanId));
}

function contextOf(
  traceId: string,
  spanId: string,
): {
  traceId: string;
  spanId: string;
  traceFlags: TraceFlags;
} {
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
}
