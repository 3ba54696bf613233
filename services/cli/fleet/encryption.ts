import { isLoopback } from '../../live/auth-guard.js';
import type { BrokerOptions } from '../../runtime/links/broker.js';
import type { TlsFiles } from '../../runtime/links/control-channel.js';
import type { S3Address } from '../../runtime/object-storage/s3-address.js';
import { isS3, s3AddressFrom } from '../../runtime/object-storage/s3-address.js';
import { SettingsError } from '../../runtime/service/settings.js';
import { InputError } from '../exit.js';

const CHECKPOINTS = '--checkpoints';

/** Addresses of the processes of a run, and their encryption. */
interface RunLinks {
  readonly broker: BrokerOptions | null;
  /** host:port of the coordinator, and its option. */
  readonly control: { readonly option: string; readonly address: string } | null;
  readonly controlTls: TlsFiles | null;
  /** Where checkpoints go, if that is a bucket. */
  readonly storage: S3Address | null;
}

/** Off loopback, links are encrypted, or the command line explicitly permits that they are not. */
export function requireEncryption(links: RunLinks, isInsecure: boolean): void {
  const { broker, control, controlTls, storage } = links;
  if (isInsecure) return;
  if (storage !== null) requireEncryptedStorage(storage, CHECKPOINTS);
  const plain = broker?.tls === undefined ? (broker?.servers ?? []) : [];
  const exposed = plain.map((url) => new URL(url)).find(({ hostname }) => !isLoopback(hostname));
  if (exposed !== undefined) {
    throw new InputError(
      `--nats ${exposed.protocol}//${exposed.host}: not on loopback, and not encrypted; ` +
        'write tls://… or add --nats-ca, or accept it with --insecure',
    );
  }
  if (control === null || controlTls !== null) return;
  const { option, address } = control;
  if (isLoopback(address.replace(/:\d+$/, ''))) return;
  throw new InputError(
    `${option} ${address}: not on loopback, and not encrypted; ` +
      'add --control-ca, --control-cert and --control-key, or accept it with --insecure',
  );
}

/** Whether requests to it can be read on their way. */
export function isExposed({ endpoint }: S3Address): boolean {
  return endpoint.protocol === 'http:' && !isLoopback(endpoint.hostname);
}

export function requireEncryptedStorage(storage: S3Address, option: string): void {
  if (!isExposed(storage)) return;
  throw new InputError(
    `${option}: ${storage.endpoint.origin} is not on loopback, and not encrypted; ` +
      'write https://… in AWS_ENDPOINT_URL, or accept it with --insecure',
  );
}

/** The bucket that an option names; null if it names something else. */
export function storageOf(
  place: string | null,
  env: NodeJS.ProcessEnv,
  option = CHECKPOINTS,
): S3Address | null {
  if (place === null || !isS3(place)) return null;
  try {
    return s3AddressFrom(place, env);
  } catch (error) {
    throw error instanceof SettingsError ? new InputError(`${option} ${error.message}`) : error;
  }
}

/** On the command line, or in the environment of a container. */
export function isInsecureAccepted(
  { insecure = false }: { readonly insecure?: boolean },
  env: NodeJS.ProcessEnv,
): boolean {
  return insecure || env['SELVAGE_INSECURE'] === '1';
}
