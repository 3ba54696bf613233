/** Addresses of hosts and ports, and the hash that a flow's path depends on. */

/** Octets, as they go into headers. */
export interface HostAddress {
  readonly mac: Uint8Array;
  readonly ipv4: Uint8Array;
  readonly ipv6: Uint8Array;
}

/** A host's addresses in the scenario; null: assigned by position. */
export interface WrittenAddress {
  /** Of the host. */
  readonly name: string;
  readonly mac: string | null;
  readonly ipv4: string | null;
  readonly ipv6: string | null;
}

type AddressKind = keyof HostAddress;

/** Creates the error to throw about an address of the host at a position. */
type AddressFail = (position: number, kind: AddressKind, message: string) => Error;

interface AddressFamily {
  /** The address of the n-th host, n counted from 1. */
  readonly assign: (number: number) => Uint8Array;
  readonly parse: (text: string) => Uint8Array | null;
  readonly format: (octets: Uint8Array) => string;
  /** Why an address cannot be a host's own; null: it can. */
  readonly objection: (octets: Uint8Array) => string | null;
  readonly example: string;
}

const FAMILIES: Readonly<Record<AddressKind, AddressFamily>> = {
  mac: {
    // Locally administered (802, 8.4).
    assign: (number) => Uint8Array.from([2, 0, 0, number >>> 16, number >>> 8, number]),
    parse: parseMac,
    format: formatMac,
    objection: objectionToMac,
    example: '02:00:00:00:00:01',
  },
  ipv4: {
    // A private network (RFC 1918).
    assign: (number) => Uint8Array.from([10, number >>> 16, number >>> 8, number]),
    parse: parseIpv4,
    format: formatIpv4,
    objection: (octets) =>
      octets[0] === 0 || octets[0]! >= 224 ? 'it is not the address of one host' : null,
    example: '10.0.0.1',
  },
  ipv6: {
    // Unique local addresses (RFC 4193) of global identifier 0.
    assign: (number) => {
      const octets = new Uint8Array(16);
      octets[0] = 0xfd;
      octets.set([number >>> 16, number >>> 8, number], 13);
      return octets;
    },
    parse: parseIpv6,
    format: formatIpv6,
    objection: (octets) =>
      octets[0] === 0xff || octets.every((octet) => octet === 0)
        ? 'it is not the address of one host'
        : null,
    example: 'fd00::1',
  },
};

const KINDS = ['mac', 'ipv4', 'ipv6'] as const;

/** Addresses of all hosts, by position: those given, and the others assigned; all different. */
export function assignAddresses(
  hosts: readonly WrittenAddress[],
  fail: AddressFail,
): HostAddress[] {
  const [mac, ipv4, ipv6] = KINDS.map((kind) => assignFamily(hosts, kind, fail));
  return hosts.map((_, i) => ({ mac: mac![i]!, ipv4: ipv4![i]!, ipv6: ipv6![i]! }));
}

/**
 * Addresses of switch ports, distinct from those assigned to hosts: 02:01, then the number of the
 * device in two octets and of the port in two, both counted from 1.
 */
export function switchPortMac(device: number, port: number): Uint8Array {
  const [d, p] = [device + 1, port + 1];
  return Uint8Array.from([2, 1, d >>> 8, d, p >>> 8, p]);
}

/** Addresses of a switch itself, distinct from those assigned to hosts. */
export function switchAddress(device: number): HostAddress {
  const number = [(device + 1) >>> 8, (device + 1) & 0xff];
  const ipv6 = new Uint8Array(16);
  ipv6.set([0xfd, 0, 0xff]);
  ipv6.set(number, 14);
  return {
    mac: switchPortMac(device, 0),
    ipv4: Uint8Array.from([10, 255, ...number]),
    ipv6,
  };
}

/** 802, 8.4: the address is administered locally. */
const LOCAL = 2 ** 41;
const VM_PLACE = 2 ** 24;

/**
 * The address of a virtual machine: the first has its host's, another a local one with its number
 * in the third octet.
 */
export function macOfVm(mac: number, vm: number): number {
  if (vm === 0) return mac;
  const local = Math.floor(mac / LOCAL) % 2 === 0 ? mac + LOCAL : mac;
  const third = Math.floor(local / VM_PLACE) & 0xff;
  return local + ((third ^ vm) - third) * VM_PLACE;
}

/** The same 32 bits for all frames of a flow; equal-cost choices are made with them. */
export function flowHash(
  source: number,
  destination: number,
  priority: number,
  flow: number,
): number {
  let hash = 0;
  for (const word of [source, destination, priority, flow]) {
    // A round of MurmurHash3 for each word, and its finaliser after the last.
    const scrambled = Math.imul(rotateLeft(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);
    hash = (Math.imul(rotateLeft(hash ^ scrambled, 13), 5) + 0xe6546b64) | 0;
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function assignFamily(
  hosts: readonly WrittenAddress[],
  kind: AddressKind,
  fail: AddressFail,
): Uint8Array[] {
  const { assign, format } = FAMILIES[kind];
  const owners = new Map<string, number>();
  return hosts.map((host, position) => {
    const text = host[kind];
    const address =
      text === null
        ? assign(position + 1)
        : readAddress(kind, text, (message) => fail(position, kind, message));
    const written = format(address);
    const owner = owners.get(written);
    if (owner !== undefined) {
      // Of the two the one that the scenario sets is the one to change.
      const culprit = text === null ? owner : position;
      const names = `${hosts[owner]!.name} and ${host.name}`;
      throw fail(culprit, kind, `${names} would both have the address ${written}`);
    }
    owners.set(written, position);
    return address;
  });
}

function readAddress(
  kind: AddressKind,
  text: string,
  fail: (message: string) => Error,
): Uint8Array {
  const { parse, objection, example } = FAMILIES[kind];
  const address = parse(text);
  if (address === null) throw fail(`${text} is no ${kind} address; one looks like ${example}`);
  const reason = objection(address);
  if (reason !== null) throw fail(`${text} cannot be a host's ${kind} address: ${reason}`);
  return address;
}

function objectionToMac(octets: Uint8Array): string | null {
  if ((octets[0]! & 1) !== 0) return 'it is a group address';
  if (octets.every((octet) => octet === 0)) return 'it is all zero';
  if (octets[0] === 2 && octets[1] === 1) return '02:01 is the prefix of switch ports';
  return null;
}

export function formatMac(octets: Uint8Array): string {
  return [...octets].map((octet) => octet.toString(16).padStart(2, '0')).join(':');
}

export function formatIpv4(octets: Uint8Array): string {
  return octets.join('.');
}

/** The one form of RFC 5952: no leading zeros, the longest run of zero groups as `::`. */
export function formatIpv6(octets: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, i) => {
    return ((octets[2 * i]! << 8) | octets[2 * i + 1]!).toString(16);
  });
  let [start, length] = [0, 1];
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (groups[end] === '0') end++;
    if (end - i > length) [start, length] = [i, end - i];
  }
  if (length === 1) return groups.join(':');
  const [head, tail] = [groups.slice(0, start), groups.slice(start + length)];
  return `${head.join(':')}::${tail.join(':')}`;
}

function parseMac(text: string): Uint8Array | null {
  if (!/^[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}[0-9a-f]{2}$/i.test(text)) return null;
  return Uint8Array.from(text.split(/[:-]/), (octet) => parseInt(octet, 16));
}

function parseIpv4(text: string): Uint8Array | null {
  const octets = text
    .split('.')
    .map((part) => (/^(0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256));
  return octets.length === 4 && octets.every((octet) => octet < 256)
    ? Uint8Array.from(octets)
    : null;
}

function parseIpv6(text: string): Uint8Array | null {
  const halves = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  if (halves.length > 2) return null;
  const [head, tail = []] = halves as [string[], string[]?];
  const zeros = 8 - head.length - tail.length;
  if (halves.length === 2 ? zeros < 1 : zeros !== 0) return null;
  const groups = [...head, ...new Array<string>(zeros).fill('0'), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return null;
  return Uint8Array.from(
    groups.flatMap((group) => {
      const value = parseInt(group, 16);
      return [value >>> 8, value & 0xff];
    }),
  );
}
