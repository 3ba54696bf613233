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
  /** Where checkpoints are stored: a folder, or `jetstream`. */
  readonly checkpoints: string;
}

export class SettingsError extends Error {}

const PATIENCE_S = 60;

export function identityFrom(env: NodeJS.ProcessEnv): RunIdentity {
  const [ca, cert, key] = ['CA', 'CERT', 'KEY'].map((name) => env[`SELVAGE_TLS_${name}`]);
  const seconds = Number(env['SELVAGE_PATIENCE'] ?? PATIENCE_S);
  if (!(seconds > 0)) throw new SettingsError('SELVAGE_PATIENCE must be a number of seconds');
  const [run, secret] = [needed(env, 'SELVAGE_RUN'), needed(env, 'SELVAGE_KEY')];
  if (!/^[0-9a-f]{32,}$/.test(secret)) {
    throw new SettingsError('SELVAGE_KEY must be 32 or more hexadecimal digits');
  }
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
