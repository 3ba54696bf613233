import { spawnSync } from 'node:child_process';
import type { AttachedHost } from '../endpoints/endpoint.js';
import { endpointKind } from '../endpoints/registry.js';
import { formatIpv4, formatMac } from '../fabric/address.js';
import type { Fabric } from '../fabric/assembly/fabric.js';

const NO_IP = 'ip cannot be run: it is of the package iproute2';

/** Assigned addresses of hosts are in one network. */
const PREFIX = 8;

/** A command of the system did not do what it was to do. */
export class NamespaceError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NamespaceError';
  }
}

interface AttachCommands {
  readonly host: string;
  readonly lines: readonly string[];
  /** Whether a network namespace can be attached by them. */
  readonly takesNamespaces: boolean;
}

/** Commands that are needed once, before those of hosts. */
export function preparation({ live }: Fabric): readonly string[] {
  const lines = (live?.hosts ?? []).flatMap(({ section: { endpoint } }) =>
    endpointKind(endpoint.kind).prepare(endpoint.settings),
  );
  return [...new Set(lines)];
}

/** By live host: how one attaches a namespace, or a guest; `namespaceOf` names those. */
export function attachCommands(
  { live, addresses }: Fabric,
  namespaceOf: (host: string) => string,
): readonly AttachCommands[] {
  return (live?.hosts ?? []).map(({ section, position }) => {
    const { name: host, endpoint, mtuOctets: mtu } = section;
    const { mac, ipv4 } = addresses[position]!;
    const attached: AttachedHost = {
      ...{ namespace: namespaceOf(host), mtu },
      mac: formatMac(mac),
      ipv4: `${formatIpv4(ipv4)}/${PREFIX}`,
    };
    const kind = endpointKind(endpoint.kind);
    const { takesNamespaces } = kind;
    return { host, lines: kind.attach(endpoint.settings, attached), takesNamespaces };
  });
}

/** Network namespaces that are attached for a run, and detached after it. */
export class Namespaces {
  private readonly undo: string[] = [];

  /** Makes a namespace that does not exist. */
  add(namespace: string): void {
    const listed = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' });
    if (listed.error !== undefined) throw new NamespaceError(NO_IP);
    const names = listed.stdout.split('\n').map((line) => line.split(' ')[0]);
    if (names.includes(namespace)) return;
    this.run(`ip netns add ${namespace}`);
    this.run(`ip -n ${namespace} link set lo up`);
  }

  run(line: string): void {
    const [program = '', ...words] = line.split(' ');
    const { status, stderr, error } = spawnSync(program, words, { encoding: 'utf8' });
    if (error !== undefined) throw new NamespaceError(NO_IP);
    if (status !== 0) throw new NamespaceError(faultOf(line, stderr.trim()));
    const made = /^ip netns add (\S+)$/.exec(line)?.[1];
    if (made !== undefined) this.undo.unshift(`ip netns del ${made}`);
  }

  /** What was made is gone; devices go with their namespaces. */
  remove(): void {
    for (const line of this.undo) spawnSync('ip', line.split(' ').slice(1));
  }
}

function faultOf(line: string, stderr: string): string {
  const lacksRights = /not permitted|permission denied|mount.*failed/i.test(stderr);
  if (!lacksRights) return `${line}: ${stderr}`;
  return (
    `${line}: this needs CAP_NET_ADMIN; without rights: ` +
    "unshare -rnm sh -c 'mount -t tmpfs none /run && ip link set lo up && selvage live …'"
  );
}
