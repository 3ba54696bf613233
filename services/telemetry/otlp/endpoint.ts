/** A collector, and its protocol. */
export interface OtlpEndpoint {
  readonly protocol: 'grpc' | 'http';
  /** As exporters use it. */
  readonly url: string;
}

/** `grpc://host:4317` (grpcs with TLS) or `http://host:4318`; null if it is neither. */
export function otlpEndpoint(text: string, signal: 'traces' | 'metrics'): OtlpEndpoint | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (url.hostname === '') return null;
  switch (url.protocol) {
    case 'grpc:':
      return { protocol: 'grpc', url: text.replace(/^grpc:/i, 'http:') };
    case 'grpcs:':
      return { protocol: 'grpc', url: text.replace(/^grpcs:/i, 'https:') };
    case 'http:':
    case 'https:':
      if (url.pathname === '/') url.pathname = `/v1/${signal}`;
      return { protocol: 'http', url: url.toString() };
    default:
      return null;
  }
}
