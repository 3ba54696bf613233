import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import { checkServerIdentity } from 'node:tls';
import { Client, credentials, Metadata, ServerCredentials } from '@grpc/grpc-js';

/** Files of mutual TLS between coordinator, services and clients; all three or none. */
export interface TlsFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** The same in memory. */
export type TlsCredentials = Readonly<Record<keyof TlsFiles, Buffer>>;

/** Sent in place of an address, which is no server name (RFC 6066 3). */
const SERVER_NAME = 'selvage';
const TOKEN_HEADER = 'selvage-token';
/** A plan of a thousand devices is some megabytes; no valid message is larger than this. */
const MOST_OCTETS = 256 << 20;

/** A connection that is silent for so long is dead; a busy service answers between two steps. */
const KEEPALIVE = {
  'grpc.keepalive_time_ms': 5_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.keepalive_permit_without_calls': 1,
};

export const CHANNEL_OPTIONS = {
  ...KEEPALIVE,
  'grpc.max_receive_message_length': MOST_OCTETS,
  'grpc.max_send_message_length': MOST_OCTETS,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
};

/** A client of the control plane at host:port. */
export function controlClient(address: string, tls: TlsFiles | TlsCredentials | null): Client {
  if (tls === null) return new Client(address, credentials.createInsecure(), CHANNEL_OPTIONS);
  const [ca, cert, key] = [tls.ca, tls.cert, tls.key].map(contentOf);
  const host = address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  if (isIP(host) === 0) {
    return new Client(address, credentials.createSsl(ca, key, cert), CHANNEL_OPTIONS);
  }
  const checkAddress = (_: string, peer: PeerCertificate): Error | undefined =>
    checkServerIdentity(host, peer);
  const named = { ...CHANNEL_OPTIONS, 'grpc.ssl_target_name_override': SERVER_NAME };
  const verifyOptions = { checkServerIdentity: checkAddress };
  return new Client(address, credentials.createSsl(ca, key, cert, verifyOptions), named);
}

export function serverCredentials(tls: TlsFiles | null): ServerCredentials {
  if (tls === null) return ServerCredentials.createInsecure();
  const pair = { private_key: readFileSync(tls.key), cert_chain: readFileSync(tls.cert) };
  return ServerCredentials.createSsl(readFileSync(tls.ca), [pair], true);
}

function contentOf(file: string | Buffer): Buffer {
  return typeof file === 'string' ? readFileSync(file) : file;
}

/**
 * Unlimited streams end after a day and are opened again: one whose client was lost must not stay
 * open forever.
 */
export const STREAM_MS = 86_400_000;

/** Every call carries the token derived from the run's secret for the control plane. */
export function tokenMetadata(token: string): Metadata {
  const metadata = new Metadata();
  metadata.set(TOKEN_HEADER, token);
  return metadata;
}

/** Takes as long for a wrong token as for the right one. */
export function hasToken(metadata: Metadata, token: string): boolean {
  const [given, right] = [metadata.get(TOKEN_HEADER)[0] ?? '', token].map((text) =>
    createHash('sha256').update(text).digest(),
  );
  return timingSafeEqual(given!, right!);
}
