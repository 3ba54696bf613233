/** What services use of OpenTelemetry; bundles carry no more of it. */
import * as grpcMetrics from '@opentelemetry/exporter-metrics-otlp-grpc';
import * as httpMetrics from '@opentelemetry/exporter-metrics-otlp-http';
import * as grpcTraces from '@opentelemetry/exporter-trace-otlp-grpc';
import * as httpTraces from '@opentelemetry/exporter-trace-otlp-http';

export { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
export { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
export { resourceFromAttributes } from '@opentelemetry/resources';
export { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
export { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';

export const GrpcMetricExporter = grpcMetrics.OTLPMetricExporter;
export const HttpMetricExporter = httpMetrics.OTLPMetricExporter;
export const GrpcTraceExporter = grpcTraces.OTLPTraceExporter;
export const HttpTraceExporter = httpTraces.OTLPTraceExporter;
