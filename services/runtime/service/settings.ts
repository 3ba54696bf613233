import { readFileSync } from 'node:fs';
import { RunKeys } from '../keys/run-keys.js';
import type { TlsFiles } from '../links/control-channel.js';

/** Settings of every process of a run, from its environment. */
export interface RunIdentity {
  readonly run: string;
  /** Secret of the run, in hexadecimal. It is never sent. */
  readonly secret: string;
  /** Keys derived from it. */
  readonly keys: RunKeys;
  /** Where the coordinator listens: host:port. */
  readonly coordinator: string;
  readonly tls: TlsFiles | null;
  /** How long a lost partner is waited for. */
  readonly patienceMs: number;
  /** Where checkpoints are stored: a folder, `s3://bucket/folder`, or `jetstream`. */
  readonly checkpoints: string;
}

export class SettingsError extends Error {}

const PATIENCE_S = 60;

export function identityFrom(env: NodeJS.ProcessEnv): RunIdentity {
  const [ca, cert, key] = ['CA', 'CERT', 'KEY'].map((name) => env[`SELVAGE_TLS_${name}`]);
  const seconds = Number(env['SELVAGE_PATIENCE'] ?? PATIENCE_S);
  if (!(seconds > 0)) throw new SettingsError('SELVAGE_PATIENCE must be a number of seconds');
  const [run, secret] = [needed(env, 'SELVAGE_RUN'), secretFrom(env)];
  return {
    run,
    secret,
    keys: new RunKeys(run, secret),
    coordinator: needed(env, 'SELVAGE_COORDINATOR'),
    tls: ca && cert && key ? { ca, cert, key } : null,
    patienceMs: seconds * 1000,
    checkpoints: needed(env, 'SELVAGE_CHECKPOINTS'),
  };
}

/** How many threads a service may have; 0: as many as the run gives it. */
export function threadsFrom(env: NodeJS.ProcessEnv): number {
  const text = env['SELVAGE_THREADS'] ?? '0';
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new SettingsError(`SELVAGE_THREADS is ${text}: not a number of threads`);
}

/** Of a run: in SELVAGE_KEY, or in the file that SELVAGE_KEY_FILE names. */
export function secretFrom(env: NodeJS.ProcessEnv): string {
  const file = env['SELVAGE_KEY_FILE'] ?? '';
  const secret = file === '' ? needed(env, 'SELVAGE_KEY') : contentOf(file);
  if (/^[0-9a-f]{32,}$/.test(secret)) return secret;
  const name = file === '' ? 'SELVAGE_KEY' : `SELVAGE_KEY_FILE (${file})`;
  throw new SettingsError(`${name} must be 32 or more hexadecimal digits`);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new SettingsError(`SELVAGE_KEY_FILE cannot be read: ${(error as Error).message}`);
  }
}

/** The inverse of `identityFrom`. */
export function identityEnvironment(identity: RunIdentity): Record<string, string> {
  const { tls } = identity;
  return {
    SELVAGE_RUN: identity.run,
    SELVAGE_KEY: identity.secret,
    SELVAGE_COORDINATOR: identity.coordinator,
    SELVAGE_CHECKPOINTS: identity.checkpoints,
    SELVAGE_PATIENCE: `${identity.patienceMs / 1000}`,
    ...(tls && {
      SELVAGE_TLS_CA: tls.ca,
      SELVAGE_TLS_CERT: tls.cert,
      SELVAGE_TLS_KEY: tls.key,
    }),
  };
}

function needed(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (value === undefined || value === '') throw new SettingsError(`${name} is not set`);
  return value;
}
