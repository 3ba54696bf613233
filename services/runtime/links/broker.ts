import { readFileSync } from 'node:fs';
import type { Authenticator, NatsConnection } from '@nats-io/transport-node';
import {
  AuthorizationError,
  connect,
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import type { TlsFiles } from './control-channel.js';

/** Address of the broker, and credentials. Secrets come from files or the environment. */
export interface BrokerOptions {
  readonly servers: readonly string[];
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** File with an NKey seed, or with credentials (JWT and seed). */
  readonly nkeyFile?: string;
  readonly credentialsFile?: string;
  readonly tls?: Partial<TlsFiles>;
}

/** The broker cannot be used; the message has the reason and the remedy. */
export class BrokerError extends Error {
  constructor(
    message: string,
    /** A retry would not help. */
    readonly isFinal = true,
  ) {
    super(message);
  }
}

const CONNECT_TIMEOUT_MS = 5_000;
const RETRY_MS = 50;

export async function connectBroker(options: BrokerOptions, name: string): Promise<NatsConnection> {
  try {
    return await connect({
      servers: [...options.servers],
      name,
      timeout: CONNECT_TIMEOUT_MS,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 50,
      reconnectJitter: 50,
      pingInterval: 10_000,
      authenticator: authenticatorsOf(options),
      ...(options.tls === undefined ? {} : { tls: tlsOf(options.tls) }),
    });
  } catch (error) {
    if (error instanceof BrokerError) throw error;
    const isRefused = error instanceof AuthorizationError;
    throw new BrokerError(explain(error as Error, options), isRefused || isDistrusted(error));
  }
}

/** The same for a broker that may still be starting. */
export async function awaitBroker(
  options: BrokerOptions,
  name: string,
  patienceMs: number,
): Promise<NatsConnection> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await connectBroker(options, name);
    } catch (error) {
      const { isFinal } = error as BrokerError;
      if (isFinal || performance.now() > deadline) throw error;
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }
}

/** From the environment of a service, set by the command line or by the mount of a secret. */
export function brokerOptionsFrom(env: NodeJS.ProcessEnv): BrokerOptions {
  const text = (name: string): string | undefined => env[`SELVAGE_NATS_${name}`];
  const [ca, cert, key] = [text('CA'), text('CERT'), text('KEY')];
  const tls = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  const [user, password, token] = [text('USER'), text('PASSWORD'), text('TOKEN')];
  const [nkeyFile, credentialsFile] = [text('NKEY_FILE'), text('CREDENTIALS_FILE')];
  return {
    servers: (text('URL') ?? 'nats://127.0.0.1:4222').split(','),
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    ...(token !== undefined && { token }),
    ...(nkeyFile !== undefined && { nkeyFile }),
    ...(credentialsFile !== undefined && { credentialsFile }),
    ...((Object.keys(tls).length > 0 || isTls(text('URL') ?? '')) && { tls }),
  };
}

/** Whether one of the servers requires TLS. */
export function isTls(urls: string): boolean {
  return urls.split(',').some((url) => url.startsWith('tls://'));
}

/** The inverse of `brokerOptionsFrom`. */
export function brokerEnvironment(options: BrokerOptions): Record<string, string> {
  const entries: [string, string | undefined][] = [
    ['URL', options.servers.join(',')],
    ['USER', options.user],
    ['PASSWORD', options.password],
    ['TOKEN', options.token],
    ['NKEY_FILE', options.nkeyFile],
    ['CREDENTIALS_FILE', options.credentialsFile],
    ['CA', options.tls?.ca],
    ['CERT', options.tls?.cert],
    ['KEY', options.tls?.key],
  ];
  return Object.fromEntries(
    entries.flatMap(([name, value]) =>
      value === undefined ? [] : [[`SELVAGE_NATS_${name}`, value]],
    ),
  );
}

function authenticatorsOf(options: BrokerOptions): Authenticator[] {
  const { user, password, token, nkeyFile, credentialsFile } = options;
  const found: Authenticator[] = [];
  if (user !== undefined) found.push(usernamePasswordAuthenticator(user, password));
  if (token !== undefined) found.push(tokenAuthenticator(token));
  if (nkeyFile !== undefined) found.push(nkeyAuthenticator(readSecret(nkeyFile)));
  if (credentialsFile !== undefined) found.push(credsAuthenticator(readSecret(credentialsFile)));
  return found;
}

function readSecret(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch {
    throw new BrokerError(`${file}: cannot be read (credentials for the broker)`);
  }
}

function tlsOf({ ca, cert, key }: Partial<TlsFiles>): object {
  return {
    ...(ca !== undefined && { caFile: ca }),
    ...(cert !== undefined && { certFile: cert }),
    ...(key !== undefined && { keyFile: key }),
  };
}

/** The certificate of the broker is of another authority, of another name, or out of date. */
function isDistrusted(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  return [code, cause?.code].some(
    (one) => typeof one === 'string' && /CERT|LEAF_SIGNATURE/.test(one),
  );
}

function explain(error: Error, { servers }: BrokerOptions): string {
  const where = servers.map(withoutSecret).join(', ');
  if (error instanceof AuthorizationError) {
    return `the broker at ${where} refuses these credentials (see docs/distributed.md)`;
  }
  return `the broker at ${where} cannot be reached: ${error.message}`;
}

/** A URL may carry a password, which is never printed. */
function withoutSecret(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//');
}
