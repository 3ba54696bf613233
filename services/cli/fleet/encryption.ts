import { isLoopback } from '../../live/auth-guard.js';
import type { BrokerOptions } from '../../runtime/links/broker.js';
import type { TlsFiles } from '../../runtime/links/control-channel.js';
import { InputError } from '../exit.js';

/** Addresses of the processes of a run, and their encryption. */
export interface RunLinks {
  readonly broker: BrokerOptions | null;
  /** host:port of the coordinator, and its option. */
  readonly control: { readonly option: string; readonly address: string } | null;
  readonly controlTls: TlsFiles | null;
}

/** Off loopback, links are encrypted, or the command line explicitly permits that they are not. */
export function requireEncryption(links: RunLinks, isInsecure: boolean): void {
  const { broker, control, controlTls } = links;
  if (isInsecure) return;
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

/** On the command line, or in the environment of a container. */
export function isInsecureAccepted(
  { insecure = false }: { readonly insecure?: boolean },
  env: NodeJS.ProcessEnv,
): boolean {
  return insecure || env['SELVAGE_INSECURE'] === '1';
}
