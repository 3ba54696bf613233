import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { checkJson, checkOctets } from './otlp-schema.js';

/** A span as a collector finds it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly string[];
}

/** What is read of a request; all of it is checked against the published schema. */
const SCHEMA = `
syntax = "proto3";
message Request { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message Span {
  bytes trace_id = 1;
  bytes span_id = 2;
  bytes parent_span_id = 4;
  string name = 5;
  fixed64 start_time_unix_nano = 7;
  fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9;
  repeated Link links = 13;
}
message Link { bytes trace_id = 1; bytes span_id = 2; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; int64 int_value = 3; double double_value = 4; } }
`;

interface JsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly {
    readonly key: string;
    readonly value: {
      readonly stringValue?: string;
      readonly intValue?: string | number;
      readonly doubleValue?: number;
    };
  }[];
  readonly links?: readonly { readonly spanId: string }[];
}

interface JsonRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly JsonSpan[] }[];
  }[];
}

/** Something that takes spans like a collector does. */
export interface Receiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  /** Their names. */
  readonly metrics: string[];
  close(): void;
}

export async function httpReceiver(): Promise<Receiver> {
  const spans: ReceivedSpan[] = [];
  const metrics: string[] = [];
  const server = createServer((request, response) => {
    const octets: Buffer[] = [];
    request.on('data', (piece: Buffer) => octets.push(piece));
    request.on('end', () => {
      const message: unknown = JSON.parse(Buffer.concat(octets).toString());
      if (request.url === '/v1/metrics') {
        checkJson(message, 'ExportMetricsServiceRequest');
        metrics.push(...namesOfMetrics(message as JsonMetrics));
      } else if (request.url === '/v1/traces') {
        checkJson(message, 'ExportTraceServiceRequest');
        take(spans, message as JsonRequest);
      } else throw new Error(`posted to ${request.url ?? ''}`);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans, metrics, close: () => server.close() };
}

interface JsonMetrics {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
}

function namesOfMetrics({ resourceMetrics }: JsonMetrics): string[] {
  const scopes = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics);
  return scopes.flatMap(({ metrics }) => metrics.map(({ name }) => name));
}

export async function grpcReceiver(): Promise<Receiver> {
  const spans: ReceivedSpan[] = [];
  const request = protobuf.parse(SCHEMA).root.lookupType('Request');
  const server = new Server();
  const service = (path: string, heard: (octets: Buffer) => void): void => {
    const method = {
      path: `/opentelemetry.proto.collector.${path}/Export`,
      requestStream: false,
      responseStream: false,
      requestSerialize: (octets: Buffer) => octets,
      requestDeserialize: (octets: Buffer) => octets,
      responseSerialize: (octets: Buffer) => octets,
      responseDeserialize: (octets: Buffer) => octets,
    };
    server.addService(
      { export: method },
      {
        export: (call: { request: Buffer }, reply: (error: null, octets: Buffer) => void) => {
          heard(call.request);
          reply(null, Buffer.alloc(0));
        },
      },
    );
  };
  const metrics: string[] = [];
  service('trace.v1.TraceService', (octets) => {
    checkOctets(octets, 'ExportTraceServiceRequest');
    const message = request.toObject(request.decode(octets), { longs: String, bytes: Buffer });
    take(spans, hexInPlaceOfOctets(message) as JsonRequest);
  });
  service('metrics.v1.MetricsService', (octets) => {
    checkOctets(octets, 'ExportMetricsServiceRequest');
    metrics.push('figures');
  });
  const credentials = ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return {
    url: `grpc://127.0.0.1:${port}`,
    spans,
    metrics,
    close: () => {
      server.forceShutdown();
    },
  };
}

function take(spans: ReceivedSpan[], { resourceSpans }: JsonRequest): void {
  for (const span of resourceSpans.flatMap((r) => r.scopeSpans.flatMap((s) => s.spans))) {
    const attributes = (span.attributes ?? []).map(({ key, value }) => {
      const { stringValue, intValue, doubleValue } = value;
      return [key, stringValue ?? Number(intValue ?? doubleValue)] as const;
    });
    spans.push({
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId ?? '',
      name: span.name,
      start: BigInt(span.startTimeUnixNano),
      end: BigInt(span.endTimeUnixNano),
      attributes: Object.fromEntries(attributes),
      links: (span.links ?? []).map(({ spanId }) => spanId),
    });
  }
}

function hexInPlaceOfOctets(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString('hex');
  if (Array.isArray(value)) return value.map(hexInPlaceOfOctets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, hexInPlaceOfOctets(v)]));
}
