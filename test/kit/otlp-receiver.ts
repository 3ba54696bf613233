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
  /** Of its resource: the device, and the run. */
  /** Its device. */
  readonly service: string;
  readonly serviceName: string;
  readonly namespace: string;
  readonly timeScale: number;
  /** As the protocol numbers them. */
  readonly kind: number;
  readonly status: number;
}

/** A point of a metric as a collector finds it. */
export interface ReceivedFigure {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** What is read of a request; all of it is checked against the published schema. */
const SCHEMA = `
syntax = "proto3";
message Traces { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { repeated Span spans = 2; }
message Span {
  bytes trace_id = 1;
  bytes span_id = 2;
  bytes parent_span_id = 4;
  string name = 5;
  int32 kind = 6;
  fixed64 start_time_unix_nano = 7;
  fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9;
  repeated Link links = 13;
  Status status = 15;
}
message Status { string message = 2; int32 code = 3; }
message Link { bytes trace_id = 1; bytes span_id = 2; }
message Metrics { repeated ResourceMetrics resource_metrics = 1; }
message ResourceMetrics { repeated ScopeMetrics scope_metrics = 2; }
message ScopeMetrics { repeated Metric metrics = 2; }
message Metric { string name = 1; oneof data { Points gauge = 5; Points sum = 7; Histogram histogram = 9; } }
message Histogram { repeated HistogramPoint data_points = 1; }
message HistogramPoint { fixed64 count = 4; repeated KeyValue attributes = 9; }
message Points { repeated Point data_points = 1; }
message Point {
  oneof value { double as_double = 4; sfixed64 as_int = 6; }
  repeated KeyValue attributes = 7;
}
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue { oneof value { string string_value = 1; int64 int_value = 3; double double_value = 4; } }
`;

interface JsonAttribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: string | number;
    readonly doubleValue?: number;
  };
}

interface JsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly JsonAttribute[];
  readonly links?: readonly { readonly spanId: string }[];
  readonly kind?: number;
  readonly status?: { readonly code?: number };
}

interface JsonRequest {
  readonly resourceSpans: readonly {
    readonly resource?: { readonly attributes?: readonly JsonAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly JsonSpan[] }[];
  }[];
}

/** Something that takes spans like a collector does. */
export interface Receiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly metrics: ReceivedFigure[];
  close(): void;
}

export async function httpReceiver(): Promise<Receiver> {
  const spans: ReceivedSpan[] = [];
  const metrics: ReceivedFigure[] = [];
  const server = createServer((request, response) => {
    const octets: Buffer[] = [];
    request.on('data', (piece: Buffer) => octets.push(piece));
    request.on('end', () => {
      const message: unknown = JSON.parse(Buffer.concat(octets).toString());
      if (request.url === '/v1/metrics') {
        checkJson(message, 'ExportMetricsServiceRequest');
        takeFigures(metrics, message as JsonMetrics);
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

interface JsonPoints {
  readonly dataPoints: readonly {
    readonly attributes?: readonly JsonAttribute[];
    readonly asInt?: string | number;
    readonly asDouble?: number;
    /** Of a histogram: how many values it has. */
    readonly count?: string | number;
  }[];
}

interface JsonMetrics {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly {
        readonly name: string;
        readonly gauge?: JsonPoints;
        readonly sum?: JsonPoints;
        readonly histogram?: JsonPoints;
      }[];
    }[];
  }[];
}

export async function grpcReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const spans: ReceivedSpan[] = [];
  const metrics: ReceivedFigure[] = [];
  const schema = protobuf.parse(SCHEMA).root;
  const read = (octets: Buffer, type: string): unknown => {
    const message = schema.lookupType(type);
    const plain = message.toObject(message.decode(octets), { longs: String, bytes: Buffer });
    return hexInPlaceOfOctets(plain);
  };
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
  service('trace.v1.TraceService', (octets) => {
    checkOctets(octets, 'ExportTraceServiceRequest');
    take(spans, read(octets, 'Traces') as JsonRequest);
  });
  service('metrics.v1.MetricsService', (octets) => {
    checkOctets(octets, 'ExportMetricsServiceRequest');
    takeFigures(metrics, read(octets, 'Metrics') as JsonMetrics);
  });
  const credentials = ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${host}:0`, credentials, (error, bound) => {
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
  for (const { resource, scopeSpans } of resourceSpans) {
    const own = attributesOf(resource?.attributes);
    for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
      spans.push({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
        links: (span.links ?? []).map(({ spanId }) => spanId),
        service: String(own['host.name']),
        serviceName: String(own['service.name']),
        namespace: String(own['service.namespace']),
        timeScale: Number(own['selvage.time_scale']),
        kind: span.kind ?? 0,
        status: span.status?.code ?? 0,
      });
    }
  }
}

function takeFigures(metrics: ReceivedFigure[], { resourceMetrics }: JsonMetrics): void {
  const scopes = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics);
  for (const { name, gauge, sum, histogram } of scopes.flatMap(({ metrics }) => metrics)) {
    const points = (gauge ?? sum ?? histogram)?.dataPoints ?? [];
    for (const { attributes, asInt, asDouble, count } of points) {
      const value = Number(asInt ?? asDouble ?? count);
      metrics.push({ name, attributes: attributesOf(attributes), value });
    }
  }
}

function attributesOf(attributes: readonly JsonAttribute[] = []): Record<string, string | number> {
  const pairs = attributes.map(({ key, value }) => {
    const { stringValue, intValue, doubleValue } = value;
    return [key, stringValue ?? Number(intValue ?? doubleValue)] as const;
  });
  return Object.fromEntries(pairs);
}

function hexInPlaceOfOctets(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString('hex');
  if (Array.isArray(value)) return value.map(hexInPlaceOfOctets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, hexInPlaceOfOctets(v)]));
}
