/** Some hosts of some worlds are real: what came in from them is part of the world. */

import type { Draft } from './drafter.js';
import type { Sampler } from './sampler.js';
import type { Place } from './samples.js';

/** Of worlds. */
const PART = 0.08;
const FRAMES_MOST = 40;
const PAUSES = `0180c2000001060000000001880801010008${'ffff'.repeat(8)}${'00'.repeat(26)}`;
const LLDP = '0180c200000e06000000000188cc0207040600000000010403020131060200780000';

/** Real hosts with their frames: to each other, to emulated hosts, to all, and of the link. */
export function liveHosts(draft: Draft, sampler: Sampler, place: Place): void {
  if (!sampler.chance(PART)) return;
  const hosts = sampler.some(place.hosts, 1, 3);
  const inputs = Array.from({ length: sampler.below(FRAMES_MOST) }, () => {
    const from = sampler.below(hosts.length);
    return {
      host: hosts[from],
      at: `${Math.round(place.spanPs * sampler.stream.uniform())}ps`,
      octets: octetsFrom(from, hosts.length, sampler),
    };
  });
  draft['live'] = {
    hosts: Object.fromEntries(hosts.map((host, index) => [host, hostOf(index, sampler)])),
    ...(sampler.chance(0.3) && { scale: sampler.pick([0.5, 1, 10]) }),
    ...(sampler.chance(0.5) && {
      timing: sampler.pick(['best-effort', 'strict', 'stretch']),
    }),
    ...(sampler.chance(0.3) && { late: '100us' }),
    inputs,
  };
}

function hostOf(index: number, sampler: Sampler): Draft {
  const address = `127.0.0.1:${7000 + 2 * index}`;
  const endpoint = sampler.pick([
    { vxlan: { vni: index, listen: '127.0.0.1:4789', remote: '127.0.0.2:4789' } },
    { stream: { unix: `live-${index}` } },
    { stream: { listen: address } },
    { dgram: { listen: address, remote: `127.0.0.1:${7001 + 2 * index}` } },
  ]);
  return {
    ...endpoint,
    ...(sampler.chance(0.5) && { mode: sampler.pick(['nic', 'wire']) }),
    ...(sampler.chance(0.3) && { mtu: sampler.pick([68, 1500, 9000]) }),
    ...(sampler.chance(0.3) && { queue: sampler.pick(['1KB', '20KB']) }),
    ...(sampler.chance(0.5) && { priority: sampler.pick(['dscp', 0, 3, 7]) }),
    ...(sampler.chance(0.3) && { checksums: sampler.pick(['as-sent', 'complete']) }),
  };
}

function octetsFrom(from: number, hosts: number, sampler: Sampler): string {
  if (sampler.chance(0.1)) return sampler.pick([PAUSES, LLDP]);
  const to = sampler.pick([macOf(sampler.below(hosts)), 'ffffffffffff', '02000000000' + '1']);
  const tag = sampler.chance(0.3) ? `8100${sampler.pick(['6000', 'e007', '000a'])}` : '';
  return `${to}${macOf(from)}${tag}${packet(sampler)}`;
}

/** IPv4 of any traffic class, IPv6, ARP, or what no standard knows. */
function packet(sampler: Sampler): string {
  const length = sampler.pick([20, 46, 500, 1400]);
  const any = (octets: number): string =>
    Array.from({ length: octets }, () => octet(sampler.below(256))).join('');
  const size = octet(length >> 8) + octet(length & 0xff);
  return sampler.pick([
    `080045${octet(sampler.below(256))}${size}${any(length - 4)}`,
    `86dd6${octet(sampler.below(256))}0${any(length)}`,
    `0806${any(28)}`,
    any(length),
  ]);
}

/** Addresses of real hosts are not those of the hosts whose places they take. */
function macOf(host: number): string {
  return `0600000000${octet(host + 1)}`;
}

function octet(value: number): string {
  return value.toString(16).padStart(2, '0');
}
