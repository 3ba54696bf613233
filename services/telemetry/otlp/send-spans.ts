import type { Context, Tracer } from '@opentelemetry/api';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as traceApi,
  TraceFlags,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import type { OtlpEndpoint } from './endpoint.js';
import type { PlannedSpan, SpanRole } from './planned-span.js';
import type { SpanClock } from './span-clock.js';
import { shownTime } from './span-clock.js';

/** Origin of the spans. */
interface SpanOrigin {
  readonly scenario: string;
  readonly digest: string;
  readonly version: string;
  /** The namespace of its services: one for each device. */
  readonly run: string;
  readonly clock: SpanClock;
}

/** Outcome of an export; the reason is that of the first batch that was refused. */
interface Delivery {
  readonly sent: number;
  readonly lost: number;
  readonly reason: string | null;
}

const BATCH = 500;
/** An unreachable collector is not waited for any longer, whatever is left to send. */
const PATIENCE_MS = 3000;

/** Sends spans, batch after batch; a batch that is refused is the last. It never throws. */
export async function sendSpans(
  endpoint: OtlpEndpoint,
  origin: SpanOrigin,
  planned: readonly PlannedSpan[],
): Promise<Delivery> {
  const exporter = await exporterFor(endpoint);
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

async function exporterFor({ protocol, url }: OtlpEndpoint): Promise<SpanExporter> {
  const { OTLPTraceExporter: Exporter } = await (protocol === 'grpc'
    ? import('@opentelemetry/exporter-trace-otlp-grpc')
    : import('@opentelemetry/exporter-trace-otlp-http'));
  return new Exporter({ url, timeoutMillis: PATIENCE_MS });
}

/** Null if the spans were accepted, else why they were not. */
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

const KINDS: Readonly<Record<SpanRole, SpanKind>> = {
  internal: SpanKind.INTERNAL,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/** Creates spans of the SDK with given identifiers and times. */
class SpanMaker {
  private readonly made: ReadableSpan[] = [];
  private readonly next = { trace: '', id: '' };
  /** By device: what its spans are made by. */
  private readonly tracers = new Map<string, Tracer>();

  constructor(private readonly origin: SpanOrigin) {}

  make(planned: readonly PlannedSpan[]): ReadableSpan[] {
    const { clock } = this.origin;
    for (const { trace, id, parent, device, name, role, error, ...rest } of planned) {
      const { startPs, endPs, attributes, links } = rest;
      Object.assign(this.next, { trace, id });
      const span = this.tracerOf(device).startSpan(
        name,
        {
          kind: KINDS[role],
          startTime: shownTime(clock, startPs),
          attributes: error === null ? attributes : { ...attributes, 'error.type': error },
          links: links.map((link) => ({ context: contextOf(link.trace, link.id) })),
        },
        parent === null ? ROOT_CONTEXT : below(trace, parent),
      );
      if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end(shownTime(clock, endPs));
    }
    return this.made.splice(0);
  }

  private tracerOf(device: string): Tracer {
    let tracer = this.tracers.get(device);
    if (tracer === undefined) {
      tracer = this.providerOf(device).getTracer('selvage');
      this.tracers.set(device, tracer);
    }
    return tracer;
  }

  private providerOf(device: string): BasicTracerProvider {
    const { made, next, origin } = this;
    const { scenario, digest, version, run, clock } = origin;
    const collect: SpanProcessor = {
      onStart: () => undefined,
      onEnd: (span) => {
        made.push(span);
      },
      forceFlush: () => Promise.resolve(),
      shutdown: () => Promise.resolve(),
    };
    return new BasicTracerProvider({
      resource: resourceFromAttributes({
        // Viewers list services by this alone: those of another run are others.
        'service.name': `${device}@${run}`,
        'service.namespace': run,
        'service.instance.id': `${run}/${device}`,
        'service.version': version,
        'host.name': device,
        'selvage.scenario': scenario,
        'selvage.digest': digest,
        'selvage.time_scale': clock.scale,
      }),
      idGenerator: { generateTraceId: () => next.trace, generateSpanId: () => next.id },
      spanLimits: { attributeCountLimit: 32, linkCountLimit: 8 },
      spanProcessors: [collect],
    });
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
